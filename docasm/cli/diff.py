"""`docasm diff`: what differs between two documents, in text, tokens and shared prefix."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from docasm.cli.resolving import Resolving, resolving_options
from docasm.cli.streams import write_text
from docasm.cli.talk import tell_warnings
from docasm.cli.words import counted, escaped, harmless, one_line, tokens_in_words

if TYPE_CHECKING:
    from docasm.cli.compare import Comparison, Subject
    from docasm.report import Report

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


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
    from docasm.cli.compare import compare
    from docasm.cli.message_list import as_json as written

    subjects = _subjects(scenarios, layouts, models, resolving)
    for each in subjects:
        tell_warnings(each.render)
    compared = compare(*subjects)
    if as_json:
        write_text(escaped(written(compared.plain())))
    else:
        _show(compared)


def _subjects(
    scenarios: Sequence[str], layouts: Sequence[str], models: Sequence[str], resolving: Resolving
) -> "tuple[Subject, Subject]":
    """The two documents; raises a usage error unless they are two."""
    from docasm.cli.compare import Subject

    if max(len(scenarios), len(layouts), len(models)) != 2:
        raise click.UsageError("give two scenarios; or one, with --layout or --model twice")
    pairs = [_pair(names) for names in (scenarios, layouts, models)]
    telling = [pair for pair in pairs if pair[0] != pair[1]] or pairs[:1]
    a, b = (
        Subject(_name(telling, side), resolving.scenario(str(scenario)).render(layout=layout, model=model))
        for side, (scenario, layout, model) in enumerate(zip(*pairs, strict=True))
    )
    return a, b


def _pair(names: Sequence[str]) -> tuple[str | None, str | None]:
    return (names[0], names[-1]) if names else (None, None)


def _name(telling: Sequence[tuple[str | None, str | None]], side: int) -> str:
    """What sets a document apart from the other: its scenario, layout, model."""
    return one_line(", ".join(str(pair[side]) for pair in telling))


def _show(compared: "Comparison") -> None:
    from docasm.cli.tables import console, show

    coloured = console().color_system is not None
    lines = [_styled(harmless(line)) if coloured else harmless(line) for line in compared.lines]
    text = "".join(f"{line}\n" for line in [*lines, *[""] * bool(lines)])
    words = "".join(f"{one_line(line)}\n" for line in _words(compared))
    show(f"{text}{_table(compared)}\n{words}")


def _styled(line: str) -> str:
    return click.style(line, fg=_COLOURS.get(line[:1]))


def _table(compared: "Comparison") -> str:
    from docasm.cli.compare import Row
    from docasm.cli.tables import as_text, cell, console, table

    letters = [f"{each}" if report.exact else f"{each} (est.)" for each, report in _lettered(compared)]
    columns = ("message", "section", *letters, "change")
    made = table(columns, numbers=columns[2:])
    a, b = compared.reports
    for row in (*compared.rows, Row("", "together", (a.tokens, b.tokens))):
        first, second = row.tokens
        change = (second or 0) - (first or 0)
        shown = ["" if each is None else f"{each:,}" for each in row.tokens]
        made.add_row(cell(row.role), cell(row.name), *shown, f"{change:+,}" if change else "")
    return as_text(made, console())


def _lettered(compared: "Comparison") -> "list[tuple[str, Report]]":
    return list(zip("AB", compared.reports, strict=True))


def _words(compared: "Comparison") -> Iterator[str]:
    for (letter, report), name in zip(_lettered(compared), compared.names, strict=True):
        yield f"{letter} is {name}: {tokens_in_words(report.tokens, report)}"
    if not compared.lines:
        yield "the documents are the same"
    else:
        tokens = [
            tokens_in_words(*each) for each in zip(compared.shared_tokens, compared.reports, strict=True)
        ]
        shared = " or ".join(dict.fromkeys(tokens))
        yield f"both start with the same {counted(len(compared.shared), 'character')}, {shared}"
        for letter, point in zip("AB", compared.differ_at, strict=True):
            yield f"{letter} goes on in `{point.section}`, at {point.place}"
    if not compared.same_tools:
        yield "the requests offer different tools; caches that hold tools before messages share nothing"
