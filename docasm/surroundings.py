"""What stands around a place in a text, as far as it decides what may be written there."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Self

from docasm.markdown import Block, structure

_FAR = 1_000
"""How much of a line is looked at on each side: no mark of a block is longer."""
_LONGEST_LABEL = 1_000
"""Of a link definition (CommonMark 4.7), about."""
_TAG = re.compile(r" {0,3}</?[A-Za-z]")
_NO_MARK = re.compile(r"[^ \t>*+\-\d.)]")
"""What the marks of quotes and lists never hold."""


@dataclass(frozen=True, slots=True)
class Spot:
    """The surroundings of a hole or a slot."""

    before: str
    """The line up to it, or its first _FAR code points."""
    after: str
    """The line from it on, as far; not blank if the rest of the line is not."""
    above: str | None
    """The line before; None at the start."""
    next_line: str | None
    """None at the end."""
    next_text: str | None
    """The next line that is not blank; None if there is none."""
    block: Block | None
    """What it is part of; None in a link definition."""
    block_above: Block | None
    """What the line before is part of."""
    opening: bool
    """Whether its line is the first of its block."""
    start: str
    """The block up to it, as far as a link definition's label could reach."""
    continues: bool
    """Whether a link definition stands right above the block, so that it could go on in the block."""
    doubtful: bool
    """Whether parsers differ on what comes before it."""

    @property
    def stands_apart(self) -> bool:
        """Flush left on a line of its own, blank lines around it and no indented line next."""
        alone = not self.before and blank(self.after)
        return alone and blank(self.above) and blank(self.next_line) and self.flush_below

    @property
    def flush_below(self) -> bool:
        """Whether no list or quote can go on below."""
        return self.next_text is None or self.next_text[0] not in " \t"


@dataclass(frozen=True, slots=True)
class Page:
    """A text by lines."""

    lines: list[str]
    starts: list[int]
    """The offset of each line."""
    blocks: Mapping[int, Block]
    """What each line is part of."""
    next_texts: list[str | None]
    """For each line the next one that is not blank."""
    clear: int
    """The lines before this one mean one thing to all parsers."""

    @classmethod
    def of(cls, text: str) -> Self:
        lines = text.split("\n")
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        blocks = {line: each for each in structure(text).blocks for line in range(each.first, each.last)}
        return cls(lines, starts, blocks, _next_texts(lines), _first_lazy_tag(lines, blocks))

    def spot(self, offset: int, length: int) -> Spot:
        """The surroundings of a stretch of one line."""
        number = bisect_right(self.starts, offset) - 1
        line, column = self.lines[number], offset - self.starts[number]
        found = self.blocks.get(number)
        first = found.first if found else number
        return Spot(
            before=line[: min(column, _FAR)],
            after=_start_of(line, column + length),
            above=self.lines[number - 1] if number else None,
            next_line=self.lines[number + 1] if number + 1 < len(self.lines) else None,
            next_text=self.next_texts[number],
            block=found,
            block_above=self.blocks.get(number - 1),
            opening=first == number,
            start=self._start(first, offset),
            continues=self._is_definition(first - 1),
            doubtful=number > self.clear,
        )

    def _start(self, first: int, offset: int) -> str:
        """The text from a line up to an offset, or about as much of it as a label holds."""
        if "[" not in self.lines[first]:
            return ""  # no label starts in it
        pieces, size = [], 0
        for number in range(first, bisect_right(self.starts, offset)):
            pieces.append(self.lines[number][: min(offset - self.starts[number], _LONGEST_LABEL)])
            size += len(pieces[-1])
            if size > _LONGEST_LABEL:
                break
        return "\n".join(pieces)

    def _is_definition(self, number: int) -> bool:
        """Whether a line is part of no block, though it holds more than the marks of quotes and lists."""
        return number >= 0 and number not in self.blocks and _NO_MARK.search(self.lines[number]) is not None


def _next_texts(lines: list[str]) -> list[str | None]:
    found: list[str | None] = []
    following: str | None = None
    for line in reversed(lines):
        found.append(following)
        following = following if blank(line) else line
    return found[::-1]


def _start_of(line: str, column: int) -> str:
    """The line from a column on, cut short so that many holes in a long line stay cheap."""
    near = line[column : column + _FAR]
    return (
        near
        if not blank(near) or len(line) <= column + _FAR
        else f"{near}{line[column + _FAR :].strip()[:1]}"
    )


def _first_lazy_tag(lines: list[str], blocks: Mapping[int, Block]) -> int:
    """A tag that a list item's or quote's paragraph goes on with though it is not indented as the item is.

    It is text there, but cmark reads an HTML block that ends at the next blank line.
    """
    found = (number for number, line in enumerate(lines) if _TAG.match(line) and number in blocks)
    lazy = (number for number in found if blocks[number].nested and number > blocks[number].first)
    return next(lazy, len(lines))


def blank(line: str | None) -> bool:
    """Whether a line is blank for CommonMark, or is none."""
    return line is None or not line.strip(" \t")
