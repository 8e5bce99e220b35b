"""What a user's CI runs: the workflows in the documents are valid, and the hook for pre-commit works."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from docasm.cli import main
from docasm.cli.check_formats import FORMATS
from tests.documents import ROOT, fences

HOW_TO = ROOT / "docs" / "how-to" / "check-in-ci.md"
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
WORKFLOWS = {
    fence.name: fence.content
    for fence in fences(HOW_TO.read_text(encoding="utf-8"))
    if fence.name.startswith(".github/workflows/")
}


@pytest.mark.parametrize("name", WORKFLOWS)
class TestWorkflows:
    def test_it_is_one_by_the_published_schema(self, name: str) -> None:
        schema = json.loads((ROOT / "tests" / "schemas" / "github-workflow.json").read_text(encoding="utf-8"))
        # BaseLoader reads all scalars as text: `on` stays a key, as GitHub has it.
        workflow: Any = yaml.load(WORKFLOWS[name], Loader=yaml.BaseLoader)
        errors = jsonschema.Draft7Validator(schema).iter_errors(workflow)
        assert [error.message for error in errors] == []

    def test_its_commands_exist(self, name: str) -> None:
        for command, format_name in re.findall(
            r"docasm (check)\b(?: --output-format (\w+))?", WORKFLOWS[name]
        ):
            assert command in main.commands
            assert format_name in FORMATS


def test_there_are_workflows() -> None:
    assert len(WORKFLOWS) == 2


def run(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """A command in a folder, as a user of this Python who has no configuration."""
    scripts = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{folder.parent / 'bin'}{os.pathsep}{scripts}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(folder.parent / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "NO_COLOR": "1",
    }
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        environment.pop(name, None)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


class TestPreCommit:
    def test_the_manifest_is_valid(self, tmp_path: Path) -> None:
        (tmp_path / "here").mkdir()
        done = run(tmp_path / "here", "pre-commit", "validate-manifest", str(MANIFEST))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def test_the_hook_checks_what_is_committed(self, tmp_path: Path) -> None:
        """By pre-commit itself, with this docasm in place of one that it would install."""
        folder = repository(tmp_path)
        done = run(folder, "pre-commit", "run", "docasm-check")
        assert "docasm check" in done.stdout
        assert "Passed" in done.stdout, done.stdout + done.stderr
        (folder / "bot" / "skills" / "a.md").write_text("<<nobody>>\n", encoding="utf-8")
        run(folder, "git", "add", "-A")
        done = run(folder, "pre-commit", "run", "docasm-check")
        assert done.returncode == 1
        assert "bot/skills/a.md:1:1: error[unknown-skill]" in done.stdout

    def test_the_hook_leaves_other_changes_alone(self, tmp_path: Path) -> None:
        folder = repository(tmp_path)
        run(folder, "git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
        (folder / "main.py").touch()
        run(folder, "git", "add", "-A")
        assert "no files to check" in run(folder, "pre-commit", "run", "docasm-check").stdout


def repository(tmp_path: Path) -> Path:
    """A git repository with a bundle, a docasm on the path, and the hook as a local one."""
    folder, programs = tmp_path / "repository", tmp_path / "bin"
    (folder / "bot" / "skills").mkdir(parents=True)
    programs.mkdir()
    script = programs / "docasm"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m docasm "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    (folder / "bot" / "docasm.yaml").touch()
    (folder / "bot" / "skills" / "a.md").write_text("Be brief.\n", encoding="utf-8")
    hooks = [{**each, "language": "system"} for each in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))]
    configuration = {"repos": [{"repo": "local", "hooks": hooks}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
    run(folder, "git", "init", "-q")
    run(folder, "git", "add", "-A")
    return folder


def test_check_looks_at_the_bundles_of_the_project() -> None:
    """`make check` names all that there are, and nothing else, except those that tests hold."""
    shown = subprocess.run(
        ["make", "--dry-run", "check"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    named = re.search(r"docasm check (.*)$", shown, re.MULTILINE)
    assert named is not None
    found = {ROOT / folder for folder in named[1].split()}
    bundles = {
        path.parent for top in ("examples", "bench", "docasm") for path in ROOT.glob(f"{top}/**/docasm.yaml")
    }
    assert found == bundles
