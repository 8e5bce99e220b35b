"""Compiling on first use, and keeping what was compiled."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from docasm.atoms import Include
from docasm.compose import Composer
from docasm.declared import Declared, own_slots
from docasm.draft import Chosen, Draft, HistoryMessages, draft
from docasm.errors import DocasmError, Problem, did_you_mean
from docasm.fields import Fields
from docasm.fill import PlacedHole
from docasm.fragment import Fragment, Part, compile_fragment
from docasm.layout import Body, Layout, merged_profiles, with_profile
from docasm.library import Library
from docasm.limits import SKILLS
from docasm.plan import Planned, PlannedMessage, plan
from docasm.settings import Setting
from docasm.size import Ruler
from docasm.skill import Skill, read_variables
from docasm.slot_check import check_slots, slots_of
from docasm.source import Source
from docasm.sources import ToolSource
from docasm.tools import Tool

Value = TypeVar("Value")

RENDER_NAMES = frozenset(("event", "model", "now", "provider", "sender"))
"""The variables that every render may bring."""
DEFAULT_PROFILE = "default"
"""The profile of a model that has none of its own."""
MAX_KEPT = 512
"""How many plans are kept; a caller decides how many there could be."""


EmptySlots = frozenset[str]
"""The slots that bring nothing."""


@dataclass(frozen=True, slots=True)
class Known:
    """What decides, beside the files, which variables are constants."""

    overridden: frozenset[str] = frozenset()
    """The variables that the render sets."""
    wording: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """What a profile sets, before the bundle's variables."""
    profile: Hashable = None
    """Where the wording is from."""


@dataclass(frozen=True, slots=True)
class ChosenLayout:
    """A layout as the model's profile has it."""

    layout: Layout
    provider: str | None
    """The provider, if the layout has a text for it."""
    wording: Mapping[str, Any]
    key: tuple[str, str | None, str | None]
    """Its name, the profile's and the provider's."""


FragmentKey = tuple[tuple[str, Hashable, int], frozenset[str], Hashable]
"""Skill or layout, which, its body's number; the names of the constants; the profile with its own."""


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


@dataclass(slots=True)
class Compiler:
    """Compiles the skills and layouts of a bundle for the variables that a render does not override."""

    skills: Library[Skill]
    layouts: Library[Layout]
    variables: Mapping[str, Any]
    profiles: Mapping[str, Setting] = field(default_factory=dict)
    """What the bundle says for models; a layout's own go before them."""
    fragments: dict[FragmentKey, Fragment] = field(default_factory=dict)
    drafted: dict[Hashable, Drafted] = field(default_factory=dict)
    chosen_layouts: dict[Hashable, ChosenLayout] = field(default_factory=dict)

    def choose(self, name: str, model: str | None, provider: str) -> ChosenLayout:
        """The layout of a name, for a model and a provider; raises DocasmError."""
        key = (name, model, provider)
        found = self.chosen_layouts.get(key)
        if found is None:
            found = _keep(self.chosen_layouts, key, self._choose(name, model, provider))
        return found

    def _choose(self, name: str, model: str | None, provider: str) -> ChosenLayout:
        layout = self._layout(name)
        profiles = merged_profiles(layout.profiles, self.profiles)
        pattern = matching(profiles, model)
        wording: Mapping[str, Any] = {}
        if pattern is not None:
            fields = Fields(profiles[pattern], [], "")
            other = fields.get("layout")
            layout = with_profile(self._layout(other.value, other) if other else layout, profiles[pattern])
            wording = read_variables(fields)
        if layout.needs_profile:
            raise DocasmError([_no_profile(layout, model)])
        has_text = any(provider in body.by_provider for body in layout.bodies)
        shown = provider if has_text else None
        return ChosenLayout(layout, shown, wording, (name, pattern, shown))

    def draft(self, chosen: ChosenLayout, skills: tuple[str, ...], overridden: tuple[str, ...]) -> Drafted:
        """The document of a layout and the selected skills; raises DocasmError with all that is wrong.

        `overridden` are the variables that the render sets.
        """
        key = (chosen.key, skills, overridden)
        found = self.drafted.get(key)
        if found is None:
            found = _keep(self.drafted, key, self._draft(chosen, skills, frozenset(overridden)))
        return found

    def _draft(self, chosen: ChosenLayout, names: tuple[str, ...], overridden: frozenset[str]) -> Drafted:
        known = known_of(chosen, overridden)
        compiled = self.layout(chosen, known)
        skills = self._chosen(names, known)
        composer = Composer(lambda name: self.skill(name, known), self.skills.names)
        drafts = tuple(draft(chosen.layout, compiled, skills, composer))
        composer.check()
        contributors = tuple(composer.contributors)
        warnings = [problem for name in contributors for problem in composer.load(name).problems]
        slots = {slot.name: slot for part in compiled.parts for slot in slots_of(part, chosen.layout)}
        declared = self._declared(chosen, contributors)
        sources, twice = declared.tools()
        lost = () if SKILLS in slots else _not_shown(chosen.layout, names)
        return Drafted(
            layout=chosen.layout,
            drafts=drafts,
            notes=(*compiled.problems, *warnings, *composer.notes, *twice, *lost),
            slots=frozenset(slots),
            contributors=contributors,
            included_by=composer.contributors,
            texts=frozenset(composer.present),
            own_slots=tuple(own_slots(chosen.layout, slots, declared.first())),
            tags=slots,
            sources=sources,
        )

    def _declared(self, chosen: ChosenLayout, contributors: Sequence[str]) -> Declared:
        own = (self.skills.get(name).variables for name in contributors)
        return Declared({**self.variables, **chosen.wording}, (chosen.layout.variables, *own))

    def _chosen(self, names: tuple[str, ...], known: Known) -> list[Chosen]:
        """The selected skills; raises DocasmError with what is wrong with any of them."""
        chosen: list[Chosen] = []
        problems: list[Problem] = []
        for name in names:
            try:
                chosen.append(Chosen(name, self.skill(name, known)))
            except DocasmError as error:
                problems += error.problems
        if problems:
            raise DocasmError(dict.fromkeys(problems))
        return chosen

    def skill(self, name: str, known: Known) -> Fragment:
        """A compiled skill; raises KeyError if there is none of that name, DocasmError if it is broken."""
        skill = self.skills.get(name)
        constants = self._constants(skill.variables, known)
        body = Body(skill.body, template=skill.template)
        return self._compiled(("skill", name, 0), body, skill.body, constants, known)

    def layout(self, chosen: ChosenLayout, known: Known) -> Fragment:
        """A compiled layout; raises DocasmError if it is broken."""
        constants = self._constants(chosen.layout.variables, known)
        parts: list[Part] = []
        problems: list[Problem] = []
        for number, body in enumerate(chosen.layout.bodies):
            source = body.by_provider.get(chosen.provider or "", body.source)
            key = ("layout", chosen.key, number)
            fragment = self._compiled(key, body, source, constants, known)
            named = bool(body.name)
            parts += [
                replace(part, name=body.name, slot=body.slot) if named else part for part in fragment.parts
            ]
            problems += fragment.problems
        fragment = Fragment(tuple(parts), tuple(problems))
        wrong = tuple(check_slots(chosen.layout, fragment))
        if wrong:
            raise DocasmError(wrong)
        return fragment

    def _layout(self, name: str, named_by: Setting | None = None) -> Layout:
        try:
            return self.layouts.get(name)
        except KeyError:
            raise DocasmError([self._unknown_layout(name, named_by)]) from None

    def _unknown_layout(self, name: str, named_by: Setting | None) -> Problem:
        hint = did_you_mean(name, self.layouts.names(), kind="layouts")
        message = f"there is no layout `{name}`"
        if named_by is None:
            return Problem("unknown-layout", message, hint=hint)
        return named_by.problem("unknown-layout", message, hint=hint)

    def models(self, name: str) -> Sequence[str | None]:
        """Models of which each has another profile with a layout; None for one that has none of its own."""
        return (None, *merged_profiles(self._layout(name).profiles, self.profiles))

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

    def _constants(self, defaults: Mapping[str, Any], known: Known) -> Mapping[str, Any]:
        """What is known when a file is compiled: the file's variables, the bundle's and the profile's."""
        values = {**defaults, **self.variables, **known.wording}
        return {
            key: value
            for key, value in values.items()
            if key not in known.overridden and value is not None and not isinstance(value, ToolSource)
        }

    def _compiled(
        self,
        key: tuple[str, Hashable, int],
        body: Body,
        source: Source,
        constants: Mapping[str, Any],
        known: Known,
    ) -> Fragment:
        full_key = (key, frozenset(constants), known.profile)
        found = self.fragments.get(full_key)
        if found is None:
            found = self.fragments[full_key] = compile_fragment(
                source, template=body.template, constants=constants, role=body.role
            )
        return found


def known_of(chosen: ChosenLayout, overridden: frozenset[str] = frozenset()) -> Known:
    """What a layout, as a model's profile has it, makes known to all files of its documents."""
    return Known(overridden, chosen.wording, chosen.key[:2] if chosen.wording else None)


def matching(profiles: Mapping[str, Setting], model: str | None) -> str | None:
    """The name of the profile for a model: its own, else the first pattern that fits, else `default`."""
    if model is not None:
        if model in profiles:
            return model
        for pattern in profiles:
            if "*" in pattern and fnmatchcase(model, pattern):
                return pattern
    return DEFAULT_PROFILE if DEFAULT_PROFILE in profiles else None


def _no_profile(layout: Layout, model: str | None) -> Problem:
    """That the layout is for other models only."""
    known = ", ".join(f"`{name}`" for name in layout.profiles)
    message = (
        f"no profile is for the model `{model}`" if model else "no model is named to choose a profile by"
    )
    hint = f"add a profile `{DEFAULT_PROFILE}`, or name a model of these: {known}"
    return layout.source.problem_at("no-profile", message, 0, hint=hint)


def _not_shown(layout: Layout, names: Sequence[str]) -> Iterator[Problem]:
    """That what the selected skills say has no place."""
    if names:
        shown = ", ".join(f"`{name}`" for name in names[:MANY])
        more = ", ..." if len(names) > MANY else ""
        message = f"the layout `{layout.name}` has no place for skills, so these are not shown: {shown}{more}"
        hint = "add `{{adopted_skills_content}}` to a soul, or a slot `adopted_skills` to a pipeline"
        yield Problem("skills-not-shown", message, hint=hint, severity="warning")


MANY = 12
"""How many names a message lists."""


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
