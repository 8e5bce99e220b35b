"""The text of a plan for the values of a render, by its regions, so that limits can cut them."""

from collections.abc import Mapping, Sequence

from docasm.atoms import Region
from docasm.draft import HistoryMessages
from docasm.elastic import Kept
from docasm.fill import Values
from docasm.markers import Message, trim
from docasm.plan import Planned, Stretch

Piece = tuple[Region, str, bool]
"""Text of a region, and whether every render of the plan writes it."""
Filled = Sequence[tuple[str, Sequence[Piece]] | None]
"""Each message's role and text; None where a history of messages stands."""


def fill(planned: Sequence[Planned], values: Values) -> Filled:
    """The text of each message of a plan; raises DocasmError with the place of a hole that fails."""
    return [
        None
        if isinstance(each, HistoryMessages)
        else (each.role, [stretch.constant or _filled(stretch, values) for stretch in each.stretches])
        for each in planned
    ]


def _filled(stretch: Stretch, values: Values) -> Piece:
    texts = [part if isinstance(part, str) else part.write(values) for part in stretch.merged]
    return stretch.region, "".join(texts), False


def messages_of(
    filled: Filled, kept: Mapping[Region, Kept], history: Sequence[Message]
) -> tuple[Message, ...]:
    """The messages, of the regions in `kept` only what is left."""
    messages: list[Message] = []
    for message in filled:
        if message is None:
            messages += history
        else:
            role, pieces = message
            texts = [kept[region].of(text) if region in kept else text for region, text, _ in pieces]
            messages.append(Message(role, trim("".join(texts))))
    return tuple(messages)
