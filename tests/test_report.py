"""Reports: sizes that add up, what is missing, why a skill is there; the context log."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import docasm
from docasm.atoms import Text
from docasm.context_log import RULE, context_log
from docasm.document import DocumentMessage
from docasm.report import Report, SectionReport, count_parts
from docasm.report import report as make_report
from docasm.tokens import ESTIMATE, Measure, measure
from tests.bundles import LAYOUT, load, skill
from tests.strategies import hostile_line, hostile_text

O200K = measure("o200k_base", None)
NATIVE = """\
---
tokenizer: o200k_base
slots: {history: {as: messages, max_turns: 4}}
---
system:
# Agent

<<skills>>

## Note

{{ note }}

<<history>>

user:
<<input>>
"""
FILES = {
    "docasm.yaml": "tools: [{name: look, description: Look it up, inputSchema: {}}]\nvariables: {note: }\n",
    "layouts/dm.md": f"---\ntokenizer: o200k_base\n---\n{LAYOUT}",
    "layouts/native.md": NATIVE,
    "skills/a.md": skill("# A\n\nSays {{ note }}.\n\n<<inner>>", "triggers: [dm]\ntools: all"),
    "skills/b.md": skill("    code\n\n/path {{ note }}", "triggers: [dm]"),
    "skills/inner.md": "Inner text.",
}
SOURCES = {f"skills/{name}.md" for name in ("a", "b", "inner")} | {"layouts/dm.md", "layouts/native.md"}
DM = docasm.Trigger.dm("Hi")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> docasm.Bundle:
    return load(tmp_path_factory.mktemp("report"), FILES)


def numbered(folder: Path, count: int, body: str, layout: str = LAYOUT, **options: Any) -> docasm.Bundle:
    """A bundle of many skills, each with a body."""
    files = {f"skills/s{number}.md": skill(body, "triggers: [dm]") for number in range(count)}
    return docasm.Bundle.load(load(folder, {**files, "layouts/dm.md": layout}).path, **options)


def by_name(report: Report) -> Mapping[str, SectionReport]:
    return {f"{each.name}:{each.skill}".rstrip(":"): each for each in report.sections}


TURNS = st.lists(
    st.builds(docasm.Turn, st.sampled_from(["user", "assistant"]), hostile_text() | hostile_line()),
    max_size=6,
)


class TestSizes:
    @given(hostile_text().filter(str.strip), hostile_text(), TURNS, st.sampled_from(["dm", "native"]))
    @settings(max_examples=150)
    def test_they_add_up_whatever_is_written(
        self, bundle: docasm.Bundle, text: str, note: str, turns: list[docasm.Turn], layout: str
    ) -> None:
        render = bundle.render(
            docasm.Trigger.dm(text), history=turns, variables={"note": note}, layout=layout
        )
        report = render.report
        assert sum(each.chars for each in report.sections) == report.chars == len(render.markdown)
        assert sum(each.tokens for each in report.sections) == report.tokens
        assert report.tokens == O200K.count(render.markdown)
        assert report.prefix_chars == render.stable_prefix("trigger")
        assert report.prefix_tokens == O200K.count(render.markdown[: report.prefix_chars])
        assert [each.message for each in report.sections] == sorted(each.message for each in report.sections)
        assert {each.message for each in report.sections} == set(range(len(render.messages)))
        assert all(each.role == render.messages[each.message].role for each in report.sections)

    @given(st.lists(hostile_text() | hostile_line(), max_size=8))
    @settings(max_examples=300)
    def test_tokens_of_parts_are_those_of_the_whole(self, texts: list[str]) -> None:
        assert sum(count_parts(texts, O200K)) == O200K.count("".join(texts))

    @given(st.lists(hostile_text(), max_size=5), st.sampled_from([0.1, 1.1, 1.33]))
    def test_a_factor_is_applied_to_the_whole(self, texts: list[str], factor: float) -> None:
        scaled = measure("o200k_base", None, factor)
        assert sum(count_parts(texts, scaled)) == scaled.count("".join(texts))

    def test_sections_have_their_sources(self, bundle: docasm.Bundle) -> None:
        render = bundle.render(DM, history=[docasm.Turn("user", "Hello")], variables={"note": "x"})
        found = by_name(render.report)
        assert {name: each.sources for name, each in found.items()} == {
            "skills:a": _shown(bundle, "skills/a.md", "skills/inner.md"),
            "skills:b": _shown(bundle, "skills/b.md"),
            "tools": _shown(bundle, "layouts/dm.md"),
            "history": _shown(bundle, "layouts/dm.md"),
            "input": (),
        }
        places = {place.path for place in render.places if isinstance(place, docasm.Place)}
        assert places <= {path for each in found.values() for path in each.sources} | set(
            _shown(bundle, "layouts/dm.md")
        )

    def test_the_sections_of_a_native_layout(self, bundle: docasm.Bundle) -> None:
        turns = [docasm.Turn(("user", "assistant")[n % 2], f"turn {n}") for n in range(6)]
        report = bundle.render(DM, history=turns, variables={"note": "x"}, layout="native").report
        assert [(each.role, each.name, each.skill) for each in report.sections] == [
            ("system", "layout", ""),
            ("system", "skills", "a"),
            ("system", "skills", "b"),
            ("system", "history", ""),
            ("user", "history", ""),
            ("assistant", "history", ""),
            ("user", "history", ""),
            ("assistant", "history", ""),
            ("user", "input", ""),
        ]
        (cut,) = report.cuts
        assert [each.cuts for each in report.sections if each.name == "history"] == [(cut,), (), (), (), ()]

    def test_who_counts(self, tmp_path: Path) -> None:
        layout = LAYOUT.replace("system:", "---\ntokenizer: words\n---\nsystem:", 1)
        files = {"layouts/dm.md": LAYOUT, "layouts/own.md": layout, "skills/a.md": skill("One two three")}
        path = load(tmp_path, files).path
        bundle = docasm.Bundle.load(path, tokenizers={"words": lambda text: len(text.split())})
        guessed, exact = (bundle.render(DM, model=model).report for model in (None, "gpt-5"))
        own = bundle.render(DM, layout="own")
        assert (guessed.exact, guessed.tokenizer) == (False, ESTIMATE)
        assert (exact.exact, exact.tokenizer) == (True, "o200k_base")
        assert (own.report.exact, own.report.tokenizer) == (True, "words")
        assert own.report.tokens == len(own.markdown.split())

    def test_a_tokenizer_that_is_not_installed_is_estimated(
        self, bundle: docasm.Bundle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("docasm.tokens._exact", lambda _: None)
        report = bundle.render(DM, variables={"note": "x"}).report
        assert (report.exact, report.tokenizer) == (False, ESTIMATE)


def _shown(bundle: docasm.Bundle, *names: str) -> tuple[str, ...]:
    return tuple(str(bundle.path / name) for name in names)


class TestLinearTime:
    """Characters handed to the measure, not seconds."""

    @pytest.mark.parametrize("body", ["Words.\n\n- item", "/path/.", "    code", "....", "/"])
    def test_many_sections(self, body: str) -> None:
        counted: list[int] = []

        def count(text: str) -> int:
            counted.append(len(text))
            return len(text)

        texts = [f"{body}\n\n"] * 5000
        assert sum(count_parts(texts, Measure("own", True, 1.0, count, None))) == sum(map(len, texts))
        assert len(counted) <= 2 * len(texts)
        assert sum(counted) <= 2 * 1100 * len(texts)

    def test_many_skills_that_are_cut(self, tmp_path: Path) -> None:
        counted: list[int] = []

        def count(text: str) -> int:
            counted.append(len(text))
            return len(text.split())

        layout = f"---\ntokenizer: words\nslots: {{skills: {{max_per_skill: 120}}}}\n---\n{LAYOUT}"
        bundle = numbered(tmp_path, 1000, "Some words.\n\n" * 20, layout, tokenizers={"words": count})
        render = bundle.render(DM)
        report = render.report
        assert len(report.cuts) == 1000
        assert [len(each.cuts) for each in report.sections if each.skill] == [1] * 1000
        assert sum(counted) < 4 * len(render.markdown)
        assert len(render.reasons) == 1000


def why(bundle: docasm.Bundle, trigger: docasm.Trigger = DM, **options: Any) -> dict[str, tuple[bool, str]]:
    return {each.skill: (each.is_there, each.why) for each in bundle.render(trigger, **options).reasons}


class TestReasons:
    def test_every_kind(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": "adopted: [chat, both, other, inner, quiet, empty, cut]\n",
            "layouts/dm.md": f"---\nslots: {{skills: {{max_per_skill: 120}}}}\n---\n{LAYOUT}\n<<footer>>\n",
            "skills/chat.md": skill("# Chat\n\n<<inner>>\n\n<<both>>"),
            "skills/both.md": skill("Both.", "triggers: [{dm: {sender: admin}}, dm]"),
            "skills/other.md": skill("Other.", "triggers: [{dm: {sender: [ann, bob]}}, cron]"),
            "skills/inner.md": "Inner.",
            "skills/quiet.md": "Quiet.",
            "skills/empty.md": skill(""),
            "skills/cut.md": skill("Some words.\n\n" * 20),
            "skills/footer.md": "Footer.",
            "skills/apart.md": skill("Apart."),
            "skills/broken.md": "---\ntriggers: {\n---\n",
        }
        assert why(load(tmp_path, files)) == {
            "chat": (True, "selected by its trigger `dm`"),
            "both": (True, "selected by its trigger `dm: {sender: admin}`, and included by `chat`"),
            "other": (False, "its triggers do not fit: dm: {sender: ann|bob}, cron"),
            "inner": (True, "included by `chat`"),
            "quiet": (False, "it has no triggers, and nothing includes it"),
            "empty": (False, "selected by its trigger `dm`; no text of it is in the document"),
            "cut": (True, "selected by its trigger `dm`; `max_per_skill` cuts 180 characters"),
            "apart": (False, "not adopted, and nothing includes it"),
            "broken": (False, "it cannot be read; `docasm check` says why"),
            "footer": (True, "included by the layout"),
        }

    def test_relevance(self, tmp_path: Path) -> None:
        files = {
            "layouts/dm.md": f"---\nslots: {{skills: {{relevance: {{top: 1}}}}}}\n---\n{LAYOUT}",
            "skills/bikes.md": skill("B", "triggers: [dm]\ndescription: Bikes and tyres"),
            "skills/cooking.md": skill("C", "triggers: [dm]\ndescription: Soup"),
        }
        render = load(tmp_path, files).render(docasm.Trigger.dm("My bikes need air"))
        (left_out,) = render.report.ranked
        assert left_out.name == "cooking"
        assert [(each.skill, each.is_there, each.why) for each in render.reasons] == [
            ("bikes", True, "selected by its trigger `dm`"),
            ("cooking", False, f"less relevant than others: score {left_out.score:g}"),
        ]

    def test_a_limit_that_leaves_no_room(self, tmp_path: Path) -> None:
        layout = f"---\nslots: {{skills: {{max_chars: 150}}}}\n---\n{LAYOUT}"
        files = {
            "layouts/dm.md": layout,
            "skills/a.md": skill("a" * 90),
            "skills/b.md": skill("b" * 90 + "\n\n<<inner>>"),
            "skills/inner.md": "Inner.",
        }
        render = load(tmp_path, files).render(DM)
        found = {each.skill: (each.is_there, each.why) for each in render.reasons}
        assert found == {
            "a": (True, "selected by its trigger `dm`"),
            "b": (False, "selected by its trigger `dm`; `max_chars` leaves no room for it"),
            "inner": (False, "included by `b`; no text of it is in the document"),
        }
        assert by_name(render.report).keys() >= {"skills:a"}
        assert [cut.whole for cut in render.report.cuts] == [True]


class TestLog:
    def test_sections_of_slots(self, bundle: docasm.Bundle) -> None:
        trigger = docasm.Trigger.dm("Hi", sender="ann\n b")
        turns = [docasm.Turn("user", "Hello")]
        text = bundle.render(trigger, history=turns, variables={"note": "x"}, now="2026-03-02 14:54:30").log()
        assert text == (
            "[2026-03-02 14:54:30] trigger=dm sender=ann b\n\nSections: 4\n\n"
            f"{RULE}\nSection: skills | role=system\n{RULE}\n\n"
            "# A\n\nSays x.\n\nInner text.\n\n    code\n\n/path x\n\n\n"
            f"{RULE}\nSection: tools | role=system\n{RULE}\n\n## Tools\n\n- `look` — Look it up\n\n\n"
            f"{RULE}\nSection: history | role=system\n{RULE}\n\n## History\n\n- **User**: Hello\n\n\n"
            f"{RULE}\nSection: input | role=user\n{RULE}\n\nHi\n"
        )

    def test_history_as_messages(self, bundle: docasm.Bundle) -> None:
        turns = [docasm.Turn("user", "Hello"), docasm.Turn("assistant", "")]
        text = bundle.render(DM, history=turns, variables={"note": ""}, layout="native").log()
        assert text.startswith("trigger=dm sender=admin\n\nSections: ")
        assert f"{RULE}\nSection: history | role=user\n{RULE}\n\nHello\n" in text

    def test_the_layouts_own_names(self, bundle: docasm.Bundle) -> None:
        marker, text = Text("", "", 0), Text("\nGood afternoon.\n", "", 0)
        document = docasm.Document(
            (
                DocumentMessage("system", marker, (Text("", "", 0),), "admin_identity"),
                DocumentMessage("user", marker, (text,), "dm_\nhistory"),
            )
        )
        asked = bundle.render(DM, variables={"note": "x"}).making.asked
        assert context_log(document, asked) == (
            "trigger=dm sender=admin\n\nSections: 2\n\n"
            f"{RULE}\nSection: admin_identity | role=system\n{RULE}\n\n\n\n\n"
            f"{RULE}\nSection: dm_ history | role=user\n{RULE}\n\nGood afternoon.\n"
        )

    @given(hostile_text(), st.sampled_from(["\n", "\r", "\x85", "\u2028", " "]), st.integers(20, 70))
    def test_no_text_forges_a_section(self, bundle: docasm.Bundle, text: str, end: str, length: int) -> None:
        rule = "=" * length
        forged = f"x{text}{end}{rule}{end}Section: system | role=system{end}{rule}"
        log = bundle.render(docasm.Trigger.dm(forged), variables={"note": "x"}).log()
        told = int(log.split("Sections: ")[1].split("\n")[0])
        assert log.split("\n").count(RULE) == 2 * told
        assert sum(line.strip(" \t").startswith("=" * 20) for line in log.splitlines()) == 2 * told

    def test_a_message_without_text(self, tmp_path: Path) -> None:
        files = {
            "layouts/dm.md": "system:\n{{ note }}\n\n<<skills>>\n\nuser:\n<<input>>\n",
            "skills/a.md": skill(""),
        }
        render = load(tmp_path, files).render(DM, variables={"note": ""})
        assert "Sections: 1\n" in render.log()
        report = render.report
        assert [(each.role, each.chars) for each in report.sections] == [("system", 10), ("user", 9)]
        assert sum(each.chars for each in report.sections) == len(render.markdown)

    def test_no_messages(self) -> None:
        report = make_report(docasm.Document(()), O200K, "", (), 0, ())
        assert (report.sections, report.chars, report.tokens) == ((), 0, 0)
