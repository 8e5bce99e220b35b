"""The formats of `docasm check`: programs can read them whatever a file holds, and obey nothing in it."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click
import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from docasm.cli import main
from docasm.cli.check_formats import FORMATS
from docasm.cli.words import harmless
from docasm.codes import CODES
from docasm.errors import Place, Problem
from tests.strategies import INVISIBLE

ROOT = Path(__file__).parent.parent
SARIF = jsonschema.Draft7Validator(
    json.loads((ROOT / "tests" / "schemas" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
)
HOSTILE = (
    *(
        "::error file=a.md::forged",
        "##[error]",
        "##[",
        "\n::error::forged",
        "\r::warning::forged",
        "%0A::error::forged",
    ),
    *(
        "\x1b[2J",
        "\x9b31m",
        "\x1b]0;title\x07",
        "\u202e",
        "\ud800",
        "\udc80",
        "%",
        ",",
        ":",
        "::",
        "\n",
        "\r",
    ),
    *("é", "中", "🇬🇧", '"', "\\", "</script>", "../", "/", "C:", "{0}", " ", *INVISIBLE),
)
texts = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=4), max_size=6).map("".join)
lines = texts.map(lambda text: text.replace("\n", ""))
places = st.builds(Place, path=texts, line=st.integers(1, 10**6), column=st.integers(1, 10**6))
problems = st.builds(
    Problem,
    code=st.sampled_from(sorted(CODES)),
    message=texts,
    place=st.none() | places,
    source_line=lines,
    hint=texts,
    severity=st.sampled_from(("error", "warning", "note")),
)
some = st.lists(problems, max_size=4)


def valid_sarif(text: str) -> dict[str, Any]:
    """The one run of a log that keeps to the published schema."""
    log = json.loads(text)
    assert [error.message for error in SARIF.iter_errors(log)] == []
    run: dict[str, Any] = log["runs"][0]
    return run


class TestAnyProblem:
    @given(some)
    def test_json_says_all_of_it(self, found: list[Problem]) -> None:
        written = FORMATS["json"](found)
        assert written.isascii()
        listed = json.loads(written)
        for each, problem in zip(listed, found, strict=True):
            assert (each["code"], each["severity"]) == (problem.code, problem.severity)
            place = problem.place
            assert [each["line"], each["column"]] == ([place.line, place.column] if place else [None, None])
            for key, value in (("message", problem.message), ("hint", problem.hint)):
                assert each[key] == re.sub("[\ud800-\udfff]", "\ufffd", value)

    @given(some)
    def test_sarif_keeps_to_its_schema(self, found: list[Problem]) -> None:
        run = valid_sarif(FORMATS["sarif"](found))
        rules = run["tool"]["driver"]["rules"]
        results = [*run["results"], *run["invocations"][0]["toolExecutionNotifications"]]
        assert len(results) == len(found)
        for each in run["results"]:
            assert rules[each["ruleIndex"]]["id"] == each["ruleId"]
            uri = each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            assert uri.isascii()
            assert not re.search(r"[\s\x00-\x20\\]", uri)

    @given(some)
    def test_a_problem_is_one_annotation(self, found: list[Problem]) -> None:
        listed = FORMATS["github"](found).splitlines()
        words = {"error": "error", "warning": "warning", "note": "notice"}
        for line, problem in zip(listed, found, strict=True):
            told = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
            assert told is not None
            assert told[1] == words[problem.severity]
            names = [each.partition("=")[0] for each in told[2].split(",")]
            assert names == (["file", "line", "col", "title"] if problem.place else ["title"])

    @given(some)
    def test_a_problem_is_one_concise_line(self, found: list[Problem]) -> None:
        listed = click.unstyle(FORMATS["concise"](found)).splitlines()
        assert len(listed) == len(found)
        for line, problem in zip(listed, found, strict=True):
            assert f"{problem.severity}[{problem.code}]: " in line

    @given(some)
    def test_no_line_for_people_is_a_command(self, found: list[Problem]) -> None:
        for name in ("full", "concise"):
            for line in re.split(r"[\r\n]", click.unstyle(FORMATS[name](found))):
                assert not line.lstrip().startswith("::")
                assert "##[" not in line

    @pytest.mark.parametrize("name", FORMATS)
    @given(found=some)
    def test_nothing_takes_a_terminal_over(self, name: str, found: list[Problem]) -> None:
        written = re.sub(r"\x1b\[[0-9;]*m", "", FORMATS[name](found)) if name in ("full", "concise") else None
        written = FORMATS[name](found) if written is None else written
        assert "\x1b[2J" not in written
        assert harmless(written) == written

    @pytest.mark.parametrize("name", FORMATS)
    def test_the_same_problems_are_the_same_text(self, name: str) -> None:
        found = [Problem("left-open", "m", Place("a.md", 2, 3), "x", "h")]
        assert FORMATS[name](found) == FORMATS[name](list(found))


def checked(folder: Path, *args: str, code: int = 0) -> str:
    """What `docasm check` prints, run in a folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        result = CliRunner().invoke(main, ["check", *args], prog_name="docasm")
    finally:
        os.chdir(before)
    assert result.exit_code == code, result.output
    return result.stdout


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A folder that holds a bundle with a warning, an error and a hint."""
    for name, text in {
        "bot/docasm.yaml": "",
        "bot/skills/a b,c.md": "---\nname: chat\ntriggers: [dm]\ntols: []\n---\n# Ünï\n\n🇬🇧 <<identiti>>\n",
        "bot/skills/identity.md": "---\ntriggers: [dm]\n---\n# Robin\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


WARNING = "warning file=bot/skills/a b%2Cc.md,line=4,col=1,title=docasm unknown-key"
ERROR = "error file=bot/skills/a b%2Cc.md,line=8,col=4,title=docasm unknown-skill"


class TestTheCommand:
    def test_concise(self, bot: Path) -> None:
        assert checked(bot, "bot", "--output-format", "concise", code=1).splitlines() == [
            "bot/skills/a b,c.md:4:1: warning[unknown-key]: unknown key `tols` in the front matter",
            "bot/skills/a b,c.md:8:4: error[unknown-skill]: there is no skill `identiti` to include",
        ]

    def test_json(self, bot: Path) -> None:
        warning, error = json.loads(checked(bot, "bot", "--output-format", "json", code=1))
        assert warning["severity"] == "warning"
        assert error == {
            "code": "unknown-skill",
            "severity": "error",
            "message": "there is no skill `identiti` to include",
            "path": "bot/skills/a b,c.md",
            "line": 8,
            "column": 4,
            "source_line": "🇬🇧 <<identiti>>",
            "hint": "did you mean `identity`?",
        }

    @pytest.mark.parametrize("name", ["bot", "./bot", "{folder}/bot"])
    def test_github_is_relative_to_the_checkout(self, bot: Path, name: str) -> None:
        given_path = name.format(folder=bot)
        assert checked(bot, given_path, "--output-format", "github", code=1).splitlines() == [
            f"::{WARNING}::unknown key `tols` in the front matter%0Ahint: did you mean `tools`?",
            f"::{ERROR}::there is no skill `identiti` to include%0Ahint: did you mean `identity`?",
        ]

    @pytest.mark.parametrize("name", ["bot", "{folder}/bot"])
    def test_sarif(self, bot: Path, name: str) -> None:
        run = valid_sarif(checked(bot, name.format(folder=bot), "--output-format", "sarif", code=1))
        assert run["columnKind"] == "unicodeCodePoints"
        assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["unknown-key", "unknown-skill"]
        assert all(
            rule["help"]["text"].startswith(CODES[rule["id"]]) for rule in run["tool"]["driver"]["rules"]
        )
        location = run["results"][1]["locations"][0]["physicalLocation"]
        assert location["artifactLocation"] == {"uri": "bot/skills/a%20b%2Cc.md", "uriBaseId": "%SRCROOT%"}
        region = location["region"]
        assert (region["startLine"], region["startColumn"]) == (8, 4)
        assert region["snippet"]["text"][region["startColumn"] - 1 :] == "<<identiti>>"
        assert str(bot) not in json.dumps(run)

    def test_a_file_outside_the_checkout_has_its_whole_path(self, bot: Path) -> None:
        (bot / "here").mkdir()
        run = valid_sarif(checked(bot / "here", "../bot", "--output-format", "sarif", code=1))
        artifact = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert unquote(artifact["uri"]) == f"file://{bot}/bot/skills/a b,c.md"
        assert "uriBaseId" not in artifact
        assert f"file={bot}/bot/" in checked(bot / "here", "../bot", "--output-format", "github", code=1)

    def test_nothing_wrong_is_valid_too(self, bot: Path) -> None:
        (bot / "bot" / "skills" / "a b,c.md").unlink()
        assert json.loads(checked(bot, "bot", "--output-format", "json")) == []
        assert valid_sarif(checked(bot, "bot", "--output-format", "sarif"))["results"] == []
        for name in ("full", "concise", "github"):
            assert checked(bot, "bot", "--output-format", name) == ""

    def test_no_bundle_is_valid_too(self, tmp_path: Path) -> None:
        listed = json.loads(checked(tmp_path, "--output-format", "json", code=1))
        assert [(each["code"], each["path"], each["line"]) for each in listed] == [("no-bundle", None, None)]
        invocation = valid_sarif(checked(tmp_path, "--output-format", "sarif", code=1))["invocations"][0]
        assert invocation["executionSuccessful"] is False
        assert invocation["toolExecutionNotifications"][0]["associatedRule"]["id"] == "no-bundle"
        told = checked(tmp_path, "--output-format", "github", code=1)
        assert told.startswith("::error title=docasm no-bundle::there is no `docasm.yaml`")

    @pytest.mark.parametrize("forged", ["\\n::error file=x.md::forged", "%0A::error::forged", "\\e[2J"])
    @pytest.mark.parametrize("name", FORMATS)
    def test_a_file_forges_nothing(self, bot: Path, name: str, forged: str) -> None:
        (bot / "bot" / "docasm.yaml").write_text(
            f'"a{forged}": 1\nadopted: ["b{forged}"]\n', encoding="utf-8"
        )
        told = checked(bot, "bot", "--output-format", name, code=1)
        assert "\x1b" not in told
        commands = [line for line in told.splitlines() if line.lstrip().startswith("::")]
        assert all("title=docasm " in line for line in commands)
        assert len(commands) == (4 if name == "github" else 0)

    def test_an_unknown_format(self) -> None:
        result = CliRunner().invoke(main, ["check", "--output-format", "xml"])
        assert result.exit_code == 2
        assert "'full', 'concise', 'json', 'github', 'sarif'" in result.stderr


def test_a_format_is_a_function_of_the_problems_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No format is chosen, or changed, by where docasm runs."""
    problem = Problem("left-open", "m", Place("a.md", 2, 3), "x", "h")
    before = {name: write([problem]) for name, write in FORMATS.items()}
    for name in ("CI", "GITHUB_ACTIONS", "NO_COLOR"):
        monkeypatch.setenv(name, "true")
    writers: dict[str, Callable[..., str]] = dict(FORMATS)
    assert {name: write([problem]) for name, write in writers.items()} == before
