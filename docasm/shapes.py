"""What the keys of a file may hold, in the words of JSON Schema (draft 7, which every editor knows).

Each reader declares its keys once, in a table of shapes: it refuses keys that are not in the table, and
`docasm.schema` makes the schemas that editors use of the same tables. A test holds that a reader takes just
what its shapes describe. Where a reader takes null for "not given", so does the shape.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

Shape = Mapping[str, Any]
Keys = Mapping[str, Shape]
"""The keys of a mapping, each with what it may hold."""


def keys(**given: Shape) -> Keys:
    """A table; an underscore at the end of a name keeps it apart from Python's words."""
    return MappingProxyType({name.rstrip("_"): shape for name, shape in given.items()})


def text(about: str, *, pattern: str = "") -> Shape:
    return {"description": about, "type": ["string", "null"], **_matching(pattern)}


def _matching(pattern: str) -> Shape:
    return {"pattern": pattern} if pattern else {}


def boolean(about: str) -> Shape:
    return {"description": about, "type": ["boolean", "null"]}


def whole(about: str, *, least: int | None = None, most: int | None = None) -> Shape:
    limits = {"minimum": least, "maximum": most}
    given = {name: limit for name, limit in limits.items() if limit is not None}
    return {"description": about, "type": ["integer", "null"], **given}


def number(about: str, **limits: float) -> Shape:
    """`limits` are `minimum`, `exclusiveMinimum` and `maximum`."""
    return {"description": about, "type": ["number", "null"], **limits}


def choice(about: str, values: Iterable[str]) -> Shape:
    return {"description": about, "enum": [*values, None]}


def texts(about: str, *, least: int = 0) -> Shape:
    """One text, or a list."""
    some = {"minItems": least} if least else {}
    return {"description": about, "type": ["string", "array", "null"], "items": {"type": "string"}, **some}


def mapping(about: str, known: Keys, *, required: Iterable[str] = (), **more: Any) -> Shape:
    """A mapping of known keys, of which some may have to be there."""
    needed = {"required": [*required]} if required else {}
    return {
        "description": about,
        "type": ["object", "null"],
        "properties": dict(known),
        "additionalProperties": False,
        **needed,
        **more,
    }


def mapping_of(about: str, shape: Shape, *, names: str = "", known: Keys = MappingProxyType({})) -> Shape:
    """A mapping of any keys, or of those that fit a pattern, to one shape; `known` ones have their own."""
    return {
        "description": about,
        "type": ["object", "null"],
        **({"properties": dict(known)} if known else {}),
        **({"propertyNames": {"pattern": names}} if names else {}),
        "additionalProperties": shape,
    }


def list_of(about: str, shape: Shape) -> Shape:
    return {"description": about, "type": ["array", "null"], "items": shape}


def either(about: str, *shapes: Shape) -> Shape:
    return {"description": about, "anyOf": [*shapes]}


def free(about: str) -> Shape:
    """A mapping that nobody reads."""
    return {"description": about, "type": ["object", "null"]}


def anything(about: str) -> Shape:
    return {"description": about}


def given(shape: Shape) -> Shape:
    """The same shape where null is not enough."""
    return {**shape, "type": [each for each in shape["type"] if each != "null"]}


def whole_of(pattern: str) -> str:
    """The pattern of a text that another one fits from its start to its end."""
    return f"^(?:{pattern})$"


NOT_BLANK, ANY_TEXT = r"\S", r"[\s\S]"
"""Patterns of texts that say something, and of those that are not empty."""
