"""What the files behind a document are called: in a difference from here, in a snapshot from its folder."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from docasm.document import Origin
from docasm.errors import Place
from docasm.formats.wording import SHOWN
from docasm.render import Render


def short_places(origins: Iterable[Origin]) -> list[str]:
    """Each as `file:line`, or as `(slot)` where a slot generated it."""
    return [f"{shown(each.path)}:{each.line}" if isinstance(each, Place) else f"({each})" for each in origins]


def shown(path: str) -> str:
    """A path as it is written from here, if it is below."""
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    return path if relative.startswith("..") else Path(relative).as_posix()


@dataclass(frozen=True)
class Site:
    """The folder of a test, which its snapshot names files from."""

    folder: Path
    root: Path
    """Outside it nothing is where it is on another machine."""

    def kept(self, render: Render) -> Sequence[Origin]:
        """Where the lines of a document came from, as its snapshot says it."""
        names = {place.path: self._name(place.path) for place in render.places if isinstance(place, Place)}
        return [
            replace(each, path=names[each.path]) if isinstance(each, Place) else each
            for each in render.places
        ]

    def found(self, origins: Iterable[Origin], render: Render) -> Iterable[Origin]:
        """What a snapshot says, as a render of now calls it."""
        names = {self._name(each.path): each.path for each in render.places if isinstance(each, Place)}
        for each in origins:
            if not isinstance(each, Place):
                yield each
            else:
                yield replace(each, path=names.get(each.path) or os.path.normpath(self.folder / each.path))

    def _name(self, path: str) -> str:
        real = Path(os.path.abspath(path))
        if path.startswith(SHOWN) or not (os.path.isabs(path) or real.exists()):
            return path  # a part of docasm, or made in memory
        if not real.is_relative_to(self.root):
            return real.name
        return Path(os.path.relpath(real, self.folder)).as_posix()
