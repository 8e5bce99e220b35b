"""The cases that a person can read, in `tests/cases/`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import docasm
from tests.bundles import write_bundle
from tests.cases_reader import Case, read_cases

SCENARIO = "case.yaml"
HELLO = "trigger: {type: dm, text: hello}\n"


def _render(case: Case, folder: Path) -> docasm.Render:
    write_bundle(folder, {SCENARIO: HELLO, **case.files})
    return docasm.load_scenario(folder / SCENARIO).render()


def _problems(case: Case, folder: Path) -> Iterator[docasm.Problem]:
    """What the render and the bundle have to say, each where it can be made at all."""
    try:
        yield from _render(case, folder).problems
    except docasm.DocasmError as error:
        yield from error.problems
    try:
        yield from docasm.Bundle.load(folder).problems
    except docasm.DocasmError as error:
        yield from error.problems


def _check_text(case: Case, folder: Path) -> None:
    render = _render(case, folder)
    contents = {message.role: message.content for message in render.messages}
    found = {
        "document": render.markdown,
        "system": contents.get("system", "") + "\n",
        "user": contents.get("user", "") + "\n",
        "tools": "".join(f"{tool.name}\n" for tool in render.tools),
    }
    for kind in found.keys() & case.expected.keys():
        assert found[kind] == case.expected[kind], f"{case.path}:{case.line} {case.title}"
    assert docasm.split(render.markdown) == render.messages


def _check_problems(case: Case, folder: Path, kind: str, severities: set[str]) -> None:
    found = [problem for problem in _problems(case, folder) if problem.severity in severities]
    told = "\n".join(map(str, found)).replace(f"{folder}/", "")
    for line in case.expected[kind].splitlines():
        assert line in told, f"{case.path}:{case.line} {case.title}\nexpected: {line}\nin:\n{told}"


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_case(case: Case, tmp_path: Path) -> None:
    if case.expected.keys() & {"document", "system", "user", "tools"}:
        _check_text(case, tmp_path)
    if "problem" in case.expected:
        _check_problems(case, tmp_path, "problem", {"error"})
    if "warning" in case.expected:
        _check_problems(case, tmp_path, "warning", {"warning", "note"})


@pytest.mark.parametrize(
    "text",
    [
        "# No case\n",
        "```a.md\ntext\n```\n",
        "## Open\n\n```expect system\ntext\n",
        "## Nothing expected\n\n```a.md\ntext\n```\n",
        "## Unknown\n\n```expect sytem\ntext\n```\n",
        "## Twice\n\n```expect user\na\n```\n\n```expect user\nb\n```\n",
    ],
)
def test_what_is_no_case_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "cases.md").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"case|fence|given twice"):
        read_cases(tmp_path)
