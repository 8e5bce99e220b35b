"""A second reader of Markdown, mistune, to find what two readers see differently."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docasm.lints.subject import SecondParser


def second_parser() -> "SecondParser | None":
    """What reads headings and code blocks with mistune; None where it is not installed."""
    try:
        from mistune import BlockParser
    except ImportError:
        return None
    parser = BlockParser()

    def outline(text: str) -> list[tuple[str, str]]:
        state = parser.state_cls()
        state.process(text if text.endswith("\n") else f"{text}\n")
        parser.parse(state)  # blocks only: what is in a paragraph makes no heading and takes most of the time
        return list(_outline(state.tokens))

    return outline


def _outline(tokens: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """In the order of the text; mistune itself refuses to nest deep."""
    for token in tokens:
        if token["type"] == "heading":
            yield "heading", str(token["attrs"]["level"])
        elif token["type"] == "block_code":
            yield "code", token["raw"].rstrip("\n")
        else:
            yield from _outline(token.get("children") or ())
