"""Rounds of a conversation, what the user says with all that follows, and which of them a payload holds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Self

from docasm.dialogue import Entry
from docasm.errors import DocasmError, failure
from docasm.layout import Layout
from docasm.limits import HISTORY, MOST_FACTOR
from docasm.size import NOTHING, UNLIMITED, Size
from docasm.tell import Cut

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Window:
    """How much of a conversation a payload may hold: what its layout says of the history and of the whole."""

    max_turns: int | None = None
    step: int = 1
    max_chars: int | None = None
    """Of the rounds before the last."""
    max_tokens: int | None = None
    document_chars: int | None = None
    """Of everything."""
    document_tokens: int | None = None
    tokenizer: str | None = None
    token_factor: float = 1.0

    @classmethod
    def of(cls, layout: Layout) -> Self:
        own, whole = layout.history, layout.limits
        return cls(
            own.max_turns,
            own.step,
            own.limits.max_chars,
            own.limits.max_tokens,
            whole.max_chars,
            whole.max_tokens,
            layout.tokenizer,
            layout.token_factor,
        )

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> Self:
        """What `plain` gave, other keys left out; raises ValueError for a limit that is none."""
        known = {key: value[key] for key in cls.__dataclass_fields__ if key in value}
        for key, each in known.items():
            if not _is_setting(key, each):
                raise ValueError(f"`{key}` of its window cannot be {each!r}")
        return cls(**known)

    @property
    def counts_tokens(self) -> bool:
        return self.max_tokens is not None or self.document_tokens is not None

    def plain(self) -> dict[str, Any]:
        """The same as JSON, what is not set left out."""
        return {key: value for key, value in asdict(self).items() if value != getattr(NO_WINDOW, key)}


def _is_setting(key: str, value: Any) -> bool:
    if key == "tokenizer":
        return value is None or isinstance(value, str)
    if key == "token_factor":
        return type(value) in (int, float) and 0 < value <= MOST_FACTOR
    if key == "step":
        return type(value) is int and value > 0
    return value is None or (type(value) is int and value >= 0)


NO_WINDOW = Window()


@dataclass(frozen=True, slots=True)
class Shown:
    """What a payload holds of a conversation."""

    entries: tuple[Entry, ...]
    cuts: tuple[Cut, ...]


def shown(entries: Sequence[Entry], pinned: int, window: Window, count: Count | None) -> Shown:
    """The entries within a window: old rounds leave whole, with their calls and results.

    The `pinned` entries at the start stay, and so do system messages and the last round. `count` counts
    tokens. Raises DocasmError where what stays does not fit.
    """
    if window == NO_WINDOW:
        return Shown(tuple(entries), ())
    starts = [pinned, *(at for at in _starts(entries) if at > pinned)]
    rounds = _Rounds(entries, pinned, starts[-1], _sums(entries, count), window)
    reason = rounds.broken(pinned)
    if not reason:
        return Shown(tuple(entries), ())
    start = next((at for at in _allowed(starts, window.step) if not rounds.broken(at)), starts[-1])
    if rounds.broken(start).startswith("document"):
        raise rounds.too_large()
    kept = [entry for at, entry in enumerate(entries) if not pinned <= at < start or entry.role == "system"]
    missing = len(entries) - len(kept)
    return Shown(tuple(kept), (Cut(HISTORY, reason, missing),) if missing else ())


def _starts(entries: Sequence[Entry]) -> Iterator[int]:
    """Where the user begins to speak."""
    for (_, before), (at, entry) in pairwise([(-1, None), *enumerate(entries)]):
        if entry is not None and entry.role == "user" and (before is None or before.role != "user"):
            yield at


def _allowed(starts: Sequence[int], step: int) -> Iterator[int]:
    """The starts before which a cut may be: the first after each multiple of `step` entries; and the last."""
    for before, at in pairwise(starts):
        if (at - starts[0]) // step > (before - starts[0]) // step:
            yield at


def _sums(entries: Sequence[Entry], count: Count | None) -> list[tuple[Size, Size, int]]:
    """Of the first 0, 1, 2, ... entries: the size, that of the system messages, and how many are turns."""
    size, system, turns = NOTHING, NOTHING, 0
    sums = [(size, system, turns)]
    for entry in entries:
        own = _size(entry, count)
        size = size.plus(own)
        system = system.plus(own) if entry.role == "system" else system
        turns += entry.role in ("user", "assistant") and bool(entry.content.strip())
        sums.append((size, system, turns))
    return sums


def _size(entry: Entry, count: Count | None) -> Size:
    texts = [entry.content, *(text for call in entry.calls for text in (call.name, call.arguments))]
    return Size(sum(map(len, texts)), sum(map(count, texts)) if count else 0)


@dataclass(frozen=True, slots=True)
class _Rounds:
    entries: Sequence[Entry]
    pinned: int
    last: int
    """Where the last round starts."""
    sums: Sequence[tuple[Size, Size, int]]
    window: Window

    def broken(self, start: int) -> str:
        """Which limit the rounds from a start on break; "" for none."""
        window, end = self.window, len(self.entries)
        turns = self.sums[end][2] - self.sums[start][2]
        if window.max_turns is not None and turns > window.max_turns and start < self.last:
            return "max_turns"
        old = self.between(start, self.last)
        whole = self.whole(start)
        limits = (
            ("max_chars", old.chars, window.max_chars),
            ("max_tokens", old.tokens, window.max_tokens),
            ("document.max_chars", whole.chars, window.document_chars),
            ("document.max_tokens", whole.tokens, window.document_tokens),
        )
        return next((name for name, size, limit in limits if size > _or_any(limit)), "")

    def between(self, start: int, end: int) -> Size:
        """The size of what can leave between two entries."""
        (low, low_system, _), (high, high_system, _) = self.sums[start], self.sums[end]
        return high.minus(low).minus(high_system.minus(low_system))

    def whole(self, start: int) -> Size:
        """The size of everything with the rounds from a start on."""
        return self.sums[-1][0].minus(self.between(self.pinned, start))

    def too_large(self) -> DocasmError:
        size = self.whole(self.last)
        index = 0 if size.chars > _or_any(self.window.document_chars) else 1
        unit = ("characters", "tokens")[index]
        limit = (self.window.document_chars, self.window.document_tokens)[index]
        message = f"the document and the last round take {size[index]:,} {unit}; the limit is {limit:,}"
        return failure("does-not-fit", message, hint="raise the document's limit in the layout")


def _or_any(limit: int | None) -> int:
    return UNLIMITED if limit is None else limit
