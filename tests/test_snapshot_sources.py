"""What a snapshot says of where its lines came from: exact, not compared, and what a failure names."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from docasm import Message
from docasm.document import Origin
from docasm.errors import Place
from docasm.pytest_plugin import snapshot_text, sources
from docasm.pytest_plugin.difference import difference
from tests.plugin_projects import FILES, Project

PATHS = st.sampled_from(
    ["a.md", "b/c.md", "../s.md", "a: b.md", "(x):3 x 4", "1", "- a", "ü\u2028\n.md", "#"]
)
ORIGINS = st.lists(
    st.builds(Place, PATHS | st.text(), st.integers(1, 6))
    | st.sampled_from(["tools", "history", ") x 3", "a:5"]),
    max_size=30,
)
MESSAGES = (Message("system", "a"), Message("user", "---\n"))
CHAT = FILES["bot/skills/chat.md"]


@given(ORIGINS)
@example([Place("a.md", 5), Place("a.md", 5), Place("a.md", 6), Place("a.md", 7), "tools", "tools"])
def test_entries_are_read_as_they_were_written(origins: Sequence[Origin]) -> None:
    assert list(sources.origins(sources.entries(origins))) == origins


@given(ORIGINS)
def test_a_snapshot_is_yaml_that_gives_back_the_origins(origins: Sequence[Origin]) -> None:
    text = snapshot_text.written("line\n" * len(origins), MESSAGES, origins)
    assert snapshot_text.origins(text) == (origins or ())
    assert snapshot_text.document(text) == "line\n" * len(origins)
    front = yaml.safe_load(text.split("---\n")[1])
    assert all(isinstance(each, str) for each in front.get("lines", ()))


def test_runs_are_short() -> None:
    origins: list[Origin] = [
        *(Place("a.md", line) for line in (1, 2, 3, 7, 7)),
        "tools",
        "tools",
        Place("b.md", 4),
        "input",
    ]
    assert list(sources.entries(origins)) == ["a.md:1-3", "a.md:7 x 2", "(tools) x 2", "b.md:4", "(input)"]


@pytest.mark.parametrize(
    "wrong", ["a.md", "a.md:1-", "a.md:3-2", "(a", "a.md:1 x 9999999999", "a.md:1-9999999999"]
)
def test_what_no_snapshot_says_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=re.escape(wrong)):
        list(sources.origins([wrong]))


@pytest.mark.parametrize("lines", ["", "[", "lines: 5", "lines: [5]", "lines: [a.md:1-9]", "lines: [nope]"])
def test_a_snapshot_that_says_it_wrong_says_nothing(lines: str) -> None:
    assert snapshot_text.origins(f"---\n{lines}\n---\na\n") == ()


def test_a_line_that_is_gone_has_the_place_it_had() -> None:
    found = difference("a\nb\nc\n", "a\n", ["new.md:1"], ["f.md:1", "f.md:2", "gone.md:9"])
    assert [line for _, line in found.lines] == [
        "new.md:1  |   a",
        "f.md:2    | - b",
        "gone.md:9 | - c",
        "          |",
    ]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with its snapshots."""
    project = Project(tmp_path_factory.mktemp("made"))
    project.write(FILES)
    project.write({"bot/skills/more.md": "---\ntriggers: [dm]\n---\n## More\n\nAsk first.\n"})
    project.write({"tests/test_bot.py": FILES["tests/test_bot.py"] + PAYLOAD})
    assert project.pytest("--snapshot-update").code == 0
    return project.folder


PAYLOAD = """

def test_request(payload_snapshot, document_snapshot):
    render = docasm.Bundle.load('bot').render(docasm.Trigger.dm('Hi'))
    assert render == payload_snapshot
    assert render == document_snapshot
"""


@pytest.fixture
def tested(made: Path, tmp_path: Path) -> Project:
    return Project(made).copy(tmp_path)


def test_a_snapshot_names_files_from_its_own_folder(tested: Project) -> None:
    found = tested.snapshots()
    ann, dm = found["bot/__snapshots__/ann/document.md"], found["tests/__snapshots__/test_bot/test_dm.md"]
    assert "\n  - skills/chat.md:4-7\n  - (skills)\n  - skills/more.md:4-6\n" in ann
    assert "\n  - ../bot/skills/chat.md:4-7\n" in dm
    assert str(tested.folder) not in ann + dm


@pytest.mark.parametrize("where", [".", "bot", "tests"])
def test_lines_that_are_gone_are_named_wherever_it_runs(tested: Project, where: str) -> None:
    tested.write({"bot/skills/chat.md": CHAT.replace("Be brief.\n", "")})
    (tested.folder / "bot/skills/more.md").unlink()
    output = Project(tested.folder / where).docasm("test", str(tested.folder / "bot/ann.yaml")).output
    skills = {".": "bot/skills", "bot": "skills", "tests": f"{tested.folder}/bot/skills"}[where]
    assert re.search(rf"^{skills}/chat.md:6 +\| - Be brief\.$", output, re.MULTILINE), output
    assert re.search(rf"^{skills}/more.md:6 +\| - Ask first\.$", output, re.MULTILINE), output


def test_lines_that_a_request_has_no_longer_are_named(tested: Project) -> None:
    tested.write({"bot/skills/chat.md": CHAT.replace("Be brief.\n", "")})
    output = tested.pytest("bot/ann.yaml::payload").output
    assert re.search(r"^bot/skills/chat.md:6 +\| - Be brief\.$", output, re.MULTILINE), output
    output = tested.pytest("tests/test_bot.py::test_request").output
    assert re.search(r"bot/skills/chat.md:6 +\| - Be brief\.$", output, re.MULTILINE), output


def test_what_only_moved_passes_and_is_not_written_again(tested: Project) -> None:
    before = tested.snapshots()
    tested.write({"bot/skills/chat.md": CHAT.replace("---\n#", "# A comment\n---\n#")})
    assert tested.pytest().code == 0
    assert tested.pytest("--snapshot-update").code == 0
    assert tested.snapshots() == before


def test_a_snapshot_without_sources_is_as_good(tested: Project) -> None:
    name = "bot/__snapshots__/ann/document.md"
    bare = re.sub(r"(?m)^lines:.*\n(  - .*\n)*", "", tested.snapshots()[name])
    assert "skills/chat.md" not in bare
    tested.write({name: bare})
    assert tested.pytest().code == 0
    tested.write({"bot/skills/chat.md": CHAT.replace("Be brief.\n", "")})
    assert " | - Be brief.\n" in tested.pytest("bot/ann.yaml::document").output


def test_no_snapshot_holds_a_path_outside_of_the_project(
    tested: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.move(tested.folder / "bot/skills/more.md", elsewhere / "more.md")
    tested.write({"bot/docasm.yaml": FILES["bot/docasm.yaml"] + f"skills: [skills, '{elsewhere}']\n"})
    assert tested.pytest("--snapshot-update").code == 0
    (tested.folder / "bot/__snapshots__/ann/document.md").unlink()
    assert tested.pytest("bot/ann.yaml", "--snapshot-update").code == 0
    text = tested.snapshots()["bot/__snapshots__/ann/document.md"]
    assert "\n  - more.md:4-6\n" in text
    assert "elsewhere" not in text
