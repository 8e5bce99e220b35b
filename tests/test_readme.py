"""The quick start of the README: two commands, and what they print."""

import re
from pathlib import Path

from tests.documents import ROOT, STAND_INS, fences

README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def _recipe(target: str) -> list[str]:
    """The commands of a target of the Makefile, without make's own marks."""
    found = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert found, f"no target {target}"
    return [line.strip().lstrip("@").removeprefix("$(BIN)/") for line in found[1].splitlines()]


def _output(command: str) -> str:
    contents = [fence.content for fence in fences(README) if fence.language == "console"]
    return next(each.partition("\n")[2] for each in contents if each.startswith(f"$ {command}\n"))


def test_the_quick_start_is_the_two_commands() -> None:
    commands = [fence.content.split("\n")[0] for fence in fences(README) if fence.language == "console"]
    assert commands[:2] == ["$ make demo", "$ make test"]


def test_make_demo_renders_the_direct_message() -> None:
    assert _recipe("demo") == [STAND_INS["make demo"]]
    golden = Path(__file__).parent / "golden" / "dm.md"
    assert _output("make demo") == golden.read_text(encoding="utf-8")


def test_make_test_runs_pytest_and_ends_in_its_summary() -> None:
    assert any("-m pytest" in line for line in _recipe("test"))
    *_, last = _output("make test").splitlines()
    assert re.fullmatch(r"=+ [\d.]+ passed(?:, [\d.]+ \w+)* in [\d.]+s?(?: \(.*\))? =+", last)
