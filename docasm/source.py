"""Reading a file, and telling its front matter from its body."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Self

from docasm.errors import DocasmError, Place, Problem, failure


@dataclass(frozen=True)
class Source:
    """The text of one file, or of a string that stands for one."""

    path: str
    """What problems call it."""
    text: str
    """Without a BOM, lines ending in LF."""
    first_line: int = 1
    """The line of the file on which `text` starts."""
    indent: int = 0
    """How many code points stand before each line of `text` in the file."""
    whole: "Source | None" = None
    """What it is an excerpt of; None for what has its own lines as the file has them."""
    one_line: bool = False
    """Whether all of `text` counts as written on the first line, as a quoted text with escapes is."""

    @cached_property
    def lines(self) -> "Lines":
        return Lines.of(self.text)

    def line_of(self, number: int) -> int:
        """The line of the file that has a line (0-based) of `text`."""
        return self.first_line + (0 if self.one_line else number)

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column, 1-based, of a code point of `text`."""
        number = self.lines.number(offset)
        column = 0 if self.one_line else offset - self.lines.start(number)
        return self.line_of(number), column + self.indent + 1

    def problem(
        self,
        code: str,
        message: str,
        line: int,
        column: int = 1,
        *,
        hint: str = "",
        severity: str = "error",
    ) -> Problem:
        """A problem at a line and column of the file."""
        source = self.whole or self
        index = max(0, line - source.first_line)
        shown = source.text[source.lines.start(index) : source.lines.start(index + 1) - 1]
        return Problem(code, message, Place(self.path, line, column), shown, hint, severity)

    def problem_at(
        self, code: str, message: str, offset: int, *, hint: str = "", severity: str = "error"
    ) -> Problem:
        """A problem at a code point of `text`."""
        line, column = self.position(offset)
        return self.problem(code, message, line, column, hint=hint, severity=severity)


@dataclass(frozen=True, slots=True)
class Lines:
    """Where each line of a text starts; lines are 0-based and end at LF."""

    starts: tuple[int, ...]
    """One more than there are lines: the last as if the text ended in LF."""

    @classmethod
    def of(cls, text: str) -> Self:
        return cls((0, *accumulate(len(line) + 1 for line in text.split("\n"))))

    def start(self, line: int) -> int:
        """The offset of a line; past the end, that of the end."""
        return self.starts[min(line, len(self.starts) - 1)]

    def number(self, offset: int) -> int:
        """The line that holds a code point."""
        return min(bisect_right(self.starts, offset), len(self.starts) - 1) - 1


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file in two: the YAML between its `---` lines, and the Markdown after them."""

    settings: Source
    """Empty text where the file has no front matter."""
    body: Source


def read(path: Path, name: str | None = None) -> Source:
    """A file's text: UTF-8, a BOM dropped, CRLF and CR read as LF; raises DocasmError."""
    shown = name or str(path)
    return decode(read_bytes(path, shown), shown)


def read_bytes(path: Path, shown: str) -> bytes:
    """What a file holds; raises DocasmError."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise failure("unreadable-file", f"cannot read `{shown}`: {reason}") from None


def is_folder(path: Path) -> bool:
    """Whether there is a folder; a path that no file can have names none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether there is a file; a path that no file can have names none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def decode(data: bytes, name: str) -> Source:
    """The Source of bytes that claim to be UTF-8; raises DocasmError with the first bad byte's place."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(data, name, error.start) from None
    return Source(name, with_line_feeds(text.removeprefix("\ufeff")))


def with_line_feeds(text: str) -> str:
    """The same text with every line end (CRLF, CR) written as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split_front_matter(source: Source) -> FrontMatter:
    """Front matter is what stands between a first line `---` and the next line `---`; raises DocasmError."""
    first, _, _ = source.text.partition("\n")
    if first.rstrip(" \t") != "---":
        return FrontMatter(Source(source.path, ""), source)
    lines = source.text.split("\n")
    for index, line in enumerate(lines[1:], start=1):
        if line.startswith("---") and line.rstrip(" \t") == "---":
            settings = Source(source.path, "\n".join(lines[1:index]) + "\n", first_line=2)
            body = Source(source.path, "\n".join(lines[index + 1 :]), first_line=index + 2)
            return FrontMatter(settings, body)
    message = "the front matter that starts here is not closed; expected a line `---`"
    hint = "close it with `---`, or start the file with a blank line if `---` is a thematic break"
    raise DocasmError([source.problem("front-matter-not-closed", message, 1, hint=hint)])


def _not_utf8(data: bytes, name: str, start: int) -> DocasmError:
    line_start = data.rfind(b"\n", 0, start) + 1
    line = data.count(b"\n", 0, start) + 1
    column = len(data[line_start:start].decode("utf-8", "replace")) + 1
    shown = data[line_start:].split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
    message = f"byte 0x{data[start]:02x} is not UTF-8"
    hint = "save the file as UTF-8"
    return DocasmError([Problem("not-utf8", message, Place(name, line, column), shown, hint)])
