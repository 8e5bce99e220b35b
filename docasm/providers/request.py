"""What every provider's request is made of, and what it must keep to."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Any, Self

from docasm.dialogue import Entry
from docasm.errors import Problem
from docasm.providers.facts import ModelFacts
from docasm.tools import Tool

TRANSLATED = "request-translated"
REPAIRED = "request-repaired"


class Payload(dict[str, Any]):
    """A request as the keyword arguments of a provider's SDK, or the body of its API."""

    model: str = ""
    """The model that it is for, which not every body names."""
    notes: tuple[Problem, ...] = ()
    """What was put another way for this provider, and what was repaired."""
    tool_names: Mapping[str, str] = {}  # replaced, never changed
    """From the name of a tool in the payload to its name in the bundle."""
    call_ids: Mapping[str, str] = {}  # replaced, never changed
    """From the id of a call in the payload to its id in the conversation."""

    @property
    def body(self) -> dict[str, Any]:
        """What an SDK sends: the JSON object that the API takes. Most often just the same."""
        body = dict(self)
        extra: dict[str, Any] = body.pop("extra_body", {})
        return {**body, **extra}


@dataclass(frozen=True, slots=True)
class Item(Entry):
    """An entry that knows which of the caller's messages it is."""

    index: int = -1
    stable: int = 0
    """How many code points at the start of its content are the same in every request."""

    def saying(self, content: str, stable: int = 0) -> Self:
        """The same with other words, of which the first `stable` code points stay."""
        return replace(self, content=content, stable=stable)


def numbered(entries: Sequence[Entry], stable: Sequence[int] = ()) -> tuple[Item, ...]:
    """The entries with their indexes, and with how much of each stays the same."""
    return tuple(
        Item(
            entry.role,
            entry.content,
            entry.calls,
            entry.call_id,
            index,
            max(0, min(length, len(entry.content))),
        )
        for index, (entry, length) in enumerate(zip(entries, chain(stable, repeat(0)), strict=False))
    )


def joined(entries: Iterable[Item]) -> tuple[str, int]:
    """The words of entries, a blank line between them, and how much of that stays."""
    content, stable = "", 0
    for entry in entries:
        if not entry.content:
            continue
        start = len(content) + 2 if content else 0
        if stable == len(content) and entry.stable:
            stable = start + entry.stable
        content = f"{content}\n\n{entry.content}" if content else entry.content
    return content, stable


@dataclass(frozen=True, slots=True)
class Request:
    """One request, ready to be written in a provider's form."""

    entries: tuple[Item, ...]
    tools: tuple[Tool, ...]
    params: Mapping[str, Any]
    facts: ModelFacts
    notes: list[Problem] = field(default_factory=list)
    """What was changed on the way; a provider adds to it."""
    cache: bool = False
    """Whether the prompt is to be marked for a cache."""
    given_ids: Mapping[str, str] = field(default_factory=dict)
    """From the id that a repair gave to a call to the one that the call had."""

    def note(self, message: str, code: str = TRANSLATED) -> None:
        self.notes.append(Problem(code, message, severity="note"))

    @property
    def system(self) -> str:
        """The system text in front, its messages a blank line apart."""
        return "\n\n".join(entry.content for entry in self.leading if entry.content)

    @property
    def leading(self) -> Sequence[Item]:
        """The system messages in front."""
        end = next((at for at, entry in enumerate(self.entries) if entry.role != "system"), len(self.entries))
        return self.entries[:end]

    @property
    def rest(self) -> Sequence[Item]:
        """What follows them."""
        return self.entries[len(self.leading) :]

    @property
    def called(self) -> Mapping[str, str]:
        """The tool that each call names, by the call's id."""
        return {call.id: call.name for entry in self.entries for call in entry.calls}


@dataclass(frozen=True, slots=True)
class Rules:
    """What a provider's API keeps to."""

    write: Callable[[Request], dict[str, Any]]
    tool_name: re.Pattern[str]
    longest_name: int
    call_id: re.Pattern[str]
    make_id: Callable[[str], str]
    """An id that the API takes, from one that it does not."""
    params: tuple[str, ...]
    """The parameters that it has, beyond `model`."""
    system_apart: bool = False
    """Whether system text has a place apart from the messages."""
    system_inline: bool = True
    """Whether system text can stand among the messages, if the model takes it there."""
    system_after_user: bool = False
    """Whether system text among the messages must follow the user, and come before the assistant or last."""
    highest_temperature: float | None = None
    most_messages: int | None = None
    longest_result: int | None = None
    """How many characters the result of a tool may have."""
    caches: bool = False
    """Whether a request can say what is to be cached; other APIs cache by themselves."""
    never_blank: tuple[str, ...] = ()
    """The roles whose messages may not be blank."""
    needs_turn: bool = True
    """Whether system text alone is no request."""
    user_first: bool = False
    """Whether the first message after the system text must be the user's."""
    needs_bridge: bool = False
    """Whether the assistant must speak between a tool's result and the user."""
    keeps_last_space: bool = True
    """Whether the last message may be the assistant's and end with white space."""
    takes_objects: bool = False
    """Whether the arguments of calls are objects, and not text."""


def translated(request: Request, names: Mapping[str, str], ids: Mapping[str, str]) -> Request:
    """The request with other names of tools and ids of calls."""
    entries = [
        replace(
            entry,
            calls=tuple(replace(call, id=ids[call.id], name=names[call.name]) for call in entry.calls),
            call_id=ids.get(entry.call_id, entry.call_id),
        )
        for entry in request.entries
    ]
    tools = tuple(replace(tool, name=names[tool.name]) for tool in request.tools)
    return replace(request, entries=tuple(entries), tools=tools)
