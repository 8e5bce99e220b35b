"""Foreign files that are read into layouts: soul documents, and pipelines in JSON or YAML."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docasm.errors import DocasmError, Problem
from docasm.files import Files
from docasm.formats.pipeline import pipeline_layout
from docasm.formats.profiles import Pipelines, parse_pipelines, pipeline_layouts
from docasm.formats.soul import Soul, parse_soul, soul_layout
from docasm.layout import Layout
from docasm.settings import Setting


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """A file that a configuration or a caller names."""

    path: Path
    shown: str
    """What problems call it."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """What foreign files give."""

    layouts: Mapping[str, Layout]
    """The first is the one to use."""
    problems: tuple[Problem, ...]
    """Warnings and notes."""


def read_foreign(
    soul: ForeignFile | None,
    pipeline: ForeignFile | None,
    files: Files,
    skills: Iterable[str],
    variables: Mapping[str, Any],
) -> Foreign | None:
    """The layouts of a soul document, of a pipeline, or of a pipeline with the personality of a soul.

    `skills` are those of the bundle, `variables` what it sets: any other variable may name a skill. Raises
    DocasmError for what is wrong with the files.
    """
    names = frozenset(skills)
    nameable = {each.replace("-", "_"): each for each in names if each.replace("-", "_") not in variables}
    found_soul = None if soul is None else files.parsed("soul", soul.path, soul.shown, parse_soul)
    if pipeline is not None:
        found = files.parsed("pipeline", pipeline.path, pipeline.shown, parse_pipelines)
        return _of_pipeline(found, pipeline.path.name, found_soul, names, nameable)
    if soul is not None and found_soul is not None:
        return _of_soul(found_soul, soul.path.name, nameable)
    return None


def _of_soul(soul: Soul, name: str, nameable: Mapping[str, str]) -> Foreign:
    def build(problems: list[Problem]) -> Mapping[str, Layout]:
        return {name: soul_layout(soul, name, nameable, problems)}

    return _built(soul.built, (name, *sorted(nameable)), build)


def _built(
    kept: dict[Any, Any], key: Hashable, build: Callable[[list[Problem]], Mapping[str, Layout]]
) -> Foreign:
    """What is made of a file, kept as long as nothing changes that decides it; raises DocasmError."""
    if key not in kept:
        problems: list[Problem] = []
        layouts = build(problems)
        if any(problem.severity == "error" for problem in problems):
            raise DocasmError(dict.fromkeys(problems))
        kept.clear()
        kept[key] = Foreign(layouts, tuple(dict.fromkeys(problems)))
    found: Foreign = kept[key]
    return found


def _of_pipeline(
    pipelines: Pipelines,
    name: str,
    soul: Soul | None,
    skills: frozenset[str],
    nameable: Mapping[str, str],
) -> Foreign:
    personality = soul.personality if soul else None

    def build(problems: list[Problem]) -> Mapping[str, Layout]:
        if soul is not None and soul.sections is not None:
            problems.append(_sections_not_used(soul))

        def make(setting: Setting, layout_name: str) -> Layout:
            return pipeline_layout(setting, layout_name, personality, skills, nameable, problems)

        return pipeline_layouts(pipelines.settings, name, make, problems)

    whole = None if soul is None else (soul.personality, soul.sections is None)
    return _built(pipelines.built, (name, whole, *sorted(nameable), *sorted(skills)), build)


def _sections_not_used(soul: Soul) -> Problem:
    """That a pipeline goes before the template of a soul."""
    message = "the sections below are not used: the pipeline decides what the document holds"
    hint = "name the soul without a pipeline to use them"
    return soul.marker.problem("unused-setting", message, hint=hint, severity="note")
