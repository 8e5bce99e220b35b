"""Where template expressions run: a Jinja2 sandbox in which every step and every character is paid for."""

from collections.abc import Callable, Collection, ItemsView, Iterator, KeysView, Mapping, ValuesView
from inspect import signature
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes, pass_context
from jinja2.lexer import TOKEN_INTEGER, Lexer
from jinja2.runtime import Context, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from docasm.account import MAX_STEPS, Budget, OverBudgetError, weight
from docasm.filters import FILTERS, OWN_FILTERS, TESTS, check_arguments

METHODS = frozenset(
    ("endswith", "get", "items", "keys", "lower", "startswith", "strip", "title", "upper", "values")
)
"""The methods of texts and mappings that a template may call."""

_BUDGET = "the budget"
"""The context's key for the Budget: not an identifier, so no template can name it."""
MAX_TOKENS = 50_000
"""How many words and signs the tags of one file may hold, and the texts between them."""
_MAX_BITS = 4096
_MAX_DIGITS = 4000


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja2's sandbox, with an account for operators and calls and few functions."""

    sandboxed = True
    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "%", "**"))

    @property
    def lexer(self) -> Lexer:
        return _LEXER

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        budget: Budget = context[_BUDGET]
        budget.pay(_result_weight(operator, left, right))
        return super().call_binop(context, operator, left, right)

    def call(__self, __context: Context, __callee: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        budget: Budget = __context[_BUDGET]
        budget.weigh(getattr(__callee, "__self__", None))
        result = super().call(__context, __callee, *args, **kwargs)
        return budget.weigh(list(result) if isinstance(result, KeysView | ValuesView | ItemsView) else result)


def _result_weight(operator: str, left: Any, right: Any) -> int:
    """What an operation is about to make, known before it is made."""
    if operator == "*" and isinstance(left, int) != isinstance(right, int):
        sequence, count = (right, left) if isinstance(left, int) else (left, right)
        return weight(sequence) * max(int(count), 0) if not isinstance(sequence, float) else 1
    if operator == "**":
        bits = left.bit_length() * right if isinstance(left, int) and isinstance(right, int) else 0
        if bits > _MAX_BITS:
            raise OverBudgetError(f"the number would have more than {_MAX_BITS} bits")
    if operator == "%" and isinstance(left, str | bytes | bytearray):
        raise TypeError("`%` does not format text here; write the values between the text")
    total = weight(left) + weight(right)
    if isinstance(left, int) and total > _MAX_BITS // 8:
        raise OverBudgetError(f"the number would have more than {_MAX_BITS} bits")
    return total


def _charged(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    known = signature(function)

    def charged(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        budget: Budget = context[_BUDGET]
        budget.step()
        if not isinstance(value, str | Undefined):
            budget.weigh(value)
        try:
            result = function(value, budget, *args, **kwargs)
        except TypeError:
            check_arguments(name, known, (value, budget, *args), kwargs)
            raise
        return result if isinstance(result, Undefined) else budget.weigh(result)

    return pass_context(charged)


def _uncharged(function: Callable[[Any, Budget], Any]) -> Callable[..., Any]:
    return pass_context(lambda context, value: function(value, context[_BUDGET]))


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
    environment.filters = {name: _charged(name, function) for name, function in FILTERS.items()}
    environment.filters.update({name: _uncharged(function) for name, function in OWN_FILTERS.items()})
    environment.tests.update(TESTS)
    return environment


class _OffsetLexer(Lexer):
    """Jinja2's lexer, with the code point of each token where Jinja2 has its line."""

    def tokeniter(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> Iterator[tuple[int, str, str]]:
        start = end = count = 0
        try:
            for _, kind, value in super().tokeniter(source, name, filename, state):
                count += 1
                if count > MAX_TOKENS:
                    raise OverBudgetError("the tags of this file are too many, or too long")
                start = source.index(value, end)  # only white space is ever left out between tokens
                if kind == TOKEN_INTEGER and len(value) > _MAX_DIGITS:
                    end = start
                    raise TemplateSyntaxError("this number is too long", start)
                end = start + len(value)
                yield start, kind, value
        except TemplateSyntaxError as error:
            error.lineno = start if source.startswith("{", start) else end
            raise


SANDBOX = _sandbox()
"""The line of a node of its templates, and of an error in them, is the code point at which it stands."""
_LEXER = _OffsetLexer(SANDBOX)


def evaluator(expression: nodes.Expr, used: Collection[str]) -> Callable[[Mapping[str, Any], Budget], Any]:
    """The value of a Jinja2 expression that uses some names, as a function of all names and a Budget."""
    result = nodes.Assign(nodes.Name("result", "store"), expression, lineno=1)
    template = nodes.Template([result], lineno=1)
    template.set_environment(SANDBOX)
    compiled = SANDBOX.from_string(template)

    def evaluate(names: Mapping[str, Any], budget: Budget) -> Any:
        values = {name: names[name] for name in used if name in names}
        context = compiled.new_context({**values, _BUDGET: budget})
        for _ in compiled.root_render_func(context):
            pass
        return context.vars["result"]

    return evaluate
