"""JSON Schemas without what an API refuses."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

DROPPED = (*("$schema", "$id", "title", "examples", "discriminator", "exclusiveMinimum", "exclusiveMaximum"),)
"""Keywords that Gemini's API refuses."""
_OF_NAMES = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
"""Keywords whose value is a mapping of names to schemas."""
_OF_DATA = ("default", "enum", "required", "const")
"""Keywords whose value is data, and no schema."""


def cleaned(schema: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A schema without the keywords in DROPPED, `const` as a list of one; and which were there, in order.

    The author's schema is not changed.
    """
    found: dict[str, None] = {}
    return _schema(deepcopy(dict(schema)), found), tuple(f"`{name}`" for name in found)


def _schema(schema: Mapping[str, Any], found: dict[str, None]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in DROPPED:
            found[key] = None
        elif key == "const":
            found["const"] = None
            made["enum"] = [value]
        elif key in _OF_NAMES and isinstance(value, Mapping):
            made[key] = {name: _value(each, found) for name, each in value.items()}
        else:
            made[key] = value if key in _OF_DATA else _value(value, found)
    return made


def _value(value: Any, found: dict[str, None]) -> Any:
    if isinstance(value, Mapping):
        return _schema(value, found)
    return [_value(each, found) for each in value] if isinstance(value, list) else value
