"""`docasm log`: the context log of a document."""

from typing import Any

import click

from docasm.cli.streams import write_text
from docasm.cli.subject import rendered, with_request
from docasm.cli.talk import tell_about
from docasm.cli.words import harmless


@click.command("log", short_help="Write the context log of a document.")
@with_request
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout.")
def command(scenario: str | None, output: str | None, **options: Any) -> None:
    """Write the context log of a document: each section, with its name and role, between rules.

    SCENARIO and the options are those of `docasm render`. Sections are called as
    the layout calls them. Control characters are replaced by U+FFFD, and a line
    of a section that looks like a rule starts with a backslash.

    \b
    docasm log bot/dm.yaml
    """
    render = rendered(scenario, **options)
    text = harmless(render.log())
    tell_about(render)
    write_text(text, output)
