"""The pytest plugin, as projects meet it: every test runs pytest in a process of its own."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.plugin_projects import FILES, Project

ALL = {
    "bot/__snapshots__/ann/document.md",
    "bot/__snapshots__/ann/payload.json",
    "bot/__snapshots__/bob/document.md",
    "bot/__snapshots__/bob/payload.json",
    "tests/__snapshots__/test_bot/test_dm.md",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.write(FILES)
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project with its snapshots."""
    made = Project(tmp_path_factory.mktemp("made"))
    made.write(FILES)
    assert made.pytest("--snapshot-update").code == 0
    return made.folder


@pytest.fixture
def tested(made: Path, tmp_path: Path) -> Project:
    """A project with its snapshots."""
    return Project(made).copy(tmp_path)


def test_a_first_run_fails_and_says_so_and_an_update_writes(project: Project) -> None:
    first = project.pytest()
    assert first.code == 1
    assert first.output.count("has no snapshot yet: ") >= len(ALL)
    assert "to update it: pytest bot/ann.yaml::document --snapshot-update\n" in first.output
    assert project.snapshots() == {}
    assert project.pytest("--snapshot-update").code == 0
    assert project.snapshots().keys() == ALL
    assert project.pytest().code == 0


def test_a_snapshot_holds_the_document_and_the_request(tested: Project) -> None:
    rendered = tested.docasm("render", "bot/ann.yaml").output
    found = tested.snapshots()
    assert found["bot/__snapshots__/ann/document.md"].endswith(f"---\n{rendered}")
    body = json.loads(tested.docasm("render", "bot/ann.yaml", "--format", "openai").output)
    assert json.loads(found["bot/__snapshots__/ann/payload.json"]) == body


def test_a_change_is_shown_with_its_places_and_tokens(tested: Project) -> None:
    tested.write({"bot/skills/chat.md": FILES["bot/skills/chat.md"].replace("Be kind.", "Be very kind.")})
    ran = tested.pytest("-q")
    assert ran.code == 1
    assert "bot/skills/chat.md:7 | - Be kind.\nbot/skills/chat.md:7 | + Be very kind.\n" in ran.output
    assert "E       bot/skills/chat.md:7 | + Be very kind.\n" in ran.output
    assert "1 token gained: " in ran.output
    assert "\x1b" not in ran.output
    assert "snapshot.py" not in ran.output


def test_the_tokens_are_called_an_estimate_where_they_are_one(project: Project) -> None:
    project.write({"bot/docasm.yaml": "params: {model: claude-opus-4.6}\n"})
    project.pytest("--snapshot-update")
    project.write({"bot/ann.yaml": "trigger: {type: dm, sender: ann, text: Hello there}\n"})
    output = project.pytest("bot/ann.yaml").output
    assert "2 tokens gained: " in output
    assert "now (estimate)\n" in output


def test_a_long_difference_in_code_is_not_cut(project: Project) -> None:
    lines = "".join(f"Rule {index}.\n" for index in range(40))
    project.write({"bot/skills/chat.md": f"---\ntriggers: [dm]\n---\n{lines}"})
    project.pytest("tests", "--snapshot-update")
    project.write({"bot/skills/chat.md": f"---\ntriggers: [dm]\n---\n{lines.replace('Rule', 'Law')}"})
    output = project.pytest("tests").output
    assert output.count(" | - Rule ") == output.count(" | + Law ") == 40


def test_white_space_alone_is_made_visible(tested: Project) -> None:
    tested.write({"bot/skills/chat.md": FILES["bot/skills/chat.md"].replace("Be kind.", "Be  kind.")})
    output = tested.pytest("bot/ann.yaml").output
    assert "bot/__snapshots__/ann/document.md: white space alone differs\n" in output
    assert " | - Be·kind.␊\n" in output
    assert " | + Be··kind.␊\n" in output


def test_text_that_no_editor_shows_is_exact(project: Project) -> None:
    text = "a\\rb\\r\\nc\\u2028d\\0e\\u0085 \\uFEFF"
    project.write({"bot/ann.yaml": f'trigger: {{type: dm, text: "{text}"}}\n'})
    assert project.pytest("bot/ann.yaml", "--snapshot-update").code == 0
    assert project.pytest("bot/ann.yaml").code == 0
    for other in (text.replace("\\rb", "\\nb"), text.replace("\\u2028", " "), text.replace("\\0", "")):
        project.write({"bot/ann.yaml": f'trigger: {{type: dm, text: "{other}"}}\n'})
        assert project.pytest("bot/ann.yaml").code == 1


@pytest.mark.parametrize("more", [(), ("-n", "1"), ("-n", "2")])
def test_unused_snapshots_are_reported_and_removed(tested: Project, more: tuple[str, ...]) -> None:
    (tested.folder / "bot/bob.yaml").unlink()
    ran = tested.pytest("--snapshot-details", *more)
    assert ran.code == 1
    assert "2 snapshots unused." in ran.output
    assert "Unused document (bot/__snapshots__/bob/document.md)" in ran.output
    assert tested.snapshots().keys() == ALL
    assert tested.pytest("--snapshot-update", *more).code == 0
    assert tested.snapshots().keys() == {name for name in ALL if "bob" not in name}


def test_snapshots_in_a_listed_folder_without_any_scenario_left_are_unused(project: Project) -> None:
    listed = ("-o", "docasm_scenarios=bot/**/*.yaml")
    project.write({"bot/a/b/eve.yaml": f"bundle: ../..\n{FILES['bot/ann.yaml']}"})
    assert project.pytest(*listed, "--snapshot-update").code == 0
    (project.folder / "bot/a/b/eve.yaml").unlink()
    assert project.pytest("tests", *listed).code == 0
    ran = project.pytest(*listed, "--snapshot-details", "-n", "2")
    assert ran.code == 1
    assert "Unused payload (bot/a/b/__snapshots__/eve/payload.json)" in ran.output
    assert project.pytest(*listed, "--snapshot-update").code == 0
    assert not [name for name in project.snapshots() if "eve" in name]


@pytest.mark.parametrize(
    "arguments",
    [
        ("-k", "ann"),
        ("-k", "document"),
        ("-k", "ann", "-n", "2"),
        ("bot/ann.yaml",),
        ("bot/ann.yaml::payload",),
        ("bot",),
        ("tests",),
        ("-o", "docasm_scenarios=bot/ann.yaml"),
    ],
)
def test_what_is_not_selected_is_not_unused(tested: Project, arguments: tuple[str, ...]) -> None:
    # An update reports no more than what it removes, and that is what a run without it calls unused.
    ran = tested.pytest(*arguments, "--snapshot-update")
    assert ran.code == 0, ran.output
    assert "unused" not in ran.output
    assert tested.snapshots().keys() == ALL


def test_a_broken_scenario_fails_with_the_problem_alone_and_keeps_its_snapshots(tested: Project) -> None:
    tested.write({"bot/ann.yaml": "triger: {type: dm, text: Hello}\n"})
    for more in ((), ("--snapshot-update",)):
        ran = tested.pytest(*more)
        assert ran.code == 1
        assert "bot/ann.yaml:1:1: error[unknown-key]: unknown key `triger`" in ran.output
        assert "Traceback" not in ran.output
        assert ".py:" not in ran.output
        assert tested.snapshots().keys() == ALL


def test_without_a_model_there_is_no_payload_to_compare(project: Project) -> None:
    project.write({"bot/docasm.yaml": ""})
    assert project.pytest("--snapshot-update").code == 0
    assert not [name for name in project.snapshots() if name.endswith(".json")]
    ran = project.pytest("-rs")
    assert ran.code == 0
    assert "nothing names a model" in ran.output


def test_a_model_that_went_away_is_a_failure(tested: Project) -> None:
    tested.write({"bot/docasm.yaml": ""})
    ran = tested.pytest()
    assert ran.code == 1
    assert "error[model-missing]" in ran.output


@pytest.mark.parametrize("more", [(), ("-n", "2")])
def test_where_ci_is_set_nothing_is_written(tested: Project, more: tuple[str, ...]) -> None:
    before = tested.snapshots()
    tested.write({"bot/skills/chat.md": FILES["bot/skills/chat.md"].replace("kind", "quick")})
    (tested.folder / "bot/bob.yaml").unlink()
    for arguments in (["--snapshot-update"], ["tests", "--snapshot-update-new-only"]):
        ran = tested.pytest(*arguments, *more, CI="anything")
        assert ran.code == 1
        assert "no snapshot is written or removed where CI is set" in ran.output
        assert tested.snapshots() == before
    assert tested.pytest("--snapshot-update", *more, CI="").code == 0
    assert tested.snapshots() != before


def test_a_report_for_machines_names_the_scenario(tested: Project) -> None:
    tested.write({"bot/ann.yaml": 'trigger: {type: dm, text: "Hello\\0"}\n'})
    assert tested.pytest("--junitxml=report.xml").code == 1
    cases = ET.parse(tested.folder / "report.xml").iter("testcase")
    found = {(each.get("classname"), each.get("name")): each.find("failure") for each in cases}
    assert found.keys() >= {("bot.ann.yaml", "document"), ("bot.bob.yaml", "payload")}
    failure = found["bot.ann.yaml", "document"]
    assert failure is not None
    assert "Hello\\u{0}" in (failure.text or "")
    assert found["bot.bob.yaml", "document"] is None


@pytest.mark.parametrize("name", ["pyproject.toml", "pytest.toml", "tox.ini", "setup.cfg"])
def test_every_form_of_configuration_lists_scenarios(project: Project, name: str) -> None:
    (project.folder / "pytest.ini").unlink()
    section = {"pyproject.toml": "tool.pytest.ini_options", "setup.cfg": "tool:pytest"}.get(name, "pytest")
    value = (
        '["bot/a*.yaml", "bot/b*.yaml"]' if name.endswith("toml") else "\n    bot/a*.yaml\n    bot/b*.yaml"
    )
    paths = '["tests"]' if name.endswith("toml") else "tests"
    project.write({name: f"[{section}]\ntestpaths = {paths}\ndocasm_scenarios = {value}\n"})
    ran = project.pytest("--collect-only", "-q", "-p", "no:cacheprovider")
    assert ran.output.splitlines()[:5] == [
        "tests/test_bot.py::test_dm",
        *(f"bot/{name}.yaml::{case}" for name in ("ann", "bob") for case in ("document", "payload")),
    ]


def test_a_pattern_that_matches_nothing_is_an_error(project: Project) -> None:
    ran = project.pytest("-o", "docasm_scenarios=nope/*.yaml")
    assert ran.code == 4
    assert "no scenario matches `nope/*.yaml`" in ran.output


def test_two_scenarios_of_one_name_do_not_share_a_snapshot(project: Project) -> None:
    project.write({"bot/ann.yml": FILES["bot/ann.yaml"]})
    ran = project.pytest("bot/ann.yaml")
    assert ran.code != 0
    assert "`ann.yaml` and `ann.yml` would share one snapshot" in ran.output


def test_a_file_that_is_no_scenario_is_left_to_others(project: Project) -> None:
    (project.folder / "pytest.ini").unlink()
    assert project.pytest("bot/docasm.yaml", "-p", "no:cacheprovider").code != 0
    assert "collected 0 items" in project.pytest("bot", "-p", "no:cacheprovider").output


def test_what_is_compared_must_be_a_render(project: Project) -> None:
    project.write(
        {"tests/test_bot.py": "def test_text(document_snapshot):\n    assert 'a' == document_snapshot\n"}
    )
    ran = project.pytest("tests")
    assert ran.code == 1
    assert "a document snapshot is compared with a Render, not with a str" in ran.output


def test_a_payload_is_compared_in_code(project: Project) -> None:
    code = FILES["tests/test_bot.py"].replace("document_snapshot", "payload_snapshot")
    code = code.replace("('Hi')) ==", "('Hi')).payload('anthropic', repair=['max_tokens']) ==")
    project.write(
        {"bot/docasm.yaml": "params: {model: claude-opus-4.6, max_tokens: 9}\n", "tests/test_bot.py": code}
    )
    code = code.replace(", repair=['max_tokens']", "")
    project.write({"tests/test_bot.py": code})
    assert project.pytest("tests", "--snapshot-update").code == 0
    assert "claude" in project.snapshots()["tests/__snapshots__/test_bot/test_dm.json"]
    assert project.pytest("tests").code == 0


def test_a_project_that_does_not_use_it_pays_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path)
    heavy = ["docasm.bundle", "docasm.errors", "docasm.scenario", "jinja2", "syrupy", "yaml"]
    code = (
        f"import sys\n\ndef test_idle():\n    assert not [each for each in {heavy} if each in sys.modules]\n"
    )
    project.write({"test_idle.py": code, "data.txt": "", "pytest.ini": "[pytest]\n"})
    arguments = ("-m", "pytest", "-p", "docasm.pytest_plugin", "-p", "no:cacheprovider")
    ran = project.python(arguments, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    assert ran.code == 0, ran.output
