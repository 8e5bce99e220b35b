"""What the files of a bundle hold, and how that changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from os.path import normpath, relpath
from pathlib import Path
from typing import Any, Self

from docasm.config import Config, read_config
from docasm.errors import DocasmError, Problem
from docasm.files import Files, Key, Parsed
from docasm.formats import read_foreign
from docasm.layout import Layout
from docasm.library import BUILT_IN_LAYOUTS, Library, read_layouts, read_skills
from docasm.resolve import Resolvers
from docasm.settings import Setting
from docasm.skill import Skill
from docasm.tokens import Count
from docasm.tool_list import read_tool_list
from docasm.tools import Tool


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a bundle is read from."""

    shown: str
    """The folder as the user named it."""
    folder: Path
    """The same folder, wherever the process goes later."""
    resolvers: Resolvers | None = field(default=None, repr=False)
    """What answers for the tools that variables are."""
    tokenizers: Mapping[str, Count] = field(default_factory=dict, repr=False)
    """Functions that count tokens, by the name that layouts use."""
    soul: Path | None = None
    """A soul document that goes before the one of the configuration."""
    pipeline: Path | None = None

    @classmethod
    def of(cls, path: str | Path, **options: Any) -> Self:
        """`options` are the other fields."""
        try:
            folder = Path(path).absolute()
        except OSError:  # the current folder is gone
            folder = Path(path)
        return cls(str(path), folder, **options)


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

    @property
    def noticed(self) -> tuple[Problem, ...]:
        """What is wrong with single skills and layouts."""
        return (*self.skills.problems, *self.layouts.problems)

    def is_as(self, before: "Disk") -> bool:
        """Whether another reading found the same; files that did not change are the same objects."""
        return self._all == before._all

    @property
    def _all(self) -> tuple[object, ...]:
        return self.files, self.noticed, self.problems


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
    name, foreign_problems = _add_foreign(config, origin, files, layouts)
    all_problems = (*problems, *tool_problems, *foreign_problems)
    return Disk(origin, config, skills, layouts, tools, all_problems, files.found, name)


def _add_foreign(
    config: Config, origin: Origin, files: Files, layouts: Library[Layout]
) -> tuple[str | None, tuple[Problem, ...]]:
    """Adds the layouts of a soul document or a pipeline; the name of the one that triggers use."""
    soul = origin.soul or _named(config.soul, origin)
    pipeline = origin.pipeline or _named(config.pipeline, origin)
    if soul is None and pipeline is None:
        return None, ()
    try:
        found = read_foreign(soul, pipeline, files)
    except DocasmError as error:
        return None, error.problems
    layouts.found.update(found)
    return next(iter(found)), ()


def _named(setting: Setting | None, origin: Origin) -> Path | None:
    return None if setting is None else Path(origin.shown) / str(setting.value)


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
