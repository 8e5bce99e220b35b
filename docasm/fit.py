"""Fitting a document into its limits: which stretches of its text are cut, and where."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from docasm.atoms import Region
from docasm.errors import DocasmError, Problem
from docasm.layout import Layout
from docasm.limits import SKILLS
from docasm.size import NOTHING, UNLIMITED, Ruler, Size, limit_of
from docasm.tell import Cut, Telling
from docasm.units import Units, blocks, items, note

SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left of a stretch of text, in code points of it, and the text that stands after that."""

    start: int
    end: int
    tail: str = ""

    def of(self, text: str) -> str:
        return f"{text[self.start : self.end]}{self.tail}"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A slot as a limit leaves it."""

    size: Size
    """At most."""
    kept: Mapping[Region, Kept] = field(default_factory=dict)
    """The stretches that are cut."""
    cuts: tuple[Cut, ...] = ()
    first: int = 0
    """Of the history, the first turn that is shown."""


class Elastic(Protocol):
    """A slot that can give way."""

    @property
    def whole(self) -> Size | None:
        """How large it is, uncut; None where it is cut whatever the limit."""

    def fit(self, limit: Size, name: str) -> Fitted:
        """As much of it as a limit has room for, at least the line that says what is missing."""


@dataclass(frozen=True, slots=True)
class TextSlot:
    """A slot with one stretch of text."""

    region: Region
    text: str
    ruler: Ruler
    lines: tuple[str, ...] | None = None
    """The items, if it is a list."""
    left_out: int = 0
    """How many items are missing already."""

    @property
    def whole(self) -> Size:
        return self.ruler.size(self.text)

    def fit(self, limit: Size, name: str) -> Fitted:
        whole = self.whole
        if whole.fits(limit):
            return Fitted(whole)
        if self.lines is None:
            units = blocks(self.text, self.ruler, "character")
        else:
            units = items(self.lines, self.ruler, self.left_out)
        count, size = units.most(limit, self.ruler)
        cut = Cut(self.region[0], name, units.missing(count) - self.left_out, units.what)
        return Fitted(size, {self.region: kept_of(units, count)}, (cut,))


@dataclass(frozen=True, slots=True)
class HistorySlot:
    """The turns, as a list or as messages."""

    telling: Telling
    start: int
    """The first turn that may be shown."""

    @property
    def whole(self) -> Size:
        return self.telling.size(self.start)

    def fit(self, limit: Size, name: str) -> Fitted:
        first = self.telling.first_within(limit, self.start)
        return Fitted(self.telling.size(first), {}, self.telling.told(first, name).cuts, first)


@dataclass(frozen=True, slots=True)
class SkillSlot:
    """What several skills bring."""

    regions: tuple[Region, ...]
    texts: tuple[str, ...]
    """Without the blank line between them, which is in front of each stretch but the first."""
    sizes: tuple[Size, ...]
    """Each with the blank line after it, the last without."""
    ruler: Ruler
    max_per_skill: int | None
    units: dict[int, Units] = field(default_factory=dict)
    """The blocks of the skills that had to be cut."""

    @property
    def whole(self) -> Size | None:
        most = self.max_per_skill
        if most is not None and any(len(text) > most for text in self.texts):
            return None
        return sum_of(self.sizes)

    def fit(self, limit: Size, name: str) -> Fitted:
        """Whole skills as long as there is room, in order; of the first that has none, a part."""
        own = [self._own(index) for index in range(len(self.texts))]
        total = sum_of(size for _, size in own)
        counts = {index: count for index, (count, _) in enumerate(own) if count is not None}
        if total.fits(limit):
            return self._fitted(total, counts, (), name)
        return self._chosen([size for _, size in own], counts, limit, name)

    def _own(self, index: int) -> tuple[int | None, Size]:
        """How many blocks `max_per_skill` leaves of a skill, None for all, and the size of that."""
        if self.max_per_skill is None or len(self.texts[index]) <= self.max_per_skill:
            return None, self.sizes[index]
        return self._part(index, Size(self.max_per_skill, UNLIMITED))

    def _part(self, index: int, limit: Size) -> tuple[int | None, Size]:
        units = self._units(index)
        count, size = units.most(limit, self.ruler)
        return (None if count == len(units.texts) else count), size.plus(self.ruler.size(SEPARATOR))

    def _units(self, index: int) -> Units:
        found = self.units.get(index)
        if found is None:
            what = f"character of `{self.regions[index][1]}`"
            found = self.units[index] = blocks(self.texts[index], self.ruler, what)
        return found

    def _chosen(self, own: Sequence[Size], counts: dict[int, int], limit: Size, name: str) -> Fitted:
        left = limit.minus(self.ruler.size(SEPARATOR + note(len(own), "skill")))
        dropped = []
        for index, size in enumerate(own):
            if size.fits(left):
                left = left.minus(size)
            else:
                dropped.append(index)
                counts.pop(index, None)
        if dropped:
            count, size = self._part(dropped[0], left.minus(self.ruler.size(SEPARATOR)))
            if count and size.fits(left):
                counts[dropped.pop(0)], left = count, left.minus(size)
        return self._fitted(limit.minus(left), counts, dropped, name)

    def _fitted(self, size: Size, counts: Mapping[int, int], dropped: Sequence[int], name: str) -> Fitted:
        kept = {self.regions[index]: each for index, each in self._kept(counts, dropped).items()}
        return Fitted(size, kept, tuple(self._cuts(counts, dropped, name)))

    def _kept(self, counts: Mapping[int, int], dropped: Sequence[int]) -> dict[int, Kept]:
        gone = set(dropped)
        found = {index: Kept(0, 0) for index in dropped}
        for index, count in counts.items():
            part = kept_of(self._units(index), count)
            found[index] = Kept(0, part.end + _lead(index), part.tail)
        first = next((index for index in range(len(self.texts)) if index not in gone), None)
        if first:
            found[first] = replace(found.get(first, self._whole(first)), start=_lead(first))
        if dropped:
            last = len(self.texts) - 1
            tail = note(len(dropped), "skill") if first is None else SEPARATOR + note(len(dropped), "skill")
            kept = found.get(last, self._whole(last))
            found[last] = replace(kept, tail=kept.tail + tail)
        return found

    def _whole(self, index: int) -> Kept:
        return Kept(0, len(self.texts[index]) + _lead(index))

    def _cuts(self, counts: Mapping[int, int], dropped: Sequence[int], name: str) -> Iterator[Cut]:
        for index, count in sorted(counts.items()):
            missing = self._units(index).missing(count)
            limit = "max_per_skill" if self._own(index)[0] == count else name
            yield Cut(SKILLS, limit, missing, "character", self.regions[index][1])
        for index in dropped:
            missing = len(self.texts[index])
            yield Cut(SKILLS, name, missing, "character", self.regions[index][1], whole=True)


def _lead(index: int) -> int:
    """How long the blank line before a skill is."""
    return len(SEPARATOR) if index else 0


def kept_of(units: Units, count: int) -> Kept:
    """The first pieces of a text, with the line that says what is missing."""
    kept = units.kept(count)
    tail = f"{SEPARATOR}{units.note(count)}" if kept else units.note(count)
    return Kept(0, len(kept), tail)


def sum_of(sizes: Iterable[Size]) -> Size:
    total = NOTHING
    for size in sizes:
        total = total.plus(size)
    return total


def fit_slots(slots: Mapping[str, Elastic], layout: Layout) -> dict[str, Fitted]:
    """Each slot within its own limits; raises DocasmError where the line for what is missing does not fit."""
    fitted = {}
    problems = []
    for name, slot in slots.items():
        limit = limit_of(layout.slot(name).limits)
        fitted[name] = fit_slot(slot, limit, "")
        if not fitted[name].size.fits(limit):
            problems.append(_no_room(layout, name, limit, fitted[name].size))
    if problems:
        raise DocasmError(problems)
    return fitted


def fit_document(
    slots: Mapping[str, Elastic],
    fitted: Mapping[str, Fitted],
    fixed: Mapping[str, Size],
    limit: Size,
    layout: Layout,
) -> dict[str, Fitted]:
    """The slots as `drop` makes them give way, in its order, each as far as needed.

    `fixed` are the sizes of everything else. Raises DocasmError with all sizes where what must stay does not
    fit.
    """
    found = dict(fitted)
    total = sum_of([*fixed.values(), *(each.size for each in found.values())])
    for name in layout.drop:
        over = Size(max(0, total.chars - limit.chars), max(0, total.tokens - limit.tokens))
        if over != NOTHING and name in slots:
            before = found[name].size
            room = Size(max(0, before.chars - over.chars), max(0, before.tokens - over.tokens))
            found[name] = fit_slot(slots[name], room.least(limit_of(layout.slot(name).limits)), "document.")
            total = total.minus(before).plus(found[name].size)
    if not total.fits(limit):
        raise DocasmError([_too_large(layout, found, fixed, total, limit)])
    return found


def fit_slot(slot: Elastic, limit: Size, prefix: str) -> Fitted:
    """A slot within a limit, its cuts called after the measure that was in the way."""
    fitted = slot.fit(limit, f"{prefix}max_chars")
    if not fitted.cuts or limit.tokens == UNLIMITED:
        return fitted
    by_chars = slot.fit(Size(limit.chars, UNLIMITED), f"{prefix}max_chars")
    return fitted if by_chars.size == fitted.size else slot.fit(limit, f"{prefix}max_tokens")


def _no_room(layout: Layout, name: str, limit: Size, size: Size) -> Problem:
    unit = "characters" if size.chars > limit.chars else "tokens"
    at = limit.chars if unit == "characters" else limit.tokens
    taken = size.chars if unit == "characters" else size.tokens
    message = (
        f"the slot `{name}` has room for {at} {unit}, but the line that says what is missing takes {taken}"
    )
    return _problem(layout, ("slots", name), message, "raise its limit")


def _too_large(
    layout: Layout, fitted: Mapping[str, Fitted], fixed: Mapping[str, Size], total: Size, limit: Size
) -> Problem:
    unit = "characters" if total.chars > limit.chars else "tokens"
    index = 0 if unit == "characters" else 1
    sizes = {**fixed, **{name: each.size for name, each in fitted.items()}}
    shown = ", ".join(f"{name or 'the layout'} {size[index]:,}" for name, size in sizes.items())
    given = (layout.limits.max_chars, layout.limits.max_tokens)[index]
    message = (
        f"what must stay takes {total[index]:,} {unit}, but the document has room for {given:,}: {shown}"
    )
    hint = "raise the limit, name more slots in `drop`, or limit them"
    return _problem(layout, (f"max_{'chars' if index == 0 else 'tokens'}",), message, hint)


def _problem(layout: Layout, path: Sequence[str], message: str, hint: str) -> Problem:
    setting = layout.settings
    for key in path:
        if isinstance(setting.value, dict) and key in setting.value:
            setting = setting.value[key]
    return setting.problem("does-not-fit", message, hint=hint)
