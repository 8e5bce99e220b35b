"""A render whose layout has limits: written as it is if it is surely within them, else fitted."""

from collections.abc import Mapping

from docasm.compiler import Drafted, EmptySlots
from docasm.fill import Values
from docasm.filled import fill, messages_of
from docasm.fitting import Fit, Fitting, tell_within
from docasm.limits import HISTORY
from docasm.markers import Message
from docasm.shown import Shown
from docasm.small import is_small, may_be_small
from docasm.tell import Telling, Told

Limited = tuple[tuple[Message, ...], Fit | None, EmptySlots, Values]
"""The messages, how they were cut, the slots that bring nothing after all, and what the others bring."""


def within_limits(
    drafted: Drafted,
    empty: EmptySlots,
    values: Values,
    telling: Telling,
    told: Told,
    shown: Mapping[str, Shown],
) -> Limited:
    """A render within its limits; raises DocasmError where what must stay does not fit."""
    if may_be_small(telling.history, drafted.layout):
        messages = messages_of(fill(drafted.plan(empty), values), {}, told.messages)
        if is_small(messages, told, drafted.layout, telling.ruler):
            return messages, None, empty, values
        told = tell_within(telling)
        empty, values = _telling(told, empty, values)
    filled = fill(drafted.plan(empty), values)
    fit = Fitting(filled, drafted.layout, telling, told, told.text, shown).fit()
    if HISTORY in empty and fit.told.text:
        # A history of messages whose first ones are cut brings a line that it did not bring before.
        empty, values = _telling(fit.told, empty, values)
        filled = fill(drafted.plan(empty), values)
        fit = Fitting(filled, drafted.layout, telling, told, fit.told.text, shown).fit()
    return fit.messages, fit, empty, values


def _telling(told: Told, empty: EmptySlots, values: Values) -> tuple[EmptySlots, Values]:
    """The slots that are empty, and what the others bring, with another history."""
    empty = empty - {HISTORY} if told.text else empty | {HISTORY}
    return empty, values._replace(slots={**values.slots, HISTORY: told.text}).anew()
