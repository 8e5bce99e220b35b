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
    assert "To delete what is unused: docasm test bot --update\n" in unused.output
    assert "--snapshot-update" not in unused.output
    assert project.docasm("test", "bot/ann.yaml", "--update").code == 0
    assert len(project.snapshots()) == 4
    assert project.docasm("test", "--update").code == 0
    assert {name.split("/")[2] for name in project.snapshots()} == {"ann"}


def test_snapshots_in_a_folder_without_any_scenario_left_are_unused(project: Project) -> None:
    project.write({"bot/a/b/eve.yaml": f"bundle: ../..\n{FILES['bot/ann.yaml']}"})
    assert project.docasm("test", "--update").code == 0
    (project.folder / "bot/a/b/eve.yaml").unlink()
    for path, code in (("bot/ann.yaml", 0), ("bot", 1)):
        ran = project.docasm("test", path)
        assert ran.code == code, ran.output
        assert ("Unused document (bot/a/b/__snapshots__/eve/document.md)" in ran.output) is bool(code)
    assert project.docasm("test", "--update", "--", "-n", "2").code == 0
    assert not [name for name in project.snapshots() if "eve" in name]


def test_snapshots_are_unused_where_the_last_scenario_is_gone(project: Project) -> None:
    assert project.docasm("test", "bot", "--update").code == 0
    for name in ("ann", "bob"):
        (project.folder / f"bot/{name}.yaml").unlink()
    for variables in ({}, {"CI": "true"}):
        ran = project.docasm("test", "bot", *(["--update"] if variables else []), **variables)
        assert ran.code == 1
        assert "Unused document (bot/__snapshots__/ann/document.md)\n" in ran.output
        assert "there is no scenario in `bot`" in ran.output
        assert ("no snapshot is written or removed where CI is set" in ran.output) is bool(variables)
    assert len(project.snapshots()) == 4
    ran = project.docasm("test", "bot", "--update")
    assert "Deleted payload (bot/__snapshots__/bob/payload.json)\n" in ran.output
    assert project.snapshots() == {}


def test_a_case_that_there_is_not_is_told(project: Project) -> None:
    project.write({"bot/docasm.yaml": ""})
    assert project.docasm("test", "--update").code == 0
    ran = project.docasm("test")
    assert ran.code == 0
    assert "skipped bot/ann.yaml::payload: nothing names a model, so there is no request\n" in ran.output
    assert "failed" not in ran.output


def test_scenarios_and_folders_have_any_name(project: Project) -> None:
    (project.folder / "bot/bob.yaml").unlink()
    names = ["a[1].yaml", "-x.yaml", "ü %d'\".yaml", "[a]/[b]/eve.yaml", "-k/eve.yaml"]
    for name in names:
        up = "/".join([".", *[".."] * name.count("/")])
        project.write({f"bot/{name}": f"bundle: {up}\n{FILES['bot/ann.yaml']}"})
    paths = [f"bot/{name}" for name in (*names[:3], "[a]/[b]", "-k")]
    assert project.docasm("test", *paths, "--update").code == 0
    assert len(project.snapshots()) == 2 * len(names)
    assert "10 snapshots passed." in project.docasm("test", *paths).output
    (project.folder / "bot/[a]/[b]/eve.yaml").rename(project.folder / "bot/[a]/[b]/bob.yaml")
    hint = "To delete what is unused: docasm test 'bot/[a]/[b]' --update\n"
    assert hint in project.docasm("test", "bot/[a]/[b]").output


def test_arguments_that_select_nothing_are_named(project: Project) -> None:
    ran = project.docasm("test", "bot", "--", "-k", "not bot")
    assert ran.code == 1
    assert "error[no-scenario]: `-k 'not bot'` selects nothing in `bot`" in ran.output


def test_files_that_docasm_did_not_write_stay(project: Project) -> None:
    mine = {"bot/__snapshots__/eve/document.md": "# Mine\n", "bot/__snapshots__/eve/payload.json": "{}\n"}
    project.write({f"bot/a/{name}": text for name, text in mine.items()})
    assert project.docasm("test", "--update").code == 0
    assert {f"bot/a/{name}" for name in mine} < project.snapshots().keys()


def test_a_name_that_pytest_takes_for_two_is_an_error(project: Project) -> None:
    project.write({"bot/a::b.yaml": FILES["bot/ann.yaml"]})
    ran = project.docasm("test", "bot", "--update")
    assert ran.code == 1
    assert "pytest takes `a::b.yaml` for a case; rename it, without `::`" in ran.output
    assert not [name for name in project.snapshots() if "b.yaml" in name]
    assert "rename it, without `::`" in project.docasm("test", "bot/a::b.yaml").output


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
