"""The options of the command line that answer for tools, and name a provider."""

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from docasm.cli import main
from docasm.cli.tool_command import MAX_OUTPUT, ToolCommand, ToolCommandError
from tests.bundles import skill, write_bundle

FILES = {
    "docasm.yaml": "variables: {profile: {tool: get_profile, args: {of: é}}, more: {tool: get_more}}",
    "skills/chat.md": skill("# Chat\n\n{{ profile }}\n\nFor {{ provider }}.\n"),
    "skills/both.md": skill("{{ profile }} and {{ more }}\n", "triggers: [cron]"),
    "dm.yaml": "trigger: {type: dm, text: Hi}",
    "canned.yaml": "trigger: {type: dm, text: Hi}\nresults: {get_profile: Canned.}\nprovider: scenario",
    "cron.yaml": "trigger: {type: cron, filter: x, created_at: 1}",
    "profile.json": '{"content": "From a file."}',
    "text.json": '"A text."',
}
ECHO = "import json, sys; asked = json.load(sys.stdin); print(json.dumps({'content': f'Asked {asked}.'}))"
FAILS = "import sys; print('a\\nno relay \\x1b[2J\\n\\n', file=sys.stderr); sys.exit(3)"
ways = pytest.mark.parametrize(
    "way", [("dm.yaml",), ("--bundle", ".", "--dm", "Hi")], ids=["scenario", "bundle"]
)


@pytest.fixture(autouse=True)
def _bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_bundle(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)


def render(*args: str) -> Result:
    result = CliRunner().invoke(main, ["render", *args], prog_name="docasm")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def python(program: str) -> str:
    """A command that runs a program."""
    return shlex.join([sys.executable, "-c", program])


def failing(code: int, *args: str) -> str:
    result = render(*args)
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    return result.stderr


class TestFiles:
    """--resolve NAME=FILE."""

    @ways
    @pytest.mark.parametrize(("file", "text"), [("profile.json", "From a file."), ("text.json", "A text.")])
    def test_a_result(self, way: Sequence[str], file: str, text: str) -> None:
        result = render(*way, "--resolve", f"get_profile={file}")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == f"system:\n# Chat\n\n{text}\n\nFor openai.\n\nuser:\nHi\n"

    def test_it_may_be_repeated(self) -> None:
        options = ("--resolve", "get_profile=text.json", "--resolve", "get_more=profile.json")
        assert "A text. and From a file." in render("cron.yaml", *options).stdout

    def test_it_goes_before_what_a_scenario_holds(self) -> None:
        assert "Canned." in render("canned.yaml").stdout
        assert "A text." in render("canned.yaml", "--resolve", "get_profile=text.json").stdout

    @ways
    def test_what_is_missing_is_told_with_the_option(self, way: Sequence[str]) -> None:
        told = failing(1, *way, "--resolve", "get_profil=text.json")
        assert told.startswith(
            "skills/chat.md:6:1: error[no-resolver]: nothing resolves the tool `get_profile`"
        )
        assert "`--resolve get_profile=FILE`" in told

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("{", "wrong.json:1:2: error[json-syntax]"),
            ("{}", "skills/chat.md:6:1: error[bad-result]: the result of the tool `get_profile` has"),
            ('{"content": 7}', "skills/chat.md:6:1: error[bad-result]"),
            ("[]", "is no text but of the type `list`"),
        ],
    )  # fmt: skip
    def test_results_that_are_none(self, text: str, told: str) -> None:
        Path("wrong.json").write_text(text, encoding="utf-8")
        assert told in failing(1, "dm.yaml", "--resolve", "get_profile=wrong.json")

    def test_a_file_that_is_not_there(self) -> None:
        told = failing(1, "dm.yaml", "--resolve", "get_profile=nowhere.json")
        assert told.startswith("error[unreadable-file]: cannot read `nowhere.json`: No such file")


@pytest.mark.parametrize("command", ["inspect", "explain", "log", "diff"])
def test_other_commands_take_the_options_too(command: str) -> None:
    args = [command, "dm.yaml", *(["canned.yaml"] if command == "diff" else []), "--provider", "somebody"]
    result = CliRunner().invoke(main, [*args, "--resolve", "get_profile=text.json"])
    assert result.exit_code == 0, result.output
    assert "error" in CliRunner().invoke(main, args).stderr
    assert command not in ("explain", "log") or "For somebody." in result.stdout


class TestUsage:
    """Options that make no sense."""

    @pytest.mark.parametrize(
        ("args", "told"),
        [
            (["--resolve", "x"], "`x` does not name a tool and a file; write NAME=FILE"),
            (["--resolve", "x="], "`x=` does not name a tool and a file"),
            (["--resolve", "=x"], "`=x` does not name a tool and a file"),
            (["--resolve", "x=a", "--resolve", "x=b"], "`x` is given twice"),
            (["--resolve-with", "'x"], "cannot read `'x`: No closing quotation"),
            (["--resolve-with", " "], "the command is empty"),
            (["--resolve-timeout", "3"], "--resolve-timeout belongs to --resolve-with"),
            (["--resolve-with", "x", "--resolve-timeout", "0"], "0.0 is not in the range"),
            (["--resolve-with", "x", "--resolve-timeout", "1e99"], "is not in the range"),
        ],
    )
    def test_each(self, args: Sequence[str], told: str) -> None:
        assert told in failing(2, "dm.yaml", *args)

    def test_they_stand_for_no_scenario(self) -> None:
        assert "give a SCENARIO, or --bundle" in failing(2, "--resolve", "x=text.json")


class TestProvider:
    """--provider NAME."""

    @ways
    def test_the_text_is_for_it(self, way: Sequence[str]) -> None:
        options = ("--resolve", "get_profile=text.json", "--provider", "somebody")
        assert "For somebody." in render(*way, *options).stdout

    def test_it_goes_before_that_of_a_scenario(self) -> None:
        assert "For scenario." in render("canned.yaml").stdout
        assert "For me." in render("canned.yaml", "--provider", "me").stdout


class TestCommand:
    """--resolve-with COMMAND."""

    @ways
    def test_json_in_json_out(self, way: Sequence[str]) -> None:
        result = render(*way, "--resolve-with", python(ECHO))
        assert (result.exit_code, result.stderr) == (0, "")
        assert "\n\nAsked {'tool': 'get_profile', 'args': {'of': 'é'}}.\n\n" in result.stdout

    def test_it_is_run_once_for_each_call_that_nothing_else_answers(self) -> None:
        program = f"open('calls', 'a').write('x'); {ECHO}"
        options = ("--resolve-with", python(program), "--resolve", "get_profile=text.json")
        assert "A text. and Asked {'tool': 'get_more', 'args': {}}." in render("cron.yaml", *options).stdout
        assert Path("calls").read_text(encoding="utf-8") == "x"
        assert render("canned.yaml", *options[:2]).exit_code == 0
        assert Path("calls").read_text(encoding="utf-8") == "x"

    def test_no_shell_reads_it(self) -> None:
        program = "import sys; print('\"' + ' '.join(sys.argv[1:]) + '\"')"
        command = f"{python(program)} '$HOME' ; * `x` '|' a"
        assert "$HOME ; * `x` | a" in render("dm.yaml", "--resolve-with", command).stdout

    @pytest.mark.parametrize(
        ("program", "told"),
        [
            (FAILS, "ended with exit code 3: no relay"),
            ("import sys; sys.exit(4)", "ended with exit code 4\n"),
            ("import os; os.kill(os.getpid(), 9)", "ended with signal 9\n"),
            ("1 / 0", "ended with exit code 1: ZeroDivisionError: division by zero\n"),
            ("pass", "printed: JSON: expected a value, and there is none (line 1, column 1)\n"),
            ("print('{')", "printed: JSON: expecting property name enclosed in double"),
            ("import os; os.write(1, b'\\xff')", "printed: byte 0xff is not UTF-8 (line 1, column 1)"),
            ("print('[' * 5000 + ']' * 5000)", "printed: this nests more than 100 deep"),
        ],
    )  # fmt: skip
    def test_what_goes_wrong(self, program: str, told: str) -> None:
        failed = failing(1, "dm.yaml", "--resolve-with", python(program))
        start = "skills/chat.md:6:1: error[tool-failed]: the tool `get_profile` failed: "
        assert failed.startswith(start)
        assert told in failed
        assert "\x1b" not in failed

    def test_an_answer_that_is_no_text(self) -> None:
        told = failing(1, "dm.yaml", "--resolve-with", python("print(7)"))
        assert told.startswith(
            "skills/chat.md:6:1: error[bad-result]: the result of the tool `get_profile` is"
        )

    def test_a_command_that_is_not_there(self) -> None:
        assert "cannot run `./nothing`: No such file" in failing(
            1, "dm.yaml", "--resolve-with", "./nothing x"
        )

    def test_a_command_that_does_not_read_what_it_is_asked(self) -> None:
        asked = ToolCommand([sys.executable, "-c", "print('1')"], 30.0)
        assert asked("t", {"long": "x" * 1_000_000}) == 1

    def test_talk_of_one_that_answers_is_its_own(self) -> None:
        program = "import sys; sys.stderr.write('x' * 1_000_000); print('\"ok\"')"
        result = render("dm.yaml", "--resolve-with", python(program))
        assert (result.exit_code, result.stderr) == (0, "")

    def test_too_much_output(self) -> None:
        program = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
        told = failing(1, "dm.yaml", "--resolve-with", python(program))
        assert f"printed more than {MAX_OUTPUT:,} bytes" in told


def alive(pid: int) -> bool:
    """Whether a process runs still; one that nobody has asked about is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] != "Z"
    except FileNotFoundError:
        return False


def pid_in(file: Path) -> int:
    """The number that a process writes into a file, once it is there."""
    end = time.monotonic() + 20
    while not (file.exists() and file.read_text(encoding="utf-8").endswith("\n")):
        assert time.monotonic() < end
        time.sleep(0.01)
    return int(file.read_text(encoding="utf-8"))


CHILD = "import os, time; print(os.getpid(), file=open('pid', 'w')); time.sleep(600)"
SPAWNS = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {CHILD!r}]"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
class TestTimeOut:
    """What takes too long is ended, with all that it started."""

    @pytest.mark.parametrize(
        "program",
        [
            CHILD,
            f"{SPAWNS}).wait()",
            f"{SPAWNS}); print('1')",
            f"{SPAWNS}, stdout=-3, stderr=-3); import os, time; os.close(1); os.close(2); time.sleep(600)",
            f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {CHILD}",
        ],
        ids=["itself", "its child", "a child that holds stdout", "one that closes stdout", "deaf"],
    )  # fmt: skip
    def test_nothing_runs_on(self, program: str) -> None:
        with pytest.raises(ToolCommandError, match=r"took more than 1\.5 s"):
            ToolCommand([sys.executable, "-c", program], 1.5)("t", {})
        pid = pid_in(Path("pid"))
        end = time.monotonic() + 5
        while alive(pid) and time.monotonic() < end:
            time.sleep(0.01)
        assert not alive(pid)

    def test_it_is_told_where_the_tool_is_used(self) -> None:
        program = "import sys, time; print('asking the relay', file=sys.stderr, flush=True); time.sleep(600)"
        told = failing(1, "dm.yaml", "--resolve-with", python(program), "--resolve-timeout", "0.8")
        assert told.startswith("skills/chat.md:6:1: error[tool-failed]: the tool `get_profile` failed: ")
        assert "took more than 0.8 s: asking the relay\n" in told

    def test_an_interrupt_ends_it_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*_: object) -> None:
            pid_in(Path("pid"))
            raise KeyboardInterrupt

        monkeypatch.setattr("docasm.cli.tool_command._Reading.wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ToolCommand([sys.executable, "-c", CHILD], 30.0)("t", {})
        assert not alive(pid_in(Path("pid")))


def test_no_stream_is_left_open() -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("there is no /proc")
    count: Callable[[], int] = lambda: len(os.listdir("/proc/self/fd"))  # noqa: E731
    asked = ToolCommand([sys.executable, "-c", ECHO], 30.0)
    before = count()
    assert json.loads(json.dumps(asked("t", {})))["content"].startswith("Asked")
    assert count() == before
