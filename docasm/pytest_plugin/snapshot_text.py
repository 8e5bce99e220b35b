"""The text of a snapshot: a document exactly, so that a person can read it in review.

A document is copied, but for characters that cannot be seen or that an editor or Git would change. Such a
character is `\\u{HEX}`, and so is the backslash of a `\\u{` that the document itself holds. A document that
does not end in a line end is followed by `\\u{}`. Every snapshot thus ends in a line end and has no CR, and
`document` is the exact inverse of `written`.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from docasm.markers import Message
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


def written(document: str, messages: Iterable[Message]) -> str:
    """A document as the text of its snapshot, sizes in front."""
    end = "" if document.endswith("\n") else _NO_LINE_END
    return f"{_sizes(messages)}{_TO_ESCAPE.sub(_escaped, document)}{end}"


def document(snapshot: str) -> str:
    """The document of a snapshot."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), body(snapshot).removesuffix(_NO_LINE_END))


def body(snapshot: str) -> str:
    """The snapshot without its front matter."""
    _, rule, rest = snapshot.removeprefix(_RULE).partition(f"\n{_RULE}")
    return rest if rule and snapshot.startswith(_RULE) else snapshot


def payload(value: Any) -> str:
    """JSON as docasm prints it; what cannot be seen is escaped, which means the same."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return _IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{{{ord(found[0]):x}}}"


def _sizes(messages: Iterable[Message]) -> str:
    """Front matter, whose tokens are estimates: another tokenizer on another machine must not change it."""
    count = measure(ESTIMATE, None).count
    lines = (
        f"  - {{role: {each.role}, chars: {len(each.content)}, tokens: {count(each.content)}}}\n"
        for each in messages
    )
    return f"{_RULE}# By docasm. Tokens are estimates.\nmessages:\n{''.join(lines)}{_RULE}"
