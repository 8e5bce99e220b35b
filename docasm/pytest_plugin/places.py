"""Where the lines of a document came from, in few characters."""

import os
from pathlib import Path

from docasm.errors import Place
from docasm.render import Render


def short_places(render: Render) -> list[str]:
    """The place of each line of a document: `file:line`, or `(slot)` where a slot generated it."""
    return [
        f"{shown(place.path)}:{place.line}" if isinstance(place, Place) else f"({place})"
        for place in render.places
    ]


def shown(path: str) -> str:
    """A path as it is written from here, if it is below."""
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    return path if relative.startswith("..") else Path(relative).as_posix()
