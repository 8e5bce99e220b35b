"""A document before any value exists: the layout with the selected skills in it, message by message."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docasm.atoms import Heading, Include, Nothing, Text
from docasm.compose import Composer, Written
from docasm.errors import DocasmError, Problem
from docasm.fragment import INPUT, MESSAGE_TAG, Fragment, Part
from docasm.layout import AS_MESSAGES, HISTORY, SKILLS, SLOTS, Layout, slots_of
from docasm.source import Source


@dataclass(frozen=True, slots=True)
class SectionStart:
    """Where a heading of the layout begins a section, which ends at the next one that is not deeper."""

    level: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of the layout."""

    name: str
    written: tuple[Written, ...] = ()
    """What the selected skills bring to it."""
    waits: bool = True
    """Whether a render brings something to it."""
    tag: Include | None = None
    """Where the layout has it, for a slot whose surroundings matter."""


DraftAtom = Written | Nothing | SectionStart | Slot


@dataclass(frozen=True, slots=True)
class Draft:
    """One message."""

    role: str
    marker: Text
    """The marker line."""
    atoms: tuple[DraftAtom, ...]


@dataclass(frozen=True, slots=True)
class HistoryMessages:
    """Where the history stands as messages of its own."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A skill that a trigger selected."""

    name: str
    fragment: Fragment


def draft(
    layout: Layout, fragment: Fragment, chosen: Sequence[Chosen], composer: Composer
) -> Iterator[Draft | HistoryMessages]:
    """The messages in order; raises DocasmError where a skill's parts cannot be put together."""
    conversations = [_conversation(skill) for skill in chosen]
    has_history = any(slot.name == HISTORY for part in fragment.parts for slot in slots_of(part))
    for part in fragment.parts:
        atoms = tuple(_layout_atoms(part, chosen, [last for _, last in conversations], composer))
        if any(isinstance(atom, Slot) and atom.name == INPUT for atom in atoms):
            for skill, (examples, _) in zip(chosen, conversations, strict=True):
                for example in examples:
                    yield _message(example, composer.part(example, 0, (skill.name,)))
            if has_history and layout.history_as == AS_MESSAGES:
                yield HistoryMessages()
        yield _message(part, atoms)


def _message(part: Part, atoms: tuple[DraftAtom, ...]) -> Draft:
    return Draft(part.role, Text(f"{part.role}:", part.source.path, part.marker_line), atoms)


def _layout_atoms(
    part: Part, chosen: Sequence[Chosen], last_parts: Sequence[Part | None], composer: Composer
) -> Iterator[DraftAtom]:
    """A part of the layout, its headings as they are written."""
    level = 0
    for atom in part.atoms:
        if isinstance(atom, Heading):
            if not atom.nested:
                yield SectionStart(atom.level)
                level = atom.level
            yield from composer.heading(atom, atom.level, ())
        elif not isinstance(atom, Include):
            yield atom
        elif atom.name == SKILLS:
            yield Slot(SKILLS, _skills(chosen, level, composer), waits=False)
        elif atom.name == INPUT:
            yield _input(chosen, last_parts, composer)
        elif atom.name in SLOTS:
            yield Slot(atom.name, tag=atom)
        elif atom.name == MESSAGE_TAG:
            raise _misplaced(atom, "in a layout the input is the slot `<<input>>`", "write `<<input>>`")
        else:
            yield from composer.included(atom, level, ())


def _skills(chosen: Sequence[Chosen], level: int, composer: Composer) -> tuple[Written, ...]:
    """What the selected skills contribute, in order, one blank line between them."""
    written: list[Written] = []
    for skill in chosen:
        contribution = composer.skill(skill.name, level)
        if contribution and written:
            written.append(Text("\n\n", "", 0, slot=SKILLS))
        written += contribution
    return tuple(written)


def _input(chosen: Sequence[Chosen], last_parts: Sequence[Part | None], composer: Composer) -> Slot:
    """The skills' last `user:` parts, and the input after them unless one of them holds it."""
    written: list[Written] = []
    for skill, part in zip(chosen, last_parts, strict=True):
        if part is not None:
            written += composer.part(part, 0, (skill.name,))
            written.append(Text("\n\n", "", 0, slot=INPUT))
    holds_input = any(isinstance(atom, Include) for atom in written)
    return Slot(INPUT, tuple(written[:-1] if holds_input else written), waits=not holds_input)


def _conversation(skill: Chosen) -> tuple[list[Part], Part | None]:
    """A skill's complete user/assistant pairs, and the `user:` part after them."""
    parts = list(skill.fragment.parts)
    if parts and parts[0].role == "system":
        del parts[0]
    last = parts.pop() if len(parts) % 2 and parts[-1].role == "user" else None
    for index, part in enumerate(parts):
        wanted = ("user", "assistant")[index % 2]
        if part.role != wanted:
            raise DocasmError([_out_of_order(part, wanted)])
    for part in parts:
        _without_input(part)
    return parts, last


def _out_of_order(part: Part, wanted: str) -> Problem:
    message = f"the part `{part.role}:` cannot stand here; expected `{wanted}:`"
    hint = "a skill is one `system:` part, then pairs of `user:` and `assistant:`, then one `user:` part"
    marker = Source(part.source.path, f"{part.role}:", part.marker_line)
    return marker.problem("parts-out-of-order", message, part.marker_line, hint=hint)


def _without_input(part: Part) -> None:
    for atom in part.atoms:
        if isinstance(atom, Include) and atom.name == MESSAGE_TAG:
            message = "the input may stand only in the last `user:` part of a skill"
            raise _misplaced(atom, message, "move `{{ message }}` there")


def _misplaced(tag: Include, message: str, hint: str) -> DocasmError:
    return DocasmError([tag.source.problem_at("misplaced-message", message, tag.offset, hint=hint)])
