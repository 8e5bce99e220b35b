"""Problems as a SARIF log, version 2.1.0 (OASIS standard), for code scanning and editors.

Columns count code points. A problem without a place, such as a bundle that is not there, is a notification of
the run: a result would have to be somewhere. Paths are relative to `%SRCROOT%`, the folder in which docasm
ran, which is not named: only a file outside it has an address of the machine.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from docasm import __version__
from docasm.cli.check_formats.standing import text, within
from docasm.codes import CODES
from docasm.errors import Place, Problem

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"


def sarif(problems: Sequence[Problem]) -> str:
    """A log of one run, in ASCII."""
    codes = sorted({problem.code for problem in problems})
    placed = [(problem, problem.place) for problem in problems if problem.place]
    run = {
        "tool": {
            "driver": {"name": "docasm", "version": __version__, "rules": [_rule(code) for code in codes]}
        },
        "invocations": [_invocation([each for each in problems if each.place is None], codes)],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder in which docasm ran."}}},
        "results": [_result(problem, place, codes) for problem, place in placed],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str) -> Mapping[str, Any]:
    help_text = f"{CODES[code]} The section `{code}` of docs/problems.md has an example and what to do."
    return {"id": code, "shortDescription": {"text": CODES[code]}, "help": {"text": help_text}}


def _invocation(problems: Sequence[Problem], codes: Sequence[str]) -> Mapping[str, Any]:
    notifications = [
        {
            "associatedRule": _reference(problem, codes),
            "level": problem.severity,
            "message": _message(problem),
        }
        for problem in problems
    ]
    successful = all(problem.severity != "error" for problem in problems)
    return {"executionSuccessful": successful, "toolExecutionNotifications": notifications}


def _reference(problem: Problem, codes: Sequence[str]) -> Mapping[str, Any]:
    return {"id": problem.code, "index": codes.index(problem.code)}


def _result(problem: Problem, place: Place, codes: Sequence[str]) -> Mapping[str, Any]:
    region: dict[str, Any] = {"startLine": place.line, "startColumn": place.column}
    if problem.source_line:
        region["snippet"] = {"text": text(problem.source_line)}
    location = {"artifactLocation": _artifact(place.path), "region": region}
    return {
        "ruleId": problem.code,
        "ruleIndex": codes.index(problem.code),
        "level": problem.severity,
        "message": _message(problem),
        "locations": [{"physicalLocation": location}],
    }


def _message(problem: Problem) -> Mapping[str, str]:
    hint = f"\nhint: {problem.hint}" if problem.hint else ""
    return {"text": text(problem.message + hint)}


def _artifact(path: str) -> Mapping[str, str]:
    found, below = within(text(path))
    return {"uri": quote(found), "uriBaseId": _ROOT} if below else {"uri": PurePath(found).as_uri()}
