"""Problems as annotations of a GitHub workflow.

The escapes are those of GitHub's `actions/toolkit`, packages/core/src/command.ts: in a message `%`, CR and
LF; in a property `:` and `,` too. The runner takes one command from a line, the one at its start if there is
one, so nothing in a message makes another.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from docasm.cli.check_formats.standing import within
from docasm.cli.words import one_line
from docasm.errors import Problem

_COMMANDS: Mapping[str, str] = MappingProxyType({"error": "error", "warning": "warning", "note": "notice"})


def github(problems: Sequence[Problem]) -> str:
    """`::error file=...,line=...,col=...,title=...::message`, a line each, the hint below the message."""
    return "".join(f"{_annotation(problem)}\n" for problem in problems)


def _annotation(problem: Problem) -> str:
    told = (problem.message, f"hint: {problem.hint}") if problem.hint else (problem.message,)
    properties = ",".join(f"{key}={_property(value)}" for key, value in _properties(problem).items())
    return f"::{_COMMANDS[problem.severity]} {properties}::{'%0A'.join(map(_data, told))}"


def _properties(problem: Problem) -> Mapping[str, str]:
    title = {"title": f"docasm {problem.code}"}
    if problem.place is None:
        return title
    path, _ = within(problem.place.path)
    return {"file": path, "line": str(problem.place.line), "col": str(problem.place.column), **title}


def _data(value: str) -> str:
    return one_line(value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")
