"""Variables whose value is what a tool returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from docasm.errors import DocasmError, Problem
from docasm.fields import Fields
from docasm.json_text import parse_json
from docasm.settings import Setting
from docasm.shapes import NOT_BLANK, Shape, either, given, keys, mapping, text
from docasm.source import Source

KEYS = keys(
    tool=given(text("The tool that is called if a document uses the variable.", pattern=NOT_BLANK)),
    args=either(
        "What it is called with: a mapping, or JSON text of one.",
        {"type": ["object", "null"]},
        {"type": "string", "pattern": r"^(?:$|\s*\{)"},
    ),
    result_field=text("The member of its result that is the value; `content` by default."),
)
DEFAULT_FIELD = "content"


VALUE: Shape = {
    "if": {"type": "object", "required": ["tool"], "propertyNames": {"enum": [*KEYS]}},
    "then": mapping("A variable whose value is what a tool returns.", KEYS),
}
"""What a variable may be: anything, and what looks like a tool must be one."""


@dataclass(frozen=True, slots=True)
class ToolSource:
    """A tool that is called when a document uses the variable."""

    tool: str
    args: Mapping[str, Any]
    """What it is called with: JSON."""
    result_field: str
    """The member of its result that is the value."""
    setting: Setting = field(repr=False, compare=False)


def is_source(setting: Setting) -> bool:
    """Whether a variable's value describes a tool, and is no ordinary mapping."""
    value = setting.value
    return isinstance(value, dict) and "tool" in value and not value.keys() - set(KEYS)


def read_source(setting: Setting, problems: list[Problem]) -> ToolSource | None:
    """The source that a mapping of `tool`, `args` and `result_field` describes."""
    fields = Fields(setting, problems, "a variable that is a tool")
    name = fields.text("tool").strip()
    if not name and isinstance(fields.values["tool"].value, str | None):
        problems.append(setting.problem("wrong-type", "`tool` must be the name of a tool"))
    args = _args(fields)
    return ToolSource(name, args, fields.text("result_field", DEFAULT_FIELD), setting) if name else None


def _args(fields: Fields) -> Mapping[str, Any]:
    """A mapping, or JSON text of one."""
    setting = fields.get("args")
    value = None if setting is None else setting.plain()
    if setting is not None and isinstance(value, str) and value.strip():
        try:
            value = parse_json(Source(setting.source.path, value, setting.line))
        except DocasmError:
            value = ()
    if value is None or value == "":
        return MappingProxyType({})
    if isinstance(value, dict):
        return MappingProxyType(value)
    assert setting is not None
    fields.wrong(setting, "`args` must be a mapping, or JSON text of one")
    return MappingProxyType({})
