"""What cmark, the reference implementation of CommonMark, makes of a document: the judge of the promises."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import cmarkgfm  # type: ignore[import-untyped]
from cmarkgfm.cmark import Options  # type: ignore[import-untyped]

_VOID = ("br", "hr", "img")
_HEADING = re.compile(r"h[1-6]")


class Outline(HTMLParser):
    """The elements of a document for cmark: at the top, at all, and the items of lists at the top."""

    def __init__(self, markdown: str, options: int = 0) -> None:
        super().__init__()
        self.open: list[str] = []
        self.top: list[str] = []
        self.inside: set[str] = set()
        self.items = 0
        self.feed(cmarkgfm.markdown_to_html(markdown, options))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside.add(tag)
        if not self.open:
            self.top.append(tag)
            self.at_top(tag, dict(attrs))
        self.items += self.open == ["ul"] and tag == "li"
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self.open.pop() == tag

    def at_top(self, tag: str, attrs: dict[str, str | None]) -> None:
        """Called for each element at the top."""


@dataclass
class Block:
    """A heading, fence or HTML block at the top of a document."""

    kind: str
    """The heading's element, "fence" or "html"."""
    words: list[str] = field(default_factory=list)
    """The author's words in it, in order."""


class Structure(Outline):
    """What promise P3 is about: the headings, fences and HTML blocks at the top of a document.

    Of each the author's words in it are told, so that none can swallow what belongs to another. cmark leaves
    out what HTML holds, so all words outside are told as well.
    """

    def __init__(self, markdown: str, word: re.Pattern[str]) -> None:
        self.lines = re.split(r"\r\n|\r|\n", markdown)
        self.word = word
        self.blocks: list[Block] = []
        self.words: list[str] = []
        self.current: Block | None = None
        super().__init__(markdown, Options.CMARK_OPT_SOURCEPOS)

    @property
    def told(self) -> tuple[list[Block], list[str]]:
        """All that must not depend on a value."""
        return self.blocks, self.words

    def at_top(self, tag: str, attrs: dict[str, str | None]) -> None:
        kind = tag if _HEADING.fullmatch(tag) else "fence" if tag == "pre" and self._is_fence(attrs) else ""
        self.current = Block(kind) if kind else None
        if self.current:
            self.blocks.append(self.current)

    def handle_comment(self, _: str) -> None:
        """cmark writes a comment for HTML; in a line it stands in an element."""
        if not self.open:
            self.blocks.append(Block("html"))

    def handle_data(self, data: str) -> None:
        found = self.word.findall(data)
        self.words += found
        if self.current and self.open:
            self.current.words += found

    def _is_fence(self, attrs: dict[str, str | None]) -> bool:
        """An indented code block is no fence; in HTML they look alike."""
        line, column = str(attrs["data-sourcepos"]).split("-")[0].split(":")
        return self.lines[int(line) - 1].encode()[int(column) - 1 :].startswith((b"```", b"~~~"))
