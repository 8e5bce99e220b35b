"""P4: the author's text is copied; nothing but what section 2 of the design names is edited."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import cmarkgfm
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import docasm
from docasm.markdown import structure
from docasm.markers import trim
from tests.bundles import load
from tests.strategies import hostile_text

_quick = settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)


def _verbatim(body: str) -> str:
    """The system message of an Agent Skill with this body, alone in a document."""
    with TemporaryDirectory() as folder:
        files = {
            "skills/a/SKILL.md": f"---\nname: a\ndescription: d\n---\n{body}",
            "docasm.yaml": "adopted: [{skill: a, triggers: [dm]}]",
        }
        messages = load(Path(folder), files).render(docasm.Trigger.dm("x")).messages
        return messages[0].content if messages[0].role == "system" else ""


def _judged(body: str) -> tuple[str, str]:
    """A body as it is read and as it is written; one that nests too deep is another test's."""
    text = trim(body.replace("\r\n", "\n").replace("\r", "\n"))
    assume(structure(text).too_deep is None)
    return text, _verbatim(body)


@_quick
@given(hostile_text())
def test_text_without_headings_is_copied_to_the_letter_and_closed(body: str) -> None:
    text, written = _judged(body)
    if not structure(text).headings:
        assert written.startswith(text)
        assert re.fullmatch(r"|\n(?:`{3,}|~{3,}|-->|\?>|>|\]\]>|</\w+>)", written.removeprefix(text))


@_quick
@given(hostile_text())
def test_what_is_written_reads_the_same_but_for_the_level_of_headings(body: str) -> None:
    text, written = _judged(body)
    assume("]:" not in text)  # markdown-it and cmark read some link definitions differently
    shift = _shift(text)
    expected = re.sub(
        r"(</?h)([1-6])(?=>)", lambda found: found[1] + _moved(int(found[2]), shift), _html(text)
    )
    assert _html(written).startswith(expected.removesuffix("</code></pre>"))


def _shift(text: str) -> int:
    """How far the headings of a text alone in a document move."""
    headings = structure(text).headings
    outline = [heading.level for heading in headings if not heading.nested]
    titled = outline[:1] == [1] and outline.count(1) == 1
    shallowest = min(outline or [heading.level for heading in headings], default=2)
    return 0 if titled else 2 - shallowest


def _moved(level: int, shift: int) -> str:
    return str(max(1, min(level + shift, 6)))


def _html(text: str) -> str:
    """What cmark makes of a text; breaks and white space, which a heading on one line loses, do not count."""
    return " ".join(cmarkgfm.markdown_to_html(text).replace("<br />", "").split())


@pytest.mark.parametrize(
    "body", ["\ufeff# A\n\nword\n", "# A\r\n\r\nword\r\n", "\n\n# A\n\nword\n\n\n", "# A\r\rword"]
)
def test_a_bom_line_ends_and_blank_ends_are_all_that_goes(tmp_path: Path, body: str) -> None:
    files = {"docasm.yaml": "adopted: [{skill: a, triggers: [dm]}]", "skills/a.md": body}
    messages = load(tmp_path, files).render(docasm.Trigger.dm("x")).messages
    assert messages[0].content == "# A\n\nword"


_HEADINGS = ["# A", "### B #", "Set\next\n===", "T\n-", "> # q", "- # l", "###### F", "w", "```\n# c\n```"]


@_quick
@given(st.lists(st.sampled_from(_HEADINGS)))
def test_headings_move_together_and_nothing_else_changes(pieces: list[str]) -> None:
    body = "\n\n".join(["## First", *pieces])
    shift = _shift(body)
    expected = [(_moved(level, shift), text) for level, text in _levels(body)]
    assert [(str(level), text) for level, text in _levels(_verbatim(body))] == expected


def _levels(text: str) -> list[tuple[int, str]]:
    """The level and the text of each heading, as cmark reads them."""
    found = re.findall(r"<h([1-6])>(.*?)</h", cmarkgfm.markdown_to_html(text), re.S)
    return [(int(level), " ".join(content.split())) for level, content in found]
