"""A document up to the values of a render."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from docasm.atoms import Include
from docasm.draft import Draft, HistoryMessages
from docasm.errors import Problem
from docasm.fill import PlacedHole
from docasm.layout import Layout
from docasm.plan import Planned, PlannedMessage, plan
from docasm.size import Ruler
from docasm.sources import ToolSource

MANY = 12
"""How many names a message lists."""
EmptySlots = frozenset[str]
"""The slots that bring nothing."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A document up to the values: which slots are empty is decided for each render."""

    layout: Layout
    drafts: tuple[Draft | HistoryMessages, ...]
    notes: tuple[Problem, ...]
    slots: frozenset[str]
    """The slots that the layout has."""
    contributors: tuple[str, ...]
    """The skills that have a say in it, selected or included, in the order in which they come up."""
    included_by: Mapping[str, str]
    """Who includes a skill, in words; "" where nobody does."""
    texts: frozenset[str]
    """The skills whose text stands in it."""
    own_slots: tuple[tuple[str, str, Any], ...]
    """The slots that show a variable: name, variable, and its value where the render sets none."""
    tags: Mapping[str, Include]
    """Where each of these slots stands."""
    sources: Mapping[str, ToolSource]
    """The variables that are tools."""
    plans: dict[EmptySlots, tuple[Planned, ...]] = field(default_factory=dict)
    rulers: dict[str | None, Ruler] = field(default_factory=dict)
    """What measures it, by model."""

    def plan(self, empty: EmptySlots) -> tuple[Planned, ...]:
        """The plan of a render; raises DocasmError where a hole cannot be contained."""
        found = self.plans.get(empty)
        if found is None:
            found = self.plans[empty] = plan(self.drafts, empty)
        return found


def not_shown(layout: Layout, names: Sequence[str]) -> Iterator[Problem]:
    """That what the selected skills say has no place."""
    if names:
        shown = ", ".join(f"`{name}`" for name in names[:MANY])
        more = ", ..." if len(names) > MANY else ""
        message = f"the layout `{layout.name}` has no place for skills, so these are not shown: {shown}{more}"
        hint = "add `{{adopted_skills_content}}` to a soul, or a slot `adopted_skills` to a pipeline"
        yield Problem("skills-not-shown", message, hint=hint, severity="warning")


def holes(planned: Sequence[Planned]) -> Iterator[PlacedHole]:
    """All holes of a plan."""
    for message in planned:
        if isinstance(message, PlannedMessage):
            yield from (part for part in message.parts if isinstance(part, PlacedHole))
