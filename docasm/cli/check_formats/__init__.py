"""How problems are written: one list of them, and for each format a function from it to text."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from docasm.cli.check_formats.as_json import as_json
from docasm.cli.check_formats.as_text import concise, full
from docasm.cli.check_formats.github import github
from docasm.cli.check_formats.sarif import sarif
from docasm.errors import Problem

FULL = "full"
FORMATS: Mapping[str, Callable[[Sequence[Problem]], str]] = MappingProxyType(
    {FULL: full, "concise": concise, "json": as_json, "github": github, "sarif": sarif}
)
"""By the name that `--output-format` takes. A text ends in a line end, or is empty."""
