"""Where template expressions run: a Jinja2 sandbox in which every step and every character is paid for."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from jinja2 import StrictUndefined, nodes, pass_context
from jinja2.runtime import Context, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from docasm.settings import MAX_NESTING

MAX_STEPS = 50_000
"""How many nodes of the template one render may evaluate."""
MAX_TEXT = 32_000_000
"""How many bytes of text (four for each code point beyond ASCII) one render may produce in templates."""
METHODS = frozenset(
    ("endswith", "get", "items", "keys", "lower", "startswith", "strip", "title", "upper", "values")
)
"""The methods of texts and mappings that a template may call."""

_BUDGET = "the budget"
"""The context's key for the Budget: not an identifier, so no template can name it."""
_MAX_BITS = 4096
_MAX_INDENT = 8
_NODE_WEIGHT = 256


class OverBudgetError(Exception):
    """A template took more steps, or made more text, than it may."""


@dataclass(slots=True)
class Budget:
    """What one compilation or render of a template may still spend."""

    steps: int = MAX_STEPS
    text: int = MAX_TEXT

    def step(self, count: int = 1) -> None:
        self.steps -= count
        if self.steps < 0:
            raise OverBudgetError(f"the template takes more than {MAX_STEPS:,} steps")

    def pay(self, amount: int) -> None:
        self.text -= amount
        if self.text < 0:
            raise OverBudgetError(f"the template makes more than {MAX_TEXT:,} bytes of text")

    def weigh(self, value: Any) -> Any:
        """The value, paid for."""
        self.pay(weight(value))
        return value


def weight(value: Any) -> int:
    """What a value costs: bytes of a text, items of a collection, bytes of a number."""
    if isinstance(value, str):
        return len(value) if value.isascii() else 4 * len(value)
    if isinstance(value, int):
        return value.bit_length() // 8 + 1
    return 8 * len(value) if isinstance(value, list | tuple | dict) else 1


def to_text(value: Any, budget: Budget) -> str:
    """What `{{ value }}` writes: texts and numbers as they are, lists and mappings as JSON."""
    if isinstance(value, str):
        return str(budget.weigh(value))
    if isinstance(value, Undefined):
        return str(value)
    if isinstance(value, list | tuple | Mapping):
        return _json_text(value, budget)
    return str(budget.weigh(value))


def _json_text(value: Any, budget: Budget, indent: int | None = None) -> str:
    """JSON, each node paid for first: with aliases a small value can write out to a large one."""
    waiting = [(value, 0)]
    while waiting:
        each, depth = waiting.pop()
        budget.pay(_NODE_WEIGHT)
        if depth > MAX_NESTING:
            raise ValueError(f"the value nests more than {MAX_NESTING} deep")
        inner = each.values() if isinstance(each, Mapping) else each if isinstance(each, list | tuple) else ()
        waiting += [(item, depth + 1) for item in inner]
    return str(budget.weigh(json.dumps(value, ensure_ascii=False, indent=indent)))


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja2's sandbox, with an account for operators and calls and few functions."""

    sandboxed = True
    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "%", "**"))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        budget: Budget = context[_BUDGET]
        budget.pay(_result_weight(operator, left, right))
        return super().call_binop(context, operator, left, right)

    def call(__self, __context: Context, __callee: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        __context[_BUDGET].weigh(getattr(__callee, "__self__", None))
        return super().call(__context, __callee, *args, **kwargs)


def _result_weight(operator: str, left: Any, right: Any) -> int:
    """What an operation is about to make, known before it is made."""
    if operator == "*" and isinstance(left, int) != isinstance(right, int):
        sequence, count = (right, left) if isinstance(left, int) else (left, right)
        return weight(sequence) * max(int(count), 0) if not isinstance(sequence, float) else 1
    if operator == "**":
        bits = left.bit_length() * right if isinstance(left, int) and isinstance(right, int) else 0
        if bits > _MAX_BITS:
            raise OverBudgetError(f"the number would have more than {_MAX_BITS} bits")
    if operator == "%" and isinstance(left, str):
        raise TypeError("`%` does not format text here; write the values between the text")
    total = weight(left) + weight(right)
    if isinstance(left, int) and total > _MAX_BITS // 8:
        raise OverBudgetError(f"the number would have more than {_MAX_BITS} bits")
    return total


def _concatenate(parts: Iterable[Any], budget: Budget) -> str:
    return "".join(to_text(part, budget) for part in parts)


def _join(value: Iterable[Any], budget: Budget, separator: str = "") -> str:
    items = [to_text(item, budget) for item in value]
    budget.pay(weight(separator) * len(items))
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


def _of_text(method: Callable[[str], str]) -> Callable[[Any, Budget], str]:
    return lambda value, budget: method(to_text(value, budget))


FILTERS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "abs": lambda value, _: abs(value),
        "capitalize": _of_text(str.capitalize),
        "concatenate": _concatenate,
        "count": lambda value, _: len(value),
        "default": _default,
        "first": lambda value, _: next(iter(value)),
        "float": lambda value, _: float(value),
        "int": lambda value, _: int(value),
        "join": _join,
        "last": lambda value, _: value[-1],
        "length": lambda value, _: len(value),
        "list": lambda value, _: list(value),
        "lower": _of_text(str.lower),
        "max": lambda value, _: max(value),
        "min": lambda value, _: min(value),
        "replace": _replace,
        "reverse": lambda value, _: value[::-1],
        "round": lambda value, _, digits=0: round(value, digits),
        "sort": lambda value, _: sorted(value),
        "string": lambda value, budget: to_text(value, budget),
        "sum": lambda value, _: sum(value),
        "title": _of_text(str.title),
        "tojson": _tojson,
        "trim": _of_text(str.strip),
        "truncate": _truncate,
        "unique": lambda value, _: list(dict.fromkeys(value)),
        "upper": _of_text(str.upper),
        "weigh": lambda value, budget: budget.weigh(value),
        "wordcount": lambda value, budget: len(to_text(value, budget).split()),
    }
)
"""The filters of a template: (value, budget, arguments) -> value. `concatenate` and `weigh` are our own."""


def _charged(function: Callable[..., Any]) -> Callable[..., Any]:
    def charged(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        budget: Budget = context[_BUDGET]
        budget.step()
        if not isinstance(value, Undefined):
            budget.weigh(value)
        result = function(value, budget, *args, **kwargs)
        return result if isinstance(result, Undefined) else budget.weigh(result)

    return pass_context(charged)


def _range(*bounds: int) -> range:
    numbers = range(*bounds)
    if len(numbers) > MAX_STEPS:
        raise OverBudgetError(f"the range holds more than {MAX_STEPS:,} numbers")
    return numbers


def _sandbox() -> Sandbox:
    environment = Sandbox(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        optimized=False,  # constants would be folded without an account
        autoescape=False,
        cache_size=0,
    )
    environment.globals = {"range": _range}
    environment.filters = {name: _charged(function) for name, function in FILTERS.items()}
    return environment


SANDBOX = _sandbox()


def evaluator(expression: nodes.Expr) -> Callable[[Mapping[str, Any], Budget], Any]:
    """The value of a Jinja2 expression, as a function of the names it uses and a Budget."""
    result = nodes.Assign(nodes.Name("result", "store"), expression, lineno=1)
    template = nodes.Template([result], lineno=1)
    template.set_environment(SANDBOX)
    compiled = SANDBOX.from_string(template)

    def evaluate(names: Mapping[str, Any], budget: Budget) -> Any:
        context = compiled.new_context({**names, _BUDGET: budget})
        for _ in compiled.root_render_func(context):
            pass
        return context.vars["result"]

    return evaluate
