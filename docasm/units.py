"""What text can be cut into: whole blocks and whole items, of which the first are kept."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from docasm.markdown import top_lines
from docasm.size import Ruler, Size
from docasm.source import Lines
from docasm.sums import Sums

_NO_SEAM = re.compile(r"[\s/]")
"""Where text starts with one of these after a line end, its tokens are not those of the two apart."""


@dataclass(frozen=True, slots=True)
class Units:
    """A text in pieces, of which a limit keeps the first so many."""

    texts: tuple[str, ...]
    """Together they are the text."""
    sums: Sums
    """The sizes of the first 0, 1, 2, ... pieces."""
    what: str
    """What is missing, in the singular: "character of `chat`", "item"; characters are counted as such."""
    missing_before: int = 0
    """How much is missing already."""

    @property
    def size(self) -> Size:
        return self.sums[-1]

    def missing(self, count: int) -> int:
        """How much is missing where `count` pieces are kept."""
        rest = self.texts[count:]
        return self.missing_before + (len(rest) if self.what == ITEM else sum(map(len, rest)))

    def note(self, count: int) -> str:
        return note(self.missing(count), self.what)

    def kept(self, count: int) -> str:
        return "".join(self.texts[:count]).rstrip(" \t\n")

    def cut(self, count: int) -> str:
        """The text with a line for what is missing; all of it where nothing is."""
        if not self.missing(count):
            return "".join(self.texts)
        kept = self.kept(count)
        return f"{kept}\n\n{self.note(count)}" if kept else self.note(count)

    def most(self, limit: Size, ruler: Ruler) -> tuple[int, Size]:
        """The most pieces that a limit has room for, and how large they are at most with their note.

        With none the note alone may be too large.
        """
        whole = self.size if ruler.measure is None else ruler.size("".join(self.texts))
        if whole.fits(limit) and not self.missing_before:
            return len(self.texts), whole
        reserve = ruler.size(f"\n\n{note(self.missing(0), self.what)}")
        most = len(self.texts) - (0 if self.missing_before else 1)
        count = self.sums.count_within(limit.minus(reserve), most)
        if ruler.measure is None:
            return count, self.sums[count].plus(reserve)
        count = self._checked(count, limit, ruler)
        return count, ruler.size(self.cut(count))

    def _checked(self, count: int, limit: Size, ruler: Ruler) -> int:
        """At most as many pieces; tokens of the parts may add up to fewer than those of the whole."""
        if ruler.size(self.cut(count)).fits(limit):
            return count
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if ruler.size(self.cut(middle)).fits(limit) else (low, middle)
        return max(0, low - 1)


ITEM = "item"


def note(count: int, what: str) -> str:
    """The line that says what is missing; `what` in the singular, its first word the noun."""
    noun, _, rest = what.partition(" ")
    verb = "is" if count == 1 else "are"
    return f"({count} {noun if count == 1 else noun + 's'}{' ' * bool(rest)}{rest} {verb} not shown.)"


def blocks(text: str, ruler: Ruler, what: str) -> Units:
    """A text by its blocks and the items of its lists."""
    lines = Lines.of(text)
    starts = [lines.start(line) for line in top_lines(text)[1:]]
    starts = [start for start in starts if not _NO_SEAM.match(text, start)]
    pieces = tuple(text[low:high] for low, high in zip([0, *starts], [*starts, len(text)], strict=True))
    return Units(pieces, Sums.of(map(ruler.size, pieces)), what)


def items(lines: Sequence[str], ruler: Ruler, missing_before: int = 0) -> Units:
    """The items of a list, each without its line end."""
    pieces = (*(f"{line}\n" for line in lines[:-1]), *lines[-1:])
    return Units(pieces, Sums.of(map(ruler.size, pieces)), ITEM, missing_before)
