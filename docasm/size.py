"""How large text is, in the two measures that limits have."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, NamedTuple, TypeVar

from docasm.limits import Limits
from docasm.markers import escapable, escape
from docasm.tokens import Measure

Made = TypeVar("Made")

UNLIMITED = 1 << 62
CHARS, TOKENS = 0, 1
"""Where a Size has which."""
MOST_KEPT = 128
_KEPT_SIZES, _KEPT_LENGTH = 2048, 4096
"""How many sizes a ruler keeps of texts that may come again, and of texts of how many code points."""


class Size(NamedTuple):
    """Code points and tokens; tokens are 0 where nothing limits them."""

    chars: int
    tokens: int

    def plus(self, other: "Size") -> "Size":
        return Size(self.chars + other.chars, self.tokens + other.tokens)

    def minus(self, other: "Size") -> "Size":
        return Size(self.chars - other.chars, self.tokens - other.tokens)

    def times(self, count: int) -> "Size":
        return self if count == 1 else Size(self.chars * count, self.tokens * count)

    def fits(self, limit: "Size") -> bool:
        return self.chars <= limit.chars and self.tokens <= limit.tokens

    def over(self, limit: "Size") -> "Size":
        """By how much it is larger."""
        return Size(max(0, self.chars - limit.chars), max(0, self.tokens - limit.tokens))

    def with_part(self, index: int, count: int) -> "Size":
        return Size(count, self.tokens) if index == CHARS else Size(self.chars, count)

    def where(self, limit: "Size") -> "Size":
        """The same in each measure that a limit limits; UNLIMITED in the others."""
        return Size(*(UNLIMITED if most == UNLIMITED else own for own, most in zip(self, limit, strict=True)))

    def least(self, other: "Size") -> "Size":
        return Size(min(self.chars, other.chars), min(self.tokens, other.tokens))


NOTHING = Size(0, 0)
NO_LIMIT = Size(UNLIMITED, UNLIMITED)


Names = tuple[str, str]
"""What a limit is called in the two measures that a Size has."""
SLOT: Names = ("max_chars", "max_tokens")
DOCUMENT: Names = ("document.max_chars", "document.max_tokens")
"""What the limits of a slot, and of the whole document, are called."""


def limit_of(limits: Limits) -> Size:
    """The limits as a size."""
    chars, tokens = limits.max_chars, limits.max_tokens
    return Size(UNLIMITED if chars is None else chars, UNLIMITED if tokens is None else tokens)


@dataclass(frozen=True, slots=True)
class Ruler:
    """Measures text whose lines stand in a document: never less than what it takes there.

    A line that `join` would escape somewhere counts a code point, and a token, more.
    """

    measure: Measure | None
    """What counts tokens; None where nothing limits them."""
    constants: dict[str, Size] = field(default_factory=dict)
    """The sizes of text that every render writes."""
    sizes: dict[str | tuple[str, str], Size] = field(default_factory=dict, compare=False)
    """The sizes of short texts, and of messages by role and content, that were measured last."""
    made: dict[Hashable, Any] = field(default_factory=dict, compare=False)
    """What was worked out for texts that come again."""

    def most(self, text: str) -> Size:
        """A size that the text surely does not exceed, found without counting; UNLIMITED where none is."""
        lines = text.count("\n") + 1
        if self.measure is None:
            return Size(len(text) + lines, 0)
        if self.measure.per_byte is None:
            return Size(len(text) + lines, UNLIMITED)
        return Size(len(text) + lines, ceil(_bytes(text) * self.measure.per_byte) + 2 * lines)

    def kept(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What was made for a key, if it was among the last; what is kept goes with this ruler."""
        found: Made | None = self.made.get(key)
        if found is None:
            if len(self.made) >= MOST_KEPT:
                self.made.clear()
            found = self.made[key] = make()
        return found

    def constant(self, text: str) -> Size:
        """The size of text that will be asked for again."""
        found = self.constants.get(text)
        if found is None:
            found = self.constants[text] = self.size(text)
        return found

    def size(self, text: str) -> Size:
        """The size of any text."""
        found = self.sizes.get(text)
        return found or self._keep(text, self._size(text), len(text))

    def _size(self, text: str) -> Size:
        more = escapable(text)
        if self.measure is None:
            return Size(len(text) + more, 0)
        tokens = self.measure.count(text)
        return Size(
            len(text) + more, max(tokens + more, self.measure.count(escape(text))) if more else tokens
        )

    @property
    def adds_up(self) -> bool:
        """Whether the sizes of parts, but for a little, add up to that of the whole."""
        return self.measure is None or self.measure.per_byte is not None

    def fits(self, markdown: str, limit: Size) -> bool:
        """Whether text that is escaped already is within a limit; counted if its length leaves it open."""
        if len(markdown) > limit.chars or self.measure is None:
            return len(markdown) <= limit.chars
        per_byte = self.measure.per_byte
        if per_byte is not None and _bytes(markdown) * per_byte <= limit.tokens:
            return True
        return self.measure.count(markdown) <= limit.tokens

    def written(self, markdown: str) -> Size:
        """The size of text that is escaped already."""
        return Size(len(markdown), self.measure.count(markdown) if self.measure else 0)

    def message(self, role: str, content: str) -> Size:
        """A message of its own, with its marker and the blank line after it."""
        found = self.sizes.get((role, content))
        return found or self._keep((role, content), self._message(role, content), len(content))

    def _keep(self, key: str | tuple[str, str], size: Size, length: int) -> Size:
        if length <= _KEPT_LENGTH:
            if len(self.sizes) >= _KEPT_SIZES:
                self.sizes.clear()
            self.sizes[key] = size
        return size

    def _message(self, role: str, content: str) -> Size:
        more = escapable(content)
        least = len(role) + len(content) + 4
        if self.measure is None:
            return Size(least + more, 0)
        written = f"{role}:\n{escape(content) if more else content}\n\n"
        return Size(least + more, self.measure.count(written))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def smaller(one: Size, other: Size, names: tuple[Names, Names]) -> tuple[Size, Names]:
    """The smaller of two limits in each measure, and which of them it is."""
    chars, tokens = (names[other[at] < one[at]][at] for at in (CHARS, TOKENS))
    return one.least(other), (chars, tokens)


def least_of(sizes: Sequence[Size], max_per_skill: int | None) -> Size:
    """The smallest of some limits in each measure."""
    chars = min([each.chars for each in sizes], default=UNLIMITED)
    tokens = min([each.tokens for each in sizes], default=UNLIMITED)
    return Size(min(chars, max_per_skill or UNLIMITED), tokens)
