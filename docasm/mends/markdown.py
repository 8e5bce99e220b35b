"""Mending Markdown: closing what an author left open, headings that jump."""

import re
from collections.abc import Iterator, Sequence

from docasm.atoms import Heading
from docasm.fragment import Part
from docasm.lints.markdown import jumping, outline
from docasm.mends.edit import Edit
from docasm.mends.patient import Patient

_RUN = re.compile(r" {0,3}(?P<run>#{1,6})(?=[ \t]|$)", re.M)


def closers(patient: Patient) -> Sequence[Edit]:
    """The line that closes the fence or HTML block of a part at its end, as docasm closes it."""
    parts = [part for part in patient.fragment.parts if part.closer] if patient.fragment else []
    if not parts or not patient.is_plain:
        return ()
    return [_closer(patient, part) for part in parts]


def _closer(patient: Patient, part: Part) -> Edit:
    assert part.closer is not None
    last = part.source.line_of(part.source.text.count("\n"))
    end = patient.source.lines.start(last) - 1
    return Edit(end, end, part.closer.text)


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
