"""A layout: the document with slots in it, and what its front matter says of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from docasm.atoms import Include
from docasm.errors import Problem, did_you_mean
from docasm.fields import Fields
from docasm.fragment import INPUT, Fragment, Part
from docasm.settings import parse_settings
from docasm.skill import read_variables
from docasm.source import Source, split_front_matter

SKILLS, TOOLS, HISTORY = "skills", "tools", "history"
SLOTS = (SKILLS, TOOLS, HISTORY, INPUT)
LAYOUT_KEYS = ("description", "slots", "variables", "metadata")
AS_LIST, AS_MESSAGES = "list", "messages"


@dataclass(frozen=True, slots=True)
class Layout:
    """One layout as its file gives it; the body is not compiled yet."""

    name: str
    body: Source
    variables: Mapping[str, Any]
    history_as: str
    """AS_LIST writes the history into the document, AS_MESSAGES makes it messages of its own."""
    max_turns: int | None
    """How many turns of the history are kept; None for all."""


def read_layout(source: Source, name: str) -> tuple[Layout, tuple[Problem, ...]]:
    """The layout of a file and what is wrong with its front matter; raises DocasmError if it is not YAML."""
    parts = split_front_matter(source)
    problems: list[Problem] = []
    fields = Fields(parse_settings(parts.settings), problems, "the layout's front matter")
    fields.only(LAYOUT_KEYS)
    slots = fields.mapping("slots")
    _known_slots(slots)
    history = slots.mapping(HISTORY)
    history.only(["as", "max_turns"])
    for name_of_slot in (SKILLS, TOOLS, INPUT):
        slots.mapping(name_of_slot).only([])
    layout = Layout(
        name=name,
        body=parts.body,
        variables=read_variables(fields),
        history_as=_history_as(history),
        max_turns=history.whole("max_turns", least=0),
    )
    return layout, tuple(problems)


def _known_slots(slots: Fields) -> None:
    for key in slots.values:
        if key not in SLOTS:
            hint = did_you_mean(key, SLOTS, kind="slots")
            problem = slots.setting.key_problem("unknown-slot", f"there is no slot `{key}`", key, hint=hint)
            slots.problems.append(problem)


def _history_as(history: Fields) -> str:
    value = history.text("as", AS_LIST)
    if value not in (AS_LIST, AS_MESSAGES):
        setting = history.get("as")
        assert setting is not None
        hint = did_you_mean(value, (AS_LIST, AS_MESSAGES), kind="ways")
        history.wrong(setting, f"`as` must be `{AS_LIST}` or `{AS_MESSAGES}`", hint=hint)
    return value


def slots_of(part: Part) -> Iterator[Include]:
    """The slots of a layout's part."""
    for atom in part.atoms:
        if isinstance(atom, Include) and atom.name in SLOTS:
            yield atom


def check_slots(layout: Layout, fragment: Fragment) -> Iterator[Problem]:
    """Every slot that is used twice, stands where it may not, or is missing where each trigger needs it."""
    seen: dict[str, int] = {}
    for part in fragment.parts:
        for atom in slots_of(part):
            yield from _misplaced(layout, atom, part.role, last=atom is part.atoms[-1])
            if atom.name in seen:
                message = f"the slot `{atom.name}` is used twice; the first is on line {seen[atom.name]}"
                yield _problem("slot-twice", message, atom, "keep one of them")
            seen.setdefault(atom.name, atom.source.position(atom.offset)[0])
    for name in (SKILLS, INPUT):
        if name not in seen:
            message = f"the layout has no slot `<<{name}>>`, so what it brings would be lost"
            where = "a `user:` part" if name == INPUT else "the `system:` part"
            hint = f"put `<<{name}>>` on a line of its own in {where}; a slot in code does not count"
            yield layout.body.problem("slot-missing", message, layout.body.first_line, hint=hint)


def _misplaced(layout: Layout, slot: Include, role: str, *, last: bool) -> Iterator[Problem]:
    """What is wrong with where one slot stands."""
    wanted = "user" if slot.name == INPUT else "system" if slot.name == SKILLS else role
    if role != wanted:
        message = f"the slot `{slot.name}` may not stand in the `{role}:` part"
        yield _problem("slot-misplaced", message, slot, f"move it to the `{wanted}:` part")
    elif slot.name != INPUT and not slot.alone:
        message = f"the slot `{slot.name}` must have its line to itself"
        yield _problem("slot-misplaced", message, slot, "give it a line of its own, with blank lines around")
    elif slot.name == HISTORY and layout.history_as == AS_MESSAGES and (role != "system" or not last):
        message = "a history that becomes messages must stand at the end of the `system:` part"
        yield _problem("slot-misplaced", message, slot, "move it there, or write `as: list`")


def _problem(code: str, message: str, slot: Include, hint: str) -> Problem:
    return slot.source.problem_at(code, message, slot.offset, hint=hint)
