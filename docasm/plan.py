"""What a render has to do, decided before it: constant text, and how each hole and slot is written."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from docasm.atoms import Text
from docasm.contain import one_line
from docasm.draft import Draft, HistoryMessages
from docasm.errors import DocasmError, Problem
from docasm.fragment import INPUT
from docasm.placement import Mark, Refusal, place
from docasm.sandbox import Budget, to_text
from docasm.sections import Flat, without_empty
from docasm.stencil import stand_in_for
from docasm.template import Literal, Output, inner_nodes
from docasm.template_run import Hole

_LIST = "- x"
"""What the history and the tools look like to Markdown."""


@dataclass(frozen=True, slots=True)
class Values:
    """What one render brings."""

    names: Mapping[str, Any]
    """The variables of templates."""
    slots: Mapping[str, str]
    """The text of each slot."""


@dataclass(frozen=True, slots=True)
class SlotText:
    """A slot that a render fills."""

    name: str
    depends: frozenset[str]

    def write(self, values: Values) -> str:
        return values.slots[self.name]

    def texts(self, values: Values) -> Iterator[Text]:
        yield Text(values.slots[self.name], "", 0, slot=self.name)


@dataclass(frozen=True, slots=True)
class PlacedHole:
    """A hole, and what keeps its values in their place."""

    hole: Hole
    contain: Callable[[str], str]
    depends: frozenset[str]

    def write(self, values: Values) -> str:
        tag = self.hole.tag
        if isinstance(tag, Output) and tag.is_name and not self.hole.assignments and tag.container is None:
            value = values.names.get(next(iter(tag.names)))
            if value is not None:
                return self.contain(to_text(value, Budget()))
        return self.contain("".join(text.text for text in self._raw(values)))

    def texts(self, values: Values) -> Iterator[Text]:
        """What is written, a Text for each line, with the tag or the text that wrote its start."""
        raw = list(_by_line(self._raw(values)))
        lines = self.contain("".join(text.text for text in raw)).split("\n")
        for index, line in enumerate(lines):
            origin = raw[min(index, len(raw) - 1)] if raw else self._text("", self.hole.offset)
            end = "\n" if index < len(lines) - 1 else ""
            yield Text(line + end, origin.path, origin.line, copied=False)

    def _raw(self, values: Values) -> list[Text]:
        """What the tag writes, an output in a statement on one line unless it has the line to itself."""
        pieces = self.hole.pieces(values.names)
        if isinstance(self.hole.tag, Output):
            return [self._text(piece.text, piece.offset) for piece in pieces]
        texts = []
        for index, piece in enumerate(pieces):
            text = piece.text
            if not isinstance(piece, Literal) and not _alone([each.text for each in pieces], index):
                text = one_line(text)
            texts.append(self._text(text, piece.offset))
        return texts

    def _text(self, text: str, offset: int) -> Text:
        source = self.hole.source
        return Text(text, source.path, source.position(offset)[0], copied=False)


Part = Text | SlotText | PlacedHole


@dataclass(frozen=True, slots=True)
class PlannedMessage:
    """One message: what it is made of, and the same with neighbouring constants put together."""

    role: str
    marker: Text
    parts: tuple[Part, ...]
    merged: tuple[str | SlotText | PlacedHole, ...]


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
            parts = tuple(_placed(without_empty(each.atoms, empty)))
        except DocasmError as error:
            problems.extend(error.problems)
            continue
        if any(not isinstance(part, Text) or part.text.strip(" \t\n") for part in parts):
            planned.append(PlannedMessage(each.role, each.marker, parts, tuple(_merged(parts))))
    if problems:
        raise DocasmError(problems)
    return tuple(planned)


def _merged(parts: Sequence[Part]) -> Iterator[str | SlotText | PlacedHole]:
    for constant, group in groupby(parts, key=lambda part: isinstance(part, Text)):
        if constant:
            yield "".join(part.text for part in group if isinstance(part, Text))
        else:
            yield from (part for part in group if not isinstance(part, Text))


def _placed(atoms: Sequence[Flat]) -> Iterator[Part]:
    """The atoms, each hole with what contains it; raises DocasmError for those that nothing contains."""
    text, marks = _stencil(atoms)
    containments = place(text, tuple(mark for mark in marks if mark))
    problems = []
    for atom in atoms:
        if isinstance(atom, Text):
            yield atom
        elif isinstance(atom.what, str):
            yield SlotText(atom.what, atom.depends | {_SLOT_DEPENDS.get(atom.what, atom.what)})
        else:
            contain = next(containments)
            reason = contain.reason if isinstance(contain, Refusal) else _changes_text(atom.what, contain)
            if reason or isinstance(contain, Refusal):
                problems.append(_uncontained(atom.what, str(reason)))
            else:
                yield PlacedHole(atom.what, contain, atom.depends | depends_on(atom.what.tag.names))
    if problems:
        raise DocasmError(problems)


_SLOT_DEPENDS = {INPUT: "trigger"}
_VARIABLE_DEPENDS = {"now": "now", "sender": "trigger", "event": "trigger"}


def depends_on(names: frozenset[str]) -> frozenset[str]:
    """What a template that uses these variables depends on: "now", "trigger" or "variables"."""
    return frozenset(_VARIABLE_DEPENDS.get(name, "variables") for name in names)


def _stencil(atoms: Sequence[Flat]) -> tuple[str, tuple[Mark, ...]]:
    stand_in = stand_in_for("".join(atom.text for atom in atoms if isinstance(atom, Text)))
    pieces: list[str] = []
    marks: list[Mark] = []
    length = 0
    for atom in atoms:
        if isinstance(atom, Text):
            piece = atom.text
        elif isinstance(atom.what, str):
            piece = stand_in if atom.what == INPUT else _LIST
        else:
            lines = atom.what.writes_lines and (not pieces or pieces[-1].endswith("\n"))
            statement = not isinstance(atom.what.tag, Output)
            marks.append(Mark(length, atom.what.container, statement, lines))
            piece = f"{stand_in}\n" if lines else stand_in
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces), tuple(marks)


def _changes_text(hole: Hole, contain: Callable[[str], str]) -> str:
    """Why a statement's own text may not come and go with a value, if it may not."""
    for node in inner_nodes(hole.tag):
        if isinstance(node, Literal) and contain(node.text) != node.text:
            return "a value would decide whether its line ends, headings, fences or HTML are there"
        if isinstance(node, Output) and node.container not in (None, "oneline"):
            return f"`| {node.container}` may not stand in an `if` or `for` that only a render decides"
    return ""


def _uncontained(hole: Hole, reason: str) -> Problem:
    message = f"a value here could change the document's structure: {reason}"
    hint = "put a word before it, put it alone between blank lines, or add `| oneline`, `| quote`, `| fence`"
    if not isinstance(hole.tag, Output):
        hint = "put the text in a skill of its own with a trigger that says when"
    else:
        hint += "; `| trusted` vouches for the value"
    return hole.source.problem_at("uncontained-value", message, hole.offset, hint=hint)


def _by_line(texts: Sequence[Text]) -> Iterator[Text]:
    """One Text for each line, with the origin of its start."""
    line, origin = "", None
    for text in texts:
        for index, piece in enumerate(text.text.split("\n")):
            if index:
                yield Text(line + "\n", (origin or text).path, (origin or text).line, copied=False)
                line, origin = "", None
                text = _next_line(text, index)
            if piece:
                origin = origin or text
                line += piece
    if line and origin:
        yield Text(line, origin.path, origin.line, copied=False)


def _next_line(text: Text, index: int) -> Text:
    return Text(text.text, text.path, text.line + (1 if text.copied else 0), text.copied) if index else text


def _alone(texts: Sequence[str], index: int) -> bool:
    before = index == 0 or texts[index - 1].endswith("\n")
    return before and (index + 1 == len(texts) or texts[index + 1].startswith("\n"))
