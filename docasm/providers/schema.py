"""JSON Schemas without what an API refuses."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

_OF_NAMES = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
"""Keywords whose value is a mapping of names to schemas."""
_OF_DATA = ("default", "enum", "required", "const", "examples")
"""Keywords whose value is data, and no schema."""


def cleaned(
    schema: Mapping[str, Any], dropped: Sequence[str], *, formats: bool = True
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A schema without some keywords, and which of them it had, in order.

    Without `formats` the format of a text goes into its description, and `const` becomes an `enum` of one.
    The author's schema is not changed.
    """
    cleaner = _Cleaner(dropped, formats)
    return cleaner.schema(deepcopy(dict(schema))), tuple(f"`{name}`" for name in cleaner.found)


@dataclass(slots=True)
class _Cleaner:
    dropped: Sequence[str]
    formats: bool
    found: dict[str, None] = field(default_factory=dict)

    def schema(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in schema.items():
            if key in self.dropped:
                self.found[key] = None
            elif key in _OF_NAMES and isinstance(value, Mapping):
                made[key] = {name: self._value(each) for name, each in value.items()}
            else:
                made[key] = value if key in _OF_DATA else self._value(value)
        return made if self.formats else self._plainer(made)

    def _plainer(self, made: dict[str, Any]) -> dict[str, Any]:
        if "const" in made:
            self.found["const"] = None
            made["enum"] = [made.pop("const")]
        if made.get("type") == "string" and isinstance(made.get("format"), str):
            self.found["format"] = None
            told = (made.get("description"), f"Format: {made.pop('format')}")
            made["description"] = "\n".join(text for text in told if text)
        return made

    def _value(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return self.schema(value)
        return [self._value(each) for each in value] if isinstance(value, list) else value
