"""`docasm split`: a document in, messages out."""

import click

from docasm.cli.streams import STANDARD_STREAM, label, read_bytes, write_text
from docasm.source import decode


@click.command("split", short_help="A document in, messages as JSON out.")
@click.argument("file", default=STANDARD_STREAM, metavar="[FILE|-]")
def command(file: str) -> None:
    """Print the messages of a document as JSON.

    Messages start at lines that read `system:`, `user:` or `assistant:`. FILE is
    stdin if it is `-` or not given.

    \b
    docasm render bot/dm.yaml | docasm split
    """
    from docasm.cli.message_list import as_json, plain
    from docasm.markers import split

    write_text(as_json(plain(split(document_text(read_bytes(file), label(file))))))


def document_text(data: bytes, name: str) -> str:
    """The text of a document: without a BOM, and with CRs as they are, so that `join` is undone exactly.

    Only a file whose every line ends in CRLF is read with LF: `join` never writes such a file, editors do.
    """
    decode(data, name)
    text = data.decode("utf-8-sig")
    if text.count("\r\n") == text.count("\n"):
        return text.replace("\r\n", "\n")
    return text
