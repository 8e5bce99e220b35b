"""Exact changes of a text."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of a text and what stands there afterwards."""

    start: int
    end: int
    text: str


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits made; they are in order and do not overlap."""
    pieces, position = [], 0
    for each in edits:
        pieces += [text[position : each.start], each.text]
        position = each.end
    return "".join([*pieces, text[position:]])
