"""The text of a snapshot: a document exactly, so that a person can read it in review.

A document is copied, but for characters that cannot be seen or that an editor or Git would change. Such a
character is `\\u{HEX}`, and so is the backslash of a `\\u{` that the document itself holds. A document that
does not end in a line end is followed by `\\u{}`. Every snapshot thus ends in a line end and has no CR, and
`document` is the exact inverse of `written`.

The front matter says how large the messages are, and where the lines of the document came from.
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from docasm.document import Origin
from docasm.markers import Message
from docasm.pytest_plugin import sources
from docasm.tokens import ESTIMATE, measure

_HIDDEN = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    r"\ufff9-\ufffb\ud800-\udfff]"
)
"""Controls but tab and LF, line separators, what turns text round, what has no width, lone surrogates."""
_TO_ESCAPE = re.compile(_HIDDEN + r"|\\(?=u\{)")
_IN_JSON = re.compile(_HIDDEN)
_ESCAPE = re.compile(r"\\u\{(10[0-9a-f]{4}|[0-9a-f]{1,5})\}")
_NO_LINE_END = "\\u{}\n"
_RULE = "---\n"
_FIRST = "# By docasm."
_LINES = "lines: # what wrote them; not compared\n"
_PLAIN = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9_./()-]+(:[0-9-]+)?( x [0-9]+)?")
"""What is text in YAML without quotes."""


def written(document: str, messages: Iterable[Message], origins: Iterable[Origin] = ()) -> str:
    """A document as the text of its snapshot; `origins` are those of its lines."""
    end = "" if document.endswith("\n") else _NO_LINE_END
    front = f"{_sizes(messages)}{_sources(origins)}"
    return f"{_RULE}{front}{_RULE}{_TO_ESCAPE.sub(_escaped, document)}{end}"


def document(snapshot: str) -> str:
    """The document of a snapshot."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), body(snapshot).removesuffix(_NO_LINE_END))


def body(snapshot: str) -> str:
    """The snapshot without its front matter."""
    return _parts(snapshot)[1]


def is_by_docasm(path: Path) -> bool:
    """Whether a file is the snapshot of a document."""
    with path.open("rb") as file:
        return file.readline().rstrip() == b"---" and file.readline().startswith(_FIRST.encode())


def compared(snapshot: str) -> tuple[str, str]:
    """What two snapshots must have alike: the sizes, and the document."""
    front, rest = _parts(snapshot)
    return front.partition(_LINES)[0], rest


def origins(snapshot: str) -> Sequence[Origin]:
    """Where the lines of the document came from; nothing if the snapshot does not say it of all."""
    front, rest = _parts(snapshot)
    try:
        found = list(sources.origins(yaml.safe_load(front)["lines"]))
    except (KeyError, TypeError, ValueError, yaml.YAMLError):
        return ()
    return found if len(found) == rest.count("\n") else ()


def _parts(snapshot: str) -> tuple[str, str]:
    """The front matter, "" if there is none, and what follows it."""
    front, rule, rest = snapshot.removeprefix(_RULE).partition(f"\n{_RULE}")
    return (f"{front}\n", rest) if rule and snapshot.startswith(_RULE) else ("", snapshot)


def payload(value: Any) -> str:
    """JSON as docasm prints it; what cannot be seen is escaped, which means the same."""
    return _json(value, indent=2) + "\n"


def _json(value: Any, indent: int | None = None) -> str:
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    return _IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{{{ord(found[0]):x}}}"


def _sizes(messages: Iterable[Message]) -> str:
    """Their tokens are estimates: another tokenizer on another machine must not change the snapshot."""
    count = measure(ESTIMATE, None).count
    lines = (
        f"  - {{role: {each.role}, chars: {len(each.content)}, tokens: {count(each.content)}}}\n"
        for each in messages
    )
    return f"{_FIRST} Tokens are estimates.\nmessages:\n{''.join(lines)}"


def _sources(origins: Iterable[Origin]) -> str:
    lines = [f"  - {each if _PLAIN.fullmatch(each) else _json(each)}\n" for each in sources.entries(origins)]
    return f"{_LINES}{''.join(lines)}" if lines else ""
