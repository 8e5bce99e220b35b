"""`docasm schema`: a JSON Schema for editors."""

import click

from docasm.cli.streams import write_text

NAMES = ("agent-skill", "bundle", "layout", "pipeline", "scenario", "skill")
"""The keys of `docasm.schema.SCHEMAS`, which is not loaded for a list of commands."""


@click.command("schema", short_help="Print a JSON Schema, for an editor.")
@click.argument("name", type=click.Choice(NAMES), metavar="NAME")
def command(name: str) -> None:
    """Print the JSON Schema of a kind of file, by which an editor completes and
    checks its keys.

    NAME is agent-skill, bundle, layout, pipeline, scenario or skill. Those of
    skills and layouts are of the front matter.

    \b
    docasm schema scenario > scenario.schema.json
    """
    from docasm.schema import schema_text

    write_text(schema_text(name))
