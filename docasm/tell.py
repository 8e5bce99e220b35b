"""A conversation's history as a layout shows it: its newest turns, and a line for what is missing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from docasm.errors import DocasmError
from docasm.history import Turn, to_items
from docasm.layout import Layout
from docasm.limits import HISTORY
from docasm.markers import Message, trim
from docasm.size import NOTHING, Ruler, Size
from docasm.sums import Sums
from docasm.turns import History, stepped

UNMEASURED = Ruler(None)
_AT_ONCE = 16
"""How many turns are measured together."""
_CHARS_PER_TOKEN = 16
"""Text with more code points for each token is not worth a look at all of it."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Something that a limit took away."""

    slot: str
    """Where it is missing."""
    limit: str
    """The limit's key, as in a layout: "max_turns"; "document.max_chars" for one of the whole document."""
    missing: int
    """How much is missing."""
    what: str = "message"
    """What is counted: "message", "item" or "character"."""
    skill: str = ""
    """Whose text it is, where the slot holds several skills."""
    whole: bool = False
    """Whether nothing is left of that skill."""


class Told(NamedTuple):
    """What stands in the slot, what stands after the system part, and what neither shows."""

    text: str
    messages: tuple[Message, ...]
    cuts: tuple[Cut, ...]
    left_out: int
    """How many messages among those shown hold no words."""
    first: int = 0
    """Which of the turns, of those that their number leaves, is the first that is shown."""


@dataclass(slots=True)
class Telling:
    """The turns that their number leaves, of which a limit takes the oldest away."""

    history: History
    layout: Layout
    labels: Mapping[str, str]
    ruler: Ruler
    total: int = field(init=False)
    """How many messages there are, shown or not."""
    start: int = field(init=False)
    """The first turn that may be shown: after a cut, the assistant does not speak first in messages."""
    sums: Sums = field(default_factory=Sums)
    """How large the last 0, 1, 2, ... turns are, as far as somebody has asked."""
    lines: list[Size] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.total = self.history.cut + self.history.left_out + len(self.history.turns)
        self.start = self.allowed(0) if self.history.cut else 0

    def told(self, first: int, cuts: Iterable[Cut]) -> Told:
        """The turns from a first one on, and what took those before it away."""
        kept, cut = self.history.turns[first:], self.cut(first)
        left_out = self.total - cut - len(kept)
        if self.layout.history_is_messages:
            messages = tuple([Message(turn.role, trim(turn.content)) for turn in kept])
            return Told(note(cut), messages, tuple(cuts), left_out, first)
        text = "\n".join(to_items(kept, self.labels))
        if cut:
            text = f"{note(cut)}\n\n{text}" if text else note(cut)
        return Told(text, (), tuple(cuts), left_out, first)

    def cuts(self, first: int, limit: str) -> Iterator[Cut]:
        """What their number takes away, and what `limit` does."""
        cut, by_number = self.cut(first), self.cut(self.start)
        if by_number:
            yield Cut(HISTORY, "max_turns", by_number)
        if cut > by_number:
            yield Cut(HISTORY, limit, cut - by_number)

    def cut(self, first: int) -> int:
        """How many messages are cut where a turn is the first; all, where none is left.

        It is a multiple of `step` if the one before which it was made is: what the messages up to the turn
        hold is no words, or the assistant's.
        """
        if first == 0:
            return self.history.cut
        indexes = self.history.indexes
        if first >= len(indexes):
            return self.total
        least = indexes[first - 1] + 1
        cut = stepped(least, self.layout.history.step, self.total)
        return cut if cut <= indexes[first] else least

    def allowed(self, first: int) -> int:
        """The first turn from one on before which a cut may be."""
        turns, indexes, step = self.history.turns, self.history.indexes, self.layout.history.step
        if first >= len(turns):
            return len(turns)
        cut = stepped(indexes[first - 1] + 1, step, self.total) if first else 0
        while first < len(turns) and (indexes[first] < cut or self._cannot_start(turns[first])):
            first += 1
        return first

    def before(self, first: int, least: int) -> int:
        """The turn, not before `least`, from which one step less is cut than from a first one on."""
        found = max(least, first - self.layout.history.step)
        while found > least and self._cannot_start(self.history.turns[found]):
            found -= 1
        return found

    def _cannot_start(self, turn: Turn) -> bool:
        return self.layout.history_is_messages and turn.role == "assistant"

    def is_short(self, limit: Size) -> bool:
        """Whether all turns could be within a limit, as far as a glance at the newest tells."""
        room = min(limit.chars, _CHARS_PER_TOKEN * limit.tokens)
        for turn in reversed(self.history.turns):
            room -= len(turn.content) + len(turn.role)
            if room < 0:
                return False
        return True

    def first_within(self, limit: Size, least: int) -> tuple[int, bool]:
        """The first turn, not before `least`, from which on all turns fit, with a line for those before.

        And whether, as is plain at once, the code points alone would leave no more.
        """
        count, sums = len(self.history.turns), self.sums
        most = count - least
        while (done := len(sums)) < most and sums[-1].fits(limit):
            self._measure_more()
        if done >= most and sums[most].fits(limit) and not self.cut(least):
            return least, False
        chars, tokens = sums.counts_within(limit.minus(self.line), most)
        kept = min(chars, tokens)
        by_chars = chars == kept and sums.chars[min(done, most)] > limit.chars
        return (least if kept == most else self.allowed(count - kept)), by_chars

    def size(self, first: int) -> Size:
        """How large the turns from one on are, with the line for those before it."""
        count = len(self.history.turns) - first
        while len(self.sums) < count:
            self._measure_more()
        if not self.cut(first):
            return self.sums[count]
        return self.sums[count].plus(self.line) if count else self.ruler.size(note(self.total))

    def _measure_more(self) -> None:
        """Measures some more turns, before those that are measured already."""
        done = len(self.sums)
        end = len(self.history.turns) - done
        some = self.history.turns[max(0, end - _AT_ONCE) : end]
        self.sums.extend(reversed(self._sizes(some, are_last=not done)))

    def _sizes(self, some: Sequence[Turn], *, are_last: bool) -> Sequence[Size]:
        if self.layout.history_is_messages:
            return [self.ruler.message(turn.role, trim(turn.content)) for turn in some]
        items = to_items(some, self.labels)
        ends = (*["\n"] * (len(items) - 1), "" if are_last else "\n")
        return [self.ruler.size(item + end) for item, end in zip(items, ends, strict=True)]

    @property
    def line(self) -> Size:
        """How large the line for what is missing can be."""
        if not self.lines:
            self.lines.append(self.ruler.size(f"{note(self.total)}\n\n") if self.total else NOTHING)
        return self.lines[0]


def tell(history: History, layout: Layout, labels: Mapping[str, str]) -> Told:
    """The turns that their number leaves."""
    if history.cut:
        telling = Telling(history, layout, labels, UNMEASURED)
        return telling.told(telling.start, telling.cuts(telling.start, ""))
    turns, left_out = history.turns, history.left_out
    if layout.history_is_messages:
        return Told("", tuple([Message(turn.role, trim(turn.content)) for turn in turns]), (), left_out)
    return Told("\n".join(to_items(turns, labels)), (), (), left_out)


def note(cut: int) -> str:
    return f"({cut} earlier {'message is' if cut == 1 else 'messages are'} not shown.)" if cut else ""


def no_history_slot(layout: Layout) -> DocasmError:
    """That a history is given to a layout that cannot show it."""
    message = f"the layout `{layout.name}` has no slot `<<history>>` for the history given"
    hint = "add the slot, choose another layout, or give no history"
    return DocasmError([layout.source.problem("slot-missing", message, layout.source.first_line, hint=hint)])
