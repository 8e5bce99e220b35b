"""A render whose layout has limits: written as it is if it is surely within them, else fitted."""

from collections.abc import Mapping

from docasm.drafted import Drafted, EmptySlots
from docasm.fill import Values
from docasm.filled import fill, messages_of
from docasm.fitting import Fit, Fitting
from docasm.limits import HISTORY
from docasm.markers import Message
from docasm.shown import Shown
from docasm.small import is_small
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
    """A render within its limits, those of the history kept to already.

    Raises DocasmError where what must stay does not fit.
    """
    filled = fill(drafted.plan(empty), values)
    messages = messages_of(filled, {}, told.messages)
    if is_small(messages, drafted.layout, telling.ruler):
        return messages, None, empty, values
    fit = Fitting(filled, drafted.layout, telling, told, told.text, shown).fit()
    if HISTORY in empty and fit.told.text:
        # A history of messages whose first ones are cut brings a line that it did not bring before.
        empty = empty - {HISTORY}
        values = values._replace(slots={**values.slots, HISTORY: fit.told.text}).anew()
        filled = fill(drafted.plan(empty), values)
        fit = Fitting(filled, drafted.layout, telling, told, fit.told.text, shown).fit()
    return fit.messages, fit, empty, values
