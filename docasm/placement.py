"""Where a value from outside may stand, decided from the text around its hole before any value exists.

A document is judged once as it is compiled, with a stand-in for every hole. A hole gets the function of
`contain` that keeps every value in its place; where there is none, compiling fails.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from docasm.contain import at_line_start, block, in_fence, one_line
from docasm.markdown import Block, structure

Contain = Callable[[str], str]

_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r" ?[^\W\d_]")
_HEADING = re.compile(r"#{1,6}[ \t]")
_ITEM_OR_QUOTE = re.compile(r" {0,3}(?:(?:[*+-]|\d{1,9}[.)]) {1,3}|> ?)+")
_TAG_START = re.compile(r"[ \t>*+\-\d.)]*<")
_REFERENCE = re.compile(r"\[(?:\\.|[^\\\]])*(?:\]:|\Z)", re.S)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no value may stand in a place."""

    reason: str


@dataclass(frozen=True, slots=True)
class Mark:
    """One hole in the text that is judged."""

    offset: int
    """The code point of its stand-in."""
    container: str | None
    """The containment filter that its author wrote."""
    statement: bool
    """Whether it is an `if` or a `for`."""
    lines: bool
    """Whether it is a statement that writes whole lines."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """A hole's surroundings."""

    mark: Mark
    before: str
    """The line up to the hole."""
    after: str
    """The line from the hole on."""
    above: str | None
    """The line before; None at the start."""
    below: tuple[str, ...]
    """The lines after, as far as the next one that is not blank."""
    block: Block | None
    text_before: str
    """The block up to the hole."""

    @property
    def alone(self) -> bool:
        return not self.before and not self.after.strip(" \t")

    @property
    def stands_apart(self) -> bool:
        """Flush left on a line of its own, blank lines around it and no indented line next."""
        flush = not self.below or self.below[-1][:1] not in (" ", "\t")
        return self.alone and _blank(self.above) and _blank(self.next_line) and flush

    @property
    def next_line(self) -> str | None:
        return self.below[0] if self.below else None


def place(text: str, marks: tuple[Mark, ...]) -> Iterator[Contain | Refusal]:
    """For each hole of a text, how its values are contained there, or why they cannot be."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    covering = {line: each for each in structure(text).blocks for line in range(each.first, each.last)}
    for mark in marks:
        yield _contain(_spot(mark, lines, starts, covering))


def _spot(mark: Mark, lines: list[str], starts: list[int], covering: Mapping[int, Block]) -> _Spot:
    number = bisect_right(starts, mark.offset) - 1
    column = mark.offset - starts[number]
    line, found = lines[number], covering.get(number)
    below = []
    for each in lines[number + 1 :]:
        below.append(each)
        if each.strip(" \t"):
            break
    first = found.first if found else number
    return _Spot(
        mark,
        line[:column],
        line[column + 1 :],
        lines[number - 1] if number else None,
        tuple(below) if below and below[-1].strip(" \t") else tuple(below[:1]),
        found,
        "\n".join([*lines[first:number], line[:column]]),
    )


def _contain(spot: _Spot) -> Contain | Refusal:
    if spot.mark.container == "trusted":
        return _as_it_is
    if spot.block is None:
        return Refusal("it stands in a link definition")
    if spot.block.kind == "html":
        return Refusal("it stands in HTML")
    if spot.block.kind == "fence":
        return _in_fence(spot, spot.block)
    if spot.mark.container is not None:
        return _filtered(spot, spot.mark.container)
    return _in_text(spot, spot.block)


def _as_it_is(text: str) -> str:
    return text


def _in_text(spot: _Spot, found: Block) -> Contain | Refusal:
    if spot.mark.lines or (spot.stands_apart and not spot.mark.statement):
        return block if spot.stands_apart and found.kind == "paragraph" and not found.nested else _APART
    if refusal := _not_in_a_line(spot, found):
        return refusal
    if found.kind == "heading" or _LETTER.search(spot.before):
        return one_line
    if not spot.before and _WORD.match(spot.after) and not spot.mark.statement:
        return at_line_start
    return Refusal("no letter stands before it on its line")


_APART = Refusal(
    "it must stand flush left between blank lines, outside lists and quotes, no indented line next"
)


def _not_in_a_line(spot: _Spot, found: Block) -> Refusal | None:
    """Why even a value on one line could change what its line is."""
    if found.kind == "heading":
        in_text = _HEADING.search(spot.before)
        return None if in_text else Refusal("it stands in a heading's mark")
    if _TAG_START.match(spot.before):
        return Refusal("its line starts with `<` and could become HTML")
    text = _ITEM_OR_QUOTE.sub("", spot.text_before, count=1).lstrip(" ")
    if found.kind in ("paragraph", "setext") and _REFERENCE.match(text):
        return Refusal("it stands in what could become a link definition")
    return None


def _in_fence(spot: _Spot, found: Block) -> Contain | Refusal:
    if spot.text_before.count("\n") == 0:
        return Refusal("it stands in the info string of a fence")
    if spot.mark.container not in (None, "oneline"):
        return Refusal(f"`| {spot.mark.container}` has no meaning in a fence")
    rest = spot.before + spot.after
    if not rest.strip(" \t"):
        return Refusal("its fence stands in a list or quote") if found.nested else _fence_of(found)
    letters_only = found.nested or spot.mark.lines
    solid = _LETTER.search(spot.before) if letters_only else re.search(rf"[^\s{found.markup[0]}]", rest)
    return one_line if solid else Refusal("no other text stands on its line")


def _fence_of(found: Block) -> Contain:
    return in_fence(found.markup[0], len(found.markup))


def _filtered(spot: _Spot, container: str) -> Contain | Refusal:
    """The value is contained by the filter already; may it stand here?"""
    found = spot.block
    assert found is not None
    if spot.stands_apart and found.kind == "paragraph" and not found.nested:
        return _as_it_is
    if container != "oneline":
        return _APART
    if refusal := _not_in_a_line(spot, found):
        return refusal
    if found.kind == "heading" or _LETTER.search(spot.before):
        return _as_it_is
    if not spot.before and _WORD.match(spot.after):
        return _as_it_is
    return _as_it_is if _starts_an_item(spot) else Refusal("a value that is empty would change its line")


def _starts_an_item(spot: _Spot) -> bool:
    """At the start of a list item or quote, where neither neighbour changes its meaning if it is empty."""
    return (
        _ITEM_OR_QUOTE.fullmatch(spot.before) is not None
        and (not spot.after.strip(" \t") or _WORD.match(spot.after) is not None)
        and (_blank(spot.above) or _ITEM_OR_QUOTE.match(str(spot.above)) is not None)
        and (_blank(spot.next_line) or _ITEM_OR_QUOTE.match(str(spot.next_line)) is not None)
    )


def _blank(line: str | None) -> bool:
    return line is None or not line.strip(" \t")
