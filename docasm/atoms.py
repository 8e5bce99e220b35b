"""What a compiled file is made of: text that knows its source, and marks for what is decided later."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from docasm.source import Source
from docasm.template_run import Hole

Region = tuple[str, str]
"""What a limit applies to: a slot, and the skill in it or ""."""
NO_REGION: Region = ("", "")
"""What the layout itself wrote."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text that a line of a file, or a slot, wrote."""

    text: str
    path: str
    """The file; empty for what a slot generated."""
    line: int
    """The line on which the text, or the tag that wrote it, starts."""
    copied: bool = True
    """Whether each further line of the text is a further line of the file."""
    slot: str = ""
    """The slot that generated it, if one did."""
    depends: frozenset[str] = frozenset()
    """What decides whether it is there at all: slots whose section goes when they are empty."""
    region: Region = NO_REGION

    def with_text(self, text: str) -> Self:
        """The same place with other text."""
        return replace(self, text=text)


@dataclass(frozen=True, slots=True)
class Heading:
    """The start of a heading, to be written at the level that the file's place in the document gives it."""

    level: int
    nested: bool
    """Whether it stands in a list or a quote, and so is no part of the outline."""
    path: str
    line: int
    setext: "tuple[Atom, ...] | None" = None
    """All of a heading with an underline, the underline last; None for a run of `#`."""


@dataclass(frozen=True, slots=True)
class Include:
    """`<<NAME>>`: another skill's text, or what a layout's slot brings."""

    name: str
    alone: bool
    """Whether it has its line to itself."""
    indent: str
    """The white space before it, if it is alone."""
    trailing: bool
    """Whether it ends a line that other text begins."""
    source: Source
    offset: int
    """The code point of `source` at which it stands."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """What an include or a slot that has its line to itself leaves when it yields nothing."""


Atom = Text | Heading | Include | Hole

_LINE = re.compile(r"[ \t]*\n")
_LINE_AND_BLANK_LINE = re.compile(r"[ \t]*\n(?:[ \t]*\n)?")


def without_emptied_lines(atoms: Sequence[Any]) -> list[Any]:
    """Each Nothing takes the rest of its line away, and one blank line after it if one stands before it."""
    kept: list[Any] = []
    emptied = False
    line_ends = 2  # where nothing is written, it is as if a blank line stood before
    for atom in atoms:
        if isinstance(atom, Nothing):
            emptied = True
            continue
        if emptied and isinstance(atom, Text):
            atom = _after(atom, _LINE_AND_BLANK_LINE if line_ends > 1 else _LINE)
        emptied = False
        kept.append(atom)
        line_ends = _line_ends(atom, line_ends)
    return kept


def _line_ends(atom: Any, before: int) -> int:
    """How many line ends stand after the last character that is not blank."""
    if not isinstance(atom, Text):
        return 0
    text = atom.text.rstrip(" \t\n")
    return atom.text.count("\n", len(text)) + (0 if text else before)


def cut_at(text: Text, length: int) -> tuple[Text, Text]:
    """A text in two, the first of a length in code points."""
    lines = text.text.count("\n", 0, length) if text.copied else 0
    rest = replace(text, text=text.text[length:], line=text.line + lines)
    return replace(text, text=text.text[:length]), rest


def _after(text: Text, pattern: re.Pattern[str]) -> Text:
    """The text without what the pattern matches at its start."""
    found = pattern.match(text.text)
    return cut_at(text, found.end())[1] if found else text


def trimmed(atoms: Sequence[Any]) -> tuple[Any, ...]:
    """The atoms without the blank lines at both ends of what they write."""
    kept = [atom for atom in atoms if not isinstance(atom, Text) or atom.text]
    while kept and isinstance(kept[0], Text):
        kept[0] = _after(kept[0], _BLANK_LINES if len(kept) > 1 else _BLANK_START)
        if kept[0].text:
            break
        kept.pop(0)
    while kept and isinstance(kept[-1], Text):
        kept[-1] = replace(kept[-1], text=_without_last_blank_lines(kept[-1].text, alone=len(kept) == 1))
        if kept[-1].text:
            break
        kept.pop()
    return tuple(kept)


_BLANK_LINES = re.compile(r"(?:[ \t]*+\n)*+")
_BLANK_START = re.compile(r"(?:[ \t]*+\n)*+(?:[ \t]++\Z)?")


def _without_last_blank_lines(text: str, *, alone: bool) -> str:
    end = text.find("\n", len(text.rstrip(" \t\n")))
    return text[:end] if end >= 0 else "" if alone and not text.strip(" \t") else text
