"""A conversation's history as a layout shows it."""

from collections.abc import Mapping
from dataclasses import dataclass

from docasm.errors import DocasmError
from docasm.history import to_markdown
from docasm.layout import AS_MESSAGES, HISTORY, Layout
from docasm.markers import Message, trim
from docasm.turns import History


@dataclass(frozen=True, slots=True)
class Cut:
    """Something that a limit took away."""

    slot: str
    """Where it is missing."""
    limit: str
    """The limit's key, as in a layout: "max_turns"."""
    messages: int
    """How many messages are missing."""


@dataclass(frozen=True, slots=True)
class Told:
    """What stands in the slot, what stands after the system part, and what neither shows."""

    text: str
    messages: tuple[Message, ...]
    cuts: tuple[Cut, ...]
    left_out: int


def tell(history: History, layout: Layout, labels: Mapping[str, str]) -> Told:
    """The history as a list in its slot, or as messages; a line in the slot says what is cut."""
    kept, cut = history.turns, history.cut
    if layout.history_as == AS_MESSAGES:
        while cut and kept and kept[0].role == "assistant":
            kept, cut = kept[1:], cut + 1
        messages = tuple([Message(turn.role, trim(turn.content)) for turn in kept])
        return Told(_note(cut), messages, _cuts(cut), history.left_out)
    text = to_markdown(kept, labels)
    if cut:
        text = f"{_note(cut)}\n\n{text}" if text else _note(cut)
    return Told(text, (), _cuts(cut), history.left_out)


def _note(cut: int) -> str:
    return f"({cut} earlier {'message is' if cut == 1 else 'messages are'} not shown.)" if cut else ""


def _cuts(cut: int) -> tuple[Cut, ...]:
    return (Cut(HISTORY, "max_turns", cut),) if cut else ()


def no_history_slot(layout: Layout) -> DocasmError:
    """That a history is given to a layout that cannot show it."""
    message = f"the layout `{layout.name}` has no slot `<<history>>` for the history given"
    hint = "add the slot, choose another layout, or give no history"
    return DocasmError([layout.body.problem("slot-missing", message, layout.body.first_line, hint=hint)])
