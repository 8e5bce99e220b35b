"""`docasm inspect`: how large each section of a document is, and what is missing in it."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from docasm.cli.streams import write_text
from docasm.cli.subject import rendered, with_request
from docasm.cli.words import counted, cut_in_words, harmless, size_in_words, tokens_in_words

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
    if as_json:
        write_text(f"{json.dumps(_plain(render, why), ensure_ascii=False, indent=2)}\n")
    else:
        _show(render, why)


def _plain(render: "Render", why: bool) -> dict[str, Any]:
    found = asdict(render.report)
    return {**found, "reasons": [asdict(each) for each in render.reasons]} if why else found


def _show(render: "Render", why: bool) -> None:
    from docasm.cli.tables import console

    out, report = console(), render.report
    out.print(_sections(report, ascii_only=out.options.ascii_only))
    out.print()
    for line in _words(report):
        out.print(harmless(line))
    if why:
        out.print()
        out.print(_reasons(render))


def _sections(report: "Report", *, ascii_only: bool) -> Any:
    from docasm.cli.tables import SHARE, bar, cell, table

    made = table(("message", "section", "from", "chars", "tokens", SHARE), numbers=("chars", "tokens"))
    last = -1
    for each in report.sections:
        role = each.role if each.message != last else ""
        last = each.message
        share = each.tokens / report.tokens if report.tokens else 0.0
        made.add_row(
            cell(role, "bold"),
            cell(name_of(each)),
            cell(_sources(each), "dim"),
            f"{each.chars:,}",
            f"{each.tokens:,}",
            bar(share, ascii_only=ascii_only),
        )
    return made


def name_of(section: "SectionReport") -> str:
    """A section as people call it."""
    name = f"{section.name}: {section.skill}" if section.skill else section.name
    return f"{name} (cut)" if section.cuts else name


def _sources(section: "SectionReport") -> str:
    first, *others = section.sources or ("",)
    return f"{first} +{len(others)}" if others else first


def _words(report: "Report") -> Iterator[str]:
    """What the table does not say."""
    yield size_in_words(report)
    prefix = tokens_in_words(report.prefix_tokens, report)
    yield f"no trigger changes the first {counted(report.prefix_chars, 'character')}, {prefix}"
    for cut in report.cuts:
        yield f"cut: {cut_in_words(cut)}"
    for each in report.ranked:
        yield f"left out: the skill `{each.name}`, less relevant than others (score {each.score:g})"
    if report.left_out_messages:
        yield f"left out: {counted(report.left_out_messages, 'message')} of tool calls and results only"


def _reasons(render: "Render") -> Any:
    from docasm.cli.tables import cell, table

    made = table(("skill", "there", "why"))
    for each in render.reasons:
        style = "green" if each.is_there else "dim"
        made.add_row(cell(each.skill), cell("yes" if each.is_there else "no", style), cell(each.why))
    return made
