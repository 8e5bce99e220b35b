"""Asking the tools that variables are: once per render, and only for what the document uses."""

import asyncio
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from inspect import isawaitable, iscoroutine
from typing import Any, TypeVar

from docasm.errors import DocasmError, Problem
from docasm.sources import ToolSource

Result = TypeVar("Result")

Resolvers = Mapping[str, Any] | Callable[[str, Mapping[str, Any]], Any]
"""By the tool's name, a function of its arguments or its result itself; or a function of name and arguments.
Either may be async."""
PlaceOfUse = Callable[[str, str, str], Problem]
"""From a code, a message and a hint to the problem at the place that uses the variable."""
MOST_SHOWN = 300
"""How much of what a tool says a message shows, in code points."""


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


class _NoResolverError(Exception):
    """Nothing knows a tool."""


def run(steps: Steps[Result], resolvers: Sequence[Resolvers | None], found: dict[str, Any]) -> Result:
    """The pipeline's result, its tools called in turn; raises DocasmError.

    `found` holds, by `Call.key`, what tools have returned already; what others return is added to it.
    """
    try:
        calls = next(steps)
        while True:
            answers = _answers(calls, resolvers, found)
            _refuse_async(calls, answers)
            calls = steps.send(_told(calls, answers, found))
    except StopIteration as end:
        result_of: Result = end.value
        return result_of


async def run_async(
    steps: Steps[Result], resolvers: Sequence[Resolvers | None], found: dict[str, Any]
) -> Result:
    """The same, tools that are asynchronous called together."""
    try:
        calls = next(steps)
        while True:
            answers = _answers(calls, resolvers, found)
            waiting = {key: each for key, each in answers.items() if isawaitable(each)}
            results = await asyncio.gather(*waiting.values(), return_exceptions=True)
            answers.update(zip(waiting, results, strict=True))
            calls = steps.send(_told(calls, answers, found))
    except StopIteration as end:
        result_of: Result = end.value
        return result_of


def _answers(
    calls: Sequence[Call], resolvers: Sequence[Resolvers | None], found: Mapping[str, Any]
) -> dict[str, Any]:
    """What each call gives, each made once, by its key; something to be awaited as it is."""
    answers: dict[str, Any] = {}
    for call in calls:
        if call.key not in answers:
            answers[call.key] = found[call.key] if call.key in found else _answer(call.source, resolvers)
    return answers


def _answer(source: ToolSource, resolvers: Sequence[Resolvers | None]) -> Any:
    """What the first resolver that knows the tool gives; what it raises, as a value."""
    args = deepcopy(dict(source.args))  # the function's to change
    for each in resolvers:
        try:
            if each is None:
                continue
            if not isinstance(each, Mapping):
                return each(source.tool, args)
            if source.tool in each:
                answer = each[source.tool]
                return answer(args) if callable(answer) else answer
        except Exception as error:  # a resolver is anybody's function
            return error
    return _NoResolverError()


def _refuse_async(calls: Sequence[Call], answers: Mapping[str, Any]) -> None:
    """Raises DocasmError for answers that nobody can await."""
    waiting = {key: each for key, each in answers.items() if isawaitable(each)}
    for each in waiting.values():
        if iscoroutine(each):
            each.close()  # or Python would warn that it was never awaited
    problems = [_is_async(call) for call in calls if call.key in waiting]
    if problems:
        raise DocasmError(dict.fromkeys(problems))


def _is_async(call: Call) -> Problem:
    message = f"the tool `{call.source.tool}` is asynchronous"
    return call.problem("tool-failed", message, "use `await bundle.arender(...)`")


def _told(calls: Sequence[Call], answers: Mapping[str, Any], found: dict[str, Any]) -> Mapping[str, Any]:
    """The value of each variable; raises DocasmError with what is wrong with any."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for call in calls:
        answer = answers[call.key]
        if not isinstance(answer, BaseException):
            found[call.key] = answer
        try:
            values[call.variable] = _value(call, answer)
        except DocasmError as error:
            problems += error.problems
    if problems:
        raise DocasmError(dict.fromkeys(problems))
    return values


def _value(call: Call, result: Any) -> Any:
    """The text, or the list of texts, that a tool's result holds; raises DocasmError."""
    tool, member = call.source.tool, call.source.result_field
    if isinstance(result, BaseException):
        raise DocasmError([_failed(call, result)])
    if isinstance(result, Mapping):
        if member not in result:
            known = ", ".join(f"`{_brief(str(key))}`" for key in list(result)[:12]) or "nothing"
            message = f"the result of the tool `{tool}` has no `{member}`; it has {known}"
            raise DocasmError([call.problem("bad-result", message, "set `result_field`")])
        result = result[member]
    if isinstance(result, str) or (call.lists and _is_list(result)):
        return result
    wanted = "text, nor a list of texts," if call.lists else "text"
    message = f"the result of the tool `{tool}` is no {wanted} but of the type `{type(result).__name__}`"
    raise DocasmError([call.problem("bad-result", message, "make the tool return text")])


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)


def _failed(call: Call, error: BaseException) -> Problem:
    tool = call.source.tool
    if isinstance(error, _NoResolverError):
        hint = f"give it to `Bundle.load(..., resolvers={{{tool!r}: ...}})`, or `--resolve {tool}=FILE`"
        return call.problem("no-resolver", f"nothing resolves the tool `{tool}`", hint)
    if isinstance(error, DocasmError):
        first = error.problems[0]
        return call.problem("tool-failed", f"the tool `{tool}` failed: {_brief(first.message)}", first.hint)
    what = _brief(_said(error)) or type(error).__name__
    return call.problem("tool-failed", f"the tool `{tool}` failed: {what}", "")


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # it is anybody's class, too
        return ""


def _brief(text: str) -> str:
    """What somebody else wrote, on one line that is not too long."""
    line = " ".join(text[: 2 * MOST_SHOWN].split())
    return line if len(line) <= MOST_SHOWN else f"{line[:MOST_SHOWN]}..."
