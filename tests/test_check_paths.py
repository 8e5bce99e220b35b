"""What `docasm check` checks: bundles, folders of bundles, single files; in one process or many."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from multiprocessing import Pipe
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner, Result

from docasm.cli import main
from docasm.cli.check_jobs import WORTH, default_jobs, run, serve
from docasm.errors import DocasmError, Problem, failure

SKILL = "---\ntriggers: [dm]\ntols: []\n---\n# A\n"
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="one process does it all there")


def check(*args: str | Path) -> Result:
    result = CliRunner().invoke(main, ["check", *map(str, args)], prog_name="docasm")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def places(*args: str | Path) -> list[str]:
    """The files of the problems found, in order."""
    return [each["path"] for each in json.loads(check(*args, "--output-format", "json").stdout)]


def make(folder: Path, *names: str) -> Path:
    """A bundle with a skill that has a warning, for each name."""
    (folder / "skills").mkdir(parents=True)
    (folder / "docasm.yaml").touch()
    for name in names:
        (folder / "skills" / f"{name}.md").write_text(SKILL, encoding="utf-8")
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestPaths:
    def test_a_folder_stands_for_the_nearest_bundles_below_it(self, here: Path) -> None:
        for name in ("b/two", "b/one", "a", ".hidden"):
            make(here / name, "x")
        make(here / "a" / "inner", "x")
        found = ["a/skills/x.md", "b/one/skills/x.md", "b/two/skills/x.md"]
        assert places() == places(".") == found
        assert places("b") == found[1:]
        assert places(here) == [f"{here}/{each}" for each in found]
        assert places("a/inner", "a") == ["a/inner/skills/x.md", "a/skills/x.md"]

    def test_praise_counts_all_of_them(self, here: Path) -> None:
        for name in ("a", "b"):
            (make(here / name) / "skills" / "x.md").write_text("---\ntriggers: [dm]\n---\n", encoding="utf-8")
        assert check().stderr == "all is well: 2 skills and 6 layouts in 2 bundles\n"

    def test_a_bundle_is_checked_once(self, here: Path) -> None:
        make(here / "a", "x")
        assert places("a", "./a", here / "a", ".") == ["a/skills/x.md"]

    def test_a_file_stands_for_itself(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        make(here / "a", "x", "y", "z")
        assert places("a/skills/y.md") == ["a/skills/y.md"]
        assert places("a/skills/z.md", "a/skills/x.md") == ["a/skills/x.md", "a/skills/z.md"]
        assert places("a/skills/x.md", "a") == [f"a/skills/{each}.md" for each in "xyz"]
        assert places(here / "a" / "skills" / "x.md") == [f"{here}/a/skills/x.md"]
        monkeypatch.chdir(here / "a" / "skills")
        assert places("x.md") == ["../skills/x.md"]

    def test_a_file_that_is_well_in_a_bundle_that_is_not(self, here: Path) -> None:
        (make(here, "x") / "skills" / "y.md").write_text("Be brief.", encoding="utf-8")
        (here / "docasm.yaml").write_text("skils: 1\n", encoding="utf-8")
        assert check("skills/y.md").exit_code == 0
        assert places("docasm.yaml") == ["docasm.yaml"]
        (here / "docasm.yaml").write_text("{\n", encoding="utf-8")
        assert check("skills/y.md").exit_code == 1

    def test_a_file_that_no_bundle_reads_is_not_called_well(self, here: Path) -> None:
        make(here / "a", "x")
        (here / "a" / "README.md").touch()
        (here / "alone.md").touch()
        for name, code in (("a/README.md", "outside-bundle"), ("alone.md", "no-bundle")):
            result = check(name)
            assert result.exit_code == 1
            assert f"error[{code}]" in result.stdout
            assert name in result.stdout

    def test_a_bundle_that_cannot_be_read_does_not_hide_the_others(self, here: Path) -> None:
        make(here / "a", "x")
        (make(here / "b", "x") / "docasm.yaml").write_text("{", encoding="utf-8")
        assert places() == ["a/skills/x.md", "b/docasm.yaml"]
        assert places("nowhere", "a") == [None, "a/skills/x.md"]

    def test_a_folder_that_may_not_be_read(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (here / "a").mkdir()

        def refuse(path: str) -> None:
            raise PermissionError(13, "Permission denied", path)

        monkeypatch.setattr("os.scandir", refuse)
        assert "error[unreadable-file]: cannot list `.`: Permission denied" in check().stdout


def many(folder: Path, number: int = 250) -> Path:
    """A bundle in which every third skill has a warning, every seventh an error."""
    make(folder)
    for each in range(number):
        text = SKILL if each % 3 == 0 else "<<nobody>>\n" if each % 7 == 0 else "Be brief.\n"
        (folder / "skills" / f"s{each:04}.md").write_text(text, encoding="utf-8")
    return folder


def command(*args: str | Path) -> list[str]:
    return [sys.executable, "-m", "docasm", "check", *map(str, args)]


@needs_fork
class TestProcesses:
    """In processes that fork, as a user's does."""

    @pytest.mark.parametrize("name", ["full", "json", "github"])
    def test_their_number_changes_nothing(self, here: Path, name: str) -> None:
        many(here / "a")
        many(here / "b", 20)
        told = {
            jobs: subprocess.run(
                command("--output-format", name, *(["--jobs", jobs] if jobs else [])),
                capture_output=True,
                check=False,
            )
            for jobs in ("", "1", "2", "5", "99")
        }
        assert {(each.returncode, each.stdout, each.stderr) for each in told.values()} == {
            (1, told["1"].stdout, told["1"].stderr)
        }
        assert told["1"].stdout.count(b"unknown-key") >= 80

    def test_one_that_dies_is_an_error(self) -> None:
        told = in_a_process(f"""
import os, signal
def die():
    os.kill(os.getpid(), signal.SIGKILL)
{CATCH.format(check="die", jobs=2)}""")
        assert "internal-error" in told
        assert "died with the exit code -9" in told

    def test_what_a_check_raises_is_raised(self) -> None:
        told = in_a_process(f"""
def die():
    raise KeyError("x")
{CATCH.format(check="die", jobs=2)}""")
        assert "RuntimeError" in told
        assert "KeyError: 'x'" in told

    def test_an_interrupt_ends_all(self) -> None:
        """Ctrl-C reaches the whole group, a `kill -INT` the parent alone; nobody lives on."""
        for everyone in (True, False):
            program = subprocess.Popen(
                [sys.executable, "-c", SLEEPERS],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                text=True,
            )
            assert program.stdout is not None
            workers = [int(program.stdout.readline()) for _ in range(2)]
            (os.killpg if everyone else os.kill)(program.pid, signal.SIGINT)
            _, talk = program.communicate(timeout=20)
            assert program.returncode != 0
            assert "KeyboardInterrupt" in talk
            assert gone(workers)

    def test_a_parent_that_is_killed_leaves_nobody(self) -> None:
        code = SLEEPERS.replace("60", "0.5")
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            workers = [int(program.stdout.readline()) for _ in range(2)]
            program.kill()
        assert gone(workers)


CATCH = """
from docasm.cli.check_jobs import run
from docasm.errors import DocasmError
try:
    list(run([[{check}]] * 40, {jobs}))
except Exception as error:
    print(type(error).__name__, error)
"""
SLEEPERS = """
import os, signal, time
from docasm.cli.check_jobs import run
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored below a shell's `&`
def sleep():
    os.write(1, f"{os.getpid()}\\n".encode())
    time.sleep(60)
    return ()
list(run([[sleep]] * 40, 2))
"""


def in_a_process(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def gone(processes: Sequence[int]) -> bool:
    """Whether processes end within some seconds."""
    for _ in range(100):
        if not any(_lives(each) for each in processes):
            return True
        time.sleep(0.1)
    return False


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not (state.exists() and re.search(r"\) Z ", state.read_text(encoding="utf-8")))


class TestOneProcess:
    def test_checks_are_done_in_their_order(self) -> None:
        found = (Problem("left-open", "m"),)
        assert list(run([[tuple, lambda: found], [tuple]], 1)) == [(0, [*found]), (1, [])]

    def test_few_checks_have_one(self) -> None:
        assert default_jobs(WORTH - 1) == 1
        assert default_jobs(WORTH) >= 1

    def test_a_process_answers_until_nobody_asks(self) -> None:
        def fail() -> tuple[Problem, ...]:
            raise failure("no-bundle", "x")

        def fault() -> tuple[Problem, ...]:
            raise KeyError("x")

        here, there = Pipe()
        serving = Thread(target=serve, args=(there, [[tuple, tuple], [fail], [fault]]))
        serving.start()
        answers = []
        for number in range(3):
            here.send(number)
            answers.append(here.recv())
        here.close()
        serving.join(timeout=10)
        assert not serving.is_alive()
        assert answers[0] == (0, [])
        assert isinstance(answers[1], DocasmError)
        assert str(answers[2]) == "KeyError: 'x'"


@pytest.mark.parametrize("place", range(5))
def test_neighbours_are_checked_together_wherever_they_stand(
    here: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """A value that ends one skill must not stand before the code that starts the next."""
    monkeypatch.setattr("docasm.check.SPAN", 2)
    make(here)
    for number in range(6):
        text = "---\ntriggers: [dm]\n---\n# A\n\n{}\n".format("{{ sender }}" if number == place else "Brief.")
        path = here / "skills" / f"s{number}.md"
        if number == place + 1:
            path = here / "skills" / f"s{number}" / "SKILL.md"
            path.parent.mkdir()
            text = f"---\nname: s{number}\ndescription: d\ntriggers: [dm]\n---\n    code first\n"
        path.write_text(text, encoding="utf-8")
    result = check()
    assert f"skills/s{place}.md:6:1: error[uncontained-value]" in result.stdout, result.stdout
    assert result.exit_code == 1
