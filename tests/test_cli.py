"""The command line: what goes to stdout, what to stderr, and the exit code; never a traceback."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given

from docasm import Message, __version__, join, load_scenario, split
from docasm.cli import main
from docasm.cli.init import STARTER, starter_files
from docasm.cli.render import PROVIDERS
from tests.strategies import hostile_text, messages

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
DM, CRON = ROOT / "examples" / "dm.yaml", ROOT / "examples" / "cron.yaml"
COMMANDS = (
    "check",
    "diff",
    "explain",
    "init",
    "inspect",
    "join",
    "log",
    "render",
    "schema",
    "split",
    "test",
    "tools",
)
BUNDLE = ("render", "--bundle", str(ROOT / "examples"))


def run(
    *args: str | Path, data: bytes = b"", env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[bytes]":
    """One run in a process of its own."""
    command = [sys.executable, "-m", "docasm", *map(str, args)]
    done = subprocess.run(
        command, input=data, capture_output=True, env={**os.environ, **(env or {})}, cwd=ROOT, check=False
    )
    assert b"Traceback" not in done.stderr
    return done


def invoke(*args: str | Path, data: bytes | str = b"") -> Result:
    """One run in this process, which is much quicker."""
    result = CliRunner().invoke(main, [*map(str, args)], input=data, prog_name="docasm")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.stderr
    return result


def failing(code: int, *args: str | Path, data: bytes | str = b"") -> str:
    """The talk of a run that prints no data and ends with an exit code."""
    result = invoke(*args, data=data)
    assert (result.exit_code, result.stdout_bytes) == (code, b""), result.output
    return result.stderr


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """The starter bundle."""
    assert invoke("init", tmp_path / "bot").exit_code == 0
    return tmp_path / "bot"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Writes a file, folders above it included, and gives its path."""

    def write_file(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write_file


class TestStreams:
    """In real processes: the bytes that leave them."""

    @pytest.mark.parametrize(
        "env",
        [
            {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
            {"PYTHONIOENCODING": "ascii"},
            {"PYTHONIOENCODING": "utf-16"},
        ],
        ids=["C", "ascii", "utf-16"],
    )
    def test_the_document_is_the_same_bytes_everywhere(self, env: dict[str, str]) -> None:
        done = run("render", "examples/dm.yaml", env=env)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout == (GOLDEN / "dm.md").read_bytes()

    def test_a_pipe_of_commands_gives_the_document_back(self) -> None:
        document = (GOLDEN / "dm.md").read_bytes()
        parted = run("split", data=document).stdout
        assert parted == (GOLDEN / "dm.messages.json").read_bytes() + b"\n"
        assert run("join", "-", data=parted).stdout == document

    def test_talk_survives_a_locale_without_its_letters(self, write: Callable[[str, str], Path]) -> None:
        write("bundle/skills/a.md", "é 中 {{ nobody }}")
        path = write("bundle/docasm.yaml", "").parent
        done = run("check", path, env={"PYTHONIOENCODING": "latin-1"})
        assert done.returncode == 1
        assert b"1 | \xe9 \\u4e2d {{ nobody }}" in done.stdout

    @pytest.mark.skipif(os.name == "nt", reason="arguments are no bytes there")
    def test_bytes_that_are_no_text(self) -> None:
        command: list[str | bytes] = [sys.executable, "-m", "docasm", *BUNDLE, "--dm", b"caf\xe9"]
        done = subprocess.run(command, capture_output=True, check=False, env=os.environ | {"PYTHONUTF8": "1"})
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"error[lone-surrogate]" in done.stderr
        assert b"Traceback" not in done.stderr

    @pytest.mark.skipif(os.name == "nt", reason="there is no such pipe")
    @pytest.mark.parametrize("size", [10, 1_000_000])
    def test_a_reader_that_hangs_up(self, size: int) -> None:
        command = [sys.executable, "-m", "docasm", "join"]
        reader, writer = os.pipe()
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        os.close(reader)
        _, talk = process.communicate(json.dumps([{"role": "user", "content": "x" * size}]).encode())
        assert (process.returncode, talk) == (1, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
    @pytest.mark.parametrize("args", [["render", "examples/dm.yaml"], ["--version"]])
    def test_a_full_disk(self, args: list[str]) -> None:
        with open("/dev/full", "wb") as full:
            command = [sys.executable, "-m", "docasm", *args]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith(b"error[unwritable-file]: cannot write the output: No space left")

    @pytest.mark.skipif(os.name == "nt", reason="a shell of another kind")
    @pytest.mark.parametrize(("args", "end"), [("render examples/dm.yaml", ">&-"), ("split", "<&-")])
    def test_closed_streams(self, args: str, end: str) -> None:
        command = f"'{sys.executable}' -m docasm {args} {end}"
        done = subprocess.run(command, shell=True, capture_output=True, cwd=ROOT, check=False)
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"is closed" in done.stderr
        assert b"Traceback" not in done.stderr

    def test_the_console_script_is_the_module(self) -> None:
        script = Path(sys.executable).with_name("docasm")
        done = subprocess.run([script, "--version"], capture_output=True, check=True)
        assert done.stdout == run("--version").stdout == f"docasm {__version__}{os.linesep}".encode()

    def test_a_usage_error(self) -> None:
        done = run("chekc")
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"did you mean `check`?" in done.stderr


class TestTheProgram:
    """Help, usage, and what nobody expects."""

    @pytest.mark.parametrize("command", [(), *((each,) for each in COMMANDS)])
    def test_help_fits_a_terminal(self, command: tuple[str, ...]) -> None:
        result = invoke(*command, "--help")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == invoke(*command, "-h").stdout
        assert max(map(len, result.stdout.splitlines())) <= 80

    def test_help_names_every_command(self) -> None:
        assert tuple(sorted(main.commands)) == COMMANDS
        assert all(f"\n  {each} " in invoke("--help").stdout for each in COMMANDS)

    @pytest.mark.parametrize(
        ("args", "told"),
        [
            (["rendr"], "there is no command `rendr`; did you mean `render`?"),
            (["xyz"], "there is no command `xyz`; the commands are: `check`, `diff`"),
            ([str(DM)], f"did you mean `docasm render {DM}`?"),
            (["--versoin"], "No such option"),
            (["render", "--fromat", "openai"], "--format"),
            (
                ["render", str(DM), "--format", "xml"],
                "'xml' is not one of 'markdown', 'messages', 'openai', 'responses'",
            ),
            (
                ["render", str(DM), "--cache"],
                "--cache belongs to a --format that names a provider",
            ),
            (
                ["render", str(DM), "--repair", "params"],
                "--repair belongs to a --format that names a provider",
            ),
            (["split", "a", "b"], "unexpected extra argument"),
        ],
    )
    def test_usage_errors(self, args: list[str], told: str) -> None:
        assert told in failing(2, *args)

    def test_an_interrupt(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("docasm.cli.split.read_bytes", raising(KeyboardInterrupt()))
        assert "Aborted!" in failing(1, "split", "tools")

    def test_a_fault_of_docasm_is_told_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("docasm.cli.split.read_bytes", raising(KeyError("x")))
        told = failing(1, "split", "tools")
        assert told.startswith("error[internal-error]: docasm met a fault of its own: KeyError: 'x'\nhint: ")
        monkeypatch.setenv("DOCASM_DEBUG", "1")
        assert isinstance(CliRunner().invoke(main, ["split"]).exception, KeyError)

    def test_an_error_of_the_system(self, monkeypatch: pytest.MonkeyPatch) -> None:
        error = PermissionError(errno.EACCES, "Permission denied", "skills")
        monkeypatch.setattr("docasm.bundle.read_bundle", raising(error))
        assert failing(1, "check") == "error[unreadable-file]: cannot use `skills`: Permission denied\n"

    def test_colour_is_for_terminals_that_want_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def coloured() -> str:
            return CliRunner().invoke(main, ["check", "nowhere"], color=True).stdout

        monkeypatch.delenv("NO_COLOR", raising=False)
        assert click.style("error[no-bundle]", fg="red", bold=True) in coloured()
        assert "\x1b" not in invoke("check", "nowhere").stdout
        monkeypatch.setenv("NO_COLOR", "1")
        assert coloured() == invoke("check", "nowhere").stdout

    def test_a_value_does_not_take_a_terminal_over(self) -> None:
        result = CliRunner().invoke(main, ["check", "no\x1b[2Jwhere"], color=True)
        assert "\x1b[2J" not in result.stdout
        assert "`no\ufffd[2Jwhere`" in result.stdout


def raising(error: BaseException) -> Callable[..., Any]:
    """A function that only raises."""

    def function(*_: object, **__: object) -> None:
        raise error

    return function


class TestRender:
    """A scenario, or options that say the same."""

    @pytest.mark.parametrize("name", ["dm", "cron"])
    def test_the_goldens(self, name: str) -> None:
        result = invoke("render", ROOT / "examples" / f"{name}.yaml")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout_bytes == (GOLDEN / f"{name}.md").read_bytes()

    def test_messages(self) -> None:
        result = invoke("render", DM, "--format", "messages")
        assert result.stdout_bytes == (GOLDEN / "dm.messages.json").read_bytes() + b"\n"

    def test_the_request_for_openai(self) -> None:
        payload = json.loads(invoke("render", DM, "--format", "openai").stdout_bytes)
        assert payload == load_scenario(DM).render().payload("openai")
        assert [payload["model"], payload["temperature"], len(payload["tools"])] == [
            "claude-opus-4.6",
            0.7,
            5,
        ]

    @pytest.mark.parametrize("provider", PROVIDERS)
    def test_the_request_for_a_provider(self, provider: str) -> None:
        result = invoke("render", DM, "--format", provider)
        assert json.loads(result.stdout_bytes) == load_scenario(DM).render().payload(provider).body

    def test_marks_for_a_cache_are_in_the_body_and_only_there(self) -> None:
        options = ("render", str(DM), "--format", "anthropic")
        marked, plain = run(*options, "--cache"), run(*options)
        body = json.loads(marked.stdout)
        assert [block["cache_control"] for block in body["system"]] == [{"type": "ephemeral"}] * 2
        assert "".join(block["text"] for block in body["system"]) == json.loads(plain.stdout)["system"]
        assert (marked.returncode, plain.stderr) == (0, b"")
        assert b"caches none of fewer than 4,096" in marked.stderr

    def test_a_repair_is_told(self) -> None:
        options = [*BUNDLE, "--dm", "x", "--model", "claude-opus-5", "--format", "anthropic"]
        assert "error[not-accepted]: the model `claude-opus-5` takes no `temper" in failing(1, *options)
        result = invoke(*options, "--repair", "params")
        assert "temperature" not in json.loads(result.stdout_bytes)
        assert result.stderr.startswith("note[request-repaired]: `temperature` is left out: ")
        assert "did you mean `params`?" in failing(1, *options, "--repair", "parms")

    def test_a_file_gets_the_bytes(self, tmp_path: Path) -> None:
        result = invoke("render", DM, "-o", tmp_path / "out.md")
        assert (result.exit_code, result.output) == (0, "")
        assert (tmp_path / "out.md").read_bytes() == (GOLDEN / "dm.md").read_bytes()
        assert invoke("render", DM, "-o", "-").stdout_bytes == (GOLDEN / "dm.md").read_bytes()

    def test_a_file_that_cannot_be_written(self, tmp_path: Path) -> None:
        assert "error[unwritable-file]: cannot write" in failing(1, "render", DM, "-o", tmp_path)
        assert "No such file" in failing(1, "render", DM, "-o", tmp_path / "no" / "out.md")

    def test_a_value_that_is_no_text(self) -> None:
        options = ["--dm", "x", "--model", "\udcff", "--format", "openai"]
        assert "error[wrong-type]: `model` must be a name, and is" in failing(1, *BUNDLE, *options)

    def test_a_failing_render_leaves_the_file_alone(self, write: Callable[[str, str], Path]) -> None:
        out = write("out.md", "before")
        assert "error[empty-input]" in failing(1, *BUNDLE, "--dm", " ", "-o", out)
        assert out.read_text(encoding="utf-8") == "before"

    def test_a_direct_message(self, write: Callable[[str, str], Path]) -> None:
        scenario = DM.read_text(encoding="utf-8")
        history = write("history.yaml", scenario.partition("history:\n")[2])
        text = "Hey Simon, who mentioned me on Nostr today?"
        result = invoke(*BUNDLE, "--dm", text, "--sender", "admin", "--history", history)
        assert result.stdout_bytes == (GOLDEN / "dm.md").read_bytes()

    @pytest.mark.parametrize(
        "moment",
        [
            ("--created-at", "1742641200"),
            ("--now", "2025-03-22T11:00:00"),
            ("--now", "2025-03-22T12:00+01:00"),
            ("--now", "2025-03-22T11:00:00Z"),
            ("--created-at", "1742641200", "--now", "now"),
        ],
    )
    def test_a_cron_job(self, moment: Sequence[str]) -> None:
        result = invoke(*BUNDLE, "--cron", "0 12 * * *", *moment)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout_bytes == (GOLDEN / "cron.md").read_bytes()

    def test_now_reads_the_clock(self) -> None:
        before = int(datetime.now(UTC).timestamp())
        text = split(invoke(*BUNDLE, "--cron", "0 12 * * *", "--now", "now").stdout)[-1].content
        created_at = json.loads(text.partition("```json\n")[2].removesuffix("```"))["created_at"]
        assert before <= created_at <= int(datetime.now(UTC).timestamp())

    @pytest.mark.parametrize("from_stdin", [True, False])
    def test_an_event(self, from_stdin: bool, bundle: Path, write: Callable[[str, str], Path]) -> None:
        write("bot/skills/hook.md", "---\ntriggers: [{event: {kind: 1}}]\n---\n# Hook")
        write("bot/docasm.yaml", "adopted: [hook]")
        event = '{"kind": 1, "text": "\\ud83d\\ude00 <é>", "n": 1.50}'
        file = "-" if from_stdin else write("event.json", event)
        result = invoke("render", "--bundle", bundle, "--event", file, data=event if from_stdin else "")
        assert (result.exit_code, result.stderr) == (0, "")
        assert '```json\n{\n  "kind": 1,\n  "text": "😀 <é>",\n  "n": 1.5\n}\n```\n' in result.stdout

    def test_variables_model_layout_and_now(self, bundle: Path, write: Callable[[str, str], Path]) -> None:
        write(
            "bot/skills/chat.md",
            "---\ntriggers: [dm]\n---\nIt is {{ now }}: {{ place }}, {{ sender }}, {{ a }}.",
        )
        write("bot/layouts/bare.md", "system:\n<<skills>>\n\nuser:\n<<input>>")
        options = [
            "--var",
            "place=a = b",
            "--var",
            "a=",
            "--layout",
            "bare",
            "--model",
            "m",
            "--sender",
            "Ann",
        ]
        arguments = ["render", "--bundle", str(bundle), "--dm", "Hi", *options, "--now", "2026-11-30"]
        (bundle / "docasm.yaml").write_text("adopted: [chat]", encoding="utf-8")
        assert "It is 2026-11-30T00:00:00Z: a = b, Ann, ." in invoke(*arguments).stdout
        payload = json.loads(invoke(*arguments, "--format", "openai").stdout)
        assert (payload["model"], len(payload["messages"])) == ("m", 2)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("h.yaml", "- user: Hi 😀\n- assistant: |-\n    Yo\n"),
            ("h.json", '[{"user": "Hi \\ud83d\\ude00"}, {"assistant": "Yo"}]'),
            ("h.json", '{"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi 😀"}]}]}'),
            ("h.yml", "messages: [{role: user, content: Hi 😀}, {assistant: Yo}]"),
        ],
    )  # fmt: skip
    def test_histories(self, name: str, text: str, write: Callable[[str, str], Path]) -> None:
        result = invoke(*BUNDLE, "--dm", "Now?", "--history", write(name, text))
        assert (result.exit_code, result.stderr) == (0, "")
        assert "- **Admin**: Hi 😀\n" in result.stdout

    def test_an_empty_history_is_none(self, write: Callable[[str, str], Path]) -> None:
        result = invoke(*BUNDLE, "--dm", "Hi", "--history", write("h.yaml", ""))
        assert result.exit_code == 0
        assert "Conversation History" not in result.stdout

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("user: hi", "must hold a list of turns\nhint: write `- user: text`"),
            ("- user: 7", "message 0 of the history"),
            ("- usr: x", "message 0 of the history"),
            ("- {role: admin, content: x}", "error[unknown-role]: message 0 of the history has"),
            ("- 'a\n", "h.yaml:1:3: error[yaml-syntax]"),
        ],
    )
    def test_bad_histories(self, text: str, told: str, write: Callable[[str, str], Path]) -> None:
        assert told in failing(1, *BUNDLE, "--dm", "Hi", "--history", write("h.yaml", text))

    def test_what_is_cut_or_left_out_is_told(self, write: Callable[[str, str], Path]) -> None:
        turns = [{"role": "user", "content": f"turn {number}"} for number in range(14)]
        history = write("h.json", json.dumps([*turns, {"role": "tool", "content": "42"}]))
        result = invoke(*BUNDLE, "--dm", "Hi", "--history", history)
        assert result.exit_code == 0
        assert "turn 2" in result.stdout
        assert result.stderr == (
            "cut: 2 messages of the history (max_turns)\n"
            "not in the document: 1 message of tool calls and results only\n"
        )

    def test_warnings_are_told(self) -> None:
        result = invoke(*BUNDLE, "--dm", "Hi", "--var", "colour=red")
        assert result.exit_code == 0
        assert result.stderr.startswith(
            "warning[unused-variable]: no text of this document uses the variable `colour`"
        )

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            ("", "give a SCENARIO, or --bundle with one of --dm, --cron and --event"),
            ("s.yaml --dm x --history h --var a=b", "--dm and --history belong to --bundle; a SCENARIO"),
            ("s.yaml --sender x --now now", "--sender belongs to --bundle; a SCENARIO"),
            ("--dm x --sender y", "give --bundle DIR too, with --dm and --sender"),
            ("--bundle b", "--bundle needs one of --dm, --cron and --event"),
            ("--bundle b --dm x --cron y", "--dm and --cron were given"),
            ("--bundle b --cron x", "--cron needs --created-at UNIX or --now"),
            ("--bundle b --cron x --now now --sender y", "--sender belongs to --dm"),
            ("--bundle b --dm x --created-at 1", "--created-at belongs to --cron"),
            ("--bundle b --cron x --created-at -1", "-1 is not in the range x>=0"),
            ("--bundle b --cron x --now noon", "`noon` is no time; write 2026-11-30T12:00:00Z, or `now`"),
            ("--bundle b --dm x --var a", "`a` has no `=`"),
            ("--bundle b --dm x --var 2a=1", "`2a` is no name for a variable"),
            ("--bundle b --dm x --var a=1 --var a=2", "`a` is given twice"),
            ("--bundle b --event - --history -", "--event and --history cannot both read stdin"),
        ],
    )
    def test_options_that_make_no_sense(self, options: str, told: str) -> None:
        assert told in failing(2, "render", *options.split())

    @pytest.mark.parametrize(
        ("args", "told"),
        [
            (["render", "nowhere.yaml"], "error[unreadable-file]: cannot read `nowhere.yaml`: No such file"),
            (
                ["render", str(ROOT / "examples")],
                "examples` is a folder, and a scenario is a file\nhint: YAML",
            ),
            (["render", "--bundle", "nowhere", "--dm", "x"], "error[no-bundle]"),
            ([*BUNDLE, "--dm", ""], "error[empty-input]"),
            (
                [*BUNDLE, "--dm", "x", "--layout", "evnt"],
                "error[unknown-layout]: there is no layout `evnt`\nhint: did",
            ),
            ([*BUNDLE, "--dm", "x", "--var", "message=x"], "error[bad-name]"),
            ([*BUNDLE, "--cron", "1 1 * * *", "--now", "now"], "error[no-match]"),
        ],
    )
    def test_problems(self, args: list[str], told: str) -> None:
        assert told in failing(1, *args)


class TestJson:
    """JSON from outside: what is refused, with its place."""

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("", "stdin:1:1: error[json-syntax]: JSON: expected a value, and there is none"),
            ('{\n "a": nul}', 'stdin:2:7: error[json-syntax]: JSON: expecting value\n  |\n2 |  "a": nul}\n'),
            ("{'a': 1}", "hint: put keys in double quotes"),
            ("1 2", "stdin:1:3: error[json-syntax]: JSON: extra data"),
            ('{"a": 1,\n "b": 2,\n "\\u0061": 3}', "stdin:3:2: error[duplicate-key]: the key `a` is"),
            ("[1, NaN]", "stdin:1:5: error[json-syntax]: JSON: `NaN` is no number"),
            ("[-Infinity]", "stdin:1:2: error[json-syntax]: JSON: `-Infinity` is no number"),
            ("[10, 1.5, true, null, 1e999]", "stdin:1:23: error[json-syntax]: JSON: `1e999` is no number"),
            ("9" * 5000, "error[json-syntax]: JSON: `99999999999999999999` is no number"),
            ('["ok", "\\ud83d\\ude00",\n "\\ud83d"]', "stdin:2:2: error[lone-surrogate]: this text"),
            ("[" * 101 + "]" * 101, "stdin:1:101: error[nested-too-deep]"),
            ('{"a": ' * 100_000, "stdin:1:601: error[nested-too-deep]"),
            (b"{\n\xff}", "stdin:2:1: error[not-utf8]: byte 0xff is not UTF-8"),
        ],
        ids=lambda value: str(value)[:20],
    )  # fmt: skip
    @pytest.mark.parametrize("args", [["join"], [*BUNDLE, "--event", "-"]], ids=["join", "event"])
    def test_what_is_refused(self, args: list[str], text: str | bytes, told: str) -> None:
        assert told in failing(1, *args, data=text)

    def test_the_deepest_that_is_read(self) -> None:
        text = "[" * 100 + "1" * 400 + ', "\\ud83d\\ude00"' + "]" * 100
        assert "error[no-match]" in failing(1, *BUNDLE, "--event", "-", data=text)

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("{}", "error[bad-message]: expected a list of messages\nhint: write"),
            ("[1]", "error[bad-message]: messages[0] must be an object with `role` and `content`"),
            ('[{"role": "user"}]', "messages[0]: `content` must be text; it is missing"),
            ('[{"role": "user", "content": null}]', "messages[0]: `content` must be text\n"),
            ('[{"role": ["user"], "content": ""}]', "messages[0]: `role` must be text\n"),
            (
                '[{"role": "usr", "content": ""}]',
                "messages[0] has the unknown role `usr`\nhint: did you mean `user`?",
            ),
            ('[1, {"role": "User", "content": ""}]', "messages[1] has the unknown role `User`"),
        ],
    )
    def test_messages_that_are_none(self, text: str, told: str) -> None:
        assert told in failing(1, "join", data=text)

    def test_what_a_document_has_no_place_for_is_told(self) -> None:
        listed = [{"role": "user", "content": "Hi", "name": "ann"}, {"role": "user", "content": "", "id": 1}]
        result = invoke("join", data=json.dumps({"messages": listed, "model": "m"}))
        assert (result.exit_code, result.stdout) == (0, "user:\nHi\n\nuser:\n\n")
        assert result.stderr.startswith("warning[unknown-key]: not in the document")
        assert "`id`, `name`" in result.stderr


class TestSplitAndJoin:
    """Exact inverses, in JSON and Markdown."""

    @given(messages())
    def test_join_then_split(self, sequence: list[Message]) -> None:
        listed = [{"role": each.role, "content": each.content} for each in sequence]
        document = invoke("join", data=json.dumps(listed)).stdout_bytes
        assert document == join(sequence).encode()
        parted = invoke("split", data=document)
        assert json.loads(parted.stdout_bytes) == listed
        assert (parted.exit_code, parted.stderr) == (0, "")

    @given(hostile_text())
    def test_any_text_splits(self, text: str) -> None:
        assert invoke("split", data=text.encode()).exit_code == 0

    def test_files_that_an_editor_of_another_system_wrote(self, write: Callable[[str, bytes], Path]) -> None:
        file = write("a.md", b"\xef\xbb\xbfHello\r\nyou\r\n\r\nuser:\r\nHi\r\n")
        assert json.loads(invoke("split", file).stdout) == [
            {"role": "system", "content": "Hello\nyou"},
            {"role": "user", "content": "Hi"},
        ]

    def test_json_is_readable_and_ends_its_line(self) -> None:
        assert (
            invoke("split", data="é").stdout == '[\n  {\n    "role": "system",\n    "content": "é"\n  }\n]\n'
        )
        assert invoke("split").stdout == "[]\n"
        assert invoke("join", data="[]").stdout_bytes == b""

    @pytest.mark.parametrize("command", ["split", "join"])
    def test_files_that_cannot_be_read(self, command: str, write: Callable[[str, bytes], Path]) -> None:
        path = write("a.md", b"ok\n\xc3(")
        assert f"{path}:2:1: error[not-utf8]" in failing(1, command, path)
        assert "error[unreadable-file]: cannot read" in failing(1, command, path.parent)
        assert "No such file" in failing(1, command, "nowhere")

    def test_a_person_at_a_terminal_is_told_what_is_awaited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda self: self.name == "<stdin>")
        assert invoke("split", data="Hi").stderr.startswith("reading from the terminal;")


class TestCheck:
    """Every problem of a bundle at once."""

    def test_nothing_wrong(self, bundle: Path) -> None:
        result = invoke("check", bundle)
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr == "all is well: 4 skills and 3 layouts\n"

    def test_a_person_at_a_terminal_sees_a_progress_bar(
        self, bundle: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("docasm.cli.check.MANY", 4)
        monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda self: self.name == "<stderr>")
        talk = click.unstyle(invoke("check", bundle).stderr)
        assert "\rchecking  [####################################]  100%" in talk
        assert talk.endswith("\nall is well: 4 skills and 3 layouts\n")

    def test_the_current_folder_is_the_default(self, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(bundle)
        assert invoke("check").stderr == "all is well: 4 skills and 3 layouts\n"

    def test_all_problems_are_told_in_full(self, bundle: Path, write: Callable[[str, str], Path]) -> None:
        write("bot/skills/chat.md", "---\ntriggers: [dm]\ntols: []\n---\n# Chat\n\n<<identiti>>\n")
        write("bot/skills/broken.md", "---\nparams: {\n---\nx")
        write("bot/layouts/dm.md", "system:\n<<skills>>\n{{ nobody }}\n\nuser:\n<<input>>")
        result = invoke("check", bundle)
        assert result.exit_code == 1
        chat = f"{bundle}/skills/chat.md"
        assert f"{chat}:3:1: warning[unknown-key]: unknown key `tols`" in result.stdout
        assert f"{chat}:7:1: error[unknown-skill]" in result.stdout
        assert "  |\n7 | <<identiti>>\n  | ^\nhint: did you mean `identity`?\n" in result.stdout
        assert f"{bundle}/skills/broken.md:" in result.stdout
        assert f"{bundle}/layouts/dm.md:3:" in result.stdout
        assert result.stderr == "3 errors and 1 warning in 3 files\n"

    def test_a_warning_alone_is_no_failure(self, bundle: Path, write: Callable[[str, str], Path]) -> None:
        write("bot/skills/chat.md", "---\ntriggers: [dm]\ntols: []\n---\n# Chat\n")
        result = invoke("check", bundle)
        assert (result.exit_code, result.stderr) == (0, "1 warning in 1 file\n")

    def test_a_configuration_that_cannot_be_read(self, write: Callable[[str, str], Path]) -> None:
        folder = write("docasm.yaml", "skils: [a]\nadopted: 7\n").parent
        result = invoke("check", folder)
        assert result.exit_code == 1
        assert f"{folder}/docasm.yaml:1:1: error[unknown-key]" in result.stdout
        assert f"{folder}/docasm.yaml:2:10: error[wrong-type]" in result.stdout
        assert result.stderr == "2 errors in 1 file\n"

    def test_no_bundle(self, tmp_path: Path) -> None:
        result = invoke("check", tmp_path)
        assert (result.exit_code, result.stderr) == (1, "1 error\n")
        assert "or run `docasm init`" in result.stdout


class TestInit:
    """A bundle to start from."""

    def test_the_first_minute(self, tmp_path: Path) -> None:
        result = invoke("init", tmp_path / "my bot")
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr.count("wrote ") == len(starter_files()) == 11
        assert result.stderr.endswith(f"next: docasm render '{tmp_path}/my bot/dm.yaml'\n")
        for scenario, end in (("dm", "Shall I take the bike tomorrow?\n"), ("cron", "}\n```\n")):
            rendered = invoke("render", tmp_path / "my bot" / f"{scenario}.yaml")
            assert (rendered.exit_code, rendered.stderr) == (0, "")
            assert rendered.stdout.startswith("system:\n# Robin\n")
            assert rendered.stdout.endswith(end)
        request = invoke("render", tmp_path / "my bot" / "dm.yaml", "--format", "openai")
        assert len(json.loads(request.stdout)["tools"]) == 2

    def test_the_current_folder_may_hold_other_files(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("README.md").touch()
        Path("skills").mkdir()
        result = invoke("init")
        assert result.exit_code == 0
        assert result.stderr.endswith("wrote tools.json\nnext: docasm render dm.yaml\n")

    def test_nothing_is_overwritten(self, tmp_path: Path, write: Callable[[str, str], Path]) -> None:
        write("dm.yaml", "mine")
        write("skills/chat.md", "mine")
        write("layouts", "a file where a folder should be")
        told = failing(1, "init", tmp_path)
        assert told.count("error[file-exists]") == 3
        assert all(f"`{tmp_path / name}` exists" in told for name in ("dm.yaml", "skills/chat.md", "layouts"))
        assert sorted(path.name for path in tmp_path.rglob("*")) == [
            "chat.md",
            "dm.yaml",
            "layouts",
            "skills",
        ]

    def test_a_second_time(self, bundle: Path) -> None:
        assert failing(1, "init", bundle).count("error[file-exists]") == len(starter_files())

    def test_a_folder_that_cannot_be(self, write: Callable[[str, str], Path]) -> None:
        file = write("file", "")
        assert f"`{file}` exists already" in failing(1, "init", file)
        assert "error[unwritable-file]: cannot write" in failing(1, "init", file / "below")

    def test_its_layouts_are_those_of_the_project(self) -> None:
        assert contents(STARTER / "layouts") == contents(ROOT / "layouts")


def contents(folder: Path) -> Mapping[str, bytes]:
    """The files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}
