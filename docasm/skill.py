"""A skill: front matter that says when it is wanted, and a body that says what it is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from docasm.errors import Problem
from docasm.fields import Fields
from docasm.params import PARAMS_SHAPE, read_params
from docasm.rules import TRIGGERS, read_rules
from docasm.settings import Setting, parse_settings
from docasm.shapes import Keys, Shape, anything, boolean, free, keys, mapping_of, text, texts, whole_of
from docasm.source import Source, split_front_matter
from docasm.sources import VALUE, is_source, read_source
from docasm.trigger import Rule

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""What a skill may be called: the rule of the Agent Skills standard, agentskills.io/specification."""
MAX_NAME = 64
ALL_TOOLS = "all"
VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

VARIABLES: Shape = mapping_of(
    "Names that a template can use, with any value; `null` declares one that a render must set.",
    VALUE,
    names=whole_of(VARIABLE.pattern),
)
"""The value of `variables`."""
METADATA: Shape = free("Yours; docasm does not read it.")
_NAME_SHAPE = text("What the skill is called; by default as its file.", pattern=whole_of(NAME.pattern))
SKILL_KEYS = keys(
    name={**_NAME_SHAPE, "maxLength": MAX_NAME},
    description=text("What the skill is for; not part of the document."),
    triggers=TRIGGERS,
    tools=texts("The names of the tools it needs, or `all`."),
    params=PARAMS_SHAPE,
    variables=VARIABLES,
    metadata=METADATA,
    template=boolean("Whether the body is a template, or text inserted as it is."),
)
_STANDARD = "Of the Agent Skills standard; read, not used."
AGENT_SKILL_KEYS: Keys = MappingProxyType(
    {
        **{key: SKILL_KEYS[key] for key in ("name", "description")},
        "license": anything(_STANDARD),
        "compatibility": anything(_STANDARD),
        "metadata": METADATA,
        "allowed-tools": anything(_STANDARD),
    }
)
"""The six fields of the Agent Skills standard."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill as its file gives it; the body is not compiled yet."""

    name: str
    description: str
    body: Source
    """The Markdown after the front matter."""
    template: bool
    """Whether the body is a template with includes and markers, or text to be inserted as it is."""
    triggers: tuple[Rule, ...]
    tools: tuple[Setting, ...] | str
    """The names of the tools it needs, in its order, or ALL_TOOLS."""
    params: Mapping[str, Any]
    variables: Mapping[str, Any]
    """Defaults; the bundle's variables and the render's go before them."""
    metadata: Mapping[str, Any]


def is_name(name: str) -> bool:
    """Whether a skill may be called so."""
    return len(name) <= MAX_NAME and NAME.fullmatch(name) is not None


def read_skill(source: Source, default_name: str, *, agent_skill: bool) -> tuple[Skill, tuple[Problem, ...]]:
    """The skill of a file and what is wrong with its front matter; raises DocasmError if that is not YAML.

    `agent_skill` tells the standard's `NAME/SKILL.md` from docasm's own `NAME.md`.
    """
    parts = split_front_matter(source)
    problems: list[Problem] = []
    fields = Fields(parse_settings(parts.settings), problems, "the front matter")
    known = dict.fromkeys((*SKILL_KEYS, *(AGENT_SKILL_KEYS if agent_skill else ())))
    fields.only(known, severity="warning")
    skill = Skill(
        name=_name(fields, default_name, problems),
        description=fields.text("description"),
        body=parts.body,
        template=fields.boolean("template", not agent_skill),
        triggers=read_rules(fields.get("triggers"), problems),
        tools=read_tools_wanted(fields),
        params=read_params(fields.mapping("params"), severity="warning"),
        variables=read_variables(fields),
        metadata=fields.mapping("metadata").plain(),
    )
    return skill, tuple(problems)


def _name(fields: Fields, default: str, problems: list[Problem]) -> str:
    name = fields.text("name", default)
    if is_name(name):
        return name
    setting = fields.get("name") or fields.setting
    message = f"`{name}` cannot be a skill's name: 1-{MAX_NAME} of a-z, 0-9 and single hyphens between them"
    hint = "rename the file, or set `name` in the front matter"
    problems.append(setting.problem("bad-name", message, hint=hint))
    return name


def read_tools_wanted(fields: Fields) -> tuple[Setting, ...] | str:
    """The value of `tools`: a list of names, or `all`."""
    names = fields.texts("tools")
    return ALL_TOOLS if [each.value for each in names] == [ALL_TOOLS] else names


def read_variables(fields: Fields) -> Mapping[str, Any]:
    """The value of `variables`: names that a template can use, with any value; a tool as a ToolSource."""
    variables = fields.mapping("variables")
    found: dict[str, Any] = {}
    for name, setting in variables.values.items():
        if VARIABLE.fullmatch(name) is None:
            message = f"`{name}` cannot be a variable: a letter, then letters, digits and underscores"
            fields.problems.append(setting.problem("bad-name", message))
        else:
            found[name] = read_source(setting, fields.problems) if is_source(setting) else setting.plain()
    return found
