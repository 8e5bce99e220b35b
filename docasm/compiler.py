"""Compiling on first use, and keeping what was compiled."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from docasm.chosen_layout import ChosenLayout, Known, choose_layout, known_of, models_of
from docasm.compose import Composer
from docasm.declared import Declared, own_slots
from docasm.draft import Chosen, draft
from docasm.drafted import Drafted, not_shown
from docasm.errors import DocasmError, Problem, did_you_mean
from docasm.fragment import Fragment, Part, compile_fragment
from docasm.layout import Body, Layout
from docasm.library import Library
from docasm.limits import SKILLS
from docasm.settings import Setting
from docasm.skill import Skill
from docasm.slot_check import check_slots, slots_of
from docasm.source import Source
from docasm.sources import ToolSource
from docasm.tools import Tool

Value = TypeVar("Value")

MAX_KEPT = 512
"""How many plans are kept; a caller decides how many there could be."""


FragmentKey = tuple[tuple[str, Hashable, int], frozenset[str], Hashable]
"""Skill or layout, which, its body's number; the names of the constants; the profile with its own."""


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
            found = _keep(
                self.chosen_layouts, key, choose_layout(self.layouts, self.profiles, name, model, provider)
            )
        return found

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
        lost = () if SKILLS in slots else not_shown(chosen.layout, names)
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

    def models(self, name: str) -> Sequence[str | None]:
        """Models of which each has another profile with a layout; None for one that has none of its own."""
        return models_of(self.layouts, self.profiles, name)

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


def _keep(kept: dict[Hashable, Value], key: Hashable, value: Value) -> Value:
    """Puts a value into a cache of bounded size, the oldest going first."""
    if len(kept) >= MAX_KEPT:
        kept.pop(next(iter(list(kept)), None), None)  # a list: other threads may add meanwhile
    kept[key] = value
    return value
