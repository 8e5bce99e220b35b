"""Problems for people: with source line, caret and hint, or one line each."""

from collections.abc import Sequence

from docasm.cli.talk import labelled, told
from docasm.cli.words import one_line
from docasm.errors import Problem


def full(problems: Sequence[Problem]) -> str:
    """Everything, a blank line between two problems."""
    return "\n".join(map(told, problems))


def concise(problems: Sequence[Problem]) -> str:
    """`path:line:column: severity[code]: message`, a line each."""
    return "".join(f"{_line(problem)}\n" for problem in problems)


def _line(problem: Problem) -> str:
    place = f"{problem.place}: " if problem.place else ""
    head = f"{problem.severity}[{problem.code}]"
    return labelled(problem, one_line(f"{place}{head}: {problem.message}"))
