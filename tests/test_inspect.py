"""`inspect`, `explain`, `diff` and `log`, as a user meets them."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import docasm
from docasm.cli import main
from docasm.cli.places import short_places
from docasm.cli.words import harmless
from docasm.report import Report, SectionReport
from docasm.tell import Cut
from tests.bundles import LAYOUT, skill, write_bundle

ROOT = Path(__file__).parent.parent
DM, CRON = str(ROOT / "examples" / "dm.yaml"), str(ROOT / "examples" / "cron.yaml")
COMMANDS = ("inspect", "explain", "diff", "log")
HOSTILE = "[bold red]x[/] \x1b[2J\x9b1m \r\u202e中文 {{ x }}"
SHORT = "skills: {max_per_skill: 150}, history: {max_turns: 2}"
TURNS = "history: [{user: a}, {assistant: b}, {user: c}]\n"

FILES = {
    "docasm.yaml": "adopted: [pdf, notes, quiet]\n",
    "skills/pdf.md": skill("# PDF\n\n" + "Words about PDF.\n\n" * 30),
    "skills/notes.md": skill("# Notes\n\nShort."),
    "skills/quiet.md": skill("Quiet.", "triggers: [{dm: {sender: '[red]\\e[2J'}}]".replace("'", '"')),
    "layouts/dm.md": LAYOUT,
    "layouts/short.md": f"---\nslots: {{{SHORT}}}\n---\n{LAYOUT}",
    "dm.yaml": f"trigger: {{type: dm, text: Hi}}\n{TURNS}",
    "short.yaml": f"trigger: {{type: dm, text: Hi}}\nlayout: short\n{TURNS}",
}


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return write_bundle(tmp_path / "bot", FILES)


def invoke(
    *args: str | Path, code: int = 0, env: Mapping[str, str] | None = None, color: bool = False
) -> str:
    """What a run prints."""
    result = CliRunner(env=env or {}).invoke(main, [*map(str, args)], prog_name="docasm", color=color)
    assert "Traceback" not in result.stderr
    assert result.exit_code == code, result.output
    if code:
        assert result.stdout == ""
    return result.stderr if code else result.stdout


def read(*args: str | Path) -> Any:
    return json.loads(invoke(*args))


class TestInspect:
    def test_turns_that_are_messages_are_one_row_with_their_sizes_together(self, bot: Path) -> None:
        layout = LAYOUT.replace("## History\n\n<<history>>", "<<history>>")
        write_bundle(bot, {"layouts/dm.md": f"---\nslots: {{history: {{as: messages}}}}\n---\n{layout}"})
        turns = [
            each
            for each in read("inspect", bot / "dm.yaml", "--json")["sections"]
            if each["slot"] == "history"
        ]
        row = next(line for line in invoke("inspect", bot / "dm.yaml").split("\n") if "history" in line)
        assert row.split()[:4] == ["turns", "history,", "3", "messages"]
        assert row.split()[4:6] == [str(sum(each[key] for each in turns)) for key in ("chars", "tokens")]

    def test_a_table_and_words(self, bot: Path) -> None:
        lines = invoke("inspect", bot / "short.yaml").split("\n")
        assert lines[1].split() == ["message", "section", "from", "chars", "(est.)", "share"]
        assert lines[2].startswith("system   skills: pdf (cut)  skills/pdf.md")
        assert "history (cut)" in lines[4]
        assert lines[5].startswith("user     input")
        assert lines[7:] == [
            *_sizes(docasm.load_scenario(bot / "short.yaml").render().report),
            "cut: 1 message of the history (max_turns)",
            "cut: 448 characters of the skill `pdf` (max_per_skill)",
            "",
        ]

    def test_tokens_that_are_exact_are_no_estimate(self) -> None:
        text = invoke("inspect", "--bundle", ROOT / "examples", "--dm", "Hi", "--model", "gpt-5")
        assert "est" not in text
        assert "tokens (exact: o200k_base)\n" in text

    def test_why(self, bot: Path) -> None:
        text = invoke("inspect", bot / "short.yaml", "--why")
        assert "\npdf    yes    selected by its trigger `dm`; `max_per_skill` cuts 448 characters\n" in text
        assert "\nquiet  no     its triggers do not fit: dm: {sender: [red]\ufffd[2J}\n" in text

    def test_json_is_the_report(self, bot: Path) -> None:
        found = read("inspect", bot / "short.yaml", "--json")
        report = docasm.load_scenario(bot / "short.yaml").render().report
        assert [*found] == [each.name for each in fields(Report)]
        assert [*found["sections"][0]] == [each.name for each in fields(SectionReport)]
        assert [*found["cuts"][0]] == [each.name for each in fields(Cut)]
        assert (found["tokens"], found["exact"], found["tokenizer"]) == (report.tokens, False, "estimate")
        assert found["cuts"][1]["missing"] == 448
        assert [*read("inspect", bot / "short.yaml", "--json", "--why")] == [*found, "reasons"]
        assert read("inspect", bot / "short.yaml", "--json", "--why")["reasons"][1] == {
            "skill": "notes",
            "is_there": True,
            "why": "selected by its trigger `dm`",
        }

    def test_what_is_left_out(self, bot: Path) -> None:
        layout = f"---\nslots: {{skills: {{relevance: {{top: 1}}}}}}\n---\n{LAYOUT}"
        history = '[{"role": "user", "content": "Hi"}, {"role": "tool", "content": "42"}]'
        write_bundle(bot, {"layouts/dm.md": layout, "h.json": history, "docasm.yaml": ""})
        text = invoke("inspect", "--bundle", bot, "--dm", "a pdf", "--history", bot / "h.json")
        assert "left out: the skill `notes`, less relevant than others (score 0)\n" in text
        assert "left out: 1 message of tool calls and results only\n" in text

    def test_warnings_are_talk(self, bot: Path) -> None:
        args = ["inspect", "--bundle", str(bot), "--dm", "x", "--var", "colour=red", "--json"]
        result = CliRunner().invoke(main, args)
        assert "warning[unused-variable]" in result.stderr
        assert json.loads(result.stdout)["tokens"] > 0

    def test_a_thousand_skills(self, tmp_path: Path) -> None:
        files = {f"skills/a-very-long-name-of-a-skill-{n}.md": skill(f"# S{n}") for n in range(1000)}
        write_bundle(tmp_path, {**files, "layouts/dm.md": LAYOUT})
        text = invoke("inspect", "--bundle", tmp_path, "--dm", "Hi", "--why")
        assert text.count("selected by its trigger `dm`") == 1000
        assert max(map(len, text.split("\n\n")[0].split("\n"))) <= 80


def _sizes(report: Report) -> list[str]:
    prefix = f"{report.prefix_chars:,} characters, {report.prefix_tokens:,} tokens (estimate)"
    return [
        f"{report.chars:,} characters, {report.tokens:,} tokens (estimate)",
        f"no trigger changes the first {prefix}",
    ]


class TestTerminals:
    """Tables for whoever reads them."""

    @pytest.mark.parametrize("columns", [20, 40, 60, 72, 80, 200])
    def test_tables_fit(self, bot: Path, columns: int) -> None:
        write_bundle(bot, {"skills/中文.md": "x", f"skills/{'long-' * 12}er.md": skill("Long.")})
        (bot / "docasm.yaml").write_text("", encoding="utf-8")
        for command in (
            ["inspect", str(bot / "dm.yaml")],
            ["diff", str(bot / "dm.yaml"), str(bot / "short.yaml")],
        ):
            text = invoke(*command, env={"COLUMNS": str(columns)})
            table = text.split("\n\n")[0 if command[0] == "inspect" else -2]
            assert max(map(len, table.split("\n"))) <= max(columns, 50)
            assert all(line == line.rstrip() for line in table.split("\n"))

    def test_bars_need_room(self) -> None:
        assert "█" in invoke("inspect", DM, env={"COLUMNS": "80"})
        assert "█" not in invoke("inspect", DM, env={"COLUMNS": "60"})
        assert " 27%\n" in invoke("inspect", DM, env={"COLUMNS": "60"})

    def test_colours_are_for_terminals_that_want_them(self) -> None:
        terminal = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
        for args in (["inspect", DM, "--why"], ["diff", DM, CRON]):
            coloured = invoke(*args, env=terminal, color=True)
            assert "\x1b[" in coloured
            plain = invoke(*args)
            assert "\x1b" not in plain
            assert invoke(*args, env={**terminal, "NO_COLOR": "1"}, color=True) == plain
            assert click.unstyle(coloured).split() == plain.split()

    @pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
    def test_streams_that_lack_letters(self, encoding: str) -> None:
        for args in (["inspect", DM, "--why"], ["diff", DM, CRON]):
            done = _process(*args, env={"PYTHONIOENCODING": encoding})
            assert (done.returncode, done.stderr) == (0, b"")
            text = done.stdout.decode(encoding)
            assert ("\u2588" in text) == (encoding == "utf-8" and args[0] == "inspect")
            assert "###.......  27%" in text or encoding == "utf-8" or args[0] == "diff"

    @pytest.mark.skipif(os.name == "nt", reason="a shell of another kind")
    @pytest.mark.parametrize(
        "args", ["inspect {}", "inspect {} --json", "explain {}", "log {}", "diff {} {}"]
    )
    def test_a_closed_stdout(self, args: str) -> None:
        command = f"'{sys.executable}' -m docasm {args.replace('{}', DM)} >&-"
        done = subprocess.run(command, shell=True, capture_output=True, cwd=ROOT, check=False)
        assert done.returncode == 1
        assert b"is closed" in done.stderr
        assert b"Traceback" not in done.stderr

    def test_nothing_takes_a_terminal_over(self, bot: Path) -> None:
        written = HOSTILE.replace("{{ x }}", "{% raw %}{{ x }}{% endraw %}")
        write_bundle(bot, {"skills/notes.md": skill(f"# Notes\n\n{written}")})
        options = ["--bundle", str(bot), "--dm", HOSTILE]
        for args in (["inspect", *options, "--why"], ["explain", *options], ["log", *options]):
            text = invoke(*args)
            assert harmless(text) == text
        text = invoke("explain", *options)
        assert "[bold red]x[/] \ufffd[2J\ufffd1m \ufffd\ufffd中文 {{ x }}\n" in text
        changed = bot / "hostile.yaml"
        changed.write_text(f"trigger: {{type: dm, text: {json.dumps(HOSTILE)}}}", encoding="utf-8")
        for others in (["diff", bot / "dm.yaml", changed], ["inspect", changed]):
            text = invoke(*map(str, others), "--json")
            assert harmless(text) == text
            assert json.loads(text)
        text = invoke("diff", bot / "dm.yaml", changed)
        assert harmless(text) == text
        assert "+[bold red]x[/] " in text


def _process(*args: str, env: Mapping[str, str]) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "docasm", *args]
    return subprocess.run(command, capture_output=True, cwd=ROOT, check=False, env={**os.environ, **env})


class TestExplain:
    def test_each_line_has_its_place(self, bot: Path) -> None:
        render = docasm.load_scenario(bot / "dm.yaml").render()
        lines = invoke("explain", bot / "dm.yaml").split("\n")[:-1]
        assert [line.partition("|")[2].removeprefix(" ") for line in lines] == render.markdown.split("\n")[
            :-1
        ]
        assert len({line.index("|") for line in lines}) == 1
        assert lines[0] == "layouts/dm.md:1   | system:"
        assert lines[1] == "skills/pdf.md:4   | # PDF"
        assert "(history)         | - **User**: a" in lines
        assert lines[-1] == "(input)           | Hi"

    def test_json_is_exact(self, bot: Path) -> None:
        (bot / "dm.yaml").write_text(f"trigger: {{type: dm, text: {json.dumps(HOSTILE)}}}", encoding="utf-8")
        render = docasm.load_scenario(bot / "dm.yaml").render()
        text = invoke("explain", bot / "dm.yaml", "--json")
        assert harmless(text) == text
        lines = [json.loads(line) for line in text.split("\n")[:-1]]
        assert "".join(f"{line['text']}\n" for line in lines) == render.markdown
        assert lines[0] == {
            "path": str(bot / "layouts" / "dm.md"),
            "line": 1,
            "slot": None,
            "text": "system:",
        }
        assert lines[-1] == {"path": None, "line": None, "slot": "input", "text": HOSTILE}

    @pytest.mark.parametrize(
        ("paths", "shown"),
        [
            (["bot/skills/a.md", "bot/layouts/dm.md"], ["skills/a.md", "layouts/dm.md"]),
            (["bot/skills/a.md", "bot/skills/b.md"], ["skills/a.md", "skills/b.md"]),
            (["skills/a.md"], ["skills/a.md"]),
            (["/x/bot/skills/a.md"], ["skills/a.md"]),
            (["bot/a.md", "bot/skills/b.md"], ["bot/a.md", "bot/skills/b.md"]),
            (["a.md", "skills/b.md"], ["a.md", "skills/b.md"]),
            (["../skills/a.md", "layouts/dm.md"], ["../skills/a.md", "layouts/dm.md"]),
            (["/x/a.md", "y/b.md"], ["/x/a.md", "y/b.md"]),
            (["s/a\n\x1b.md", "l/b.md"], ["s/a\ufffd\ufffd.md", "l/b.md"]),
            ([], []),
        ],
    )  # fmt: skip
    def test_paths_are_short(self, paths: list[str], shown: list[str]) -> None:
        places = [docasm.Place(path, 7) for path in paths]
        assert short_places([*places, "history"]) == [*(f"{each}:7" for each in shown), "(history)"]


def _shared(one: str, other: str) -> str:
    pairs = enumerate(zip(one, other, strict=False))
    return one[: next(index for index, (a, b) in pairs if a != b)]


class TestDiff:
    @pytest.mark.usefixtures("bot")
    def test_two_scenarios(self) -> None:
        text = invoke("diff", "bot/dm.yaml", "bot/short.yaml")
        assert text.startswith("--- bot/dm.yaml\n+++ bot/short.yaml\n@@ ")
        assert "\n+(448 characters of `pdf` are not shown.)\n" in text
        assert "\n-- **User**: a\n" in text
        assert "\nmessage  section        A (est.)  B (est.)  change\n" in text
        a, b = (docasm.load_scenario(f"bot/{name}.yaml").render() for name in ("dm", "short"))
        shared = _shared(a.markdown, b.markdown)
        assert (
            f"both start with the same {len(shared)} characters, {a.count(shared)} tokens (estimate)\n"
            in text
        )
        line = shared.count("\n")
        assert f"A goes on in `skills: pdf`, at {short_places([a.places[line]])[0]}\n" in text
        assert text.endswith("B goes on in `skills: pdf`, at (skills)\n")

    def test_the_same(self) -> None:
        text = invoke("diff", DM, DM)
        assert text.startswith("message  section")
        assert text.endswith("the documents are the same\n")

    def test_one_that_ends_earlier(self, bot: Path) -> None:
        (bot / "long.yaml").write_text(FILES["dm.yaml"].replace("text: Hi", "text: 'Hi!'"), encoding="utf-8")
        text = invoke("diff", "bot/dm.yaml", "bot/long.yaml")
        assert "A goes on in `input`, at (input)\nB goes on in `input`, at (input)\n" in text

    @pytest.mark.usefixtures("bot")
    def test_layouts_and_models(self) -> None:
        text = invoke("diff", "bot/dm.yaml", "--layout", "dm", "--layout", "short")
        assert text.startswith("--- dm\n+++ short\n")
        text = invoke("diff", "bot/dm.yaml", "--model", "gpt-5", "--model", "gpt-3.5")
        assert "A is gpt-5: " in text
        assert "tokens (exact: o200k_base)\nB is gpt-3.5: " in text
        both = ["--layout", "dm", "--layout", "short", "--model", "gpt-5", "--model", "gpt-3.5"]
        assert invoke("diff", "bot/dm.yaml", *both).startswith("--- dm, gpt-5\n+++ short, gpt-3.5\n")
        assert "A is bot/dm.yaml: " in invoke("diff", "bot/dm.yaml", "bot/short.yaml", "--layout", "dm")

    def test_tools_that_differ_are_told(self) -> None:
        assert "the requests offer different tools" in invoke("diff", DM, CRON)

    def test_sections_stand_in_order(self) -> None:
        rows = read("diff", DM, CRON, "--json")["sections"]
        assert [(row["name"], row["tokens"].count(None)) for row in rows] == [
            ("skills: readme-monitor", 1),
            ("skills: personality", 1),
            ("skills: chat", 1),
            ("tools", 0),
            ("layout", 1),
            ("history", 1),
            ("input", 0),
        ]

    def test_json(self) -> None:
        found = read("diff", DM, CRON, "--json")
        assert [*found] == [
            "names", "chars", "tokens", "tokenizers", "exact", "sections", "shared_chars", "shared_tokens",
            "differ_at", "same_tools", "diff",
        ]  # fmt: skip
        for side, total in enumerate(found["tokens"]):
            assert sum(row["tokens"][side] or 0 for row in found["sections"]) == total
        assert found["names"] == [DM, CRON]
        assert found["differ_at"][1]["section"] == "skills: readme-monitor"

    @pytest.mark.parametrize(
        ("args", "told"),
        [
            ("", "Missing argument 'A [B]'"),
            ("a.yaml", "give two scenarios; or one, with --layout or --model twice"),
            ("a.yaml b.yaml c.yaml", "give two scenarios"),
            ("a.yaml --layout x", "give two scenarios"),
            ("a.yaml --layout x --layout y --layout z", "give two scenarios"),
            ("a.yaml b.yaml --model x --model y --model z", "give two scenarios"),
        ],
    )
    def test_usage_errors(self, args: str, told: str) -> None:
        assert told in invoke("diff", *args.split(), code=2)

    def test_problems(self) -> None:
        assert "error[unreadable-file]" in invoke("diff", DM, "nowhere.yaml", code=1)
        assert "error[unknown-layout]" in invoke("diff", DM, "--layout", "dm", "--layout", "nope", code=1)


class TestLog:
    def test_it_is_that_of_the_render(self, bot: Path) -> None:
        assert invoke("log", bot / "dm.yaml") == docasm.load_scenario(bot / "dm.yaml").render().log()

    @pytest.mark.usefixtures("bot")
    def test_a_file_gets_it(self) -> None:
        assert invoke("log", "bot/dm.yaml", "-o", "out.log") == ""
        assert Path("out.log").read_text(encoding="utf-8") == invoke("log", "bot/dm.yaml")


@pytest.mark.parametrize("command", ["inspect", "explain", "log"])
class TestAllTake:
    def test_a_scenario_or_options(self, command: str) -> None:
        history = docasm.load_scenario(DM).trigger.text
        assert invoke(command, "--bundle", ROOT / "examples", "--dm", str(history))

    def test_usage_errors(self, command: str) -> None:
        assert "give a SCENARIO, or --bundle" in invoke(command, code=2)
        assert "--dm belongs to --bundle" in invoke(command, DM, "--dm", "x", code=2)

    def test_options_beside_a_scenario(self, command: str, tmp_path: Path) -> None:
        files = {
            "skills/a.md": skill("Hi {{ who }}, {{ model }}, {{ now }}."),
            "layouts/short.md": "system:\nShort.\n\n<<skills>>\n\nuser:\n<<input>>\n",
            "s.yaml": "trigger: {type: dm, text: Hello}\nvariables: {who: ann}\nmodel: one\nnow: early\n",
        }
        folder = write_bundle(tmp_path, files)
        options = ("--var", "who=a-longer-name", "--layout", "short", "--model", "two", "--now", "2026-01-01")
        plain, other = invoke("render", folder / "s.yaml"), invoke("render", folder / "s.yaml", *options)
        assert "Hi ann, one, early." in plain
        assert "Short.\n\nHi a-longer-name, two, 2026-01-01T00:00:00Z." in other
        assert invoke(command, folder / "s.yaml") != invoke(command, folder / "s.yaml", *options)

    def test_a_folder_or_a_name_that_is_not_there(self, command: str) -> None:
        told = invoke(command, ROOT / "examples", code=1)
        assert "is a folder, and a scenario is a file" in told
        assert "examples/cron.yaml`, `" in told
        assert "examples/dm.yaml`?" in invoke(command, ROOT / "examples/dmm.yaml", code=1)

    def test_problems(self, command: str) -> None:
        assert "error[unreadable-file]" in invoke(command, "nowhere.yaml", code=1)
        assert "error[no-bundle]" in invoke(command, "--bundle", "nowhere", "--dm", "x", code=1)
