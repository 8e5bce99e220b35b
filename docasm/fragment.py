"""Compiling one file, a skill or a layout, into atoms: its text, its headings, its includes, its holes.

A file is compiled once for its constants, alone: what its headings and code are does not depend on the
document it will stand in.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TypeGuard

from docasm.account import Budget
from docasm.atoms import Atom, Heading, Include, Text, trimmed
from docasm.errors import DocasmError, Problem
from docasm.markdown import Block, Opening, Structure, left_open, structure
from docasm.markers import ROLES, Section, sections, unescape_markers
from docasm.source import Source
from docasm.stencil import Stencil, stencil
from docasm.template import Literal, Names, Output
from docasm.template_reader import parse
from docasm.template_run import Hole, Piece, fold

INPUT = "input"
MESSAGE = "message"
"""The variable that stands for the input in the last `user:` part of a skill."""
MESSAGE_TAG = "{{ message }}"
"""What an Include is called that stands for it; no skill and no slot can have this name."""
ROLE_WITHOUT_MARKER = "system"


@dataclass(frozen=True, slots=True)
class Part:
    """What a file says in one role."""

    role: str
    atoms: tuple[Atom, ...]
    source: Source
    """Its lines in the file."""
    marker_line: int
    """The line of its marker; without one, its first line."""
    closer: Text | None
    """What closes the fence or HTML block that the author left open."""
    shallowest: int
    """The level of its shallowest heading; 0 without headings."""
    titled: bool
    """Whether its first heading is its only heading of level 1."""
    name: str = ""
    """What a layout calls it."""
    slot: str = ""
    """The slot of a layout that all of it belongs to."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """One compiled file."""

    parts: tuple[Part, ...]
    problems: tuple[Problem, ...]
    """Warnings only; an error raises."""


def compile_fragment(body: Source, *, template: bool, constants: Names, role: str | None = None) -> Fragment:
    """The atoms of a body; raises DocasmError with all that is wrong in it.

    Without `template` the body is one system part, taken as it is: no markers, no includes, no tags. With a
    `role` it is one part, too, and a line that looks like a marker is text.
    """
    problems: list[Problem] = []
    parts = []
    budget = Budget(constants)
    one_part = not template or role is not None
    for own, source, marker_line in _verbatim(body, role) if one_part else _sources(body):
        try:
            parts.append(_part(own, source, marker_line, template, constants, budget, problems))
        except DocasmError as error:
            problems.extend(error.problems)
    if any(problem.severity == "error" for problem in problems):
        raise DocasmError(problems)
    return Fragment(tuple(parts), tuple(problems))


def _sources(body: Source) -> Iterator[tuple[str, Source, int]]:
    """The role, the lines and the marker line of each part; blank text before a first marker is none."""
    lines = body.text.split("\n")
    for section in sections(body.text):
        source = _trimmed(_lines(body, lines, section))
        if section.role is not None or source.text:
            marker = source.first_line if section.marker is None else body.first_line + section.marker
            yield section.role or ROLE_WITHOUT_MARKER, source, marker


def _verbatim(body: Source, role: str | None) -> Iterator[tuple[str, Source, int]]:
    source = _trimmed(body)
    yield role or ROLE_WITHOUT_MARKER, source, source.first_line


def _lines(body: Source, lines: list[str], section: Section) -> Source:
    text = unescape_markers("\n".join(lines[section.first : section.end]))
    return Source(body.path, text, body.first_line + section.first)


def _trimmed(source: Source) -> Source:
    """The source without the blank lines at its ends."""
    lines = source.text.split("\n")
    kept = [number for number, line in enumerate(lines) if line.strip(" \t")]
    if not kept:
        return replace(source, text="")
    text = "\n".join(lines[kept[0] : kept[-1] + 1])
    return replace(source, text=text, first_line=source.line_of(kept[0]))


def _part(
    role: str,
    source: Source,
    marker_line: int,
    template: bool,
    constants: Names,
    budget: Budget,
    problems: list[Problem],
) -> Part:
    pieces = _pieces(source, constants, budget) if template else (Literal(source.text, 0),)
    drawn = stencil(pieces, source, includes=template)
    found = structure(drawn.text)
    if found.too_deep is not None:
        message = "quotes and lists nest over 100 deep here"
        raise DocasmError([source.problem("nested-too-deep", message, drawn.line_of(found.too_deep))])
    if template:
        problems.extend(_nearly_markers(drawn, found))
        problems.extend(_taken_line_ends(source))
    opening = left_open(found)
    if opening:
        problems.append(_left_open(drawn, opening))
    outline = [block for block in found.headings if not block.nested]
    return Part(
        role,
        trimmed(tuple(_with_input(drawn.atoms(found), role))),
        source,
        marker_line,
        _closer(drawn, opening),
        min((block.level for block in outline or found.headings), default=0),
        _is_titled(outline),
    )


def _pieces(source: Source, constants: Names, budget: Budget) -> tuple[Piece, ...]:
    """The template of a part, folded; a statement that uses the input is told before it is carried out."""
    tree = parse(source)
    for node in tree:
        if not isinstance(node, Literal | Output) and MESSAGE in node.names:
            raise _misplaced(source, node.offset)
    return fold(tree, source, constants, budget)


_STATEMENT = re.compile(r"\{%.*?%\}")
_ENDS_WITH_STATEMENT = re.compile(r"(?:[^+-]|\A)%\}\Z")


def _taken_line_ends(source: Source) -> Iterator[Problem]:
    """A warning where a statement ends a line with text: Jinja2's `trim_blocks` joins the next line to it."""
    lines = source.text.split("\n")
    for number, line in enumerate(lines[:-1]):
        if _ENDS_WITH_STATEMENT.search(line) and _STATEMENT.sub("", line).strip():
            message = "the statement that ends this line takes its line end: the next line joins it"
            hint = "write `+%}` for its last `%}` to keep the line end"
            offset = source.lines.start(number) + max(0, line.rfind("{%"))
            yield source.problem_at("taken-line-end", message, offset, hint=hint, severity="warning")


_NEARLY_A_MARKER = re.compile(r"([A-Za-z]+):[ \t]*")


def _nearly_markers(drawn: Stencil, found: Structure) -> Iterator[Problem]:
    """A warning for each line of text that reads like a marker with a role that there is not."""
    lines = drawn.text.split("\n")
    for block in found.blocks:
        for number in range(block.first, block.last) if block.kind == "paragraph" else ():
            line = _NEARLY_A_MARKER.fullmatch(lines[number])
            meant = line and get_close_matches(line[1].lower(), ROLES, n=1, cutoff=0.8)
            if line and meant:
                message = f"`{line[1]}:` names no role, so this line is text"
                hint = f"did you mean `{meant[0]}:`? Markers are written in lower case, alone on their line"
                place = drawn.line_of(number)
                yield drawn.source.problem("unknown-role", message, place, hint=hint, severity="warning")


def _is_titled(outline: list[Block]) -> bool:
    levels = [block.level for block in outline]
    return levels[:1] == [1] and levels.count(1) == 1


def _closer(drawn: Stencil, opening: Opening | None) -> Text | None:
    if opening is None:
        return None
    return Text(f"\n{opening.closer}", drawn.source.path, drawn.line_of(opening.line), copied=False)


def _left_open(drawn: Stencil, opening: Opening) -> Problem:
    message = f"this block is not closed; a line {opening.closer} closes it at the end of its part"
    hint = f"close it with a line {opening.closer}"
    line = drawn.line_of(opening.line)
    return drawn.source.problem("left-open", message, line, hint=hint, severity="warning")


def _with_input(atoms: Iterator[Atom], role: str) -> Iterator[Atom]:
    """The atoms, `{{ message }}` as an Include; raises DocasmError where it may not stand."""
    for atom in atoms:
        for each in (atom.setext or ()) if isinstance(atom, Heading) else ():
            if _uses_message(each):
                raise _misplaced(each.source, each.offset)
        if not _uses_message(atom):
            yield atom
        elif isinstance(atom.tag, Output) and atom.tag.is_name and not atom.tag.container and role == "user":
            yield Include(MESSAGE_TAG, False, "", False, atom.source, atom.offset)
        else:
            raise _misplaced(atom.source, atom.offset)


def _uses_message(atom: Atom) -> TypeGuard[Hole]:
    return isinstance(atom, Hole) and MESSAGE in atom.tag.names


def _misplaced(source: Source, offset: int) -> DocasmError:
    message = "`message` is the input, exactly; it takes no filter, and stands in no block"
    hint = "write `{{ message }}`, in the last `user:` part of a skill, in no underlined heading"
    return DocasmError([source.problem_at("misplaced-message", message, offset, hint=hint)])
