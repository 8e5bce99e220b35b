"""What a tool of an MCP server returns, as the value of a variable."""

from collections.abc import Iterator, Mapping
from typing import Any

from docasm.errors import failure

TEXT, STRUCTURED = "content", "result"
"""The members under which a result's text, and a structured value that is no mapping, are found."""


def value_of(result: Any) -> Mapping[str, Any]:
    """A mapping of the text of a CallToolResult, under `content`, and of the members of what is structured.

    What is no text stands as its kind: `[image]`. Raises DocasmError for a result that is an error.
    """
    text = "\n".join(_pieces(result.content))
    if result.is_error:
        raise failure("tool-failed", text or "it does not say why")
    structured = result.structured_content
    if isinstance(structured, Mapping):
        return {TEXT: text, **structured}
    return {TEXT: text} if structured is None else {TEXT: text, STRUCTURED: structured}


def _pieces(blocks: Any) -> Iterator[str]:
    for block in blocks:
        text = getattr(block, "text", None)
        if text is None:
            text = getattr(getattr(block, "resource", None), "text", None)
        yield text if isinstance(text, str) else f"[{block.type}]"
