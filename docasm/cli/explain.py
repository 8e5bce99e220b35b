"""`docasm explain`: a document, each line with the file and line that it came from."""

import json
from collections.abc import Iterable
from os.path import commonpath
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from docasm.cli.streams import write_text
from docasm.cli.subject import rendered, with_request
from docasm.cli.words import harmless
from docasm.errors import Place

if TYPE_CHECKING:
    from docasm.document import Origin
    from docasm.render import Render


@click.command("explain", short_help="Show where each line of a document came from.")
@with_request
@click.option("--json", "as_json", is_flag=True, help="Write a JSON object for each line.")
def command(scenario: str | None, as_json: bool, **options: Any) -> None:
    """Show a document, each line with the file and line that it came from.

    SCENARIO and the options are those of `docasm render`. What came from no file
    is marked with its slot: (history), (tools), (input). Control characters are
    shown as the replacement character.

    \b
    docasm explain bot/dm.yaml
    docasm explain bot/dm.yaml | grep chat.md
    """
    render = rendered(scenario, **options)
    write_text(_as_json(render) if as_json else _as_text(render))


def _lines(render: "Render") -> list[str]:
    return render.markdown.split("\n")[:-1]


def _as_text(render: "Render") -> str:
    origins = shortened(render.places)
    width = max(map(len, origins), default=0)
    lines = zip(origins, _lines(render), strict=True)
    return "".join(f"{origin:<{width}} | {harmless(line)}".rstrip() + "\n" for origin, line in lines)


def _as_json(render: "Render") -> str:
    lines = [
        {"place": _plain(place), "text": line}
        for place, line in zip(render.places, _lines(render), strict=True)
    ]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def _plain(place: "Origin") -> dict[str, Any]:
    return {"path": place.path, "line": place.line} if isinstance(place, Place) else {"slot": place}


def shortened(places: Iterable["Origin"]) -> list[str]:
    """Each place in a few characters: what all paths start with is left out."""
    places = list(places)
    paths = {place.path for place in places if isinstance(place, Place)}
    root = _root(paths)
    return [
        harmless(f"{_below(root, place.path)}:{place.line}") if isinstance(place, Place) else f"({place})"
        for place in places
    ]


def _root(paths: Iterable[str]) -> str:
    """The folder that holds all of some files, if it is worth leaving out."""
    folders = {str(PurePath(path).parent) for path in paths}
    if len(folders) < 2 or len({PurePath(folder).is_absolute() for folder in folders}) > 1:
        return ""
    return commonpath(folders)


def _below(root: str, path: str) -> str:
    return PurePath(path).relative_to(root).as_posix() if root else path
