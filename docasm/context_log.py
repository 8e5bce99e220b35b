"""The context log: what a model was sent, section by section, for people to read."""

from collections.abc import Iterator
from itertools import groupby

from docasm.asked import Request
from docasm.document import Document, DocumentMessage, section_name
from docasm.markers import trim

RULE = "=" * 60


def context_log(document: Document, asked: Request) -> str:
    """Each section with its name and role between rules, as the layout calls it."""
    sections = [each for message in document.messages for each in _sections(message)]
    told = [f"{RULE}\nSection: {name} | role={role}\n{RULE}\n\n{text}\n" for name, role, text in sections]
    return f"{_head(asked)}\n\nSections: {len(sections)}\n\n" + "\n\n".join(told)


def _head(asked: Request) -> str:
    now = asked.now if isinstance(asked.now, str | None) else asked.now.isoformat(" ")
    what = [f"[{now}]"] if now else []
    what.append(f"trigger={asked.trigger.kind}")
    if asked.trigger.sender is not None:
        what.append(f"sender={' '.join(asked.trigger.sender.split())}")
    return " ".join(what)


def _sections(message: DocumentMessage) -> Iterator[tuple[str, str, str]]:
    """The name, role and text of each section that is not blank; a message with a name is one section."""
    if message.name:
        yield message.name, message.role, message.content
        return
    for name, group in groupby(message.trimmed, key=lambda text: text.region[0] or section_name(text)):
        text = trim("".join(each.text for each in group))
        if text.strip():
            yield name, message.role, text
