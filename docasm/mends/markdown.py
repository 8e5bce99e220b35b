"""Mending Markdown: closing what an author left open, headings that jump."""

import re
from collections.abc import Iterator, Sequence

from docasm.atoms import Heading
from docasm.fragment import Part
from docasm.lints.markdown import NESTED, jumping, outline
from docasm.markdown import Block, beginning, opening_of, structure
from docasm.mends.edit import Edit
from docasm.mends.patient import Patient

_BLANK = " \t"
_LIST_MARKER = re.compile(r"[^> \t]")
_RUN = re.compile(r" {0,3}(?P<run>#{1,6})(?=[ \t]|$)", re.M)


def closers(patient: Patient) -> Sequence[Edit]:
    """The lines that close fences and HTML blocks: where docasm closes a part's, and in lists and quotes."""
    parts = patient.fragment.parts if patient.fragment and patient.is_plain else ()
    return [edit for part in parts for edit in _closers(patient, part)]


def _closers(patient: Patient, part: Part) -> Iterator[Edit]:
    text = part.source.text
    lines = text.split("\n")
    for block in structure(text).blocks if NESTED.search(text) else ():
        opening = opening_of(block) if block.nested else None
        if opening is not None:
            filled = (number for number in range(block.first, block.last) if lines[number].strip(_BLANK))
            yield _after(
                patient, part, max(filled), f"\n{_prefix(lines[block.first], block)}{opening.closer}"
            )
    if part.closer:
        yield _after(patient, part, len(lines) - 1, part.closer.text)


def _after(patient: Patient, part: Part, line: int, text: str) -> Edit:
    """A text at the end of a line of a part."""
    end = patient.source.lines.start(part.source.line_of(line)) - 1
    return Edit(end, end, text)


def _prefix(line: str, block: Block) -> str:
    """What a line starts with to stand in the list items and quotes in which a block begins."""
    return _LIST_MARKER.sub(" ", line[: beginning(line, block)])


def without_closers(text: str) -> str:
    """A text without the lines that close fences and HTML blocks in lists and quotes."""
    lines = text.split("\n")
    for block in reversed(structure(text).blocks if NESTED.search(text) else ()):
        closes = block.kind in ("fence", "html") and opening_of(block) is None
        if block.nested and closes and block.last - block.first > 1:
            del lines[block.last - 1]
    return "\n".join(lines)


def levels(patient: Patient) -> Sequence[Edit]:
    """The runs of `#` of headings that jump, and of those beside and below them, so that none jumps."""
    parts = patient.fragment.parts if patient.fragment and patient.is_plain else ()
    edits: list[Edit] = []
    for part in parts:
        if any(True for _ in jumping(part)):
            found = tuple(_level_edits(patient, outline(part)))
            if None in found:
                return ()
            edits += (each for each in found if each is not None)
    return edits


def _level_edits(patient: Patient, headings: Sequence[Heading]) -> Iterator[Edit | None]:
    """An edit for each heading that changes; None where its line does not hold it as it is."""
    for heading, level in zip(headings, _without_jumps([each.level for each in headings]), strict=True):
        if level != heading.level:
            run = _RUN.match(patient.text, patient.source.lines.start(heading.line - 1))
            fits = run is not None and len(run["run"]) == heading.level
            yield Edit(*run.span("run"), "#" * level) if run and fits else None


def _without_jumps(levels: Sequence[int]) -> Iterator[int]:
    """The levels of an outline of the same shape in which a heading is one below the one that it is under."""
    above: list[tuple[int, int]] = []
    for level in levels:
        while above and above[-1][0] >= level:
            above.pop()
        mended = above[-1][1] + 1 if above else level
        above.append((level, mended))
        yield mended
