"""What one render is asked for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from docasm.errors import DocasmError, Problem
from docasm.resolve import Resolvers
from docasm.tools import Tool, read_tools
from docasm.trigger import Trigger


@dataclass(slots=True)
class Request:
    """The trigger of a render and all that comes with it."""

    trigger: Trigger
    history: Iterable[object]
    variables: Mapping[str, Any] | None
    tools: tuple[Tool, ...] | None
    model: str | None
    layout: str | None
    now: datetime | str | None
    provider: str | None
    resolvers: tuple[Resolvers | None, ...]
    """What answers for tools, the first that knows one."""
    found: dict[str, Any]
    """What tools have returned, by `Call.key`."""


_SEQUENCES = (list, tuple)


def asked_of(
    resolvers: tuple[Resolvers | None, ...],
    trigger: Trigger,
    history: Iterable[object] = (),
    variables: Mapping[str, Any] | None = None,
    tools: Iterable[object] | None = None,
    model: str | None = None,
    layout: str | None = None,
    now: datetime | str | None = None,
    provider: str | None = None,
) -> Request:
    """What a call asks for; `resolvers` answer in their order. Raises DocasmError for what are no tools."""
    chosen = None if tools is None else read_tools(tools)
    if type(history) not in _SEQUENCES and isinstance(history, Iterable):
        history = tuple(history)  # it is asked more than once
    return Request(trigger, history, variables, chosen, model, layout, now, provider, resolvers, {})


def check_types(asked: Request) -> None:
    """Raises DocasmError for what a caller gave that is not of the type asked for."""
    variables = asked.variables
    fits = {
        "`trigger` must be a Trigger": isinstance(asked.trigger, Trigger),
        "`history` must be a list of turns": isinstance(asked.history, Iterable),
        "`variables` must be a mapping of names to values": variables is None
        or (isinstance(variables, Mapping) and all(isinstance(name, str) for name in variables)),
        "`model` must be text": isinstance(asked.model, str | None),
        "`layout` must be the name of a layout": isinstance(asked.layout, str | None),
        "`now` must be a datetime, or text": isinstance(asked.now, datetime | str | None),
        "`provider` must be text": isinstance(asked.provider, str | None),
    }
    problems = [Problem("wrong-type", message) for message, fit in fits.items() if not fit]
    if problems:
        raise DocasmError(problems)
