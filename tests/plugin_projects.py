"""Small projects whose tests are run by pytest in a process of its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.documents import ROOT

FILES: Mapping[str, str] = {
    "bot/docasm.yaml": "params: {model: gpt-4o-mini}\n",
    "bot/skills/chat.md": "---\ntriggers: [dm]\n---\n# Rules\n\nBe brief.\nBe kind.\n",
    "bot/ann.yaml": "trigger: {type: dm, sender: ann, text: Hello}\n",
    "bot/bob.yaml": "trigger: {type: dm, sender: bob, text: Bye}\n",
    "tests/test_bot.py": (
        "import docasm\n\n"
        "def test_dm(document_snapshot):\n"
        "    bundle = docasm.Bundle.load('bot')\n"
        "    assert bundle.render(docasm.Trigger.dm('Hi')) == document_snapshot\n"
    ),
    "pytest.ini": (
        "[pytest]\ntestpaths = tests\naddopts = -p no:cacheprovider\ndocasm_scenarios = bot/*.yaml\n"
    ),
}


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed, and how it ended."""

    output: str
    code: int


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a bundle, scenarios and a test."""

    folder: Path

    def copy(self, to: Path) -> "Project":
        """The same in another folder."""
        shutil.copytree(self.folder, to, dirs_exist_ok=True)
        return Project(to)

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())

    def pytest(self, *arguments: str, **variables: str) -> Ran:
        """With the plugins that it needs, and no other, which takes half as long."""
        plugins = ("-p", "docasm.pytest_plugin", "-p", "syrupy", "-p", "xdist")
        alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables}
        return self.python(["-m", "pytest", *plugins, *arguments], alone)

    def docasm(self, *arguments: str, **variables: str) -> Ran:
        return self.python(["-m", "docasm", *arguments], variables)

    def snapshots(self) -> dict[str, str]:
        """The snapshots by the names of their files."""
        found = sorted(path for path in self.folder.rglob("__snapshots__/**/*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path.read_text(encoding="utf-8") for path in found}

    def python(self, arguments: Sequence[str], variables: Mapping[str, str]) -> Ran:
        """Runs Python here, as if nothing around had set up a test."""
        unset = ("CI", "BUILD_NUMBER", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER")
        inherited = {name: value for name, value in os.environ.items() if name not in unset}
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**inherited, "PYTHONPATH": path, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8", **variables},
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        return Ran(done.stdout, done.returncode)
