"""The slot of the skills: which of them a limit leaves, and of which a part."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from docasm.atoms import Region
from docasm.elastic import SEPARATOR, Fits, Fitted, Kept, kept_of, sum_of
from docasm.limits import SKILLS
from docasm.size import CHARS, TOKENS, UNLIMITED, Names, Ruler, Size
from docasm.tell import Cut
from docasm.units import Units, blocks, note


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
    fits: Fits = field(default_factory=dict)

    def fit(self, limit: Size, names: Names) -> Fitted:
        fitted = self._fit(limit, names[TOKENS])
        if not any(cut.limit == names[TOKENS] for cut in fitted.cuts):
            return fitted
        by_chars = self._fit(Size(limit.chars, UNLIMITED), names[CHARS])
        return by_chars if by_chars.kept == fitted.kept else fitted

    def _fit(self, limit: Size, name: str) -> Fitted:
        """Whole skills as long as there is room, in order; of the first that has none, a part."""
        own = [self._own(index) for index in range(len(self.texts))]
        total = sum_of(size for _, size in own)
        counts = {index: count for index, (count, _) in enumerate(own) if count is not None}
        if total.fits(limit):
            return self._fitted(total, counts, (), name)
        return self._chosen([size for _, size in own], counts, limit, name)

    def exact(self, fitted: Fitted) -> Size:
        texts = [*self.texts[:1], *map(SEPARATOR.__add__, self.texts[1:])]
        stretches = zip(self.regions, texts, strict=True)
        kept = fitted.kept
        written = (kept[region].of(text) if region in kept else text for region, text in stretches)
        return self.ruler.size("".join(written))

    def _own(self, index: int) -> tuple[int | None, Size]:
        """How many blocks `max_per_skill` leaves of a skill, None for all, and the size of that."""
        if self.max_per_skill is None or not self._is_long(index, self.max_per_skill):
            return None, self.sizes[index]
        return self._part(index, Size(self.max_per_skill, UNLIMITED))

    def _is_long(self, index: int, most: int) -> bool:
        lead = len(SEPARATOR) if index < len(self.sizes) - 1 else 0
        return self.sizes[index].chars - lead > most

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
        left = limit if len(own) == 1 else limit.minus(self._line(len(own)))
        dropped = []
        for index, size in enumerate(own):
            if size.fits(left):
                left = left.minus(size)
            else:
                dropped.append(index)
                counts.pop(index, None)
        if dropped:
            room = left.minus(self.ruler.size(SEPARATOR))
            if self.max_per_skill is not None:
                room = room.least(Size(self.max_per_skill, UNLIMITED))
            count, size = self._part(dropped[0], room)
            if count and size.fits(left):
                counts[dropped.pop(0)], left = count, left.minus(size)
            elif len(own) == 1:
                left = left.minus(self._line(1))
        return self._fitted(limit.minus(left), counts, dropped, name)

    def _line(self, count: int) -> Size:
        """How large the line for skills that are not there can be."""
        text = note(count, "skill")
        return self.ruler.constant(text if len(self.texts) == 1 else SEPARATOR + text)

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
