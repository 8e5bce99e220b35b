"""Slots that can give way: what a limit leaves of a text, of a list and of the history."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from docasm.atoms import Region
from docasm.markers import join
from docasm.size import CHARS, TOKENS, UNLIMITED, Names, Ruler, Size
from docasm.tell import Cut, Telling
from docasm.units import Units, blocks, items

SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left of a stretch of text, in code points of it, and the text that stands after that."""

    start: int
    end: int
    tail: str = ""

    def of(self, text: str) -> str:
        return f"{text[self.start : self.end]}{self.tail}"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A slot as a limit leaves it."""

    size: Size
    """At most."""
    kept: Mapping[Region, Kept] = field(default_factory=dict)
    """The stretches that are cut."""
    cuts: tuple[Cut, ...] = ()
    first: int = 0
    """Of the history, the first turn that is shown."""


Fits = dict[tuple[Size, Names], Fitted]
"""What limits have left of a slot."""


class Elastic(Protocol):
    """A slot that can give way."""

    @property
    def fits(self) -> Fits:
        """What is known already; a slot that every render fills alike is kept with it."""

    def fit(self, limit: Size, names: Names) -> Fitted:
        """As much of it as a limit has room for, at least the line that says what is missing.

        Cuts are called after the measure that was in the way, by its name among `names`.
        """

    def exact(self, fitted: Fitted) -> Size:
        """How large it is then, its tokens counted over all of it and not part by part."""


@dataclass(frozen=True, slots=True)
class TextSlot:
    """A slot with one stretch of text."""

    region: Region
    text: str
    ruler: Ruler
    lines: tuple[str, ...] | None = None
    """The items, if it is a list."""
    left_out: int = 0
    """How many items are missing already."""
    times: int = 1
    """How often it stands there; a skill may write the input more than once."""
    sizes: list[Size] = field(default_factory=list, compare=False)
    units: list[Units] = field(default_factory=list, compare=False)
    """How large it is, and what it can be cut into, once somebody has asked."""
    fits: Fits = field(default_factory=dict, compare=False)

    @property
    def whole(self) -> Size:
        if not self.sizes:
            self.sizes.append(self.ruler.size(self.text).times(self.times))
        return self.sizes[0]

    def fit(self, limit: Size, names: Names) -> Fitted:
        whole = self.whole
        if whole.fits(limit):
            return Fitted(whole)
        units = self._units()
        part = Size(limit.chars // self.times, limit.tokens // self.times)
        count, size = units.most(part, self.ruler)
        if count == len(units.texts):
            return Fitted(whole)
        name = in_the_way(part, names, lambda chars: units.most(chars, self.ruler)[0] == count)
        cut = Cut(self.region[0], name, units.missing(count) - self.left_out, units.what)
        return Fitted(size.times(self.times), {self.region: kept_of(units, count)}, (cut,))

    def _units(self) -> Units:
        if not self.units:
            if self.lines is None:
                self.units.append(blocks(self.text, self.ruler, "character"))
            else:
                self.units.append(items(self.lines, self.ruler, self.left_out))
        return self.units[0]

    def exact(self, fitted: Fitted) -> Size:
        return fitted.size


@dataclass(frozen=True, slots=True)
class HistorySlot:
    """The turns, as a list or as messages."""

    telling: Telling
    start: int
    """The first turn that may be shown."""
    cuts: tuple[Cut, ...]
    """What is cut before that."""
    fits: Fits = field(default_factory=dict, compare=False)

    def fit(self, limit: Size, names: Names) -> Fitted:
        telling, start = self.telling, self.start
        first, by_chars = telling.first_within(limit, start)
        if first == start:
            return Fitted(telling.size(first), {}, self.cuts, first)
        if by_chars:
            name = names[CHARS]
        else:
            least = telling.before(first, start)
            name = in_the_way(limit, names, lambda chars: telling.first_within(chars, least)[0] == first)
        return Fitted(telling.size(first), {}, tuple(telling.cuts(first, name)), first)

    def exact(self, fitted: Fitted) -> Size:
        if self.telling.ruler.adds_up:
            return fitted.size  # each turn ends its line, and none starts with a space or "/"
        told = self.telling.told(fitted.first, ())
        messages = f"{join(told.messages)}\n" if told.messages else ""
        return self.telling.ruler.size(told.text).plus(self.telling.ruler.written(messages))


def in_the_way(limit: Size, names: Names, is_same: Callable[[Size], bool]) -> str:
    """The name of the measure that cut something: of the characters, if they alone cut as much."""
    if limit.chars == UNLIMITED:
        return names[TOKENS]
    if limit.tokens == UNLIMITED or is_same(Size(limit.chars, UNLIMITED)):
        return names[CHARS]
    return names[TOKENS]


def kept_of(units: Units, count: int) -> Kept:
    """The first pieces of a text, with the line that says what is missing."""
    kept = units.kept(count)
    tail = f"{SEPARATOR}{units.note(count)}" if kept else units.note(count)
    return Kept(0, len(kept), tail)


def sum_of(sizes: Iterable[Size]) -> Size:
    chars, tokens = 0, 0
    for size in sizes:
        chars += size.chars
        tokens += size.tokens
    return Size(chars, tokens)
