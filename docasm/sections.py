"""Leaving out what has nothing to say: empty slots, and sections of which all slots are empty."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from docasm.atoms import NO_REGION, Include, Nothing, Region, Text, trimmed, without_emptied_lines
from docasm.compose import Written
from docasm.draft import DraftAtom, SectionStart, Slot
from docasm.fragment import INPUT
from docasm.template_run import Hole


@dataclass(frozen=True, slots=True)
class Waiting:
    """A slot or a hole that a render fills."""

    what: str | Hole
    """A slot's name, or a hole."""
    depends: frozenset[str]
    """The slots that decide whether it is there at all."""
    tag: Include | None = None
    """Where the layout has the slot."""
    region: Region = NO_REGION


Flat = Text | Waiting


@dataclass(slots=True)
class _Section:
    level: int
    children: "list[DraftAtom | _Section]" = field(default_factory=list)

    def slots(self) -> Iterator[Slot]:
        for child in self.children:
            if isinstance(child, _Section):
                yield from child.slots()
            elif isinstance(child, Slot):
                yield child


def without_empty(atoms: Sequence[DraftAtom], empty: frozenset[str], *, goes: bool) -> tuple[Flat, ...]:
    """A message's atoms where the slots in `empty` bring nothing, without blank lines at the ends.

    One that `goes` is left without atoms where all its slots are empty.
    """
    root = _tree(atoms)
    if goes and _all_empty(root, empty):
        return ()
    waiting = waits_for(atoms) if goes else frozenset()
    return trimmed(without_emptied_lines(list(_flat(root, empty, waiting))))


def waits_for(atoms: Sequence[DraftAtom]) -> frozenset[str]:
    """The slots of a message that a render brings something to, or not."""
    slots = (atom for atom in atoms if isinstance(atom, Slot))
    return frozenset(slot.name for slot in slots if slot.waits and slot.name != INPUT)


def _all_empty(section: "_Section", empty: frozenset[str]) -> bool:
    slots = list(section.slots())
    return bool(slots) and all(_is_empty(slot, empty) for slot in slots)


def _tree(atoms: Sequence[DraftAtom]) -> _Section:
    root = _Section(0)
    path = [root]
    for atom in atoms:
        if isinstance(atom, SectionStart):
            while path[-1].level >= atom.level:
                path.pop()
            section = _Section(atom.level)
            path[-1].children.append(section)
            path.append(section)
        else:
            path[-1].children.append(atom)
    return root


def _flat(section: _Section, empty: frozenset[str], depends: frozenset[str]) -> Iterator[Flat | Nothing]:
    for child in section.children:
        if isinstance(child, _Section):
            if not _all_empty(child, empty):
                slots = child.slots()
                waiting = {slot.name for slot in slots if slot.waits and slot.name != INPUT}
                yield from _flat(child, empty, depends | waiting)
        elif isinstance(child, Slot):
            yield from _slot(child, empty, depends)
        elif isinstance(child, Nothing | SectionStart):
            yield Nothing()
        else:
            yield _written(child, depends)


def _is_empty(slot: Slot, empty: frozenset[str]) -> bool:
    if slot.name == INPUT:
        return False
    return slot.name in empty if slot.waits else not slot.contributions


def _slot(slot: Slot, empty: frozenset[str], depends: frozenset[str]) -> Iterator[Flat | Nothing]:
    if _is_empty(slot, empty):
        if slot.alone:
            yield Nothing()
        return
    own = depends if slot.name == INPUT else depends | {slot.name}
    for text in slot.lead:
        yield _written(text, own)
    for index, each in enumerate(slot.contributions):
        region = NO_REGION if slot.name == INPUT else (slot.name, each.skill)
        if index:
            yield Text("\n\n", "", 0, slot=slot.name, depends=own, region=region)
        for atom in each.atoms:
            yield _written(atom, own, region)
    if slot.waits:
        if slot.contributions:
            yield Text("\n\n", "", 0, slot=slot.name, depends=depends)
        yield Waiting(slot.name, depends, slot.tag, (slot.name, ""))


def _written(atom: Written, depends: frozenset[str], region: Region = NO_REGION) -> Flat:
    if isinstance(atom, Text):
        if not depends and region == NO_REGION:
            return atom
        return replace(atom, depends=atom.depends | depends, region=region)
    if isinstance(atom, Include):
        return Waiting(INPUT, depends, None, (INPUT, ""))
    return Waiting(atom, depends, None, region)
