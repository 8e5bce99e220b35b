"""What a slot of a layout's own shows: a variable, as a list or as text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docasm.account import Budget
from docasm.contain import at_line_start, block, fenced
from docasm.filters import to_text
from docasm.markers import trim
from docasm.trigger import to_json
from docasm.units import ITEM, note

_LINE = re.compile(r"[^\r\n]+")
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Shown:
    """The text of a slot, and its items where it is a list."""

    text: str
    lines: tuple[str, ...] | None = None
    left_out: int = 0
    """How many items their number takes away."""


NOTHING_SHOWN = Shown("")


def show(value: Any, max_items: int | None, budget: Budget) -> Shown:
    """A list as a Markdown list of its first items, a mapping as JSON, anything else as text.

    Nothing in it can reach the first column with a mark of Markdown. No value, and an empty one, show
    nothing. Raises DocasmError for a mapping that is not JSON, and what `to_text` raises.
    """
    if value is None or value in ("", [], (), {}):
        return NOTHING_SHOWN
    if isinstance(value, Mapping):
        return Shown(fenced(to_json(value), "json"))
    if isinstance(value, list | tuple):
        return _list(value, max_items, budget)
    return Shown(block(trim(to_text(value, budget))))


def _list(values: Sequence[Any], max_items: int | None, budget: Budget) -> Shown:
    items = [item for value in values if (item := _item(to_text(value, budget)))]
    kept = items[:max_items]
    left_out = len(items) - len(kept)
    text = "\n".join(kept)
    return Shown(f"{text}\n\n{note(left_out, ITEM)}" if left_out else text, tuple(kept), left_out)


def _item(text: str) -> str:
    """One item: its first line is no mark, its other lines are indented below it."""
    first, *others = _LINE_END.split(text.strip(), maxsplit=1)
    rest = "".join("\n" + _LINE.sub(r"  \g<0>", each) for each in others)
    return f"- {at_line_start(first)}{rest}" if first else ""
