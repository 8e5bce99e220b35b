"""Bundles whose layouts have limits, and how large the slots of a document are, measured from outside."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import docasm
from docasm.bundle import Bundle
from docasm.document import DocumentMessage
from docasm.markers import escapes, join
from docasm.tokens import Measure, measure
from tests import promises

OWN: Mapping[str, Callable[[str], int]] = {
    "squared": lambda text: len(text) ** 2,
    "constant": lambda _: 5,
    "sevenths": lambda text: len(text) // 7,
    "words": lambda text: len(text.split()),
    "uneven": lambda text: len(text) * (2 if len(text) % 3 else 1),
}
"""Functions that no tokenizer would be."""
TOKENIZERS = ("estimate", "o200k_base", *OWN)

LIST = """\
system:
Before.

<<identity>>

<<skills>>

## Tools

<<tools>>

## Notes

<<notes>>

## History

<<history>>

user:
<<input>>
"""
THREAD = LIST.replace("## History\n\n<<history>>", "<<history>>")
IDENTITY = "I am {{ agent }}.\n\n- one\n- two\n\n```\nuser:\n```\n\nThe end."


@dataclass(frozen=True, slots=True)
class Given:
    """All that a render gets."""

    skills: Mapping[str, str]
    history: Sequence[Any] = ()
    notes: Any = ()
    tools: int = 0
    message: str = "Hi"
    agent: str = "x"
    as_messages: bool = False

    def render(self, settings: Mapping[str, Any]) -> docasm.Render:
        """The document with these settings in the layout's front matter."""
        made = limited_bundle(self.skills, settings, as_messages=self.as_messages)
        tools = [
            {"name": f"tool_{each}", "description": "d" * each, "inputSchema": {}}
            for each in range(self.tools)
        ]
        return made.render(
            docasm.Trigger.dm(self.message),
            history=self.history,
            tools=tools,
            variables={"agent": self.agent, "notes": self.notes},
        )


def limited_bundle(
    skills: Mapping[str, str],
    settings: Mapping[str, Any],
    *,
    as_messages: bool = False,
    tokenizers: Mapping[str, Callable[[str], int]] = OWN,
) -> Bundle:
    """A bundle with each slot there is, all of these skills, and these settings in its layout."""
    slots = {"notes": {"from": "notes"}, "identity": {}, **settings.get("slots", {})}
    if "notes" in slots:
        slots["notes"] = {"from": "notes", **slots["notes"]}
    if as_messages:
        slots["history"] = {"as": "messages", **slots.get("history", {})}
    front = json.dumps({**settings, "slots": slots})
    text = f"---\n{front}\n---\n{THREAD if as_messages else LIST}"
    written = {name: f"---\ntools: all\n---\n{body}" for name, body in skills.items()}
    made = promises.bundle({**written, "identity": IDENTITY}, text, adopted=tuple(skills))
    return Bundle(replace(made._state, contents=replace(made.contents, tokenizers=tokenizers)))


def counts(settings: Mapping[str, Any]) -> Measure:
    """What the tokens of a document with these settings are counted by."""
    return measure(settings.get("tokenizer"), None, 1.0, OWN)


def slot_texts(render: docasm.Render) -> dict[str, str]:
    """What each slot brings as it stands in the Markdown: history messages with their markers."""
    found: dict[str, str] = {}
    thread = []
    for message in render.document.messages:
        if message.marker.slot == "history":
            thread.append(docasm.Message(message.role, message.content))
            continue
        for slot, text in _stretches(message):
            found[slot] = found.get(slot, "") + text
    if thread:
        found["history"] = found.get("history", "") + join(thread) + "\n"
    return found


def _stretches(message: DocumentMessage) -> list[tuple[str, str]]:
    """The slots of a message, in order, with the backslashes that the Markdown has."""
    offsets = escapes(message.content)
    found: list[tuple[str, str]] = []
    position = 0
    for text in message.trimmed:
        end = position + len(text.text)
        here = [at - position for at in offsets if position <= at < end]
        cuts = [0, *here, len(text.text)]
        pieces = [text.text[low:high] for low, high in pairwise(cuts)]
        written = "\\".join(pieces)
        if text.region[0]:
            found.append((text.region[0], written))
        position = end
    return found
