"""The sizes of growing parts of something: of its first piece, of its first two pieces, and so on."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from docasm.size import Size


def _from_nothing() -> list[int]:
    return [0]


@dataclass(slots=True)
class Sums:
    """The sizes of the first 0, 1, 2, ... pieces together, in code points and in tokens."""

    chars: list[int] = field(default_factory=_from_nothing)
    tokens: list[int] = field(default_factory=_from_nothing)

    @classmethod
    def of(cls, sizes: Iterable[Size]) -> Self:
        """Those of pieces of these sizes."""
        sums = cls()
        sums.extend(sizes)
        return sums

    def extend(self, sizes: Iterable[Size]) -> None:
        """Adds pieces of these sizes."""
        chars, tokens = self.chars[-1], self.tokens[-1]
        for more_chars, more_tokens in sizes:
            chars += more_chars
            tokens += more_tokens
            self.chars.append(chars)
            self.tokens.append(tokens)

    def __len__(self) -> int:
        """How many pieces are measured."""
        return len(self.chars) - 1

    def __getitem__(self, count: int) -> Size:
        """The size of the first so many pieces; of all of them for -1."""
        return Size(self.chars[count], self.tokens[count])

    def count_within(self, limit: Size, most: int) -> int:
        """How many pieces, of the first `most` that are measured, are within a limit; 0 if none is."""
        return min(self.counts_within(limit, most))

    def counts_within(self, limit: Size, most: int) -> tuple[int, int]:
        """The same for the code points alone, and for the tokens alone."""
        end = min(most + 1, len(self.chars))
        chars = bisect_right(self.chars, limit[0], 0, end)
        tokens = bisect_right(self.tokens, limit[1], 0, end)
        return max(chars - 1, 0), max(tokens - 1, 0)
