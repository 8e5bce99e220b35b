"""What counts the tokens of a layout's documents."""

from collections.abc import Callable, Mapping

from docasm.errors import DocasmError
from docasm.layout import Layout
from docasm.tokens import Count, Measure, measure, report_measure

_Choose = Callable[[str | None, str | None, float, Mapping[str, Count]], Measure]


def measure_of(layout: Layout, model: str | None, own: Mapping[str, Count]) -> Measure:
    """What limits count by; raises DocasmError at the name in the layout, where there is one."""
    return _measure(measure, layout, model, own)


def report_measure_of(layout: Layout, model: str | None, own: Mapping[str, Count]) -> Measure:
    """What reports count by: the estimate, where no package counts the encoding."""
    return _measure(report_measure, layout, model, own)


def _measure(choose: _Choose, layout: Layout, model: str | None, own: Mapping[str, Count]) -> Measure:
    try:
        return choose(layout.tokenizer, model, layout.token_factor, own)
    except DocasmError as error:
        problems = (
            layout.problem(("tokenizer",), each.code, each.message, hint=each.hint) for each in error.problems
        )
        raise DocasmError(problems) from None
