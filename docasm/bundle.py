"""A bundle: the folder that an agent's owner writes, loaded."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from os.path import normpath, relpath
from pathlib import Path
from types import MappingProxyType
from typing import Any

from docasm.assemble import Request, assemble
from docasm.check import check_each, check_together
from docasm.compiler import Compiler
from docasm.config import Adoption, Config, read_config, unknown_skill
from docasm.contents import Adopted, Contents
from docasm.errors import DocasmError, Problem, did_you_mean
from docasm.layout import Layout
from docasm.library import Library, read_layouts, read_skills
from docasm.render import Render
from docasm.resolve import run
from docasm.skill import Skill
from docasm.tool_list import read_tool_list
from docasm.tools import read_tools
from docasm.trigger import KINDS, Rules, Trigger


@dataclass(frozen=True, slots=True)
class Bundle:
    """The skills, layouts, tools and settings of an agent. Load one with `Bundle.load`."""

    path: Path
    skills: Mapping[str, Skill] = field(repr=False)
    """Every skill that could be read, by name."""
    contents: Contents = field(repr=False, compare=False)
    noticed: tuple[Problem, ...] = field(repr=False, compare=False)
    """What loading found wrong with single skills and layouts."""

    @classmethod
    def load(cls, path: str | Path) -> "Bundle":
        """Reads a folder with a `docasm.yaml`.

        Raises DocasmError for what is wrong with the configuration or the tools. A skill or layout that
        cannot be read only fails the renders that use it; `problems` tells of it.
        """
        bundle, errors = read_bundle(path)
        if errors:
            raise DocasmError(errors)
        return bundle

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the bundle, found by compiling all of it."""
        alone = check_each(self.contents.compiler, self.contents.tools)
        compiled = chain(alone, check_together(self.contents))
        return tuple(dict.fromkeys([*self.noticed, *chain.from_iterable(compiled)]))

    def render(
        self,
        trigger: Trigger,
        *,
        history: Iterable[object] = (),
        variables: Mapping[str, Any] | None = None,
        tools: Iterable[object] | None = None,
        model: str | None = None,
        layout: str | None = None,
        now: datetime | str | None = None,
        provider: str | None = None,
    ) -> Render:
        """The document for a trigger; raises DocasmError with everything that is wrong.

        `history` holds Turns or the messages of an SDK, oldest first; `tools` stand in for the bundle's;
        `variables` go before those of the bundle and are not trusted, as all that a render brings.
        """
        chosen_tools = None if tools is None else read_tools(tools)
        try:
            "".join(variables or ())  # a name that is not text is a TypeError
            history = history if isinstance(history, Sequence) else tuple(history)
            asked = Request(trigger, history, variables, chosen_tools, model, layout, now, provider, {})
            return run(assemble(self.contents, asked), ())
        except (AttributeError, KeyError, TypeError):  # asked only now: a good call pays nothing for it
            problems = tuple(_misuse(trigger, history, variables, model, layout, now))
            if not problems:
                raise
            raise DocasmError(problems) from None


def read_bundle(path: str | Path) -> tuple[Bundle, tuple[Problem, ...]]:
    """The bundle of a folder as far as it can be read, and what is wrong with its configuration and tools.

    Raises DocasmError where there is no `docasm.yaml`, or none that can be read.
    """
    folder = Path(path)
    config, problems = read_config(folder, str(path))
    skills, layouts = _libraries(config, folder, str(path))
    tools, tool_problems = read_tool_list(config.tools, folder)
    adopted, adoption_problems = _adopted(config, skills)
    layout_of, layout_problems = _layout_of(config, layouts)
    contents = Contents(
        adopted=adopted,
        rules=Rules.of((index, rule) for index, each in enumerate(adopted) for rule in each.rules),
        layout_of=layout_of,
        tools=tools,
        labels=config.labels,
        params=config.params,
        compiler=Compiler(skills, layouts, config.variables),
        left_out=tuple(_left_out(config, skills)),
    )
    noticed = (*skills.problems, *layouts.problems)
    bundle = Bundle(folder, MappingProxyType(skills.found), contents, noticed)
    return bundle, (*problems, *tool_problems, *adoption_problems, *layout_problems)


def _left_out(config: Config, skills: Library[Skill]) -> Iterator[Problem]:
    """A warning for each adopted skill that cannot be read, for every render that goes without it."""
    adopted = None if config.adopted is None else {each.skill for each in config.adopted}
    for name in sorted(skills.broken):
        if adopted is None or name in adopted:
            message = f"the skill `{name}` cannot be read, so no trigger selects it"
            hint = "`docasm check` tells what is wrong with it"
            yield Problem("broken-skill", message, hint=hint, severity="warning")


def _misuse(
    trigger: object, history: object, variables: object, model: object, layout: object, now: object
) -> Iterator[Problem]:
    """What a caller gave that is not of the type asked for."""
    fits = {
        "`trigger` must be a Trigger": isinstance(trigger, Trigger),
        "`history` must be a list of turns": isinstance(history, Iterable),
        "`variables` must be a mapping of names to values": variables is None
        or (isinstance(variables, Mapping) and all(isinstance(name, str) for name in variables)),
        "`model` must be text": isinstance(model, str | None),
        "`layout` must be the name of a layout": isinstance(layout, str | None),
        "`now` must be a datetime, or text": isinstance(now, datetime | str | None),
    }
    return (Problem("wrong-type", message) for message, fit in fits.items() if not fit)


def _libraries(config: Config, folder: Path, shown: str) -> tuple[Library[Skill], Library[Layout]]:
    allowed = [*config.skill_folders, config.layout_folder]
    names = {each: _shown(each, folder, shown) for each in allowed}
    skills = read_skills(config.skill_folders, names, allowed)
    return skills, read_layouts(config.layout_folder, names[config.layout_folder], allowed)


def _shown(path: Path, folder: Path, shown: str) -> str:
    """A folder as problems call it: from where the user stands, without `..` in the middle."""
    return Path(normpath(Path(shown) / relpath(path, folder))).as_posix()


def _adopted(config: Config, skills: Library[Skill]) -> tuple[tuple[Adopted, ...], list[Problem]]:
    if config.adopted is None:
        found = (skills.found[name] for name in sorted(skills.found))
        return tuple(Adopted(skill.name, skill.triggers, MappingProxyType({})) for skill in found), []
    known = dict.fromkeys(skills.names())
    problems = [unknown_skill(each, known) for each in config.adopted if each.skill not in known]
    found_entries = [each for each in config.adopted if each.skill in skills.found]
    return tuple(_adopt(each, skills.found[each.skill]) for each in found_entries), problems


def _adopt(adoption: Adoption, skill: Skill) -> Adopted:
    rules = skill.triggers if adoption.rules is None else adoption.rules
    return Adopted(skill.name, rules, adoption.params)


def _layout_of(config: Config, layouts: Library[Layout]) -> tuple[Mapping[str, str], list[Problem]]:
    problems = []
    for setting in config.layouts.values():
        if setting.value not in layouts.names():
            message = f"there is no layout `{setting.value}`"
            hint = did_you_mean(setting.value, layouts.names(), kind="layouts")
            problems.append(setting.problem("unknown-layout", message, hint=hint))
    names = {kind: config.layouts[kind].value if kind in config.layouts else kind for kind in KINDS}
    return MappingProxyType(names), problems
