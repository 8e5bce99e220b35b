"""Where the slots of a layout stand, and whether they may stand there."""

from collections.abc import Iterator

from docasm.atoms import Include
from docasm.errors import Problem
from docasm.fragment import INPUT, Fragment, Part
from docasm.layout import Layout
from docasm.limits import HISTORY, SKILLS, SLOTS


def slots_of(part: Part, layout: Layout) -> Iterator[Include]:
    """The slots of a layout's part."""
    for atom in part.atoms:
        if isinstance(atom, Include) and is_slot(atom.name, layout):
            yield atom


def is_slot(name: str, layout: Layout) -> bool:
    """Whether an include of a layout is a slot."""
    return name in SLOTS or name in layout.slots


def check_slots(layout: Layout, fragment: Fragment) -> Iterator[Problem]:
    """Every slot that is used twice, stands where it may not, or is missing where each trigger needs it."""
    seen: dict[str, int] = {}
    for part in fragment.parts:
        for atom in slots_of(part, layout):
            yield from _misplaced(layout, atom, part, last=atom is part.atoms[-1])
            if atom.name in seen:
                message = f"the slot `{atom.name}` is used twice; the first is on line {seen[atom.name]}"
                yield _problem("slot-twice", message, atom, "keep one of them")
            seen.setdefault(atom.name, atom.source.position(atom.offset)[0])
    for name in (SKILLS, INPUT) if layout.needs_skills else (INPUT,):
        if name not in seen:
            message = f"the layout has no slot `<<{name}>>`, so what it brings would be lost"
            where = "a `user:` part" if name == INPUT else "the `system:` part"
            hint = f"put `<<{name}>>` on a line of its own in {where}; a slot in code does not count"
            yield layout.source.problem("slot-missing", message, layout.source.first_line, hint=hint)


def _misplaced(layout: Layout, slot: Include, part: Part, *, last: bool) -> Iterator[Problem]:
    """What is wrong with where one slot stands."""
    role = part.role
    wanted = "user" if slot.name == INPUT else "system" if slot.name == SKILLS else role
    is_messages = slot.name == HISTORY and layout.history_is_messages
    if part.slot:
        message = f"the slot `{slot.name}` may not stand in a text that has limits of its own"
        yield _problem("slot-misplaced", message, slot, "remove the limit, or the slot")
    elif role != wanted:
        message = f"the slot `{slot.name}` may not stand in the `{role}:` part"
        yield _problem("slot-misplaced", message, slot, f"move it to the `{wanted}:` part")
    elif slot.name != INPUT and not slot.alone and not (slot.trailing and _may_trail(slot.name)):
        message = f"the slot `{slot.name}` must have its line to itself"
        yield _problem("slot-misplaced", message, slot, "give it a line of its own, with blank lines around")
    elif is_messages and (role != "system" or not last):
        message = "a history that becomes messages must stand at the end of the `system:` part"
        yield _problem("slot-misplaced", message, slot, "move it there, or write `as: list`")


def _may_trail(name: str) -> bool:
    """Whether a slot may end a line of text; what it brings starts after a blank line then."""
    return name not in SLOTS or name == SKILLS


def _problem(code: str, message: str, slot: Include, hint: str) -> Problem:
    return slot.source.problem_at(code, message, slot.offset, hint=hint)
