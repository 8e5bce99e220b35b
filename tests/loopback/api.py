"""What the loopback server knows of an API: how it reads, refuses and answers a request."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pydantic import ConfigDict, TypeAdapter

Body = dict[str, Any]


class RefusedError(Exception):
    """A request that an API would answer with an error, and what it would say."""

    status = 400


class NotAllowedError(RefusedError):
    """A request without the headers that name who asks."""

    status = 401


class NotFoundError(RefusedError):
    """A request for an address that no API has."""

    status = 404


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the server makes."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answers."""

    text: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks, in whatever form its API has."""

    tools: Mapping[str, Mapping[str, Any]]
    """The schema of each tool's arguments."""
    results: tuple[str, ...]
    """The tool results that it ends with; none if the user speaks last."""


@dataclass(frozen=True, slots=True)
class Step:
    """A message, or a run of messages that holds the results of one message's calls."""

    role: str
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Api:
    """One provider's API."""

    path: re.Pattern[str]
    check: Callable[[Body], object]
    """Raises RefusedError, or pydantic's ValidationError, for a body that the API refuses."""
    asked: Callable[[Body], Asked]
    answer: Callable[[Body, Reply], Body]
    error: Callable[[int, str], Body]
    headers: tuple[str, ...] = ()
    """What a request must have, in lower case."""


def need(fact: object, message: str) -> None:
    """Refuses a request unless something holds."""
    if not fact:
        raise RefusedError(message)


def typed(kind: Any) -> Callable[[Body], None]:
    """A check that a body is of an SDK's type, unknown keys forbidden at every depth."""
    adapter = TypeAdapter(list[kind], config=ConfigDict(extra="forbid"))

    def check(body: Body) -> None:
        need(_drained(adapter.validate_python([body]))[0] == body, "the body is not of its type")

    return check


def _drained(value: Any) -> Any:
    """The value with lazy lists read to their end: pydantic checks them only then."""
    if isinstance(value, dict):
        return {key: _drained(each) for key, each in value.items()}
    if value is None or isinstance(value, str | bytes | int | float | bool):
        return value
    return [_drained(each) for each in value]


def known(value: object, required: Iterable[str], others: Iterable[str] = ()) -> None:
    """Refuses what is no object, lacks a key or has an unknown one."""
    need(isinstance(value, dict), "expected an object")
    assert isinstance(value, dict)
    missing, unknown = {*required} - value.keys(), value.keys() - {*required, *others}
    need(not missing, f"missing field: {sorted(missing)}")
    need(not unknown, f"unknown field: {sorted(unknown)}")


def paired(steps: Sequence[Step]) -> None:
    """Refuses calls and results unless those of each message are right after it, each once."""
    waiting: tuple[str, ...] = ()
    seen: set[str] = set()
    for step in steps:
        need(len({*step.results}) == len(step.results), "each call must have a single result")
        need({*step.results} <= {*waiting}, f"unexpected results: {step.results}, called: {waiting}")
        need({*waiting} <= {*step.results}, f"calls without results: {waiting}, found: {step.results}")
        need(
            len({*step.calls}) == len(step.calls) and not seen & {*step.calls}, "ids of calls must be unique"
        )
        waiting = step.calls
        seen |= {*waiting}
    need(not waiting, f"calls without results: {waiting}")


def grouped(steps: Iterable[Step], *roles: str) -> list[Step]:
    """The steps, a run of one of these roles as one."""
    found: list[Step] = []
    for (role, merged), group in groupby(steps, key=lambda step: (step.role, step.role in roles)):
        each = list(group)
        calls = tuple(call for step in each for call in step.calls)
        results = tuple(result for step in each for result in step.results)
        found += [Step(role, calls, results)] if merged else each
    return found


def right_tools(tools: Sequence[tuple[str, object]], pattern: str) -> None:
    """Refuses tools whose names are not the pattern's or not unique, or whose schema is not an object's."""
    need(tools, "[] is too short - 'tools'")
    names = [name for name, _ in tools]
    need(len({*names}) == len(names), "Tool names must be unique.")
    for name, schema in tools:
        need(re.fullmatch(pattern, name), f"tool name {name!r} should match {pattern!r}")
        need(isinstance(schema, dict) and schema.get("type") == "object", "a schema's type must be 'object'")
        assert isinstance(schema, dict)
        need(isinstance(schema.get("properties"), dict), "object schema missing properties")
