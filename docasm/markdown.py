"""What CommonMark says a text is: its blocks, headings, and what it leaves open.

Only block structure is parsed. Rules are those of CommonMark 0.31.2, https://spec.commonmark.org/0.31.2/.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, heading, lheading
from markdown_it.token import Token

MAX_NESTING = 100
"""How deep quotes and lists may nest; markdown-it drops without a word what is deeper."""


@dataclass(frozen=True, slots=True)
class Block:
    """A leaf block: what holds text or code itself, not other blocks."""

    kind: str
    """"heading", "setext", "paragraph", "fence", "code" (indented), "html" or "hr"."""
    first: int
    """Its first line, 0-based."""
    last: int
    """One past its last line."""
    nested: bool
    """Whether it stands in a list or a quote."""
    level: int = 0
    """Of a heading, 1-6."""
    offset: int = 0
    """Of a heading, the code point at which its `#` run or its text begins."""
    content: str = ""
    """A heading's text or a code block's code, without the prefixes of containers."""
    markup: str = ""
    """A fence's opening run, a setext heading's underline character."""


@dataclass(frozen=True, slots=True)
class Structure:
    """The leaf blocks of a text in order."""

    blocks: tuple[Block, ...]
    too_deep: int | None
    """The line at which nesting exceeds MAX_NESTING, if it does."""

    @property
    def headings(self) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block.level)


@dataclass(frozen=True, slots=True)
class Opening:
    """A block that a text does not close."""

    line: int
    """0-based."""
    closer: str
    """The line that closes it."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A link definition."""

    href: str
    title: str
    line: int
    """0-based."""

    def is_same(self, other: "Definition") -> bool:
        """Whether links by it lead to the same."""
        return (self.href, self.title) == (other.href, other.title)


def definitions(text: str) -> Mapping[str, Definition]:
    """The link definitions of a text by their labels, as CommonMark compares them; the first one counts."""
    environment: dict[str, Any] = {}
    if "]:" in text:
        _PARSER.parse(text if text.endswith("\n") else text + "\n", environment)
    return {
        label: Definition(found["href"], found["title"], found["map"][0])
        for label, found in environment.get("references", {}).items()
    }


def structure(text: str) -> Structure:
    """The blocks of a text whose lines end in LF."""
    environment: dict[str, Any] = {}
    tokens = _PARSER.parse(text if text.endswith("\n") else text + "\n", environment)
    too_deep = next((_first(token) for token in tokens if token.level >= MAX_NESTING - 1), None)
    return Structure(tuple(_blocks(tokens)), too_deep)


def left_open(found: Structure) -> Opening | None:
    """The fence or HTML block at top level that only the end of the text ends."""
    return opening_of(found.blocks[-1]) if found.blocks and not found.blocks[-1].nested else None


def opening_of(block: Block) -> Opening | None:
    """What a fence or HTML block lacks that only the end of what it stands in ends."""
    if block.kind == "fence":
        closed = block.last - block.first == block.content.count("\n") + 2
        return None if closed else Opening(block.first, block.markup)
    closer = _html_closer(block.content) if block.kind == "html" else None
    return Opening(block.first, closer) if closer else None


def beginning(line: str, block: Block) -> int:
    """Where in its first line a fence or an HTML block begins, after what its lists and quotes begin with."""
    return line.index(block.markup or "<")


def top_lines(text: str) -> tuple[int, ...]:
    """The lines, 0-based, on which a block or a list item starts that stands in no other block."""
    tokens = _PARSER.parse(text if text.endswith("\n") else text + "\n", {})
    starts = (_first(token) for token in tokens if token.map and _starts_at_top(token))
    return tuple(dict.fromkeys(starts))


def _starts_at_top(token: Token) -> bool:
    return token.level == 0 or (token.level == 1 and token.type == "list_item_open")


_HTML_ENDS = (
    (re.compile(r" {0,3}<(script|pre|style|textarea)(?=[ \t>]|$)", re.I | re.M), None),
    (re.compile(r" {0,3}<!--"), "-->"),
    (re.compile(r" {0,3}<\?"), "?>"),
    (re.compile(r" {0,3}<!\[CDATA\["), "]]>"),
    (re.compile(r" {0,3}<![A-Za-z]"), ">"),
)
"""How HTML blocks that may hold blank lines start and end (CommonMark 4.6, start conditions 1 to 5)."""
_RAW_TEXT_END = re.compile(r"</(?:script|pre|style|textarea)>", re.I)


def _html_closer(content: str) -> str | None:
    for start, end in _HTML_ENDS:
        if match := start.match(content):
            if end is None:
                return None if _RAW_TEXT_END.search(content) else f"</{match[1].lower()}>"
            return None if end in content else end
    return None


def _blocks(tokens: list[Token]) -> Iterator[Block]:
    for index, token in enumerate(tokens):
        kind = _KINDS.get(token.type)
        if kind is None or token.map is None:
            continue
        first, last = token.map
        if kind == "heading":
            yield _heading(token, tokens[index + 1].content)
        else:
            yield Block(kind, first, last, token.level > 0, content=token.content, markup=token.markup)


def _heading(token: Token, content: str) -> Block:
    assert token.map is not None
    kind = "heading" if token.markup.startswith("#") else "setext"
    first, last = token.map
    offset = token.meta["offset"]
    return Block(kind, first, last, token.level > 0, int(token.tag[1]), offset, content, token.markup)


_KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "fence",
    "code_block": "code",
    "html_block": "html",
    "hr": "hr",
}


def _first(token: Token) -> int:
    return token.map[0] if token.map else 0


def _with_offset(rule: Any) -> Any:
    """The rule, made to note in a heading's token where in the text the heading begins."""

    def noting(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        count = len(state.tokens)
        found: bool = rule(state, start, end, silent)
        if found and not silent:
            state.tokens[count].meta["offset"] = state.bMarks[start] + state.tShift[start]
        return found

    return noting


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).disable("inline")
    parser.block.ruler.at("heading", _with_offset(heading), {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.at("lheading", _with_offset(lheading))
    parser.parse("")  # its first parse puts its rules in order, which another thread must not see half done
    return parser


_PARSER = _parser()
