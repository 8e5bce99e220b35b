"""Request parameters: what a bundle and its skills pass on to the payload."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from docasm.errors import DocasmError, Problem
from docasm.fields import Fields
from docasm.json_values import check_json, is_text
from docasm.shapes import NOT_BLANK, Shape, mapping, number, text, whole


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and is_text(value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _is_size(value: Any) -> bool:
    return _is_whole(value) and value > 0


PARAMS: Mapping[str, tuple[str, Callable[[Any], bool], Shape]] = MappingProxyType(
    {
        "model": ("a name", _is_text, text("The model's name.", pattern=NOT_BLANK)),
        "temperature": ("a finite number of 0 or more", _is_number, number("Randomness.", minimum=0)),
        "max_tokens": ("a whole number above 0", _is_size, whole("The longest answer.", least=1)),
        "seed": ("a whole number", _is_whole, whole("For answers that can be repeated.")),
    }
)
"""Each parameter, what its value must be, the test for that, and its shape."""
PARAMS_SHAPE = mapping("Request parameters.", {name: shape for name, (_, _, shape) in PARAMS.items()})


def read_params(fields: Fields, *, severity: str) -> Mapping[str, Any]:
    """The parameters of a `params` mapping; an unknown key has the given severity."""
    fields.only(PARAMS, severity=severity)
    params = {}
    for key, setting in fields.values.items():
        if key in PARAMS and setting.value is not None:
            wanted, fits, _ = PARAMS[key]
            if fits(setting.value):
                params[key] = setting.value
            else:
                fields.wrong(setting, f"`{key}` must be {wanted}")
    return MappingProxyType(params)


def check_params(params: Mapping[str, Any]) -> None:
    """Raises DocasmError for what is wrong with parameters that no file of a bundle gave."""
    problems = [
        Problem("wrong-type", f"`{key}` must be {wanted}, and is {params[key]!r:.60}")
        for key, (wanted, fits, _) in PARAMS.items()
        if params.get(key) is not None and not fits(params[key])
    ]
    if problems:
        raise DocasmError(problems)
    for key in params.keys() - PARAMS.keys():
        check_json({key: params[key]}, f"`{key}`", "wrong-type")


def merge_params(
    sources: Sequence[tuple[str, Mapping[str, Any]]], defaults: Mapping[str, Any], model: str | None = None
) -> tuple[Mapping[str, Any], tuple[Problem, ...]]:
    """The first source that sets a parameter wins; a later one that sets another value is reported.

    Each source is (the skill's name, its parameters). `model` goes before all of them, `defaults` give way
    to all of them, unreported.
    """
    chosen: dict[str, Any] = {}
    owner: dict[str, str] = {}
    problems = []
    if model is None and not sources:
        return defaults, ()
    for name, params in sources:
        for key, value in params.items():
            if key not in chosen:
                chosen[key], owner[key] = value, name
            elif chosen[key] != value:
                problems.append(_conflict(key, owner[key], chosen[key], name, value))
    if model is not None:
        chosen["model"] = model
    merged = {key: {**defaults, **chosen}[key] for key in PARAMS if key in chosen or key in defaults}
    return MappingProxyType(merged), tuple(problems)


def _conflict(key: str, owner: str, kept: Any, name: str, given: Any) -> Problem:
    message = f"`{owner}` sets `{key}` to {kept!r} and `{name}` to {given!r}; {kept!r} is used"
    hint = "the first in adoption order wins; remove one of them"
    return Problem("conflicting-params", message, hint=hint, severity="warning")
