"""Problems as a JSON array. `docs/cli.md` describes the keys, which stay."""

import json
from collections.abc import Sequence
from typing import Any

from docasm.cli.check_formats.standing import text
from docasm.errors import Problem


def as_json(problems: Sequence[Problem]) -> str:
    """An array of objects, in ASCII; an empty one for no problems."""
    return json.dumps([_object(problem) for problem in problems], indent=2) + "\n"


def _object(problem: Problem) -> dict[str, Any]:
    place = problem.place
    return {
        "code": problem.code,
        "severity": problem.severity,
        "message": text(problem.message),
        "path": None if place is None else text(place.path),
        "line": None if place is None else place.line,
        "column": None if place is None else place.column,
        "source_line": text(problem.source_line),
        "hint": text(problem.hint),
    }
