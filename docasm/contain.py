"""How a value from outside is written so that it stays what it is: text at one place of a document.

Each function takes the value and returns what is written. Lines end at LF, CR and CRLF here, as they do
in CommonMark.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

_LINE_END = re.compile(r"\r\n|\r|\n")
_BOM = "\ufeff"
"""What CommonMark does not see at the start of a document, where a value may stand."""
_AT_LINE_START = r"(?<![^\r\n])"
_AT_LINE_END = r"[ \t]*(?=[\r\n]|\Z)"

_BLOCK_START = re.compile(
    _AT_LINE_START + rf"({_BOM}? {{0,3}})(?="
    r"#{1,6}(?:[ \t\r\n]|\Z)"  # heading, CommonMark 4.2
    r"|`{3}|~{3}"  # fence, 4.5
    r"|<[A-Za-z/!?]"  # HTML block, 4.6
    rf"|(?:=+|-+){_AT_LINE_END})"  # setext underline, 4.3
)
_WORD_START = re.compile(r"(?:(?=[#>+*=\-`~<\[_])|\d{1,9}(?=[.)]))")


def one_line(text: str) -> str:
    """The value with its line ends as spaces, for a line that other text has begun."""
    return _LINE_END.sub(" ", text) if "\n" in text or "\r" in text else text


def at_line_start(text: str) -> str:
    """The value on one line, not indented, its first character escaped where it could start a block."""
    line = one_line(text).lstrip(f" \t{_BOM}")
    found = _WORD_START.match(line)
    return f"{found[0]}\\{line[found.end() :]}" if found else line


def block(text: str) -> str:
    """The value between blank lines, each line escaped that could start a heading, fence or HTML block."""
    return _BLOCK_START.sub(r"\1\\", text)


def in_fence(character: str, length: int) -> Callable[[str], str]:
    """The value on lines of their own in a fence, each line escaped that could close it."""
    closer = re.compile(rf"{_AT_LINE_START}( *)(?={re.escape(character)}{{{length},}}{_AT_LINE_END})")
    return lambda text: closer.sub(r"\1\\", text)


def fenced(text: str, info: str = "") -> str:
    """The value in a fence of its own, longer than any run of backticks in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if text.endswith(("\n", "\r")) else "\n"
    return f"{fence}{info}\n{text}{end}{fence}"


def quoted(text: str, _: str = "") -> str:
    """The value as a quote."""
    return "> " + _LINE_END.sub(lambda end: f"{end[0]}> ", text)


CONTAINERS: Mapping[str, Callable[[str, str], str]] = MappingProxyType(
    {
        "fence": fenced,
        "oneline": lambda text, _: at_line_start(text),
        "quote": quoted,
        "trusted": lambda text, _: text,
    }
)
"""The filters by which a template says how a value is contained: (value, argument) -> what is written."""
