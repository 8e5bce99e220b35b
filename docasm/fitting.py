"""A render whose layout has limits: its text by stretches, those cut that have to be."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from docasm.atoms import Region
from docasm.compiler import Drafted, EmptySlots
from docasm.draft import HistoryMessages
from docasm.elastic import SEPARATOR, Elastic, Fitted, HistorySlot, Kept, TextSlot, sum_of
from docasm.errors import DocasmError
from docasm.fill import Values
from docasm.fit import check_slots, fit_document, fit_slot, fit_slots, too_large, within
from docasm.layout import Layout
from docasm.limits import HISTORY, SKILLS, TOOLS
from docasm.markers import Message, join, trim
from docasm.plan import Planned, Stretch
from docasm.shown import NOTHING_SHOWN, Shown
from docasm.size import NOTHING, UNLIMITED, Ruler, Size, limit_of
from docasm.skill_slot import SkillSlot
from docasm.standing import standing
from docasm.tell import Cut, Telling, Told

_SEAM = 2
"""By how many tokens two texts together may have more than apart."""

Filled = Sequence[tuple[Region, str, bool]]
"""Text by region, and whether every render of the plan writes it."""


def _texts(told: Told) -> Sequence[str]:
    return [told.text, *(each.content for each in told.messages)]


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


def fill(planned: Sequence[Planned], values: Values) -> Iterator[tuple[str, Filled] | None]:
    """Each message's role and its text by region; None where the history stands."""
    for each in planned:
        if isinstance(each, HistoryMessages):
            yield None
        else:
            yield each.role, [_filled(stretch, values) for stretch in each.stretches]


def _filled(stretch: Stretch, values: Values) -> tuple[Region, str, bool]:
    first = stretch.merged[0]
    if isinstance(first, str) and len(stretch.merged) == 1:
        return stretch.region, first, True
    texts = [part if isinstance(part, str) else part.write(values) for part in stretch.merged]
    return stretch.region, "".join(texts), False


def tell_within(telling: Telling, ruler: Ruler) -> Told:
    """The history within its slot's limits."""
    limits, start = telling.layout.slot(HISTORY).limits, telling.start()
    if not limits:
        return telling.told(start)
    if telling.is_short(limit_of(limits)):
        told = telling.told(start)
        most = sum_of(ruler.most(text).plus(_margin("assistant", 1)) for text in _texts(told))
        if most.fits(limit_of(limits)):
            return told
    telling.measured_by(ruler)
    fitted = fit_slot(HistorySlot(telling, start), limit_of(limits), "")
    return telling.told(fitted.first, fitted.cuts[-1].limit if fitted.first != start else "")


def _margin(role: str, count: int) -> Size:
    """What a message of so many texts takes at most beside them."""
    return Size(len(role) + 4, len(role) + 4 + _SEAM * (count + 1))


@dataclass(frozen=True, slots=True)
class Fitting:
    """A filled document that is to be fitted."""

    layout: Layout
    filled: Sequence[tuple[str, Filled] | None]
    telling: Telling
    told: Told
    shown: Mapping[str, Shown]
    """The slots that show a list."""
    ruler: Ruler
    rough: Ruler
    """One that is quick, and measures no less."""

    def fit(self) -> Fit:
        """The document within its limits; raises DocasmError where what must stay does not fit."""
        rough = self.rough
        limit = limit_of(self.layout.limits)
        if self._surely_fits(limit):
            return self._made({})
        slots = self._slots(rough)
        if self._fits_as_it_is(slots, rough, limit):
            return self._check(self._made({}))
        if rough is not self.ruler:
            slots = self._slots(self.ruler)
        fitted = fit_slots(slots, self.layout)
        fixed = self._fixed(slots, self.ruler)
        total = sum_of([*fixed.values(), *(each.size for each in fitted.values())])
        made = self._made(fitted)
        if self._surely(total, limit) or self._exact(made).fits(limit):
            return self._check(made)
        return self._check(self._fit_document(slots, fitted, fixed, limit))

    def _fit_document(
        self, slots: Mapping[str, Elastic], fitted: dict[str, Fitted], fixed: dict[str, Size], limit: Size
    ) -> Fit:
        stays = sum_of(fixed.values())
        cut = within(
            limit,
            lambda part: fit_document(slots, fitted, stays, part, self.layout),
            lambda cut: self._exact(self._made(cut)),
        )
        made = self._made(cut)
        size = self._exact(made)
        if not size.fits(limit):
            sizes = {**fixed, **{name: each.size for name, each in cut.items()}, "": NOTHING}
            sizes[""] = size.minus(sum_of(sizes.values()))
            raise DocasmError([too_large(self.layout, sizes, size, limit)])
        return made

    def _surely_fits(self, limit: Size) -> bool:
        """Whether every limit is so much larger than what it is for that nothing has to be measured."""
        sizes = {"": NOTHING}
        most = self.layout.slot(SKILLS).max_per_skill or UNLIMITED
        for role, stretches in filter(None, self.filled):
            sizes[""] = sizes[""].plus(_margin(role, len(stretches)))
            for (name, skill), text, same in stretches:
                key = (name, text)
                size = self.ruler.kept(key, partial(self.ruler.most, text)) if same else self.ruler.most(text)
                if skill and size.chars > most:
                    return False
                sizes[name] = sizes.get(name, NOTHING).plus(size)
        for each in self.told.messages:
            size = self.ruler.most(each.content).plus(_margin(each.role, 1))
            sizes[HISTORY] = sizes.get(HISTORY, NOTHING).plus(size)
        if not sum_of(sizes.values()).fits(limit):
            return False
        return all(size.fits(limit_of(self.layout.slot(name).limits)) for name, size in sizes.items())

    def _fits_as_it_is(self, slots: Mapping[str, Elastic], rough: Ruler, limit: Size) -> bool:
        """Whether nothing has to be cut, as far as can be told without counting tokens."""
        if rough.measure is not None and rough is self.ruler:
            return False
        for name, slot in slots.items():
            if slot.whole is None or not slot.whole.fits(limit_of(self.layout.slot(name).limits)):
                return False
        fixed = self._fixed(slots, rough)
        return sum_of([*fixed.values(), *(slot.whole or NOTHING for slot in slots.values())]).fits(limit)

    def _surely(self, total: Size, limit: Size) -> bool:
        """Whether the sizes of the parts tell that the whole fits."""
        return self.ruler.adds_up and total.fits(limit)

    def _exact(self, made: Fit) -> Size:
        text = join(made.messages)
        return Size(len(text), self.ruler.measure.count(text) if self.ruler.measure else 0)

    def _slots(self, ruler: Ruler) -> dict[str, Elastic]:
        """The slots that a limit may cut."""
        names = {name for name, each in self.layout.slots.items() if each.limited} | {*self.layout.drop}
        texts: dict[str, list[tuple[Region, str, bool]]] = {}
        for message in self.filled:
            for each in message[1] if message else ():
                if each[0][0] in names:
                    texts.setdefault(each[0][0], []).append(each)
        slots: dict[str, Elastic] = {name: self._slot(name, found, ruler) for name, found in texts.items()}
        if HISTORY in names and self.telling.history.turns:
            self.telling.measured_by(ruler)
            slots[HISTORY] = HistorySlot(self.telling, self.told.first)
        return slots

    def _slot(self, name: str, found: Filled, ruler: Ruler) -> Elastic:
        if name != SKILLS:
            (region, text, _), *_ = found
            shown = self.shown.get(name, NOTHING_SHOWN)
            make = partial(TextSlot, region, text, ruler, shown.lines, shown.left_out, len(found))
            return ruler.kept((region, text, shown.lines, len(found)), make) if name == TOOLS else make()
        if all(same for _, _, same in found):
            key = tuple((region, text) for region, text, _ in found)
            return ruler.kept(key, partial(self._skills, found, ruler))
        return self._skills(found, ruler)

    def _skills(self, found: Filled, ruler: Ruler) -> SkillSlot:
        lead = len(SEPARATOR)
        bare = [(text[lead:] if index else text, same) for index, (_, text, same) in enumerate(found)]
        sizes = [ruler.constant(text) if same else ruler.size(text) for text, same in bare]
        between = ruler.constant(SEPARATOR)
        sizes[:-1] = [size.plus(between) for size in sizes[:-1]]
        most = self.layout.slot(SKILLS).max_per_skill
        regions = tuple(region for region, _, _ in found)
        return SkillSlot(regions, tuple(text for text, _ in bare), tuple(sizes), ruler, most)

    def _fixed(self, slots: Mapping[str, Elastic], ruler: Ruler) -> dict[str, Size]:
        """The sizes of what no limit cuts, by slot; "" is the layout itself."""
        fixed = {"": NOTHING}
        for message in self.filled:
            if message is None:
                continue
            fixed[""] = fixed[""].plus(ruler.constant(f"{message[0]}:\n\n\n"))
            for (name, _), text, same in message[1]:
                if name not in slots:
                    size = ruler.constant(text) if same else ruler.size(text)
                    fixed[name] = fixed.get(name, NOTHING).plus(size)
            if ruler.measure is not None:
                fixed[""] = fixed[""].plus(Size(0, _SEAM * (len(message[1]) + 1)))
        if HISTORY not in slots and self.told.messages:
            sizes = (ruler.message(each.role, each.content) for each in self.told.messages)
            fixed[HISTORY] = fixed.get(HISTORY, NOTHING).plus(sum_of(sizes))
        return fixed

    def _check(self, fit: Fit) -> Fit:
        """Raises DocasmError if a slot is larger than its parts tell, which some functions make it."""
        if self.ruler.adds_up or not self.layout.counts_tokens:
            return fit
        texts: dict[str, str] = {}
        for message in self.filled:
            if message is not None:
                for name, text in standing(
                    [(region, fit.text(region, text)) for region, text, _ in message[1]]
                ):
                    texts[name] = texts.get(name, "") + text
        texts.pop(HISTORY if self.layout.history_is_messages else "", None)
        check_slots(self.layout, {name: self.ruler.written(text) for name, text in texts.items()})
        return fit

    def _made(self, fitted: Mapping[str, Fitted]) -> Fit:
        """The messages, cut as the slots are."""
        kept = {region: each for slot in fitted.values() for region, each in slot.kept.items()}
        told = self.told
        if HISTORY in fitted and fitted[HISTORY].first != told.first:
            told = self.telling.told(fitted[HISTORY].first, fitted[HISTORY].cuts[-1].limit)
            kept[(HISTORY, "")] = Kept(0, 0, told.text)
        messages: list[Message] = []
        for message in self.filled:
            if message is None:
                messages += told.messages
            else:
                role, stretches = message
                texts = [kept[region].of(text) if region in kept else text for region, text, _ in stretches]
                messages.append(Message(role, trim("".join(texts))))
        cuts = tuple(cut for name, slot in fitted.items() if name != HISTORY for cut in slot.cuts)
        return Fit(tuple(messages), told, kept, cuts)


def fit_planned(
    drafted: Drafted,
    empty: EmptySlots,
    values: Values,
    telling: Telling,
    told: Told,
    shown: Mapping[str, Shown],
    rulers: tuple[Ruler, Ruler],
) -> tuple[Fit, EmptySlots, Values]:
    """A render within its limits, the slots that bring nothing after all, and what they bring.

    A history of messages whose first ones a limit takes away brings a line that it did not bring before.
    """
    fit = Fitting(
        drafted.layout, list(fill(drafted.plan(empty), values)), telling, told, shown, *rulers
    ).fit()
    if HISTORY not in empty or not fit.told.text:
        return fit, empty, values
    empty -= {HISTORY}
    values = values._replace(slots={**values.slots, HISTORY: fit.told.text}).anew()
    filled = list(fill(drafted.plan(empty), values))
    return Fitting(drafted.layout, filled, telling, fit.told, shown, *rulers).fit(), empty, values
