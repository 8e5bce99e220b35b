"""The text of slots as it stands in a document's Markdown: with the backslashes that it has there."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from docasm.atoms import NO_REGION, Region
from docasm.markers import escapes, trim


def standing(stretches: Sequence[tuple[Region, str]]) -> Iterator[tuple[str, str]]:
    """Each slot of one message with a piece of its text; a slot may have several, one after the other."""
    raw = "".join(text for _, text in stretches)
    content = trim(raw)
    start = raw.index(content)
    slashes = [start + offset for offset in escapes(content)]
    position = 0
    for region, text in stretches:
        low, high = max(position, start), min(position + len(text), start + len(content))
        if region != NO_REGION and low < high:
            yield region[0], _written(raw, low, high, slashes)
        position += len(text)


def _written(raw: str, low: int, high: int, slashes: Sequence[int]) -> str:
    inside = [low, *(offset for offset in slashes if low < offset < high), high]
    first = "\\" if low in slashes else ""
    return first + "\\".join(raw[start:end] for start, end in pairwise(inside))
