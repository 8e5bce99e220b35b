"""The documents: their examples run, their links lead somewhere, and nothing is left out of them."""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from unicodedata import category
from urllib.parse import unquote

import pytest

import docasm
from docasm.codes import CODES
from docasm.config import BUNDLE_KEYS
from docasm.contain import CONTAINERS
from docasm.filters import FILTERS, OWN_FILTERS
from docasm.formats.pipeline import PIPELINE_KEYS
from docasm.formats.pipeline_slot import SLOT_KEYS
from docasm.formats.profiles import PIPELINE, PROFILES
from docasm.formats.section import SECTION_KEYS
from docasm.layout_file import LAYOUT_KEYS
from docasm.limits import SLOTS
from docasm.params import PARAMS
from docasm.providers.facts import PROVIDER_NAMES, ModelFacts
from docasm.providers.repair import REPAIRS
from docasm.sandbox import METHODS
from docasm.scenario_keys import SCENARIO_KEYS
from docasm.skill import AGENT_SKILL_KEYS, SKILL_KEYS
from docasm.template_check import TESTS
from docasm.trigger import KINDS
from tests.documents import (
    INDEPENDENT,
    ROOT,
    chapters,
    fences,
    headings,
    refreshed,
    section,
    table_rows,
    tokens,
)

DOCS = ROOT / "docs"
RUN = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
LINKED = [*RUN, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "bench/README.md"))]


def _text(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


CHAPTERS = {f"{_shown(path)}: {name}": (path, text) for path in RUN for name, text in chapters(path).items()}


class TestExamples:
    @pytest.mark.parametrize("name", CHAPTERS)
    def test_an_example_prints_what_stands_below_it(self, name: str) -> None:
        path, text = CHAPTERS[name]
        assert refreshed(text, independent=path.name == INDEPENDENT) == text

    @pytest.mark.parametrize("path", RUN, ids=_shown)
    def test_a_console_block_says_how_it_came_about(self, path: Path) -> None:
        blocks = [each for each in fences(path.read_text(encoding="utf-8")) if each.language == "console"]
        assert all(each.content.startswith("$ ") for each in blocks)

    def test_whole_files_have_no_problem(self, tmp_path: Path) -> None:
        for fence in fences(_text("formats.md")):
            if fence.name:
                path = tmp_path / fence.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(fence.content, encoding="utf-8")
        assert docasm.Bundle.load(tmp_path / "bot").problems == ()
        scenarios = [path for path in (tmp_path / "bot").glob("*.yaml") if path.name != "docasm.yaml"]
        kinds = [docasm.load_scenario(path).render().making.drafted.layout.name for path in sorted(scenarios)]
        assert kinds == ["cron", "dm", "event"]


def _anchors(text: str) -> Iterator[str]:
    """What GitHub calls the headings of a document."""
    seen: dict[str, int] = {}
    for _, words in headings(text):
        kept = (each for each in words.lower() if each in "-_ " or category(each)[0] in "LNM")
        anchor = "".join(kept).replace(" ", "-")
        yield f"{anchor}-{seen[anchor]}" if anchor in seen else anchor
        seen[anchor] = seen.get(anchor, 0) + 1


def _links(text: str) -> Iterator[str]:
    for token in tokens(text):
        for child in token.children or ():
            if child.type == "link_open":
                yield str(child.attrs["href"])


@pytest.mark.parametrize("path", LINKED, ids=_shown)
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    for link in _links(path.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = unquote(link).partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not anchor or anchor in set(_anchors(target.read_text(encoding="utf-8"))), link


def test_every_document_is_in_the_index() -> None:
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in _links(_text("README.md"))}
    assert set(DOCS.rglob("*.md")) - linked == {DOCS / "README.md"}


def _described(text: str) -> dict[str, str]:
    """What the tables of a text describe: the code in a row's first cell, and the last cell."""
    rows = [(re.fullmatch(r"`([^`]+)`", row[0]), row[-1]) for row in table_rows(text)]
    return {found[1]: words for found, words in rows if found and words}


FORMATS: Mapping[str, set[str]] = {
    "Skill": {*SKILL_KEYS, *AGENT_SKILL_KEYS},
    "Agent Skill": set(AGENT_SKILL_KEYS),
    "Params": set(PARAMS),
    "Bundle": set(BUNDLE_KEYS),
    "Models": {"checked", "defaults", *PROVIDER_NAMES, "models", *(each.name for each in fields(ModelFacts))},
    "Scenario": set(SCENARIO_KEYS),
    "Layout": {*LAYOUT_KEYS, *(f"<<{name}>>" for name in SLOTS)},
    "Soul document": set(SECTION_KEYS),
    "Files with pipelines": {PIPELINE, PROFILES},
    "Pipelines": set(PIPELINE_KEYS),
    "Slots of a pipeline": {key for keys in SLOT_KEYS.values() for key in keys},
    "Types of slots": set(SLOT_KEYS),
}
TEMPLATES: Mapping[str, set[str]] = {
    "Filters": (FILTERS.keys() - OWN_FILTERS) | CONTAINERS.keys(),
    "Tests": set(TESTS),
    "Methods": set(METHODS),
}
ELSEWHERE: Mapping[str, set[str]] = {
    "Scenario": set(KINDS),
}
"""What stands in tables of a section beside its keys."""


@pytest.mark.parametrize("heading", FORMATS)
def test_every_key_of_a_format_is_described(heading: str) -> None:
    found = _described(section(_text("formats.md"), heading)).keys()
    assert found - ELSEWHERE.get(heading, set()) == FORMATS[heading]


@pytest.mark.parametrize("heading", TEMPLATES)
def test_all_that_a_template_may_use_is_described(heading: str) -> None:
    assert _described(section(_text("templates.md"), heading)).keys() == TEMPLATES[heading]


def test_every_problem_code_is_described_and_shown() -> None:
    found = {words for _, words in headings(_text("problems.md"), "h3")}
    assert found == set(CODES)
    for code, text in chapters(DOCS / "problems.md").items():
        printed = "".join(each.content for each in fences(text) if each.language in ("console", "text"))
        assert code in ("problems.md", "internal-error") or f"[{code}]" in printed, code


@pytest.mark.parametrize("code", sorted(CODES.keys() - {"internal-error"}))
def test_every_problem_code_has_a_wrong_and_a_right_example(code: str) -> None:
    _, text = CHAPTERS[f"docs/problems.md: {code}"]
    wrong, mark, right = text.partition("\n**Right.**\n")
    assert mark
    assert f"[{code}]" in wrong
    assert any(each.language in ("console", "python") for each in fences(right))
    assert f"[{code}]" not in right


def test_every_public_name_is_described() -> None:
    assert _described(section(_text("python.md"), "All public names")).keys() == set(docasm.__all__)
    assert all(
        re.search(rf"\b{name}\b", _text("python.md").partition("## All")[0]) for name in docasm.__all__
    )


@pytest.mark.parametrize("name", ["cli.md", "python.md"])
def test_what_is_generated_is_current(name: str) -> None:
    command = [sys.executable, "-m", "cogapp", "--check", str(DOCS / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_provider_has_a_page_and_every_repair_is_described() -> None:
    assert {path.stem for path in (DOCS / "providers").iterdir()} == set(PROVIDER_NAMES)
    described = _described(section(_text("python.md"), "Payloads")).keys()
    assert described >= REPAIRS.keys()
