"""Two documents, side by side: what differs, and what a prompt cache can keep of the one for the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from docasm.cli.places import short_places
from docasm.cli.words import section_name
from docasm.render import Render
from docasm.report import Report
from docasm.unified import unified

END = "(end)"
"""Where a document differs that ends earlier than the other."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One of the two documents."""

    name: str
    render: Render


@dataclass(frozen=True, slots=True)
class Row:
    """A section of either document, and its tokens in both; None where it is missing."""

    role: str
    name: str
    tokens: tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Point:
    """Where a document first differs from another."""

    section: str
    place: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two documents."""

    names: tuple[str, str]
    reports: tuple[Report, Report]
    lines: tuple[str, ...]
    """A unified diff; empty for the same text."""
    rows: tuple[Row, ...]
    shared: str
    """What both start with."""
    shared_tokens: tuple[int, int]
    """As each counts them."""
    differ_at: tuple[Point, Point]
    """The first line that differs, in each."""
    same_tools: bool
    """Whether the requests offer the same tools, which stand before the messages in a cache."""

    def plain(self) -> dict[str, Any]:
        """The same as JSON; each list of two holds what belongs to A and to B."""
        reports = self.reports
        rows = [{"role": row.role, "name": row.name, "tokens": list(row.tokens)} for row in self.rows]
        return {
            "names": list(self.names),
            "chars": [each.chars for each in reports],
            "tokens": [each.tokens for each in reports],
            "tokenizers": [each.tokenizer for each in reports],
            "exact": [each.exact for each in reports],
            "sections": rows,
            "shared_chars": len(self.shared),
            "shared_tokens": list(self.shared_tokens),
            "differ_at": [{"section": each.section, "place": each.place} for each in self.differ_at],
            "same_tools": self.same_tools,
            "diff": list(self.lines),
        }


def compare(one: Subject, other: Subject) -> Comparison:
    """What differs between two documents."""
    a, b = one.render, other.render
    shared = _shared(a.markdown, b.markdown)
    lines = unified(_lines(a), _lines(b), one.name, other.name)
    return Comparison(
        (one.name, other.name),
        (a.report, b.report),
        tuple(lines),
        tuple(_rows(a.report, b.report)),
        shared,
        (a.count(shared), b.count(shared)),
        _points(a, b, shared),
        a.tools == b.tools,
    )


def _lines(render: Render) -> list[str]:
    return render.markdown.split("\n")[:-1]


def _shared(one: str, other: str) -> str:
    """What two texts start with alike; comparing halves is quicker than comparing characters."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return one[:low]


def _points(one: Render, other: Render, shared: str) -> tuple[Point, Point]:
    line = shared.count("\n")
    origins = [each.places[line] if line < len(each.places) else END for each in (one, other)]
    places = short_places(origins)
    names = [_section_at(each.report, len(shared)) for each in (one, other)]
    points = [
        Point(name, END if origin == END else place)
        for name, origin, place in zip(names, origins, places, strict=True)
    ]
    return points[0], points[1]


def _section_at(report: Report, offset: int) -> str:
    ends = accumulate(each.chars for each in report.sections)
    found = (section_name(each) for each, end in zip(report.sections, ends, strict=True) if offset < end)
    return next(found, END)


_Key = tuple[str, str, int]


def _rows(one: Report, other: Report) -> Iterator[Row]:
    """The sections of both: those that only the second has stand where it has them."""
    first, second = _tokens_by_key(one), _tokens_by_key(other)
    new: dict[_Key | None, list[_Key]] = {}
    last = None
    for key in second:
        if key in first:
            last = key
        else:
            new.setdefault(last, []).append(key)
    order: Sequence[_Key] = [
        *new.get(None, ()),
        *(each for key in first for each in (key, *new.get(key, ()))),
    ]
    for role, name, number in order:
        key = (role, name, number)
        yield Row(role, name, (first.get(key), second.get(key)))


def _tokens_by_key(report: Report) -> dict[_Key, int]:
    """The tokens of each section, by its role, its name, and how many of these come before it."""
    found: dict[_Key, int] = {}
    seen: dict[tuple[str, str], int] = {}
    for each in report.sections:
        role, name = each.role, section_name(each)
        number = seen.get((role, name), 0)
        seen[role, name] = number + 1
        found[role, name, number] = each.tokens
    return found
