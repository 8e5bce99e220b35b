"""What the files of a bundle hold, and how that changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from os.path import normpath, relpath
from pathlib import Path
from typing import Any, Self

from docasm.config import Config, read_config
from docasm.errors import DocasmError, Problem
from docasm.files import Files, Key, Parsed
from docasm.formats import ForeignFile, read_foreign
from docasm.layout import Layout
from docasm.library import BUILT_IN_LAYOUTS, Library, read_layouts, read_skills
from docasm.resolve import Resolvers
from docasm.settings import Setting
from docasm.skill import Skill
from docasm.tokens import Count
from docasm.tool_list import read_tool_list
from docasm.tool_servers import ToolServers, served
from docasm.tools import Tool


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a bundle is read from."""

    shown: str
    """The folder as the user named it."""
    folder: Path
    """The same folder, wherever the process goes later."""
    servers: ToolServers | None = field(default=None, repr=False)
    """Who talks to the programs that offer tools."""
    resolvers: Resolvers | None = field(default=None, repr=False)
    """What answers for the tools that variables are."""
    tokenizers: Mapping[str, Count] = field(default_factory=dict, repr=False)
    """Functions that count tokens, by the name that layouts use."""
    soul: Path | None = None
    """A soul document that goes before the one of the configuration."""
    pipeline: Path | None = None
    here: Path = Path()
    """What both are relative to, wherever the process goes later."""

    @classmethod
    def of(cls, path: str | Path, **options: Any) -> Self:
        """`options` are the other fields."""
        try:
            here = Path().absolute()
        except OSError:  # the current folder is gone
            here = Path()
        return cls(str(path), here / path, here=here, **options)

    def given(self, path: Path | None) -> ForeignFile | None:
        """A file that the caller named."""
        return None if path is None else ForeignFile(self.here / path, str(path))

    def named(self, setting: Setting | None) -> ForeignFile | None:
        """A file that the configuration names."""
        if setting is None:
            return None
        return ForeignFile(self.folder / setting.value, str(Path(self.shown) / setting.value))


@dataclass(frozen=True, slots=True, eq=False)
class Disk:
    """One reading of all files of a bundle."""

    origin: Origin
    config: Config
    skills: Library[Skill]
    layouts: Library[Layout]
    tools: tuple[Tool, ...]
    problems: tuple[Problem, ...]
    """What is wrong with the configuration and the tools."""
    files: Mapping[Key, Parsed]
    layout: str | None = None
    """The layout of all triggers, of a soul document or a pipeline."""
    answers: Mapping[str, Any] = field(default_factory=dict)
    """What answers for tools of servers."""

    @property
    def noticed(self) -> tuple[Problem, ...]:
        """What is wrong with single skills and layouts."""
        return (*self.skills.problems, *self.layouts.problems)

    def is_as(self, before: "Disk") -> bool:
        """Whether another reading found the same; files that did not change are the same objects."""
        return self._all == before._all

    @property
    def _all(self) -> tuple[object, ...]:
        return self.files, self.noticed, self.problems, self.tools


@dataclass(frozen=True, slots=True)
class Changes:
    """What `Bundle.refresh` found changed; false if nothing is."""

    added: tuple[str, ...] = ()
    """Files of the bundle, as problems call them."""
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    """What is wrong with single skills and layouts now and was not before."""

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.problems)


def read_disk(origin: Origin, before: Mapping[Key, Parsed]) -> Disk:
    """Reads all files and parses those that are not as they were `before`.

    Raises DocasmError where there is no `docasm.yaml`, or none that can be read.
    """
    files = Files(before)
    config, problems = read_config(origin.folder, origin.shown, files)
    skills, layouts = _libraries(config, origin, files)
    tools, tool_problems = read_tool_list(config.tools, origin.folder, Path(origin.shown), files)
    name, foreign_problems = _add_foreign(config, origin, files, skills, layouts)
    others = served(config.servers, origin.servers, tools)
    all_problems = (*problems, *tool_problems, *others.problems, *foreign_problems)
    all_tools = (*tools, *others.tools)
    return Disk(origin, config, skills, layouts, all_tools, all_problems, files.found, name, others.answers)


def _add_foreign(
    config: Config, origin: Origin, files: Files, skills: Library[Skill], layouts: Library[Layout]
) -> tuple[str | None, tuple[Problem, ...]]:
    """Adds the layouts of a soul or a pipeline; the name of the one that triggers use, and errors."""
    soul = origin.given(origin.soul) or origin.named(config.soul)
    pipeline = origin.given(origin.pipeline) or origin.named(config.pipeline)
    try:
        found = read_foreign(soul, pipeline, files, skills.names(), config.variables)
    except DocasmError as error:
        return None, error.problems
    if found is None:
        return None, ()
    layouts.found.update(found.layouts)
    layouts.problems.extend(found.problems)
    return next(iter(found.layouts)), ()


def _libraries(config: Config, origin: Origin, files: Files) -> tuple[Library[Skill], Library[Layout]]:
    allowed = [*config.skill_folders, config.layout_folder]
    names = {each: _shown(each, origin) for each in allowed}
    skills = read_skills(config.skill_folders, names, allowed, files)
    return skills, read_layouts(config.layout_folder, names[config.layout_folder], allowed, files)


def _shown(path: Path, origin: Origin) -> str:
    """A folder as problems call it: from where the user stands, without `..` in the middle."""
    return Path(normpath(Path(origin.shown) / relpath(path, origin.folder))).as_posix()


def changes(
    before: Mapping[Key, Parsed], after: Mapping[Key, Parsed], problems: tuple[Problem, ...]
) -> Changes:
    """The files of two readings that differ, with what is wrong only now."""
    old, new = _digests(before), _digests(after)
    return Changes(
        added=tuple(sorted(new.keys() - old.keys())),
        changed=tuple(sorted(label for label in new.keys() & old.keys() if new[label] != old[label])),
        removed=tuple(sorted(old.keys() - new.keys())),
        problems=problems,
    )


def _digests(files: Mapping[Key, Parsed]) -> Mapping[str, bytes]:
    """The content of each file of the bundle, built-in layouts left out."""
    own = ((key, parsed) for key, parsed in files.items() if BUILT_IN_LAYOUTS not in key[1].parents)
    return {label: parsed.digest for (_, _, label), parsed in own}
