"""How large the parts of a filled document are: the slots that can give way, and everything else."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from docasm.elastic import SEPARATOR, Elastic, Fitted, HistorySlot, TextSlot, sum_of
from docasm.filled import Filled, Piece
from docasm.layout import Layout
from docasm.limits import HISTORY, SKILLS, TOOLS
from docasm.shown import NOTHING_SHOWN, Shown
from docasm.size import SLOT, Ruler, Size, limit_of
from docasm.skill_slot import SkillSlot
from docasm.tell import Telling, Told

SEAM = 2
"""By how many tokens two texts together may have more, or fewer, than apart."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A filled document in figures."""

    slots: Mapping[str, Elastic]
    """The slots that a limit may cut."""
    fixed: Mapping[str, Size]
    """The sizes of what no limit cuts, by slot, at most; "" is the layout itself."""
    seams: int
    """Where the texts meet that were measured apart."""


@dataclass(frozen=True, slots=True)
class Measuring:
    """A document's texts and what they are measured by."""

    filled: Filled
    layout: Layout
    telling: Telling
    told: Told
    shown: Mapping[str, Shown]
    """The slots that show a list."""
    ruler: Ruler

    def measured(self) -> Measured:
        """All of it."""
        elastic: dict[str, list[Piece]] = {}
        fixed: dict[str, list[Size]] = {"": []}
        names, constant, seams = self.layout.elastic, self.ruler.constant, 0
        for message in self.filled:
            if message is None:
                continue
            role, pieces = message
            fixed[""].append(constant(f"{role}:\n\n\n"))
            seams += len(pieces) + 1
            for piece in pieces:
                (name, _), text, same = piece
                if name in names:
                    elastic.setdefault(name, []).append(piece)
                else:
                    fixed.setdefault(name, []).append(constant(text) if same else self.ruler.size(text))
        if self.ruler.measure is not None:
            fixed[""].append(Size(0, SEAM * seams))
        if HISTORY not in names and self.told.messages:
            fixed[HISTORY] = [self.ruler.message(each.role, each.content) for each in self.told.messages]
        slots = {name: self._slot(name, pieces) for name, pieces in elastic.items()}
        if HISTORY in names and self.telling.history.turns:
            slots[HISTORY] = self._history()
        return Measured(slots, {name: sum_of(sizes) for name, sizes in fixed.items()}, seams)

    def _history(self) -> HistorySlot:
        """The history, which is within the limits of its slot already."""
        told = self.told
        fitted = Fitted(self.telling.size(told.first), {}, told.cuts, told.first)
        own = limit_of(self.layout.history.limits)
        return HistorySlot(self.telling, told.first, told.cuts, {(own, SLOT): fitted})

    def _slot(self, name: str, pieces: list[Piece]) -> Elastic:
        """A slot, kept with what limits have left of it where every render brings the same."""
        if name != SKILLS:
            return self._text(name, pieces)
        make = partial(self._skills, pieces)
        return self.ruler.kept(tuple(pieces), make) if all(same for _, _, same in pieces) else make()

    def _text(self, name: str, pieces: list[Piece]) -> TextSlot:
        (region, text, _), *_ = pieces
        shown = self.shown.get(name, NOTHING_SHOWN)
        make = partial(TextSlot, region, text, self.ruler, shown.lines, shown.left_out, len(pieces))
        return self.ruler.kept((region, text, shown.lines, len(pieces)), make) if name == TOOLS else make()

    def _skills(self, pieces: list[Piece]) -> SkillSlot:
        lead = len(SEPARATOR)
        bare = [(text[lead:] if index else text, same) for index, (_, text, same) in enumerate(pieces)]
        sizes = [self.ruler.constant(text) if same else self.ruler.size(text) for text, same in bare]
        between = self.ruler.constant(SEPARATOR)
        sizes[:-1] = [size.plus(between) for size in sizes[:-1]]
        most = self.layout.slot(SKILLS).max_per_skill
        regions = tuple(region for region, _, _ in pieces)
        return SkillSlot(regions, tuple(text for text, _ in bare), tuple(sizes), self.ruler, most)
