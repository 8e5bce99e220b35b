"""P9: what a template may do has a budget, and nothing takes more time or memory than its size explains."""

import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import docasm
from docasm.codes import CODES
from tests import attacks
from tests.bundles import load, skill

ROOT = Path(__file__).parent.parent
MEGABYTES = 200
GROUP = 12
"""How many attacks one run of Python makes, each in a process of its own."""


def _attacks() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, body in {**attacks.CONSTANT, **attacks.NOTATION}.items():
        yield name, {"files": attacks.bundle(body)}
    for name, (body, value) in attacks.GIVEN.items():
        yield name, {"files": attacks.bundle(body), "variables": {"v": value}}
    for name, files in attacks.WRITTEN.items():
        yield name, {"files": files}


def _groups() -> Sequence[Sequence[tuple[str, dict[str, Any]]]]:
    every = list(_attacks())
    return [every[start : start + GROUP] for start in range(0, len(every), GROUP)]


@pytest.mark.skipif(sys.platform == "win32", reason="processes there have no such limits")
@pytest.mark.parametrize("group", _groups(), ids=lambda group: f"{group[0][0]} and on")
def test_any_template_ends_within_its_budget(group: Sequence[tuple[str, dict[str, Any]]]) -> None:
    given = json.dumps([attack for _, attack in group])
    command = [sys.executable, "-m", "tests.run_apart"]
    # Measuring coverage would take most of the time, and more memory than some attacks.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(command, input=given, capture_output=True, text=True, cwd=ROOT, check=True, env=env)
    for (name, _), told in zip(group, json.loads(done.stdout), strict=True):
        assert set(told["outcome"].split()) <= CODES.keys() | {"rendered"}, f"{name}: {told}"
        assert told["megabytes"] < MEGABYTES, f"{name}: {told}"


@pytest.mark.parametrize(
    "body",
    [
        "A {{ range(10**9) }}",
        "{% for i in range(50000) %}{% for j in range(50000) %}x{% endfor %}{% endfor %}",
        "A {{ 'a' * 10**9 }}",
        "A {{ ([('x' * 1000000)] * 1000) | join }}",
        "A {% for i in range(40000) %}" + "x" * 1000 + "{% endfor %}",
    ],
)
def test_going_over_the_budget_is_a_problem_at_its_tag(tmp_path: Path, body: str) -> None:
    bundle = load(tmp_path, {"layouts/dm.md": attacks.LAYOUT, "skills/a.md": skill(f"Fine.\n\n{body}\n")})
    (problem,) = bundle.problems
    assert problem.code == "over-budget"
    assert problem.place is not None
    assert (problem.place.line, problem.place.column) == (6, body.index("{") + 1)
    assert problem.source_line == body


def test_the_holes_of_a_document_share_one_budget(tmp_path: Path) -> None:
    one = "A {% for i in range(v) %}x{% endfor %}\n\n"
    bundle = load(tmp_path, attacks.bundle(one * 3))
    trigger = docasm.Trigger.dm("Hi")
    assert bundle.render(trigger, variables={"v": 10_000}).messages[0].content.count("x") == 30_000
    with pytest.raises(docasm.DocasmError, match="over-budget"):
        bundle.render(trigger, variables={"v": 20_000})


def test_a_value_that_a_caller_has_may_be_written_whatever_its_size(tmp_path: Path) -> None:
    bundle = load(tmp_path, attacks.bundle("A {{ v }} and {{ v | trim }}\n"))
    render = bundle.render(docasm.Trigger.dm("Hi"), variables={"v": "🙂" * 8_000_000})
    assert render.messages[0].content.count("🙂") == 16_000_000


def _dm(size: int) -> Callable[[docasm.Bundle], docasm.Render]:
    return lambda bundle: bundle.render(docasm.Trigger.dm("`` `\nuser:\n# x\n" * (size // 15)))


def _history(size: int) -> Callable[[docasm.Bundle], docasm.Render]:
    turns = [docasm.Turn("user", "```\n- x\n" * (size // 8))]
    return lambda bundle: bundle.render(docasm.Trigger.dm("Hi"), history=turns)


def _variable(size: int) -> Callable[[docasm.Bundle], docasm.Render]:
    return lambda bundle: bundle.render(docasm.Trigger.dm("Hi"), variables={"v": "# x\n```\n" * (size // 8)})


def _memory(action: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("given", [_dm, _history, _variable])
def test_memory_grows_with_what_is_given_and_no_faster(
    tmp_path: Path, given: Callable[[int], Callable[[docasm.Bundle], docasm.Render]]
) -> None:
    layout = "system:\n<<skills>>\n\n## History\n\n<<history>>\n\nuser:\n<<input>>\n"
    bundle = load(tmp_path, {**attacks.bundle("A\n\n{{ v | default('') }}\n\nB\n"), "layouts/dm.md": layout})
    renders = [given(size) for size in (1_000, 20_000, 200_000)]
    renders[0](bundle)  # what is made once is made
    small, large = (_memory(lambda render=render: render(bundle).markdown) for render in renders[1:])  # type: ignore[misc]
    assert large < 12 * small
