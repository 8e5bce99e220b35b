"""A difference for people: each changed line with its place, white space shown where it counts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, Self

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


def difference(old: str, new: str, places: Sequence[str], was: Sequence[str] = ()) -> Difference:
    """From the lines of `old`, which came from `was`, to those of `new`, which come from `places`.

    A place is "" where there is none, or nobody knows.
    """
    before, after = _Side.of(old, was), _Side.of(new, places)
    found = list(changes(before.lines, after.lines))
    before = before.with_guesses(after, found)
    only_space = _squeezed(before.lines) == _squeezed(after.lines)
    return Difference(tuple(_rows(before, after, found)), only_space)


class _Side(NamedTuple):
    """The lines of a text, and as many places."""

    lines: Sequence[str]
    places: Sequence[str]

    @classmethod
    def of(cls, text: str, places: Sequence[str]) -> Self:
        lines = text.split("\n")
        return cls(lines, [*places, *[""] * (len(lines) - len(places))])

    def with_guesses(self, new: "_Side", found: Iterable[Change]) -> "_Side":
        """Each line that is gone has a place: that of the line which is there now, else of the one before."""
        standing = list(accumulate(new.places, _last_named))
        places = [*self.places]
        for first, last, other, end in found:
            before = standing[end - 1] if end else ""
            for number, at in enumerate(range(first, last), start=other):
                places[at] = places[at] or (
                    new.places[number] if number < end else before and f"after {before}"
                )
        return _Side(self.lines, places)


def _rows(old: _Side, new: _Side, found: Sequence[Change]) -> Iterator[Row]:
    last = 0
    for change in found:
        yield from _between(new, last, change.new_first)
        yield from _changed(old, new, change)
        last = change.new_last
    if found:
        yield from _between(new, last, len(new.lines))


def _between(new: _Side, first: int, last: int) -> Iterator[Row]:
    """The unchanged lines between two changes; of many, only those beside a change."""
    head = first + _CONTEXT if first else first
    tail = last - _CONTEXT if last < len(new.lines) else last
    for index in range(first, last):
        if index < head or index >= tail:
            yield Row(" ", new.places[index], new.lines[index])
        elif index == head:
            yield Row(" ", "...", "")


def _changed(old: _Side, new: _Side, change: Change) -> Iterator[Row]:
    first, last, other, end = change
    gone, come = old.lines[first:last], new.lines[other:end]
    yield from _one_side("-", old.places[first:last], gone, come)
    yield from _one_side("+", new.places[other:end], come, gone)


def _one_side(sign: str, places: Sequence[str], lines: Sequence[str], others: Sequence[str]) -> Iterator[Row]:
    there = {_squeezed([line]) for line in others}
    for place, line in zip(places, lines, strict=True):
        yield Row(sign, place, _visible(line, there))


def _last_named(before: str, place: str) -> str:
    return place or before


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
