"""`docasm join`: messages in, a document out."""

import click

from docasm.cli.streams import STANDARD_STREAM, read_source, write_text
from docasm.cli.talk import tell_problems


@click.command("join", short_help="Messages as JSON in, a document out.")
@click.argument("file", default=STANDARD_STREAM, metavar="[FILE|-]")
def command(file: str) -> None:
    """Print messages as one document.

    FILE holds a JSON list of {"role": ..., "content": ...}, bare or under
    "messages". It is stdin if it is `-` or not given. `docasm split` reads the
    document back, exactly.

    \b
    docasm join messages.json > document.md
    """
    from docasm.cli.message_list import read_messages, unwritten
    from docasm.json_text import parse_json
    from docasm.markers import join

    value = parse_json(read_source(file))
    messages = read_messages(value)
    tell_problems(unwritten(value))
    write_text(join(messages))
