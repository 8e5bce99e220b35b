"""Leaving out what has nothing to say: empty slots, and sections of which all slots are empty."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from docasm.atoms import Include, Nothing, Text, trimmed, without_emptied_lines
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


def without_empty(atoms: Sequence[DraftAtom], empty: frozenset[str]) -> tuple[Flat, ...]:
    """A message's atoms where the slots in `empty` bring nothing, without blank lines at the ends."""
    flat = without_emptied_lines(list(_flat(_tree(atoms), empty, frozenset())))
    return trimmed(flat)


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
            slots = list(child.slots())
            if not slots or not all(_is_empty(slot, empty) for slot in slots):
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
    return slot.name in empty if slot.waits else not slot.written


def _slot(slot: Slot, empty: frozenset[str], depends: frozenset[str]) -> Iterator[Flat | Nothing]:
    if _is_empty(slot, empty):
        yield Nothing()
        return
    for atom in slot.written:
        yield _written(atom, depends | ({slot.name} if slot.name != INPUT else frozenset()))
    if slot.waits:
        yield Waiting(slot.name, depends, slot.tag)


def _written(atom: Written, depends: frozenset[str]) -> Flat:
    if isinstance(atom, Text):
        return replace(atom, depends=atom.depends | depends) if depends else atom
    return Waiting(INPUT if isinstance(atom, Include) else atom, depends)
