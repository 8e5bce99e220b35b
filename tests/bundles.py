"""Bundles that tests write and load."""

from collections.abc import Mapping
from pathlib import Path

import docasm

LAYOUT = """\
system:
<<skills>>

## Tools

<<tools>>

## History

<<history>>

user:
<<input>>
"""


def write_bundle(folder: Path, files: Mapping[str, str]) -> Path:
    """Writes files (path -> text, LF as it is) below a folder; without a `docasm.yaml` an empty one."""
    for name, text in {"docasm.yaml": "", **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def load(folder: Path, files: Mapping[str, str]) -> docasm.Bundle:
    """The bundle of some files."""
    return docasm.Bundle.load(write_bundle(folder, files))


def skill(body: str, front_matter: str = "triggers: [dm]") -> str:
    """A skill's file."""
    return f"---\n{front_matter}\n---\n{body}"
