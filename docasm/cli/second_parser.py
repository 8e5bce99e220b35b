"""A second reader of Markdown, mistune, to find what two readers see differently."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docasm.lints.subject import SecondParser


def second_parser() -> "SecondParser | None":
    """What reads headings and code blocks with mistune; None where it is not installed."""
    try:
        from mistune import create_markdown
    except ImportError:
        return None
    parse = create_markdown(renderer="ast")

    def outline(text: str) -> list[tuple[str, str]]:
        found: Any = parse(text)
        return list(_outline(found))

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
