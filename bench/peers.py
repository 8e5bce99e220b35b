"""docasm and its peers, each made ready as a function from a question to messages."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any

from jinja2 import Environment, Template

import docasm
from bench.inputs import CONSTANTS, HISTORY, PROMPT, labelled_history, message_history
from bench.templates import banks_template, poet_template, system_template

Call = Callable[[str], Iterable[Any]]
"""From a question to messages in the peer's own type; this is what is timed."""

VARIANTS = ("list", "thread")
"""The history as a Markdown list in the system message, and as native messages."""

BASE = "Jinja2"
"""The peer that the others are compared with."""


def _docasm(variant: str) -> Call:
    bundle = docasm.Bundle.load(PROMPT)
    layout = {"list": "dm", "thread": "thread"}[variant]

    def call(question: str) -> Iterable[Any]:
        turns = [docasm.Turn(role, content) for role, content in HISTORY]
        return bundle.render(docasm.Trigger.dm(question), history=turns, layout=layout).messages

    return call


def _data(variant: str, *, written_out: bool) -> dict[str, Any]:
    history = labelled_history() if variant == "list" else message_history()
    return {"history": history} if written_out else {**CONSTANTS, "history": history}


def _jinja2(variant: str, *, written_out: bool) -> Call:
    template = Environment().from_string(system_template(variant, written_out=written_out))

    def call(question: str) -> Iterable[Any]:
        data = _data(variant, written_out=written_out)
        turns = data["history"] if variant == "thread" else []
        system = {"role": "system", "content": template.render(data)}
        return [system, *turns, {"role": "user", "content": question}]

    return call


def _banks(variant: str, *, written_out: bool) -> Call:
    # banks and Prompt Poet are looked up by name because they carry no types to import.
    prompt = import_module("banks").Prompt(banks_template(variant, written_out=written_out))

    def call(question: str) -> Iterable[Any]:
        messages: Iterable[Any] = prompt.chat_messages(
            {**_data(variant, written_out=written_out), "question": question}
        )
        return messages

    return call


@dataclass(frozen=True, slots=True)
class _TextLoader:
    """What Prompt Poet asks of a template loader, for a text that is in no file."""

    text: str
    name: str

    def load(self) -> Template:
        return Environment().from_string(self.text)

    def id(self) -> str:
        return self.name


def _prompt_poet(variant: str, *, written_out: bool) -> Call:
    prompt = import_module("prompt_poet").Prompt
    loader = _TextLoader(poet_template(variant, written_out=written_out), f"{variant}-{written_out}")

    def call(question: str) -> Iterable[Any]:
        data = {**_data(variant, written_out=written_out), "question": question}
        messages: Iterable[Any] = prompt(template_data=data, template_loader=loader, from_cache=True).messages
        return messages

    return call


PEERS: dict[str, Callable[[str], Call]] = {
    "docasm": _docasm,
    "banks": partial(_banks, written_out=False),
    "Prompt Poet": partial(_prompt_poet, written_out=False),
    BASE: partial(_jinja2, written_out=False),
    "banks, constants written out": partial(_banks, written_out=True),
    "Prompt Poet, constants written out": partial(_prompt_poet, written_out=True),
    "Jinja2, constants written out": partial(_jinja2, written_out=True),
}


@cache
def prepared(peer: str, variant: str) -> Call:
    """Loading and compiling happen once, before the clock starts."""
    return PEERS[peer](variant)


def plain(messages: Iterable[Any]) -> list[tuple[str, str]]:
    """Roles and contents without white space at the ends, whatever type the messages have."""
    return [_plain(each) for each in messages]


def _plain(message: Any) -> tuple[str, str]:
    if isinstance(message, dict):
        return message["role"], message["content"].strip()
    # banks gives the text in blocks.
    content = message.content
    text = content if isinstance(content, str) else "".join(block.text for block in content)
    return message.role, text.strip()
