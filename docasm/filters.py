"""The filters and tests of a template, each paid for by what it makes."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Signature
from types import MappingProxyType
from typing import Any

from jinja2.runtime import Undefined

from docasm.account import ITEM_WEIGHT, Budget, held, weight

_MAX_DIGITS = 4000
_MAX_INDENT = 8
_NODE_WEIGHT = 256
_WORD = re.compile(r"\S+")


def to_text(value: Any, budget: Budget) -> str:
    """What `{{ value }}` writes: a text as it is, and any other value as JSON."""
    if isinstance(value, str):
        return str(budget.weigh(value))
    if isinstance(value, Undefined):
        return str(value)
    if value is None or isinstance(value, bool | list | tuple | Mapping):
        return _json_text(value, budget)
    has_no_order = isinstance(value, set | frozenset)
    if has_no_order or callable(value) or getattr(type(value), "__repr__", None) is object.__repr__:
        raise TypeError(f"a value of the type `{type(value).__name__}` is no text, number, list or mapping")
    return str(budget.weigh(value))


def _json_text(value: Any, budget: Budget, indent: int | None = None) -> str:
    """JSON, each node paid for first: with aliases a small value can write out to a large one."""
    for each in held(value):
        budget.pay(_NODE_WEIGHT * (1 + (0 if isinstance(each, str) else len(each))) + weight(each))
    return str(budget.weigh(json.dumps(value, ensure_ascii=False, indent=indent)))


def _concatenate(parts: Iterable[Any], budget: Budget) -> str:
    return "".join(to_text(part, budget) for part in parts)


def _join(value: Iterable[Any], budget: Budget, separator: str = "") -> str:
    items = []
    for item in value:
        budget.pay(ITEM_WEIGHT + weight(separator))
        items.append(to_text(item, budget))
    return str(separator).join(items)


def _replace(value: Any, budget: Budget, old: str, new: str) -> str:
    text = to_text(value, budget)
    budget.pay(text.count(old) * weight(new))
    return text.replace(old, new)


def _truncate(value: Any, budget: Budget, length: int = 255, end: str = "...") -> str:
    text = to_text(value, budget)
    return text if len(text) <= length else text[: max(0, length - len(end))] + end


def _default(value: Any, _: Budget, other: Any = "", boolean: bool = False) -> Any:
    return other if isinstance(value, Undefined) or (boolean and not value) else value


def _tojson(value: Any, budget: Budget, indent: int = 0) -> str:
    return _json_text(value, budget, min(indent, _MAX_INDENT) or None)


def _compared(function: Callable[[Any], Any]) -> Callable[[Any, Budget], Any]:
    return lambda value, budget: function(budget.weigh_items(value))


def _round(value: Any, _: Budget, digits: int = 0) -> Any:
    return round(value, max(-_MAX_DIGITS, digits))


def _of_text(method: Callable[[str], str]) -> Callable[[Any, Budget], str]:
    return lambda value, budget: method(to_text(value, budget))


FILTERS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "abs": lambda value, _: abs(value),
        "capitalize": _of_text(str.capitalize),
        "count": lambda value, _: len(value),
        "default": _default,
        "first": lambda value, _: next(iter(value)),
        "float": lambda value, budget: float(budget.weigh(value)),
        "int": lambda value, budget: int(budget.weigh(value)),
        "join": _join,
        "last": lambda value, _: value[-1],
        "length": lambda value, _: len(value),
        "list": lambda value, _: list(value),
        "lower": _of_text(str.lower),
        "max": _compared(max),
        "min": _compared(min),
        "replace": _replace,
        "reverse": lambda value, _: value[::-1],
        "round": _round,
        "sort": _compared(sorted),
        "string": lambda value, budget: to_text(value, budget),
        "sum": _compared(sum),
        "title": _of_text(str.title),
        "tojson": _tojson,
        "trim": _of_text(str.strip),
        "truncate": _truncate,
        "unique": _compared(lambda value: list(dict.fromkeys(value))),
        "upper": _of_text(str.upper),
        "wordcount": lambda value, budget: sum(1 for _ in _WORD.finditer(to_text(value, budget))),
    }
)
"""The filters of a template: (value, budget, arguments) -> value."""
OWN_FILTERS: Mapping[str, Callable[[Any, Budget], Any]] = MappingProxyType(
    {
        "concatenate": _concatenate,
        "weigh": lambda value, budget: budget.weigh(value),
        "weigh_items": lambda value, budget: budget.weigh_items(value),
    }
)
"""What no author may write: it puts a price on what Jinja2 does by itself."""


def _number(value: Any) -> Any:
    """`%` would format a text."""
    if isinstance(value, int | float):
        return value
    raise TypeError(f"this asks for a number, not for a value of the type `{type(value).__name__}`")


TESTS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "divisibleby": lambda value, by: _number(value) % _number(by) == 0,
        "even": lambda value: _number(value) % 2 == 0,
        "odd": lambda value: _number(value) % 2 == 1,
    }
)


def check_arguments(name: str, known: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raises TypeError, in words for an author, where a filter does not take these arguments."""
    try:
        known.bind(*args, **kwargs)
    except TypeError:
        wanted = ", ".join(list(known.parameters)[2:]) or "none"
        raise TypeError(f"these are not the arguments of `{name}`; it takes {wanted}") from None
