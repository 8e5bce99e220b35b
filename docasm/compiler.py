"""Compiling on first use, and keeping what was compiled."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from docasm.compose import Composer
from docasm.draft import Chosen, Draft, HistoryMessages, draft
from docasm.errors import DocasmError, Problem, did_you_mean, failure
from docasm.fill import PlacedHole
from docasm.fragment import Fragment, compile_fragment
from docasm.layout import HISTORY, TOOLS, Layout, check_slots, slots_of
from docasm.library import Library
from docasm.plan import Planned, PlannedMessage, plan
from docasm.skill import Skill
from docasm.tools import Tool

Value = TypeVar("Value")

RENDER_NAMES = frozenset(("event", "model", "now", "provider", "sender"))
"""The variables that every render may bring."""
MAX_KEPT = 512
"""How many plans are kept; a caller decides how many there could be."""


EmptySlots = tuple[bool, bool]
"""Whether the history and whether the tools bring nothing."""


FragmentKey = tuple[tuple[str, str], frozenset[str]]
"""Whether it is a skill or a layout, its name, and the names of the constants."""


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
    plans: dict[EmptySlots, tuple[Planned, ...]] = field(default_factory=dict)

    def plan(self, empty: EmptySlots) -> tuple[Planned, ...]:
        """The plan of a render; raises DocasmError where a hole cannot be contained."""
        found = self.plans.get(empty)
        if found is None:
            history, tools = empty
            names = frozenset([HISTORY] * history + [TOOLS] * tools)
            found = self.plans[empty] = plan(self.drafts, names)
        return found


@dataclass(slots=True)
class Compiler:
    """Compiles the skills and layouts of a bundle for the variables that a render does not override."""

    skills: Library[Skill]
    layouts: Library[Layout]
    variables: Mapping[str, Any]
    fragments: dict[FragmentKey, Fragment] = field(default_factory=dict)
    drafted: dict[Hashable, Drafted] = field(default_factory=dict)

    def draft(self, layout: str, chosen: tuple[str, ...], overridden: tuple[str, ...]) -> Drafted:
        """The document of a layout and the selected skills; raises DocasmError with all that is wrong.

        `overridden` are the variables that the render sets.
        """
        key = (layout, chosen, overridden)
        found = self.drafted.get(key)
        if found is None:
            found = _keep(self.drafted, key, self._draft(layout, chosen, frozenset(overridden)))
        return found

    def _draft(self, layout: str, chosen: tuple[str, ...], overridden: frozenset[str]) -> Drafted:
        compiled = self.layout(layout, overridden)
        skills = self._chosen(chosen, overridden)
        composer = Composer(lambda name: self.skill(name, overridden), self.skills.names)
        drafts = tuple(draft(self.layouts.get(layout), compiled, skills, composer))
        composer.check()
        warnings = [problem for name in composer.contributors for problem in composer.load(name).problems]
        slots = frozenset(slot.name for part in compiled.parts for slot in slots_of(part))
        notes = (*compiled.problems, *warnings, *composer.notes)
        contributors = tuple(composer.contributors)
        return Drafted(self.layouts.get(layout), drafts, notes, slots, contributors)

    def _chosen(self, names: tuple[str, ...], overridden: frozenset[str]) -> list[Chosen]:
        """The selected skills; raises DocasmError with what is wrong with any of them."""
        chosen: list[Chosen] = []
        problems: list[Problem] = []
        for name in names:
            try:
                chosen.append(Chosen(name, self.skill(name, overridden)))
            except DocasmError as error:
                problems += error.problems
        if problems:
            raise DocasmError(dict.fromkeys(problems))
        return chosen

    def skill(self, name: str, overridden: frozenset[str]) -> Fragment:
        """A compiled skill; raises KeyError if there is none of that name, DocasmError if it is broken."""
        skill = self.skills.get(name)
        constants = self._constants(skill.variables, overridden)
        return self._compiled(("skill", name), skill.body, skill.template, constants)

    def layout(self, name: str, overridden: frozenset[str]) -> Fragment:
        """A compiled layout; raises DocasmError if there is none or if it is broken."""
        try:
            layout = self.layouts.get(name)
        except KeyError:
            hint = did_you_mean(name, self.layouts.names(), kind="layouts")
            raise failure("unknown-layout", f"there is no layout `{name}`", hint=hint) from None
        constants = self._constants(layout.variables, overridden)
        fragment = self._compiled(("layout", name), layout.body, True, constants)
        problems = tuple(check_slots(layout, fragment))
        if problems:
            raise DocasmError(problems)
        return fragment

    def tools_of(self, name: str) -> Sequence[str]:
        """The names of the tools that a skill asks for, or the text "all"."""
        wanted = self.skills.get(name).tools
        return wanted if isinstance(wanted, str) else [setting.value for setting in wanted]

    def unknown_tools(self, name: str, known: Mapping[str, Tool]) -> Iterator[Problem]:
        """Each tool that a skill asks for and that is not known."""
        wanted = self.skills.get(name).tools
        for setting in wanted if not isinstance(wanted, str) else ():
            if setting.value not in known:
                hint = did_you_mean(setting.value, known, kind="tools")
                yield setting.problem("unknown-tool", f"there is no tool `{setting.value}`", hint=hint)

    def _constants(self, defaults: Mapping[str, Any], overridden: frozenset[str]) -> Mapping[str, Any]:
        """What is known when a file is compiled: the file's variables, and the bundle's before them."""
        known = {**defaults, **self.variables}
        return {key: value for key, value in known.items() if key not in overridden and value is not None}

    def _compiled(
        self, key: tuple[str, str], body: Any, template: bool, constants: Mapping[str, Any]
    ) -> Fragment:
        full_key = (key, frozenset(constants))
        if full_key not in self.fragments:
            self.fragments[full_key] = compile_fragment(body, template=template, constants=constants)
        return self.fragments[full_key]


def holes(planned: Sequence[Planned]) -> Iterator[PlacedHole]:
    """All holes of a plan."""
    for message in planned:
        if isinstance(message, PlannedMessage):
            yield from (part for part in message.parts if isinstance(part, PlacedHole))


def _keep(kept: dict[Hashable, Value], key: Hashable, value: Value) -> Value:
    """Puts a value into a cache of bounded size, the oldest going first."""
    if len(kept) >= MAX_KEPT:
        kept.pop(next(iter(list(kept)), None), None)  # a list: other threads may add meanwhile
    kept[key] = value
    return value
