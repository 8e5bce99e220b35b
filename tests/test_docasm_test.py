"""`docasm test`, as a person without a Python project meets it."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from docasm.cli import main
from tests.documents import ROOT
from tests.plugin_projects import FILES, Project

BOT = {name: text for name, text in FILES.items() if name.startswith("bot/")}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.write(BOT)
    return made


def test_snapshots_are_made_compared_and_removed(project: Project) -> None:
    first = project.docasm("test")
    assert first.code == 1
    assert "the document has no snapshot yet: bot/__snapshots__/ann/document.md\n" in first.output
    assert "to update it: docasm test bot/ann.yaml --update\n" in first.output
    assert project.snapshots() == {}
    assert project.docasm("test", "bot", "--update").code == 0
    assert project.docasm("test", "bot").code == 0
    (project.folder / "bot/bob.yaml").unlink()
    unused = project.docasm("test", "bot")
    assert unused.code == 1
    assert "2 snapshots unused." in unused.output
    assert "For `docasm test` that is --update." in unused.output
    assert project.docasm("test", "bot/ann.yaml", "--update").code == 0
    assert len(project.snapshots()) == 4
    assert project.docasm("test", "--update").code == 0
    assert {name.split("/")[2] for name in project.snapshots()} == {"ann"}


def test_where_ci_is_set_nothing_is_written(project: Project) -> None:
    ran = project.docasm("test", "bot", "--update", CI="false")
    assert ran.code == 1
    assert "no snapshot is written or removed where CI is set" in ran.output
    assert project.snapshots() == {}


def test_nothing_of_another_project_counts_and_no_rubbish_is_left(project: Project) -> None:
    trap = "raise SystemExit('this is not yours')\n"
    names = ("conftest.py", "bot/conftest.py", "bot/__init__.py", "bot/test_trap.py", "yaml.py", "pytest.py")
    project.write(dict.fromkeys(names, trap))
    project.write({"pytest.ini": "[pytest]\naddopts = --nope\n", "bot/history.yaml": "- user: Hi\n"})
    before = {path for path in project.folder.rglob("*") if path.is_file()}
    ran = project.docasm("test", "bot", "--update", PYTEST_ADDOPTS="--nope", PYTEST_PLUGINS="nope")
    assert ran.code == 0, ran.output
    written = {path for path in project.folder.rglob("*") if path.is_file()} - before
    assert {path.relative_to(project.folder).parts[1] for path in written} == {"__snapshots__"}


def test_what_stands_after_the_dashes_is_for_pytest(project: Project) -> None:
    project.docasm("test", "--update")
    ran = project.docasm("test", "bot", "--", "-k", "ann and document", "-v", "--junitxml=report.xml")
    assert ran.code == 0
    assert "1 passed, 3 deselected" in ran.output
    assert (project.folder / "report.xml").exists()
    assert project.docasm("test", "bot", "--", "--nope").code == 2


def test_a_command_that_makes_no_sense_is_told_from_one_that_finds_nothing(project: Project) -> None:
    assert project.docasm("test", "nope").code == 2
    assert project.docasm("test", "--nope").code == 2
    (project.folder / "empty").mkdir()
    ran = project.docasm("test", "empty")
    assert ran.code == 1
    assert "error[no-scenario]: there is no scenario in `empty`" in ran.output


def test_without_pytest_the_command_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docasm.cli.test.find_spec", lambda _: None)
    ran = CliRunner().invoke(main, ["test", str(ROOT / "examples")])
    assert ran.exit_code == 1
    assert "error[pytest-missing]: `docasm test` needs pytest and syrupy" in ran.output
    assert "python -m pip install 'docasm[test]'" in ran.output


PLACES = (
    {"PYTHONHASHSEED": "1", "TZ": "America/St_Johns", "LC_ALL": "C", "PYTHONUTF8": "0"},
    {"PYTHONHASHSEED": "4242", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"},
)


@pytest.mark.parametrize("variables", PLACES, ids=["west", "east"])
def test_the_snapshots_of_all_examples_are_the_same_everywhere(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    """Written again in another folder, they are those of the repository, byte for byte."""
    for name in ("examples", "skills", "layouts"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__snapshots__"))
    ran = Project(tmp_path).docasm("test", "examples", "--update", **variables)
    assert ran.code == 0, ran.output
    here, there = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("__snapshots__/*/*")}
        for root in (ROOT / "examples", tmp_path / "examples")
    )
    assert here == there
    assert len(here) == 28
