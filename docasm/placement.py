"""Where a value from outside may stand, decided from the text around its hole before any value exists.

A document is judged once as it is compiled, with a stand-in for every hole. A hole gets the function of
`contain` that keeps every value in its place; where there is none, compiling fails.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from docasm.contain import at_line_start, block, in_fence, one_line
from docasm.markdown import Block
from docasm.stencil import STAND_INS
from docasm.surroundings import Page, Spot, blank

Contain = Callable[[str], str]

LIST = "- x"
"""What the history and the tools look like to Markdown."""

_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r" ?[^\W\d_]")
_HEADING = re.compile(r"#{1,6}[ \t]")
_HEADING_OR_ITEM = re.compile(r"#{1,6} |[*+-] [^\W\d_]")
_ITEM_OR_QUOTE = re.compile(r" {0,3}(?:(?:[*+-]|\d{1,9}[.)]) {1,3}|> ?)+")
_TAG_START = re.compile(r"[ \t>*+\-\d.)]*<")
_REFERENCE = re.compile(rf"\[(?:\\.|[^\\\]])*+(?:\](?::|[{STAND_INS}]*\Z)|\\?\Z)", re.S)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no value may stand in a place."""

    reason: str
    offers: tuple[str, ...] = ()
    """The containment filters with which one may."""


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
class ListMark:
    """A slot in the text that is judged: a list, whose items hold anything, or nothing at all."""

    offset: int


def place(text: str, marks: tuple[Mark | ListMark, ...]) -> Iterator[Contain | Refusal]:
    """For each hole of a text, how its values are contained there, or why they cannot be; so for slots."""
    page = Page.of(text)
    for mark in marks:
        if isinstance(mark, ListMark):
            yield _contain_list(page.spot(mark.offset, len(LIST)))
        else:
            spot = page.spot(mark.offset, 1)
            found = _contain(mark, spot)
            yield _with_offers(found, mark, spot) if isinstance(found, Refusal) else found


def _with_offers(refusal: Refusal, mark: Mark, spot: Spot) -> Refusal:
    """The refusal with what its author could write instead, in the same place."""
    others = [name for name in ("oneline", "quote", "fence") if name != mark.container and not mark.statement]
    tried = {name: _contain(replace(mark, container=name), spot) for name in others}
    return replace(refusal, offers=tuple(name for name in others if not isinstance(tried[name], Refusal)))


def _contain_list(spot: Spot) -> Contain | Refusal:
    """A slot's list holds anything, or nothing: it starts at the first column, nothing goes on in it."""
    if spot.doubtful:
        return _DOUBTFUL
    if spot.before or spot.block is None or spot.block.kind != "paragraph" or not spot.opening:
        return Refusal("it must stand flush left, outside HTML")
    if blank(spot.next_line):
        return _as_it_is if spot.flush_below else Refusal("the text after it must not be indented")
    return _as_it_is if _HEADING_OR_ITEM.match(str(spot.next_line)) else Refusal("no blank line is after it")


def _contain(mark: Mark, spot: Spot) -> Contain | Refusal:
    if mark.container == "trusted":
        return _as_it_is
    if spot.doubtful:
        return _DOUBTFUL
    if spot.block is None:
        return Refusal("it stands in a link definition")
    if spot.block.kind == "html":
        return Refusal("it stands in HTML")
    if spot.block.kind == "fence":
        return _in_fence(mark, spot, spot.block)
    if mark.container is not None:
        return _filtered(mark.container, spot, spot.block)
    return _in_text(mark, spot, spot.block)


_DOUBTFUL = Refusal("a line before it starts with `<` and is a list item's or quote's, but is not indented")


def _as_it_is(text: str) -> str:
    return text


def _in_text(mark: Mark, spot: Spot, found: Block) -> Contain | Refusal:
    if mark.lines or (spot.stands_apart and not mark.statement):
        return block if spot.stands_apart and found.kind == "paragraph" and not found.nested else _APART
    if refusal := _not_in_a_line(spot, found):
        return refusal
    if found.kind == "heading" or _LETTER.search(spot.before):
        return one_line
    if not spot.before and _WORD.match(spot.after) and not mark.statement:
        return at_line_start
    alone = not spot.before and blank(spot.after)
    return _APART if alone else Refusal("no letter stands before it on its line")


_APART = Refusal(
    "it must stand flush left between blank lines, outside lists and quotes, no indented line next"
)


def _not_in_a_line(spot: Spot, found: Block) -> Refusal | None:
    """Why even a value on one line could change what its line is."""
    if found.kind == "heading":
        in_text = _HEADING.search(spot.before)
        return None if in_text else Refusal("it stands in a heading's mark")
    if _TAG_START.match(spot.before):
        return Refusal("its line starts with `<` and could become HTML")
    marks = _ITEM_OR_QUOTE.match(spot.start)
    text = spot.start[marks.end() if marks else 0 :].lstrip(" ")
    if spot.continues or _REFERENCE.match(text):
        return Refusal("it stands in what could become a link definition")
    return None


def _in_fence(mark: Mark, spot: Spot, found: Block) -> Contain | Refusal:
    if spot.opening:
        return Refusal("it stands in the info string of a fence")
    if mark.container not in (None, "oneline"):
        return Refusal(f"`| {mark.container}` has no meaning in a fence")
    rest = spot.before + spot.after
    if not rest.strip(" \t"):
        return Refusal("its fence stands in a list or quote") if found.nested else _fence_of(found)
    letters_only = found.nested or mark.lines
    solid = (
        _LETTER.search(spot.before)
        if letters_only
        else re.search(rf"[^\s{found.markup[0]}{STAND_INS}]", rest)
    )
    return one_line if solid else Refusal("no other text stands on its line")


def _fence_of(found: Block) -> Contain:
    return in_fence(found.markup[0], len(found.markup))


def _filtered(container: str, spot: Spot, found: Block) -> Contain | Refusal:
    """The value is contained by the filter already; may it stand here?"""
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


def _starts_an_item(spot: Spot) -> bool:
    """At the start of a list item or quote, where neither neighbour changes its meaning if it is empty."""
    return (
        _ITEM_OR_QUOTE.fullmatch(spot.before) is not None
        and (blank(spot.after) or _WORD.match(spot.after) is not None)
        and (blank(spot.above) or (spot.block_above is not None and spot.block_above.nested))
        and (blank(spot.next_line) or _ITEM_OR_QUOTE.match(str(spot.next_line)) is not None)
    )
