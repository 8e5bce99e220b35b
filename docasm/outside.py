"""What a document needs from outside beside its trigger: tools to be asked, variables to be shown."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from docasm.account import Budget, OverBudgetError
from docasm.drafted import Drafted, holes
from docasm.errors import DocasmError, Problem
from docasm.plan import Planned
from docasm.resolve import Call, PlaceOfUse
from docasm.shown import Shown, show
from docasm.source import Source
from docasm.sources import ToolSource


def tools_asked(drafted: Drafted, names: Mapping[str, Any]) -> Mapping[str, ToolSource]:
    """The variables of a render that are tools; one that the render sets goes before the files'."""
    found = {name: each for name, each in drafted.sources.items() if name not in names}
    return found | {name: each for name, each in names.items() if isinstance(each, ToolSource)}


def calls_of_slots(
    drafted: Drafted, names: Mapping[str, Any], sources: Mapping[str, ToolSource]
) -> Sequence[Call]:
    """The tools that the slots of the layout's own show."""
    return [
        Call(name, sources[name], _at(drafted.tags[slot].source, drafted.tags[slot].offset), lists=True)
        for slot, name, otherwise in drafted.own_slots
        if name in sources and (name in names or otherwise is None)
    ]


def calls_of_holes(planned: Sequence[Planned], sources: Mapping[str, ToolSource]) -> Sequence[Call]:
    """The tools that the templates of a document use, each where it is used first."""
    calls: dict[str, Call] = {}
    for placed in holes(planned):
        for name in sorted(placed.hole.asks & sources.keys()):
            at = _at(placed.hole.source, placed.hole.offset)
            calls.setdefault(name, Call(name, sources[name], at, lists=False))
    return tuple(calls.values())


def _at(source: Source, offset: int) -> PlaceOfUse:
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
