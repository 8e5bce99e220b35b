"""What the formats say in words: a file of this package."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from docasm.settings import Setting, parse_settings
from docasm.source import read

FOLDER = Path(__file__).parent
SHOWN = "docasm/formats/"
"""What the names of these files start with where their text has come into a document."""


@cache
def packaged(name: str) -> Setting:
    """The settings of a file of this package."""
    return parse_settings(read(FOLDER / name, f"{SHOWN}{name}"))


def wording(key: str) -> Setting | None:
    """What is said in one place; None if nothing is."""
    found: Setting | None = packaged("wording.yaml").value.get(key)
    return found


def known_variables() -> Mapping[str, Setting]:
    """The variables that a soul may use, each a setting without a value: a render sets it."""
    names = packaged("wording.yaml").value["variables"]
    return {each.value: Setting(None, names.source, each.line, each.column) for each in names.value}
