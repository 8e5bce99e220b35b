"""What cmark, the reference implementation of CommonMark, makes of a document: the judge of the promises."""

import re
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

_VOID = ("br", "hr", "img")
_HEADING = re.compile(r"h[1-6]")
_FENCE = re.compile(r" {0,3}(?:`{3}|~{3})")
_LINE_END = re.compile(r"\r\n|\r|\n")
_POSITION = re.compile(r"\d+")


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


class Structure(Outline):
    """What promise P3 is about: the headings, fences and HTML blocks at the top of a document.

    Of a heading and a fence the author's words on its lines are told, so that none can swallow what belongs
    to another; of HTML, which cmark leaves out, those on lines that belong to no other block.
    """

    def __init__(self, markdown: str, word: re.Pattern[str]) -> None:
        self.lines = _LINE_END.split(markdown.removeprefix("\ufeff"))
        self.word = word
        self.blocks: list[tuple[str, list[str]]] = []
        self.covered: set[int] = set()
        super().__init__(markdown, Options.CMARK_OPT_SOURCEPOS)

    @property
    def told(self) -> tuple[list[tuple[str, list[str]]], list[str]]:
        """All that must not depend on a value."""
        return self.blocks, self._words(set(range(len(self.lines))) - self.covered)

    def at_top(self, tag: str, attrs: dict[str, str | None]) -> None:
        first, _, last, _ = map(int, _POSITION.findall(str(attrs["data-sourcepos"])))
        lines = set(range(first - 1, last))
        self.covered |= lines
        if _HEADING.fullmatch(tag):
            self.blocks.append((tag, self._words(lines)))
        elif tag == "pre" and _FENCE.match(self.lines[first - 1]):
            self.blocks.append(("fence", self._words(lines)))

    def handle_comment(self, _: str) -> None:
        """cmark writes a comment for HTML; in a line it stands in an element."""
        if not self.open:
            self.blocks.append(("html", []))

    def _words(self, lines: set[int]) -> list[str]:
        return self.word.findall("\n".join(self.lines[line] for line in sorted(lines)))
