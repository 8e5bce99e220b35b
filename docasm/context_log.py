"""The context log: what a model was sent, section by section, for people to read."""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from docasm.asked import Request
from docasm.document import Document, DocumentMessage, regions
from docasm.markers import trim

RULE = "=" * 60
_LIKE_A_RULE = re.compile(r"(?m:^|(?<=[\r\x0b\x0c\x85\u2028\u2029]))(?=[ \t]*={20})")
"""The start of a line, as any reader may see one, that could be taken for a rule."""


def context_log(document: Document, asked: Request) -> str:
    """Each section with its name and role between rules, as the layout calls it.

    A line of a section that starts like a rule has a backslash before it, so that no text forges a section.
    """
    sections = [each for message in document.messages for each in _sections(message)]
    told = [_told(*section) for section in sections]
    return f"{_head(asked)}\n\nSections: {len(sections)}\n\n" + "\n\n".join(told)


def _told(name: str, role: str, text: str) -> str:
    shown = _LIKE_A_RULE.sub(r"\\", text)
    return f"{RULE}\nSection: {_one_line(name)} | role={role}\n{RULE}\n\n{shown}\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _head(asked: Request) -> str:
    now = _one_line(asked.now) if isinstance(asked.now, str) else asked.now and asked.now.isoformat(" ")
    what = [f"[{now}]"] if now else []
    what.append(f"trigger={asked.trigger.kind}")
    if asked.trigger.sender is not None:
        what.append(f"sender={_one_line(asked.trigger.sender)}")
    return " ".join(what)


def _sections(message: DocumentMessage) -> Iterator[tuple[str, str, str]]:
    """The name, role and text of each section that is not blank; a message with a name is one section."""
    if message.name:
        yield message.name, message.role, message.content
        return
    texts = message.trimmed
    slots = [slot for slot, _ in regions(texts)]
    for name, group in groupby(zip(slots, texts, strict=True), key=itemgetter(0)):
        text = trim("".join(each.text for _, each in group))
        if text.strip():
            yield name, message.role, text
