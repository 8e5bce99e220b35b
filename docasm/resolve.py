"""Asking the tools that variables are: once per render, and only for what the document uses."""

import asyncio
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from inspect import iscoroutine
from typing import Any, TypeVar

from docasm.errors import DocasmError, Problem
from docasm.sources import ToolSource

Result = TypeVar("Result")

Resolvers = Mapping[str, Any] | Callable[[str, Mapping[str, Any]], Any]
"""By the tool's name, a function of its arguments or its result itself; or a function of name and arguments.
Either may be async."""
PlaceOfUse = Callable[[str, str, str], Problem]
"""From a code, a message and a hint to the problem at the place that uses the variable."""


@dataclass(frozen=True, slots=True)
class Call:
    """A variable that a document uses."""

    variable: str
    source: ToolSource
    problem: PlaceOfUse
    lists: bool
    """Whether its place shows a list as well as a text."""

    @property
    def key(self) -> str:
        """What makes two calls one."""
        return json.dumps([self.source.tool, dict(self.source.args)], sort_keys=True, default=str)


Steps = Generator[Sequence[Call], Mapping[str, Any], Result]
"""A pipeline that says what it needs to know, and is told by variable."""


def run(steps: Steps[Result], resolvers: Sequence[Resolvers | None]) -> Result:
    """The pipeline's result, its tools called in turn; raises DocasmError."""
    try:
        calls = next(steps)
        while True:
            found = {call.key: _answer(call, resolvers) for call in calls}
            for call in calls:
                if iscoroutine(result := found[call.key]):
                    result.close()
                    raise DocasmError([_is_async(call)])
            calls = steps.send(_values(calls, found))
    except StopIteration as end:
        result_of: Result = end.value
        return result_of


async def run_async(steps: Steps[Result], resolvers: Sequence[Resolvers | None]) -> Result:
    """The same, tools that are asynchronous called together."""
    try:
        calls = next(steps)
        while True:
            found = {call.key: _answer(call, resolvers) for call in calls}
            waiting = [key for key, result in found.items() if iscoroutine(result)]
            results = await asyncio.gather(*(found[key] for key in waiting), return_exceptions=True)
            found.update(zip(waiting, results, strict=True))
            calls = steps.send(_values(calls, found))
    except StopIteration as end:
        result_of: Result = end.value
        return result_of


def _answer(call: Call, resolvers: Sequence[Resolvers | None]) -> Any:
    """What the first resolver that knows the tool gives; what it raises, as a value."""
    tool, args = call.source.tool, dict(call.source.args)
    for each in resolvers:
        try:
            if each is None:
                continue
            if not isinstance(each, Mapping):
                return each(tool, args)
            if tool in each:
                found = each[tool]
                return found(args) if callable(found) else found
        except Exception as error:  # a resolver is anybody's function
            return error
    hint = f"give it to `Bundle.load(..., resolvers={{{tool!r}: ...}})`, or `--resolve {tool}=FILE`"
    return DocasmError([call.problem("no-resolver", f"nothing resolves the tool `{tool}`", hint)])


def _values(calls: Sequence[Call], found: Mapping[str, Any]) -> Mapping[str, Any]:
    """The value of each variable; raises DocasmError with what is wrong with any."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for call in calls:
        try:
            values[call.variable] = _value(call, found[call.key])
        except DocasmError as error:
            problems += error.problems
    if problems:
        raise DocasmError(dict.fromkeys(problems))
    return values


def _value(call: Call, result: Any) -> Any:
    """The text, or the list of texts, that a tool's result holds; raises DocasmError."""
    tool, member = call.source.tool, call.source.result_field
    if isinstance(result, DocasmError):
        raise DocasmError([call.problem(each.code, each.message, each.hint) for each in result.problems])
    if isinstance(result, BaseException):
        message = f"the tool `{tool}` failed: {str(result) or type(result).__name__}"
        raise DocasmError([call.problem("tool-failed", message, "")])
    if isinstance(result, Mapping):
        if member not in result:
            known = ", ".join(f"`{key}`" for key in list(result)[:12]) or "nothing"
            message = f"the result of the tool `{tool}` has no `{member}`; it has {known}"
            raise DocasmError([call.problem("bad-result", message, "set `result_field`")])
        result = result[member]
    is_list = (
        call.lists and isinstance(result, list | tuple) and all(isinstance(each, str) for each in result)
    )
    if not isinstance(result, str) and not is_list:
        message = f"the result of the tool `{tool}` is no text but of the type `{type(result).__name__}`"
        raise DocasmError([call.problem("bad-result", message, "make the tool return text")])
    return result


def _is_async(call: Call) -> Problem:
    message = f"the tool `{call.source.tool}` is asynchronous"
    return call.problem("tool-failed", message, "use `await bundle.arender(...)`")
