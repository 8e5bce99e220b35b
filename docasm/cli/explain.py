"""`docasm explain`: a document, each line with the file and line that it came from."""

import json
from typing import TYPE_CHECKING, Any

import click

from docasm.cli.places import short_places
from docasm.cli.streams import write_text
from docasm.cli.subject import rendered, with_request
from docasm.cli.talk import tell_about
from docasm.cli.words import escaped, harmless
from docasm.errors import Place

if TYPE_CHECKING:
    from docasm.document import Origin
    from docasm.render import Render


@click.command("explain", short_help="Show where each line of a document came from.")
@with_request
@click.option("--json", "as_json", is_flag=True, help="Write a JSON object for each line, its text exact.")
def command(scenario: str | None, as_json: bool, **options: Any) -> None:
    """Show a document, each line with the file and line that it came from.

    SCENARIO and the options are those of `docasm render`. What came from no file
    is marked with its slot: (history), (tools), (input). The folders that all
    files have in common are left out. Control characters are replaced by U+FFFD,
    so that no value takes a terminal over; --json has them.

    \b
    docasm explain bot/dm.yaml
    docasm explain bot/dm.yaml | grep chat.md
    """
    render = rendered(scenario, **options)
    text = _as_json(render) if as_json else _as_text(render)
    tell_about(render)
    write_text(text)


def _lines(render: "Render") -> list[str]:
    return render.markdown.split("\n")[:-1]


def _as_text(render: "Render") -> str:
    origins = short_places(render.places)
    width = max(map(len, origins), default=0)
    lines = zip(origins, _lines(render), strict=True)
    return "".join(f"{origin:<{width}} | {harmless(line)}".rstrip() + "\n" for origin, line in lines)


def _as_json(render: "Render") -> str:
    lines = zip(render.places, _lines(render), strict=True)
    listed = ({**_plain(place), "text": line} for place, line in lines)
    return "".join(f"{escaped(json.dumps(line, ensure_ascii=False))}\n" for line in listed)


def _plain(place: "Origin") -> dict[str, Any]:
    if isinstance(place, Place):
        return {"path": place.path, "line": place.line, "slot": None}
    return {"path": None, "line": None, "slot": place}
