"""What is told to a person: problems, warnings and cuts."""

import io
import os
import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from docasm.cli.words import counted, cut_in_words, harmless
from docasm.errors import Problem

if TYPE_CHECKING:
    from docasm.render import Render

_COLOURS: Mapping[str, str] = MappingProxyType({"error": "red", "warning": "yellow", "note": "cyan"})


def tell(text: str) -> None:
    """A line of talk, on stderr."""
    click.echo(harmless(text), err=True)


def tell_problems(problems: Iterable[Problem], *, as_data: bool = False) -> None:
    """Problems in full, a blank line between them: on stderr, or on stdout where they were asked for."""
    text = "\n".join(map(_told, problems))
    if as_data and isinstance(sys.stdout, io.TextIOWrapper):
        # As on stderr: that the locale lacks a letter must not keep a source line from being shown.
        sys.stdout.reconfigure(errors="backslashreplace")
    click.echo(text, nl=False, err=not as_data, color=False if os.environ.get("NO_COLOR") else None)


def tell_warnings(render: "Render") -> None:
    """What is not as it should be."""
    tell_problems(problem for problem in render.problems if problem.severity == "warning")


def tell_about(render: "Render") -> None:
    """What the reader of a document should know and cannot see in it."""
    tell_warnings(render)
    for cut in render.cuts:
        tell(f"cut: {cut_in_words(cut)}")
    if render.left_out:
        tell(f"not in the document: {counted(render.left_out, 'message')} of tool calls and results only")


def _told(problem: Problem) -> str:
    label = f"{problem.severity}[{problem.code}]"
    styled = click.style(label, fg=_COLOURS[problem.severity], bold=True)
    return harmless(str(problem)).replace(label, styled, 1)
