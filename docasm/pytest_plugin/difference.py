"""A difference for people: each changed line with its place, white space shown where it counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from docasm.changes import Change, changes

_CONTEXT = 2
"""How many unchanged lines stand before and after a change."""
_SEEN = str.maketrans({" ": "·", "\t": "→", "\N{NO-BREAK SPACE}": "⍽"})
"""How white space is shown."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a difference."""

    sign: str
    """"-" for a line of the snapshot, "+" for one that is new, " " for one in both."""
    place: str
    text: str

    def shown(self, width: int) -> str:
        return f"{self.place:<{width}} | {self.sign} {self.text}".rstrip()


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between a snapshot and what there is now."""

    rows: tuple[Row, ...]
    only_space: bool
    """Whether nothing differs but white space and line ends."""

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The sign and the text of each line, their places in one column."""
        width = max((len(row.place) for row in self.rows), default=0)
        return [(row.sign, row.shown(width)) for row in self.rows]


def difference(old: str, new: str, places: Sequence[str]) -> Difference:
    """From the lines of `old` to those of `new`, which come from `places` ("" where there is none)."""
    before, after = old.split("\n"), new.split("\n")
    found = list(changes(before, after))
    named = [*places, *[""] * (len(after) - len(places))]
    rows = _rows(before, after, named, found)
    return Difference(tuple(rows), _squeezed(before) == _squeezed(after))


def _rows(
    old: Sequence[str], new: Sequence[str], places: Sequence[str], found: Sequence[Change]
) -> Iterator[Row]:
    standing = list(accumulate(places, _last_named))
    last = 0
    for change in found:
        yield from _between(new, places, last, change.new_first)
        yield from _changed(old, new, places, standing, change)
        last = change.new_last
    if found:
        yield from _between(new, places, last, len(new))


def _between(new: Sequence[str], places: Sequence[str], first: int, last: int) -> Iterator[Row]:
    """The unchanged lines between two changes; of many, only those beside a change."""
    head = first + _CONTEXT if first else first
    tail = last - _CONTEXT if last < len(new) else last
    for index in range(first, last):
        if index < head or index >= tail:
            yield Row(" ", places[index], new[index])
        elif index == head:
            yield Row(" ", "...", "")


def _changed(
    old: Sequence[str], new: Sequence[str], places: Sequence[str], standing: Sequence[str], change: Change
) -> Iterator[Row]:
    first, last, other, end = change
    gone, come = old[first:last], new[other:end]
    there = {_squeezed([line]) for line in come}
    for number, line in enumerate(gone):
        at = other + number
        place = places[at] if at < end else _after(standing[end - 1] if end else "")
        yield Row("-", place, _visible(line, there))
    here = {_squeezed([line]) for line in gone}
    for number, line in enumerate(come, start=other):
        yield Row("+", places[number], _visible(line, here))


def _last_named(before: str, place: str) -> str:
    return place or before


def _after(place: str) -> str:
    """Where a line was that nothing stands for now: after the one before it."""
    return f"after {place}" if place else ""


def _squeezed(lines: Sequence[str]) -> str:
    """The text without white space, escaped line ends and the mark of a missing one among it."""
    text = "".join("".join(lines).split())
    for escape in ("\\u{d}", "\\u{}", "\\u{b}", "\\u{c}", "\\u{85}", "\\u{2028}", "\\u{2029}"):
        text = text.replace(escape, "")
    return text


def _visible(line: str, others: set[str]) -> str:
    """The line, its white space and its end shown if it is blank or the other side has it but for them."""
    squeezed = _squeezed([line])
    if squeezed and squeezed not in others:
        return line
    return line.translate(_SEEN) + "␊"
