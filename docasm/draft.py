"""A document before any value exists: the layout with the selected skills in it, message by message."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from docasm.atoms import Heading, Include, Nothing, Text, trimmed, without_emptied_lines
from docasm.compose import Composer, Written
from docasm.errors import DocasmError, Problem
from docasm.fragment import INPUT, MESSAGE_TAG, Fragment, Part
from docasm.layout import Layout
from docasm.limits import HISTORY, SKILLS, SLOTS
from docasm.slot_check import slots_of
from docasm.source import Source


@dataclass(frozen=True, slots=True)
class SectionStart:
    """Where a heading of the layout begins a section, which ends at the next one that is not deeper."""

    level: int


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one skill brings to a slot."""

    skill: str
    atoms: tuple[Written, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of the layout."""

    name: str
    contributions: tuple[Contribution, ...] = ()
    """What files bring to it, those that write something; one blank line stands between them."""
    waits: bool = True
    """Whether a render brings something to it."""
    tag: Include | None = None
    """Where the layout has it, for a slot whose surroundings matter."""
    lead: tuple[Text, ...] = ()
    """What stands before what it brings, if it brings something."""
    alone: bool = True
    """Whether it has its line to itself."""


DraftAtom = Written | Nothing | SectionStart | Slot


@dataclass(frozen=True, slots=True)
class Draft:
    """One message."""

    role: str
    marker: Text
    """The marker line."""
    atoms: tuple[DraftAtom, ...]
    name: str = ""
    """What the layout calls it; a message with a name goes when all its slots are empty."""


@dataclass(frozen=True, slots=True)
class HistoryMessages:
    """Where the history stands as messages of its own."""

    name: str = ""
    """What the layout calls them."""


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
    pairs = [
        _message(example, composer.part(example, 0, (skill.name,)))
        for skill, (examples, _) in zip(chosen, conversations, strict=True)
        for example in examples
    ]
    for part in fragment.parts:
        composer.titled = composer.titled or (part.titled and bool(part.name))
        atoms = tuple(_layout_atoms(layout, part, chosen, [last for _, last in conversations], composer))
        if part.slot:
            atoms = (_whole(layout, part, atoms),)
        has_history = any(slot.name == HISTORY for slot in slots_of(part, layout))
        if any(isinstance(atom, Slot) and atom.name == INPUT for atom in atoms):
            yield from pairs
            pairs = []
        yield _message(part, atoms)
        if has_history and layout.history_is_messages:
            yield from pairs
            pairs = []
            yield HistoryMessages(part.name)


def _message(part: Part, atoms: tuple[DraftAtom, ...]) -> Draft:
    return Draft(part.role, Text(f"{part.role}:", part.source.path, part.marker_line), atoms, part.name)


def _layout_atoms(
    layout: Layout,
    part: Part,
    chosen: Sequence[Chosen],
    last_parts: Sequence[Part | None],
    composer: Composer,
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
            yield _placed(layout, atom, _skills(chosen, level, composer))
        elif atom.name == INPUT:
            yield _input(layout, atom, chosen, last_parts, composer)
        elif atom.name in SLOTS or layout.slot(atom.name).variable:
            yield replace(_placed(layout, atom, ()), waits=True, tag=atom)
        elif atom.name in layout.slots:
            yield _placed(layout, atom, (_included(atom, level, composer),))
        elif atom.name == MESSAGE_TAG:
            raise _misplaced(atom, "in a layout the input is the slot `<<input>>`", "write `<<input>>`")
        else:
            yield from composer.included(atom, level, ())


def _whole(layout: Layout, part: Part, atoms: Sequence[DraftAtom]) -> Slot:
    """A part as the slot that all of it belongs to; it holds no other slot."""
    kept = [atom for atom in atoms if not isinstance(atom, SectionStart | Slot)]
    slot = Include(part.slot, True, "", False, part.source, 0)
    return _placed(layout, slot, (Contribution("", trimmed(without_emptied_lines(kept))),))


def _placed(layout: Layout, slot: Include, contributions: Sequence[Contribution]) -> Slot:
    """A slot, with what its line and its settings put before what it brings."""
    written = tuple(filter(_writes, contributions))
    lead = [] if slot.alone or slot.name == INPUT else [Text("\n\n", "", 0, slot=slot.name)]
    preface = layout.slot(slot.name).preface
    if preface is not None and (text := str(preface.value).strip("\n")):
        lead.append(Text(text, preface.source.path, preface.line, copied=False))
        lead.append(Text("\n\n", "", 0, slot=slot.name))
    return Slot(slot.name, written, False, None, tuple(lead), slot.alone)


def _writes(contribution: Contribution) -> bool:
    return bool(contribution.atoms)


def _skills(chosen: Sequence[Chosen], level: int, composer: Composer) -> Sequence[Contribution]:
    """What the selected skills contribute, in order."""
    return [Contribution(skill.name, composer.skill(skill.name, level)) for skill in chosen]


def _included(include: Include, level: int, composer: Composer) -> Contribution:
    """The text of the skill that a slot is called after."""
    written = composer.included(replace(include, alone=True), level, ())
    return Contribution(include.name, tuple(each for each in written if not isinstance(each, Nothing)))


def _input(
    layout: Layout,
    slot: Include,
    chosen: Sequence[Chosen],
    last_parts: Sequence[Part | None],
    composer: Composer,
) -> Slot:
    """The skills' last `user:` parts, and the input after them unless one of them holds it."""
    parts = [
        Contribution(skill.name, composer.part(part, 0, (skill.name,)))
        for skill, part in zip(chosen, last_parts, strict=True)
        if part is not None
    ]
    holds_input = any(isinstance(atom, Include) for part in parts for atom in part.atoms)
    return replace(
        _placed(layout, slot, ()), contributions=tuple(filter(_writes, parts)), waits=not holds_input
    )


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
