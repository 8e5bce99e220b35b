"""Documents that are surely within their limits, because all of one is smaller than the smallest limit."""

from collections.abc import Sequence

from docasm.layout import Layout
from docasm.markers import Message
from docasm.size import Ruler

_AROUND = 16
"""More than what stands around a message's content: its marker and the blank line after it."""


def is_small(messages: Sequence[Message], layout: Layout, ruler: Ruler) -> bool:
    """Whether messages, all of them together, are surely within each limit but those of the history.

    Each line may get a backslash, and each byte may be a token.
    """
    per_byte = ruler.measure.per_byte if ruler.measure else 0.0
    if per_byte is None:
        return False
    chars, size = 0, 0
    for message in messages:
        content = message.content
        more = content.count("\n") + _AROUND
        chars += len(content) + more
        size += (len(content) if content.isascii() else len(content.encode("utf-8", "replace"))) + more
    return chars <= layout.least.chars and size * per_byte <= layout.least.tokens
