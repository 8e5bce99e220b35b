"""What every provider's request is made of, and what it must keep to."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from docasm.dialogue import Entry
from docasm.errors import Problem
from docasm.providers.facts import ModelFacts
from docasm.tools import Tool


class Payload(dict[str, Any]):
    """A request as the keyword arguments of a provider's SDK, or the body of its API."""

    notes: tuple[Problem, ...] = ()
    """What was put another way for this provider, and what was repaired."""
    tool_names: Mapping[str, str] = {}  # replaced, never changed
    """From the name of a tool in the payload to its name in the bundle."""
    call_ids: Mapping[str, str] = {}  # replaced, never changed
    """From the id of a call in the payload to its id in the conversation."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, ready to be written in a provider's form."""

    entries: tuple[Entry, ...]
    tools: tuple[Tool, ...]
    params: Mapping[str, Any]
    facts: ModelFacts
    notes: list[Problem] = field(default_factory=list)
    """What was changed on the way; a provider adds to it."""

    def note(self, message: str, code: str = "request-translated") -> None:
        self.notes.append(Problem(code, message, severity="note"))

    @property
    def system(self) -> str:
        """The system text in front, its messages a blank line apart."""
        return "\n\n".join(entry.content for entry in self.leading if entry.content)

    @property
    def leading(self) -> Sequence[Entry]:
        """The system messages in front."""
        end = next((at for at, entry in enumerate(self.entries) if entry.role != "system"), len(self.entries))
        return self.entries[:end]

    @property
    def rest(self) -> Sequence[Entry]:
        """What follows them."""
        return self.entries[len(self.leading) :]

    def name_of(self, call_id: str) -> str:
        """The tool that a call names."""
        calls = (call for entry in self.entries for call in entry.calls)
        return next((call.name for call in calls if call.id == call_id), "")


@dataclass(frozen=True, slots=True)
class Rules:
    """What a provider's API keeps to."""

    write: Callable[[Request], dict[str, Any]]
    tool_name: re.Pattern[str]
    longest_name: int
    call_id: re.Pattern[str]
    make_id: Callable[[str], str]
    """An id that the API takes, from one that it does not."""
    system: str
    """Where system text goes: "apart" from the messages, or "among" them."""
    params: tuple[str, ...]
    """The parameters that it has, beyond `model`."""
    takes_empty: bool = True
    """Whether a message may be blank."""
    takes_bridge: bool = True
    """Whether the user may speak right after a tool's result."""


def renamed(names: Iterable[str], rules: Rules) -> dict[str, str]:
    """For each name one that the API takes: itself, else one like it that no other has."""
    names = list(dict.fromkeys(names))
    found = {name: name for name in names if rules.tool_name.fullmatch(name)}
    taken = set(found)
    for name in names:
        if name not in found:
            plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[: rules.longest_name]
            found[name] = _free(plain, taken, rules.longest_name)
            taken.add(found[name])
    return found


def _free(name: str, taken: set[str], longest: int) -> str:
    number = 1
    made = name
    while made in taken:
        number += 1
        end = f"_{number}"
        made = f"{name[: longest - len(end)]}{end}"
    return made


def with_ids(ids: Iterable[str], rules: Rules) -> dict[str, str]:
    """For each call's id one that the API takes, itself where it does."""
    ids = list(dict.fromkeys(ids))
    found = {id_: id_ for id_ in ids if rules.call_id.fullmatch(id_)}
    taken = set(found)
    for id_ in ids:
        if id_ in found:
            continue
        made, number = rules.make_id(id_), 0
        while made in taken:
            number += 1
            made = rules.make_id(f"{number}:{id_}:{digest(id_)}")
        found[id_] = made
        taken.add(made)
    return found


def digest(text: str) -> str:
    """A few letters and digits that stand for a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


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
