"""Which file's value of a variable counts where several files have one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docasm.atoms import Include
from docasm.errors import Problem
from docasm.layout import Layout
from docasm.sources import ToolSource


@dataclass(frozen=True, slots=True)
class Declared:
    """The variables of all files of a document."""

    settled: Mapping[str, Any]
    """What the profile and the bundle say, for all files."""
    defaults: Sequence[Mapping[str, Any]]
    """What each file says for itself, the layout first."""

    def first(self) -> Mapping[str, Any]:
        """Of each variable the value that goes before the others."""
        found = dict(self.settled)
        for variables in self.defaults:
            for name, value in variables.items():
                found.setdefault(name, value)
        return found

    def tools(self) -> tuple[Mapping[str, ToolSource], Sequence[Problem]]:
        """The variables that are tools, and warnings of those that two files say are different tools.

        A file's own plain value is its own alone, so it does not keep another file's tool from being asked.
        """
        found = {name: each for name, each in self.settled.items() if isinstance(each, ToolSource)}
        twice: list[Problem] = []
        for variables in self.defaults:
            for name, each in variables.items():
                if name not in self.settled and isinstance(each, ToolSource):
                    first = found.setdefault(name, each)
                    if first != each:
                        twice.append(_two_tools(name, first, each))
        return found, twice


def _two_tools(name: str, first: ToolSource, other: ToolSource) -> Problem:
    message = f"the variable `{name}` is another tool at {first.setting.place}, and that one is used"
    hint = "give one of the two another name"
    return other.setting.problem("conflicting-variables", message, hint=hint, severity="warning")


def own_slots(
    layout: Layout, slots: Mapping[str, Include], variables: Mapping[str, Any]
) -> Iterator[tuple[str, str, Any]]:
    """The slots that show a variable: name, variable, and its value; None for one that a tool gives."""
    for name in slots:
        variable = layout.slot(name).variable
        if variable is not None:
            value = variables.get(variable)
            yield name, variable, None if isinstance(value, ToolSource) else value
