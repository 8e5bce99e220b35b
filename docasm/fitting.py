"""A render whose layout has limits: the document within them, what must give way cut."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from docasm.atoms import Region
from docasm.elastic import Fitted, HistorySlot, Kept, sum_of
from docasm.errors import DocasmError, Problem
from docasm.filled import Filled, messages_of
from docasm.fit import check_slots, fit_document, fit_slot, fit_slots, too_large, within
from docasm.layout import Layout
from docasm.limits import HISTORY
from docasm.markers import Message, join
from docasm.measuring import SEAM, Measured, Measuring
from docasm.shown import Shown
from docasm.size import DOCUMENT, NO_LIMIT, NOTHING, Ruler, Size, limit_of
from docasm.standing import standing
from docasm.tell import Cut, Telling, Told

_AROUND = 16
"""More than what stands around a message's content: its marker and the blank line after it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A document within its limits."""

    messages: tuple[Message, ...]
    told: Told
    kept: Mapping[Region, Kept] = field(default_factory=dict)
    """The stretches that are not as they were written."""
    cuts: tuple[Cut, ...] = ()
    """What was taken away, the history's apart."""

    def text(self, region: Region, written: str) -> str:
        """What is left of the text of a region."""
        return self.kept[region].of(written) if region in self.kept else written


def tell_within(telling: Telling) -> Told:
    """The history within its slot's limits, and within the document's where nothing gives way before it.

    Raises DocasmError if even the line for what is missing is larger than the slot may be.
    """
    start, (limit, names) = telling.start, telling.layout.history_limit
    cuts = tuple(telling.cuts(start, ""))
    if telling.is_short(limit):
        told = telling.told(start, cuts)
        if _surely_fits(told, telling.ruler, limit):
            return told
    slot = HistorySlot(telling, start, cuts)
    fitted = fit_slot(slot, limit, names)
    if not fitted.size.fits(limit):
        check_slots(telling.layout, {HISTORY: slot.exact(fitted)})
    return telling.told(fitted.first, fitted.cuts)


def _surely_fits(told: Told, ruler: Ruler, limit: Size) -> bool:
    """Whether turns are so much smaller than a limit that they need not be measured one by one."""
    if limit == NO_LIMIT:
        return True
    messages = told.messages
    around = _AROUND * len(messages)
    most = ruler.most("\n".join([told.text, *[each.content for each in messages]]))
    return most.chars + around <= limit.chars and most.tokens + around <= limit.tokens


@dataclass(frozen=True, slots=True)
class Fitting:
    """A filled document that is to be fitted."""

    filled: Filled
    layout: Layout
    telling: Telling
    told: Told
    """The history before the document's limits cut it."""
    written: str
    """What the texts hold of it."""
    shown: Mapping[str, Shown]
    """The slots that show a list."""

    @property
    def ruler(self) -> Ruler:
        return self.telling.ruler

    def fit(self) -> Fit:
        """The document within its limits; raises DocasmError where what must stay does not fit."""
        measuring = Measuring(self.filled, self.layout, self.telling, self.told, self.shown, self.ruler)
        measured, limit = measuring.measured(), limit_of(self.layout.limits)
        fitted: Mapping[str, Fitted] = fit_slots(measured.slots, self.layout)
        made = self._made(fitted)
        if not self._fits(measured, _total(measured, fitted), made, limit):
            made = self._made(self._fit_document(measured, fitted, limit))
        return self._check(made)

    def _fits(self, measured: Measured, total: Size, made: Fit, limit: Size) -> bool:
        """Whether the whole fits; only where the sizes of the parts leave it open is the text measured."""
        if self.ruler.adds_up and total.fits(limit):
            return True
        if self.ruler.adds_up and total.tokens - 2 * SEAM * measured.seams > limit.tokens:
            return False
        if any(cut.limit in DOCUMENT for cut in self.told.cuts):
            return (
                False  # what is cut for the document is cut by the sizes of the parts, early and late alike
            )
        if sum(len(each.role) + len(each.content) for each in made.messages) > limit.chars:
            return False
        return self.ruler.fits(join(made.messages), limit)

    def _text(self, fitted: Mapping[str, Fitted]) -> str:
        return join(self._made(fitted).messages)

    def _fit_document(
        self, measured: Measured, fitted: Mapping[str, Fitted], limit: Size
    ) -> Mapping[str, Fitted]:
        stays = sum_of(measured.fixed.values())

        def cut_to(part: Size) -> Mapping[str, Fitted]:
            return fit_document(measured.slots, fitted, stays, part, self.layout)

        cut = cut_to(limit)
        if self.ruler.adds_up and _total(measured, cut).fits(limit):
            return cut
        cut = within(limit, cut_to, lambda each: self.ruler.written(self._text(each)))
        size = self.ruler.written(self._text(cut))
        if not size.fits(limit):
            raise DocasmError([self._too_large(measured, cut, size, limit)])
        return cut

    def _check(self, fit: Fit) -> Fit:
        """Raises DocasmError if a slot is larger than its parts tell, which some functions make it."""
        if self.ruler.adds_up or not self.layout.counts_tokens:
            return fit
        texts: dict[str, str] = {}
        for message in self.filled:
            pieces = message[1] if message else ()
            for name, text in standing([(region, fit.text(region, text)) for region, text, _ in pieces]):
                texts[name] = texts.get(name, "") + text
        texts.pop(HISTORY if self.layout.history_is_messages else "", None)
        check_slots(self.layout, {name: self.ruler.written(text) for name, text in texts.items()})
        return fit

    def _too_large(self, measured: Measured, cut: Mapping[str, Fitted], size: Size, limit: Size) -> Problem:
        sizes = {**measured.fixed, **{name: each.size for name, each in cut.items()}, "": NOTHING}
        sizes[""] = size.minus(sum_of(sizes.values()))
        return too_large(self.layout, sizes, size, limit)

    def _made(self, fitted: Mapping[str, Fitted]) -> Fit:
        """The messages, cut as the slots are."""
        kept = {region: each for slot in fitted.values() for region, each in slot.kept.items()}
        told = self.told
        if HISTORY in fitted and fitted[HISTORY].first != told.first:
            told = self.telling.told(fitted[HISTORY].first, fitted[HISTORY].cuts)
        if told.text != self.written:
            kept[(HISTORY, "")] = Kept(0, 0, told.text)
        cuts = tuple([cut for name, slot in fitted.items() if name != HISTORY for cut in slot.cuts])
        return Fit(messages_of(self.filled, kept, told.messages), told, kept, cuts)


def _total(measured: Measured, fitted: Mapping[str, Fitted]) -> Size:
    return sum_of([*measured.fixed.values(), *(each.size for each in fitted.values())])
