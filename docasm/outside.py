"""What a document needs from outside beside its trigger: tools to be asked, variables to be shown."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from docasm.account import Budget, OverBudgetError
from docasm.compiler import Drafted, holes
from docasm.errors import DocasmError, Problem
from docasm.plan import Planned
from docasm.resolve import Call
from docasm.shown import Shown, show
from docasm.source import Source
from docasm.sources import ToolSource


def calls_of_slots(drafted: Drafted, names: Mapping[str, Any], known: Mapping[str, Any]) -> Sequence[Call]:
    """The tools that the slots of the layout's own show."""
    sources = _sources(drafted, names, known)
    return [
        Call(
            variable, sources[variable], _at(drafted.tags[slot].source, drafted.tags[slot].offset), lists=True
        )
        for slot, variable, _ in drafted.own_slots
        if variable in sources
    ]


def calls_of_holes(
    drafted: Drafted, planned: Sequence[Planned], names: Mapping[str, Any], known: Mapping[str, Any]
) -> Sequence[Call]:
    """The tools that the templates of a document use, each where it is used first."""
    sources = _sources(drafted, names, known)
    calls: dict[str, Call] = {}
    for placed in holes(planned) if sources else ():
        for name in sorted(placed.hole.asks & sources.keys()):
            calls.setdefault(
                name, Call(name, sources[name], _at(placed.hole.source, placed.hole.offset), lists=False)
            )
    return tuple(calls.values())


def _sources(
    drafted: Drafted, names: Mapping[str, Any], known: Mapping[str, Any]
) -> Mapping[str, ToolSource]:
    """The variables that are tools and not resolved yet; one that the render sets goes before the files'."""
    found = {name: each for name, each in drafted.sources.items() if name not in names}
    found |= {name: each for name, each in names.items() if isinstance(each, ToolSource)}
    return {name: each for name, each in found.items() if name not in known}


def _at(source: Source, offset: int) -> Any:
    return partial(_problem, source, offset)


def _problem(source: Source, offset: int, code: str, message: str, hint: str) -> Problem:
    return source.problem_at(code, message, offset, hint=hint)


def show_slots(drafted: Drafted, names: Mapping[str, Any], budget: Budget) -> Mapping[str, Shown]:
    """What each slot of the layout's own shows; raises DocasmError for values that are no text."""
    problems: list[Problem] = []
    found = dict(_shown(drafted, names, budget, problems))
    if problems:
        raise DocasmError(problems)
    return found


def _shown(
    drafted: Drafted, names: Mapping[str, Any], budget: Budget, problems: list[Problem]
) -> Iterator[tuple[str, Shown]]:
    for slot, variable, otherwise in drafted.own_slots:
        value = names.get(variable, otherwise)
        try:
            yield slot, show(value, drafted.layout.slot(slot).max_items, budget)
        except (TypeError, ValueError, OverBudgetError) as error:
            tag = drafted.tags[slot]
            code = "over-budget" if isinstance(error, OverBudgetError) else "template-error"
            message = f"the variable `{variable}` cannot be shown here: {error}"
            problems.append(tag.source.problem_at(code, message, tag.offset))
