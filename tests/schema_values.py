"""Values that a JSON Schema describes, mostly: at each place something else may stand."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

WORDS = (
    *("", " ", "a", "a-b", "A b", "x_1", "dm", "cron", "event", "all", "list", "messages", "user", "system"),
    *("0 6 * * *", "gpt-5*", "{", '{"a": 1}', " {}", "-", "a--b", "1a", "é", "x" * 65),
)
JUNK: Sequence[Any] = (
    *(None, True, False, 0, 1, -1, 7, 119, 120, 201, 0.5, -0.5, *WORDS[:12]),
    *([], ["a"], [7], [None], [[]], {}, {"a": 1}, {"tool": "x"}, {"tool": 7, "args": 1}, {"tool": None}),
)
KEYS = (
    *("a", "x_1", "1a", "duties", "sender", "type", "typ", "dm", "params", "tool", "args", "role"),
    *("user", "assistant", "default"),
)
Value = st.SearchStrategy[Any]


def values(schema: Mapping[str, Any]) -> Value:
    """What a schema describes, and now and then what it does not."""
    return st.integers(0, 15).flatmap(lambda draw: st.sampled_from(JUNK) if draw == 0 else _described(schema))


def _described(schema: Mapping[str, Any]) -> Value:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "if" in schema:
        return st.one_of(st.sampled_from(JUNK), values(schema["then"]))
    if "allOf" in schema:
        return st.one_of([_chosen(branch) for branch in schema["allOf"]])
    if "anyOf" in schema and "properties" not in schema:
        return st.one_of([values(each) for each in schema["anyOf"]])
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    found = [_BY_TYPE[kind](schema) for kind in kinds]
    return st.one_of(found) if found else st.sampled_from(JUNK)


def _chosen(branch: Mapping[str, Any]) -> Value:
    kind = branch["if"]["properties"]["type"]["const"]
    return values(branch["then"]).map(
        lambda value: {**value, "type": kind} if isinstance(value, dict) else value
    )


def _text(schema: Mapping[str, Any]) -> Value:
    fitting = [word for word in WORDS if re.search(schema.get("pattern", ""), word)]
    return st.sampled_from(fitting or WORDS)


def _list(schema: Mapping[str, Any]) -> Value:
    return st.lists(values(schema.get("items", {})), min_size=schema.get("minItems", 0), max_size=3)


def _object(schema: Mapping[str, Any]) -> Value:
    known = schema.get("properties", {})
    needed = [*schema.get("required", ())]
    if "oneOf" in schema:
        return st.one_of([_object({**_without(schema, "oneOf"), **each}) for each in schema["oneOf"]])
    other = schema.get("additionalProperties", {})
    others = st.dictionaries(st.sampled_from(KEYS), values(other or {}), max_size=2)
    if other is False:
        others = st.integers(0, 15).flatmap(lambda draw: st.just({}) if draw else others_drawn)
    others_drawn = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(JUNK), max_size=1)
    chosen = st.sets(st.sampled_from(sorted(known)), max_size=4) if known else st.just(set[str]())
    own = chosen.flatmap(
        lambda names: st.fixed_dictionaries({name: values(known.get(name, {})) for name in {*names, *needed}})
    )
    return st.tuples(others, own).map(lambda both: {**both[0], **both[1]})


def _without(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return {name: each for name, each in schema.items() if name != key}


_BY_TYPE = {
    "null": lambda _: st.none(),
    "boolean": lambda _: st.booleans(),
    "string": _text,
    "integer": lambda _: st.sampled_from([0, 1, 119, 120, 200, 201, -1, 10**9]),
    "number": lambda _: st.sampled_from([0, 1, 0.5, 100, 100.5, -1, -1e9, 1e9, 1e10]),
    "array": _list,
    "object": _object,
}
