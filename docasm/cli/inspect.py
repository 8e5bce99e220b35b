"""`docasm inspect`: how large each section of a document is, and what is missing in it."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from docasm.cli.places import short_paths
from docasm.cli.streams import write_text
from docasm.cli.subject import rendered, with_request
from docasm.cli.talk import tell_warnings
from docasm.cli.words import counted, cut_in_words, escaped, one_line, section_name, tokens_in_words

if TYPE_CHECKING:
    from docasm.render import Render
    from docasm.report import Report, SectionReport


@click.command("inspect", short_help="Show how large each section of a document is.")
@with_request
@click.option("--why", is_flag=True, help="Say of every skill why it is in the document or not.")
@click.option("--json", "as_json", is_flag=True, help="Write the report as JSON.")
def command(scenario: str | None, why: bool, as_json: bool, **options: Any) -> None:
    """Show how large each section of a document is, what limits cut, and what stays the same.

    SCENARIO and the options are those of `docasm render`. Tokens are counted by
    the model's own tokenizer where one is installed, else estimated; the report
    says which.

    \b
    docasm inspect bot/dm.yaml
    docasm inspect bot/dm.yaml --why
    docasm inspect bot/dm.yaml --json | jq .tokens
    """
    render = rendered(scenario, **options)
    tell_warnings(render)
    if as_json:
        _write_json(render, why)
    else:
        _show(render, why)


def _write_json(render: "Render", why: bool) -> None:
    from docasm.cli.message_list import as_json

    found = asdict(render.report)
    if why:
        found["reasons"] = [asdict(each) for each in render.reasons]
    write_text(escaped(as_json(found)))


def _show(render: "Render", why: bool) -> None:
    from docasm.cli.tables import show

    words = "".join(f"{one_line(line)}\n" for line in _words(render.report))
    text = f"{_sections(render.report)}\n{words}"
    show(f"{text}\n{_reasons(render)}" if why else text)


def _sections(report: "Report") -> str:
    from docasm.cli.tables import SHARE, as_text, bar, cell, console, table

    out = console()
    tokens = "tokens" if report.exact else "tokens\n(est.)"
    made = table(("message", "section", "from", "chars", tokens, SHARE), numbers=("chars", tokens))
    paths = short_paths(path for each in report.sections for path in each.sources)
    last = -1
    for each in _rows(report):
        role, last = each.role if each.message != last else "", each.message
        name = f"{section_name(each)}{' (cut)' if each.cuts else ''}"
        sources = _sources([paths[path] for path in each.sources])
        share = bar(each.tokens / report.tokens if report.tokens else 0.0, out)
        sizes = f"{each.chars:,}", f"{each.tokens:,}"
        made.add_row(cell(role, "bold"), cell(name), cell(sources, "dim"), *sizes, share)
    return as_text(made, out)


def _rows(report: "Report") -> Iterator["SectionReport"]:
    """The sections, turns that are messages of their own together."""
    for is_turn, group in groupby(report.sections, key=_is_turn):
        sections = list(group)
        if not is_turn or len(sections) == 1:
            yield from sections
            continue
        chars, tokens = (sum(getattr(each, key) for each in sections) for key in ("chars", "tokens"))
        name = f"{sections[0].name}, {counted(len(sections), 'message')}"
        cuts = sections[0].cuts
        yield replace(sections[0], role="turns", name=name, chars=chars, tokens=tokens, cuts=cuts)


def _is_turn(section: "SectionReport") -> bool:
    return section.slot == "history" and section.role != "system"


def _sources(paths: list[str]) -> str:
    return f"{paths[0]} +{len(paths) - 1}" if len(paths) > 1 else "".join(paths)


def _words(report: "Report") -> Iterator[str]:
    """What the table does not say."""
    yield f"{counted(report.chars, 'character')}, {tokens_in_words(report.tokens, report)}"
    prefix = tokens_in_words(report.prefix_tokens, report)
    yield f"no trigger changes the first {counted(report.prefix_chars, 'character')}, {prefix}"
    for cut in report.cuts:
        yield f"cut: {cut_in_words(cut)}"
    for each in report.ranked:
        yield f"left out: the skill `{each.name}`, less relevant than others (score {each.score:g})"
    if report.left_out_messages:
        yield f"left out: {counted(report.left_out_messages, 'message')} of tool calls and results only"


def _reasons(render: "Render") -> str:
    from docasm.cli.tables import as_text, cell, console, table

    made = table(("skill", "there", "why"))
    for each in render.reasons:
        is_there = cell("yes", "green") if each.is_there else cell("no", "dim")
        made.add_row(cell(each.skill), is_there, cell(each.why))
    return as_text(made, console())
