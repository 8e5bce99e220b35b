"""Files and lines in few characters."""

from collections.abc import Iterable, Mapping
from os.path import commonpath
from pathlib import PurePath
from typing import TYPE_CHECKING

from docasm.cli.words import one_line
from docasm.errors import Place

if TYPE_CHECKING:
    from docasm.document import Origin


def short_places(places: Iterable["Origin"]) -> list[str]:
    """Each as `file:line`, or as `(slot)` where a slot generated it."""
    places = list(places)
    paths = short_paths(place.path for place in places if isinstance(place, Place))
    return [
        f"{paths[place.path]}:{place.line}" if isinstance(place, Place) else f"({one_line(place)})"
        for place in places
    ]


def short_paths(paths: Iterable[str]) -> Mapping[str, str]:
    """Each without the folders that all have in common; its own folder stays."""
    paths = dict.fromkeys(paths)
    root = _root({PurePath(path).parent for path in paths})
    return {path: one_line(PurePath(path).relative_to(root).as_posix() if root else path) for path in paths}


def _root(folders: set[PurePath]) -> str:
    """The folder that can be left out; empty for none."""
    try:
        root = PurePath(commonpath(folders))
    except ValueError:  # none, or some that have nothing in common
        return ""
    root = root.parent if root in folders else root
    return "" if root == PurePath() else str(root)
