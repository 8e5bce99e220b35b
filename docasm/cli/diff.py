"""`docasm diff`: what differs between two documents, in text, tokens and shared prefix."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

import click

from docasm.cli.explain import shortened
from docasm.cli.resolving import Resolving, resolving_options
from docasm.cli.streams import write_text
from docasm.cli.words import counted, harmless

if TYPE_CHECKING:
    from docasm.render import Render
    from docasm.report import Report


@click.command("diff", short_help="Show what differs between two documents.")
@click.argument("scenarios", nargs=-1, metavar="A [B]", required=True)
@click.option("--layout", "layouts", multiple=True, metavar="NAME", help="A layout; give it twice.")
@click.option("--model", "models", multiple=True, metavar="NAME", help="A model; give it twice.")
@resolving_options
@click.option("--json", "as_json", is_flag=True, help="Write the comparison as JSON.")
def command(
    scenarios: tuple[str, ...],
    layouts: tuple[str, ...],
    models: tuple[str, ...],
    resolving: Resolving,
    as_json: bool,
) -> None:
    """Show what differs between two documents.

    A and B are scenarios. With one scenario, give two layouts or two models.
    Shown are the lines that differ, the tokens of each section side by side, and
    how much the two share from their start: what a prompt cache can keep.

    \b
    docasm diff bot/monday.yaml bot/tuesday.yaml
    docasm diff bot/dm.yaml --layout dm --layout thread
    docasm diff bot/dm.yaml --model gpt-5 --model claude-opus-4.6
    """
    one, other = _subjects(scenarios, layouts, models, resolving)
    compared = Comparison.of(one, other)
    if as_json:
        write_text(f"{json.dumps(compared.plain(), ensure_ascii=False, indent=2)}\n")
    else:
        _show(compared)


@dataclass(frozen=True, slots=True)
class Subject:
    """One of the two documents."""

    name: str
    render: "Render"


def _subjects(
    scenarios: Sequence[str], layouts: Sequence[str], models: Sequence[str], resolving: Resolving
) -> tuple[Subject, Subject]:
    """The two documents; raises a usage error unless they are two."""
    if max(len(scenarios), len(layouts), len(models)) != 2:
        raise click.UsageError("give two scenarios; or one, with --layout or --model twice")
    pairs = [_pair(names) for names in (scenarios, layouts, models)]
    names = [" ".join(dict.fromkeys(filter(None, side))) for side in zip(*_differing(pairs), strict=True)]
    sides = list(zip(*pairs, strict=True))
    found = [
        Subject(name, resolving.scenario(str(scenario)).render(layout=layout, model=model))
        for name, (scenario, layout, model) in zip(names, sides, strict=True)
    ]
    return found[0], found[1]


def _pair(names: Sequence[str]) -> tuple[str | None, str | None]:
    if not names:
        return None, None
    if len(names) > 2:
        raise click.UsageError("two documents are compared, no more")
    return names[0], names[-1]


def _differing(pairs: Sequence[tuple[str | None, str | None]]) -> list[tuple[str | None, str | None]]:
    return [pair for pair in pairs if pair[0] != pair[1]] or list(pairs)


@dataclass(frozen=True, slots=True)
class Row:
    """A section of either document, and its tokens in both; None where it is missing."""

    role: str
    name: str
    tokens: tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two documents, side by side."""

    one: Subject
    other: Subject
    lines: tuple[str, ...]
    """A unified diff."""
    rows: tuple[Row, ...]
    shared: str
    """What both start with."""
    shared_tokens: int
    differs_at: tuple[str, str]
    """The place of the first line that differs, in each."""

    @classmethod
    def of(cls, one: Subject, other: Subject) -> "Comparison":
        texts = one.render.markdown, other.render.markdown
        lines = texts[0].split("\n"), texts[1].split("\n")
        shared = _shared(*texts)
        return cls(
            one,
            other,
            tuple(unified_diff(*lines, one.name, other.name, lineterm="")),
            tuple(_rows(one.render.report, other.render.report)),
            shared,
            one.render.count(shared),
            (_place(one.render, shared), _place(other.render, shared)),
        )

    def plain(self) -> dict[str, Any]:
        """The same as JSON."""
        reports = self.one.render.report, self.other.render.report
        return {
            "names": [self.one.name, self.other.name],
            "chars": [each.chars for each in reports],
            "tokens": [each.tokens for each in reports],
            "tokenizers": [each.tokenizer for each in reports],
            "exact": [each.exact for each in reports],
            "sections": [
                {"role": row.role, "name": row.name, "tokens": list(row.tokens)} for row in self.rows
            ],
            "shared_chars": len(self.shared),
            "shared_tokens": self.shared_tokens,
            "differs_at": list(self.differs_at),
            "diff": list(self.lines),
        }


def _shared(one: str, other: str) -> str:
    """What two texts start with alike, found in a number of steps that is the logarithm of their length."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return one[:low]


def _place(render: "Render", shared: str) -> str:
    places = shortened(render.places)
    line = shared.count("\n")
    return places[line] if line < len(places) else "(end)"


def _rows(one: "Report", other: "Report") -> Iterator[Row]:
    """The sections of both, in the order of the first, then those that only the second has."""
    found: dict[tuple[str, str, int], list[int | None]] = defaultdict(lambda: [None, None])
    for side, report in enumerate((one, other)):
        seen: dict[tuple[str, str], int] = defaultdict(int)
        for each in report.sections:
            key = (each.role, f"{each.name}: {each.skill}" if each.skill else each.name)
            found[(*key, seen[key])][side] = each.tokens
            seen[key] += 1
    for (role, name, _), (first, second) in found.items():
        yield Row(role, name, (first, second))


def _show(compared: Comparison) -> None:
    from docasm.cli.tables import cell, console

    out = console()
    for line in compared.lines:
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        out.print(cell(line, style), soft_wrap=True)
    if compared.lines:
        out.print()
    out.print(_table(compared))
    out.print()
    for line in _words(compared):
        out.print(harmless(line))


def _table(compared: Comparison) -> Any:
    from docasm.cli.tables import cell, table

    columns = ("message", "section", "A", "B", "change")
    made = table(columns, numbers=columns[2:])
    reports = compared.one.render.report, compared.other.render.report
    totals = Row("", "together", (reports[0].tokens, reports[1].tokens))
    for row in (*compared.rows, totals):
        first, second = row.tokens
        change = (second or 0) - (first or 0)
        shown = ["" if each is None else f"{each:,}" for each in row.tokens]
        made.add_row(cell(row.role), cell(row.name), *shown, f"{change:+,}" if change else "")
    return made


def _words(compared: Comparison) -> Iterator[str]:
    reports = compared.one.render.report, compared.other.render.report
    for letter, each, report in zip("AB", (compared.one, compared.other), reports, strict=True):
        yield f"{letter} is {each.name}: tokens by {report.tokenizer}"
    if not compared.lines:
        yield "the documents are the same"
        return
    shared = f"{counted(len(compared.shared), 'character')}, {counted(compared.shared_tokens, 'token')}"
    first, second = compared.differs_at
    yield f"both start with the same {shared}; they differ from {first} and {second} on"
