"""What is told to a person: problems, warnings and cuts."""

import io
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from docasm.cli.words import counted, cut_in_words, harmless, no_command, one_line
from docasm.errors import Place, Problem

if TYPE_CHECKING:
    from docasm.render import Render

_COLOURS: Mapping[str, str] = MappingProxyType({"error": "red", "warning": "yellow", "note": "cyan"})


def tell(text: str) -> None:
    """A line of talk, on stderr."""
    click.echo(harmless(text), err=True)


def tell_problems(problems: Iterable[Problem]) -> None:
    """Problems in full on stderr, a blank line between them."""
    click.echo("\n".join(map(told, problems)), nl=False, err=True, color=_colour())


def print_styled(text: str) -> None:
    """A text that is data, on stdout, with the colours that a terminal may show."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # As on stderr: that the locale lacks a letter must not keep a source line from being shown.
        sys.stdout.reconfigure(errors="backslashreplace")
    click.echo(text, nl=False, color=_colour())


def _colour() -> bool | None:
    return False if os.environ.get("NO_COLOR") else None


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


def told(problem: Problem) -> str:
    """A problem in full. What it quotes makes no line of its own: in a log a line can be a command."""
    place = problem.place and Place(one_line(problem.place.path), problem.place.line, problem.place.column)
    shown = replace(problem, message=one_line(problem.message), hint=one_line(problem.hint), place=place)
    return labelled(problem, harmless(str(shown)))


def labelled(problem: Problem, text: str) -> str:
    """A text that tells of a problem, with the colour of its severity."""
    label = f"{problem.severity}[{problem.code}]"
    return no_command(text).replace(label, click.style(label, fg=_COLOURS[problem.severity], bold=True), 1)
