"""A file with a `context_pipeline`, with `context_profiles`, or with both, among other things or alone."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from docasm.chosen_layout import DEFAULT_PROFILE
from docasm.errors import DocasmError, Problem, did_you_mean
from docasm.fields import Fields
from docasm.formats.excerpt import beside
from docasm.formats.making import unused
from docasm.json_text import parse_json
from docasm.layout import Body, Layout
from docasm.layout_file import make_layout
from docasm.settings import Setting, parse_settings
from docasm.source import Source

PIPELINE, PROFILES = "context_pipeline", "context_profiles"
_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")

MakeLayout = Callable[[Setting, str], Layout]
"""The layout of a pipeline, by a name."""


@dataclass(frozen=True, slots=True)
class Pipelines:
    """A file's pipelines."""

    settings: Setting
    built: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was made of them, by what else decides that."""


def parse_pipelines(source: Source) -> Pipelines:
    """The settings of a file; raises DocasmError if it is neither YAML nor, where it is named so, JSON."""
    if source.path.endswith(".json"):
        parse_json(source)
        source = replace(source, text=_PAIR.sub(_character, source.text.replace("\t", " ")))
    return Pipelines(parse_settings(source))


def _character(found: re.Match[str]) -> str:
    """Two escapes of JSON that are one character, as YAML writes it."""
    high, low = int(found[2], 16), int(found[3], 16)
    return f"{found[1]}\\U{0x10000 + ((high - 0xD800) << 10) + low - 0xDC00:08x}"


def pipeline_layouts(
    settings: Setting, name: str, make: MakeLayout, problems: list[Problem]
) -> Mapping[str, Layout]:
    """The layouts of a file, the one to use first; what is wrong with it goes into `problems`."""
    fields = Fields(settings, problems, "the file")
    profiles, pipeline = fields.get(PROFILES), fields.get(PIPELINE)
    if profiles is None:
        if pipeline is None:
            raise DocasmError(problems or [_nothing(fields)])
        return {name: make(pipeline, name)}
    each = fields.mapping(PROFILES)
    if not each.values and isinstance(profiles.value, dict):
        each.wrong(
            profiles, f"`{PROFILES}` must name at least one profile", hint="write `default: {slots: [...]}`"
        )
    default = each.get(DEFAULT_PROFILE) or pipeline
    if each.get(DEFAULT_PROFILE):
        why = f"`{PROFILES}` has a `{DEFAULT_PROFILE}`"
        unused(problems, fields.values, PIPELINE, why, "keep one of them")
    others = {model: made for model, made in each.values.items() if model != DEFAULT_PROFILE}
    layouts = {f"{name}: {model}": make(setting, f"{name}: {model}") for model, setting in others.items()}
    base = make(default, name) if default else _stub(profiles, name)
    return {name: replace(base, profiles=_choices(others, name, profiles)), **layouts}


def _nothing(fields: Fields) -> Problem:
    """That a file has no pipeline."""
    for key in fields.values:
        if "did you mean" in (meant := did_you_mean(key, (PIPELINE, PROFILES))):
            message = f"`{key}` is neither `{PIPELINE}` nor `{PROFILES}`"
            return fields.setting.key_problem("no-pipeline", message, key, hint=meant)
    message = f"the file has neither `{PIPELINE}` nor `{PROFILES}`"
    hint = f"write `{PIPELINE}: {{slots: [...]}}`"
    return fields.setting.problem("no-pipeline", message, hint=hint)


def _choices(others: Mapping[str, Setting], name: str, at: Setting) -> Mapping[str, Setting]:
    """The profiles of the first layout: each leads to a layout of its own."""
    place = {"layout": (at.line, at.column)}
    return {
        model: replace(at, value={"layout": replace(at, value=f"{name}: {model}", keys={})}, keys=place)
        for model in others
    }


def _stub(profiles: Setting, name: str) -> Layout:
    """The first layout where no profile is for models that none is named for."""
    body = Body(beside(profiles, "<<input>>"), role="user")
    layout, _ = make_layout(name, [body], replace(profiles, value={}, keys={}))
    return replace(layout, needs_skills=False, needs_profile=True)
