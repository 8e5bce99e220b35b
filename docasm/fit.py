"""Fitting slots into their limits, and all of them into the document's."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from docasm.elastic import Elastic, Fitted, sum_of
from docasm.errors import DocasmError, Problem
from docasm.layout import Layout
from docasm.size import CHARS, DOCUMENT, MOST_KEPT, NOTHING, SLOT, TOKENS, UNLIMITED, Names, Size, limit_of

Made = TypeVar("Made")


def within(limit: Size, make: Callable[[Size], Made], measured: Callable[[Made], Size]) -> Made:
    """What is made for the largest part of a limit that makes nothing larger than the limit itself.

    What is made for a limit adds up the sizes of its parts, which may be less than that of the whole. If even
    the least is too large, the least.
    """
    made = make(limit)
    size = measured(made)
    if size.fits(limit):
        return made
    index = CHARS if size.chars > limit.chars else TOKENS
    made = make(limit.with_part(index, 0))
    low, high = 0, limit[index] if measured(made).fits(limit) else 0
    while high - low > 1:
        middle = (low + high) // 2
        tried = make(limit.with_part(index, middle))
        if measured(tried).fits(limit):
            made, low = tried, middle
        else:
            high = middle
    return made


def fit_slots(slots: Mapping[str, Elastic], layout: Layout) -> dict[str, Fitted]:
    """Each slot within its own limits; raises DocasmError where the line for what is missing does not fit."""
    fitted = {}
    problems = []
    for name, slot in slots.items():
        limit = limit_of(layout.slot(name).limits)
        fitted[name] = fit_slot(slot, limit, SLOT)
        size = fitted[name].size
        if not size.fits(limit) and not (size := slot.exact(fitted[name])).fits(limit):
            problems.append(_no_room(layout, name, limit, size))
    if problems:
        raise DocasmError(problems)
    return fitted


def check_slots(layout: Layout, sizes: Mapping[str, Size]) -> None:
    """Raises DocasmError with each slot that is larger than its limits."""
    limits = {name: limit_of(layout.slot(name).limits) for name in sizes}
    over = [name for name, size in sizes.items() if not size.fits(limits[name])]
    if over:
        raise DocasmError([_no_room(layout, name, limits[name], sizes[name]) for name in over])


def fit_document(
    slots: Mapping[str, Elastic],
    fitted: Mapping[str, Fitted],
    fixed: Size,
    limit: Size,
    layout: Layout,
) -> dict[str, Fitted]:
    """The slots as `drop` makes them give way, in its order, each as far as needed.

    `fixed` is the size of everything else. Where all that can go is not enough, all of it has gone.
    """
    found = dict(fitted)
    total = sum_of([fixed, *(each.size for each in found.values())])
    for name in layout.drop:
        over = total.over(limit)
        if over != NOTHING and name in slots:
            before = found[name].size
            most = before.where(limit)
            room = most.minus(over).least(limit_of(layout.slot(name).limits))
            less = fit_slot(slots[name], room, DOCUMENT)
            if less.size.fits(most):  # the line for what is missing can be longer than that
                found[name] = less
                total = total.minus(before).plus(less.size)
    return found


def fit_slot(slot: Elastic, limit: Size, names: Names) -> Fitted:
    """A slot within a limit; what it was fitted to before is remembered."""
    found = slot.fits.get((limit, names))
    if found is None:
        if len(slot.fits) >= MOST_KEPT:
            slot.fits.clear()
        found = slot.fits[limit, names] = _fit_slot(slot, limit, names)
    return found


def _fit_slot(slot: Elastic, limit: Size, names: Names) -> Fitted:
    if limit.tokens == UNLIMITED:
        return slot.fit(limit, names)
    return within(limit, lambda part: slot.fit(part, names), slot.exact)


def _no_room(layout: Layout, name: str, limit: Size, size: Size) -> Problem:
    index = CHARS if size.chars > limit.chars else TOKENS
    at, unit = limit[index], ("characters", "tokens")[index]
    message = f"the slot `{name}` has room for {at} {unit}, but what must be in it takes {size[index]}"
    return layout.problem(("slots", name), "does-not-fit", message, hint="raise its limit")


def too_large(layout: Layout, sizes: Mapping[str, Size], total: Size, limit: Size) -> Problem:
    """That what must stay does not fit, with the size of each slot; "" is the layout itself."""
    index = CHARS if total.chars > limit.chars else TOKENS
    unit = ("characters", "tokens")[index]
    shown = ", ".join(f"{name or 'the layout'} {size[index]:,}" for name, size in sizes.items())
    message = (
        f"what must stay takes {total[index]:,} {unit}, "
        f"but the document has room for {limit[index]:,}: {shown}"
    )
    hint = "raise the limit, name more slots in `drop`, or limit them"
    return layout.problem((SLOT[index],), "does-not-fit", message, hint=hint)
