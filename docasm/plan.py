"""What a render has to do, decided before it: constant text, and how each hole and slot is written."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from docasm.atoms import Include, Region, Text, cut_at
from docasm.draft import Draft, HistoryMessages
from docasm.errors import DocasmError, Problem
from docasm.fill import PlacedHole, SlotText
from docasm.fragment import INPUT
from docasm.placement import LIST, ListMark, Mark, Refusal, place
from docasm.sections import Flat, waits_for, without_empty
from docasm.stencil import stand_in_for
from docasm.template import Literal, Output, inner_nodes
from docasm.template_run import Hole

Part = Text | SlotText | PlacedHole


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring parts of one region."""

    region: Region
    parts: tuple[Part, ...]
    merged: tuple[str | SlotText | PlacedHole, ...]
    constant: tuple[Region, str, bool] | None
    """The region, its text and True, if every render writes the same."""

    @classmethod
    def of(cls, parts: Sequence[Part]) -> "Iterator[Stretch]":
        """The stretches of a message's parts."""
        for region, group in groupby(parts, key=lambda part: part.region):
            some = tuple(group)
            merged = tuple(_merged(some))
            text = merged[0] if len(merged) == 1 else None
            yield cls(region, some, merged, (region, text, True) if isinstance(text, str) else None)


@dataclass(frozen=True, slots=True)
class PlannedMessage:
    """One message: what it is made of, and the same with neighbouring constants put together."""

    role: str
    marker: Text
    parts: tuple[Part, ...]
    merged: tuple[str | SlotText | PlacedHole, ...]
    stretches: tuple[Stretch, ...]
    name: str = ""
    """What the layout calls it."""


Planned = PlannedMessage | HistoryMessages


def plan(drafts: Sequence[Draft | HistoryMessages], empty: frozenset[str]) -> tuple[Planned, ...]:
    """The messages of a render in which the slots in `empty` bring nothing; raises DocasmError.

    A message that holds a hole or a filled slot is there whatever its values are; one without text is not.
    """
    planned: list[Planned] = []
    problems: list[Problem] = []
    for each in drafts:
        if isinstance(each, HistoryMessages):
            planned.append(each)
            continue
        try:
            parts = tuple(
                _with_blank_lines(list(_placed(without_empty(each.atoms, empty, goes=bool(each.name)))))
            )
        except DocasmError as error:
            problems.extend(error.problems)
            continue
        if any(not isinstance(part, Text) or part.text.strip(" \t\n") for part in parts):
            marker = replace(each.marker, depends=waits_for(each.atoms)) if each.name else each.marker
            stretches = tuple(Stretch.of(parts))
            merged = tuple(_merged(parts))
            planned.append(PlannedMessage(each.role, marker, parts, merged, stretches, each.name))
    if problems:
        raise DocasmError(problems)
    return tuple(planned)


def _merged(parts: Sequence[Part]) -> Iterator[str | SlotText | PlacedHole]:
    for constant, group in groupby(parts, key=lambda part: isinstance(part, Text)):
        if constant:
            yield "".join(part.text for part in group if isinstance(part, Text))
        else:
            yield from (part for part in group if not isinstance(part, Text))


def _with_blank_lines(parts: list[Part]) -> list[Part]:
    """Statements that write lines, each with the blank line that goes when it writes none.

    It is the one after it; at the end of its file, where there is none, those before it.
    """
    for index, part in enumerate(parts):
        if not isinstance(part, PlacedHole) or not part.lines:
            continue
        after = parts[index + 1] if index + 1 < len(parts) else None
        before = parts[index - 1] if index else None
        if isinstance(after, Text) and after.path == part.hole.source.path:
            blank, parts[index + 1] = cut_at(after, _blank_line_length(after.text))
            parts[index] = replace(part, after=blank)
        elif isinstance(before, Text) and before.path == part.hole.source.path:
            parts[index - 1], blank = cut_at(before, len(before.text.rstrip(" \t\n")))
            parts[index] = replace(part, before=blank, last=True)
        else:
            parts[index] = replace(part, last=True)
    return parts


def _blank_line_length(text: str) -> int:
    end = text.find("\n") + 1
    return end if not text[:end].strip(" \t\n") else 0


def _placed(atoms: Sequence[Flat]) -> Iterator[Part]:
    """The atoms, each hole with what contains it; raises DocasmError for those that nothing contains."""
    containments = place(*_stencil(atoms))
    problems = []
    for atom in atoms:
        if isinstance(atom, Text):
            yield atom
        elif isinstance(atom.what, str):
            if atom.tag and isinstance(refusal := next(containments), Refusal):
                problems.append(_misplaced(atom.tag, refusal.reason))
            yield SlotText(atom.what, atom.depends | {_SLOT_DEPENDS.get(atom.what, atom.what)}, atom.region)
        else:
            contain = next(containments)
            if not isinstance(contain, Refusal) and (reason := _changes_text(atom.what, contain)):
                contain = Refusal(reason)
            if isinstance(contain, Refusal):
                problems.append(_uncontained(atom.what, contain))
            else:
                depends = atom.depends | depends_on(atom.what.tag.names)
                hole = atom.what
                yield PlacedHole(hole, hole.variable, contain, depends, hole.writes_lines, atom.region)
    if problems:
        raise DocasmError(problems)


_SLOT_DEPENDS = {INPUT: "trigger"}
_VARIABLE_DEPENDS = {"now": "now", "sender": "trigger", "event": "trigger"}


def depends_on(names: frozenset[str]) -> frozenset[str]:
    """What a template that uses these variables depends on: "now", "trigger" or "variables"."""
    return frozenset(_VARIABLE_DEPENDS.get(name, "variables") for name in names)


def _stencil(atoms: Sequence[Flat]) -> tuple[str, tuple[Mark | ListMark, ...]]:
    stand_in = stand_in_for("".join(atom.text for atom in atoms if isinstance(atom, Text)))
    pieces: list[str] = []
    marks: list[Mark | ListMark] = []
    length = 0
    for index, atom in enumerate(atoms):
        if isinstance(atom, Text):
            piece = atom.text
        elif isinstance(atom.what, str):
            piece = LIST if atom.tag else stand_in
            marks += [ListMark(length)] if atom.tag else []
        else:
            lines = atom.what.writes_lines and (not pieces or pieces[-1].endswith("\n"))
            statement = not isinstance(atom.what.tag, Output)
            marks.append(Mark(length, atom.what.container, statement, lines))
            ends_its_line = lines and _goes_on(atom.what, atoms[index + 1 : index + 2])
            piece = f"{stand_in}\n" if ends_its_line else stand_in
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces), tuple(marks)


def _goes_on(hole: Hole, rest: Sequence[Flat]) -> bool:
    """Whether text of the hole's own file follows; if none does, its last line end is not written."""
    return bool(rest) and isinstance(rest[0], Text) and rest[0].path == hole.source.path


def _misplaced(slot: Include, reason: str) -> Problem:
    message = f"what the slot `{slot.name}` brings could change the document's structure: {reason}"
    hint = "put it flush left between blank lines, outside lists, quotes and HTML"
    return slot.source.problem_at("slot-misplaced", message, slot.offset, hint=hint)


def _changes_text(hole: Hole, contain: Callable[[str], str]) -> str:
    """Why a statement's own text may not come and go with a value, if it may not."""
    nodes = tuple(inner_nodes(hole.tag))
    text = "".join(node.text if isinstance(node, Literal) else "x" for node in nodes)
    if contain(text) != text:
        return "a value would decide whether its line ends, headings, fences or HTML are there"
    for node in nodes:
        if isinstance(node, Output) and node.container not in (None, "oneline"):
            return f"`| {node.container}` may not stand in an `if` or `for` that only a render decides"
    return ""


def _uncontained(hole: Hole, refusal: Refusal) -> Problem:
    message = f"a value here could change the document's structure: {refusal.reason}"
    if isinstance(hole.tag, Output):
        offered = [f"add `| {name}`" for name in refusal.offers]
        ways = ["put a word before it on its line", "give it a line of its own between blank lines", *offered]
        hint = f"{', '.join(ways)}, or vouch for the value with `| trusted`"
    else:
        hint = "give its tags lines of their own, flush left, a blank line above and below; what only some \
documents have under a heading is a skill of its own, with a trigger"
    return hole.source.problem_at("uncontained-value", message, hole.offset, hint=hint)
