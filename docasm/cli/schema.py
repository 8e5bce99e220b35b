"""`docasm schema`: a JSON Schema for editors."""

from pathlib import Path

import click

from docasm.cli.streams import write_text

FOLDER = Path(__file__).parent.parent / "schemas"
NAMES = ("agent-skill", "bundle", "layout", "pipeline", "scenario", "skill")


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
    write_text((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
