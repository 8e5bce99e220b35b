"""Relevance in a layout: only the skills that the trigger is about, and what becomes of the others."""

from collections.abc import Mapping
from pathlib import Path

import pytest

import docasm
from docasm.relevance import Ranked
from tests.bundles import LAYOUT, load, skill

DESCRIPTIONS: Mapping[str, str] = {
    "calendar": "Plan meetings and find free time.",
    "identity": "Who the agent is.",
    "pdf": "Extract text and tables from PDF files.",
    "sheets": "Read and write tables of numbers.",
    "web": "Search the web.",
}
QUESTION = docasm.Trigger.dm("How do I get the tables out of this pdf?")


def files(relevance: str, more: Mapping[str, str] | None = None, kinds: str = "[dm]") -> dict[str, str]:
    """A bundle of the skills above with a layout that chooses among them."""
    skills = {
        f"skills/{name}.md": skill(f"# About {name}\n", f"triggers: {kinds}\ndescription: {text}")
        for name, text in DESCRIPTIONS.items()
    }
    layout = f"---\nslots: {{skills: {{relevance: {relevance}}}}}\n---\n{LAYOUT}"
    layouts = {f"layouts/{kind}.md": layout for kind in ("dm", "cron", "event")}
    return {**skills, **layouts, **(more or {})}


def chosen(folder: Path, relevance: str, trigger: docasm.Trigger = QUESTION) -> tuple[str, ...]:
    render = load(folder, files(relevance)).render(trigger)
    assert {*render.skills, *(each.name for each in render.making.ranked)} == set(DESCRIPTIONS)
    assert [each for each in DESCRIPTIONS if f"About {each}" in render.markdown] == list(render.skills)
    return render.skills


class TestWhich:
    """The best, in adoption order."""

    @pytest.mark.parametrize(
        ("relevance", "skills"),
        [
            ("{}", tuple(DESCRIPTIONS)),
            ("null", tuple(DESCRIPTIONS)),
            ("{top: 1}", ("pdf",)),
            ("{top: 2}", ("pdf", "sheets")),
            ("{top: 99}", tuple(DESCRIPTIONS)),
            ("{min_score: 0.5}", ("pdf", "sheets")),
            ("{min_score: 1e6}", ()),
            ("{top: 1, pinned: identity}", ("identity", "pdf")),
            ("{top: 1, pinned: [web, pdf]}", ("pdf", "sheets", "web")),
            ("{min_score: 1e6, pinned: [identity]}", ("identity",)),
        ],
    )
    def test_top_min_score_and_pinned(self, tmp_path: Path, relevance: str, skills: tuple[str, ...]) -> None:
        assert chosen(tmp_path, relevance) == skills

    def test_ties_go_by_adoption_order_and_the_document_keeps_it(self, tmp_path: Path) -> None:
        adopted = {"docasm.yaml": "adopted: [web, sheets, pdf, calendar, identity]"}
        bundle = load(tmp_path, files("{top: 3}", adopted))
        assert bundle.render(QUESTION).skills == ("web", "sheets", "pdf")
        assert bundle.render(docasm.Trigger.dm("xyzzy")).skills == ("web", "sheets", "pdf")

    def test_names_and_triggers_count_too(self, tmp_path: Path) -> None:
        nostr = {"skills/a.md": skill("# A", "triggers: [{dm: {sender: [nostr, admin]}}]")}
        assert load(tmp_path, files("{top: 1}", nostr)).render(docasm.Trigger.dm("nostr?")).skills == ("a",)
        assert chosen(tmp_path / "names", "{top: 1}", docasm.Trigger.dm("calendar")) == ("calendar",)

    @pytest.mark.parametrize("name", ["cron", "event"])
    def test_any_trigger_has_a_text(self, tmp_path: Path, name: str) -> None:
        bundle = load(tmp_path, files("{top: 1}", kinds="[cron, event]"))
        if name == "event":
            trigger = docasm.Trigger.event({"title": "Search the web"})
            assert bundle.render(trigger).skills == ("web",)
        else:
            assert bundle.render(docasm.Trigger.cron("0 1 * * *", created_at=1)).skills == ("calendar",)

    def test_what_all_events_have_in_common_is_no_word(self, tmp_path: Path) -> None:
        json = {"skills/json.md": skill("# J", "triggers: [event]\ndescription: JSON and fences")}
        bundle = load(tmp_path, files("{min_score: 0.001}", json, kinds="[event]"))
        assert "json" not in bundle.render(docasm.Trigger.event({"title": "Search"})).skills

    def test_only_skills_that_the_trigger_selects_are_ranked(self, tmp_path: Path) -> None:
        other = {"skills/other.md": skill("# O", "triggers: [cron]\ndescription: tables pdf tables")}
        render = load(tmp_path, files("{top: 2}", other)).render(QUESTION)
        assert render.skills == ("pdf", "sheets")
        assert "other" not in {each.name for each in render.making.ranked}

    def test_it_is_deterministic(self, tmp_path: Path) -> None:
        one, other = (load(tmp_path / name, files("{top: 2}")) for name in ("one", "other"))
        assert one.render(QUESTION).making.ranked == other.render(QUESTION).making.ranked
        assert one.render(QUESTION).digest == other.render(QUESTION).digest == one.render(QUESTION).digest

    def test_a_skill_adopted_later_is_ranked(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, files("{top: 1}"))
        assert bundle.render(QUESTION).skills == ("pdf",)
        bundle.create("pdf-tables", "---\ntriggers: [dm]\ndescription: tables of a pdf\n---\n# T")
        assert bundle.render(QUESTION).skills == ("pdf-tables",)


class TestLeftOut:
    """What becomes of those that are not chosen."""

    def test_they_are_listed_with_their_scores(self, tmp_path: Path) -> None:
        ranked = load(tmp_path, files("{top: 1}")).render(QUESTION).making.ranked
        assert [each.name for each in ranked] == ["calendar", "identity", "sheets", "web"]
        scores = {each.name: each.score for each in ranked}
        assert scores["sheets"] > scores["identity"] > scores["calendar"] == 0
        assert ranked[0] == Ranked("calendar", 0.0)

    def test_nothing_is_listed_where_all_stay(self, tmp_path: Path) -> None:
        assert load(tmp_path, files("{top: 9}")).render(QUESTION).making.ranked == ()

    def test_their_tools_and_params_are_gone(self, tmp_path: Path) -> None:
        front = "triggers: [dm]\ndescription: {}\ntools: [{}]\nparams: {{temperature: {}}}"
        more = {
            "tools.json": '[{"name": "a", "input_schema": {}}, {"name": "b", "input_schema": {}}]',
            "docasm.yaml": "tools: tools.json",
            "skills/calendar.md": skill("# C", front.format("meetings", "a", 0.1)),
            "skills/pdf.md": skill("# P", front.format("pdf tables", "b", 0.2)),
        }
        render = load(tmp_path, files("{top: 1}", more)).render(QUESTION)
        assert [each.name for each in render.tools] == ["b"]
        assert (render.params, render.problems) == ({"temperature": 0.2}, ())

    def test_one_that_is_included_is_there_all_the_same(self, tmp_path: Path) -> None:
        more = {"skills/pdf.md": skill("<<identity>>\n\n# Pdf\n", "triggers: [dm]\ndescription: pdf tables")}
        render = load(tmp_path, files("{top: 1}", more)).render(QUESTION)
        assert render.skills == ("pdf",)
        assert render.messages[0].content.startswith("# About identity\n\n# Pdf".replace("# Pdf", "## Pdf"))

    def test_one_that_is_broken_does_no_harm(self, tmp_path: Path) -> None:
        more = {"skills/web.md": skill("{{ nobody | nothing }}", "triggers: [dm]\ndescription: the web")}
        bundle = load(tmp_path, files("{top: 1}", more))
        assert bundle.render(QUESTION).skills == ("pdf",)
        with pytest.raises(docasm.DocasmError, match="unknown-filter"):
            bundle.render(docasm.Trigger.dm("the web"))

    def test_the_stable_prefix_knows_that_the_trigger_chooses(self, tmp_path: Path) -> None:
        render = load(tmp_path, files("{top: 1}")).render(QUESTION)
        assert render.stable_prefix("trigger") == len("system:\n")


@pytest.mark.parametrize(
    ("relevance", "told"),
    [
        ("{top: 0}", "`top` must be a whole number of 1 or more"),
        ("{top: 1.5}", "`top` must be a whole number of 1 or more"),
        ("{top: true}", "`top` must be a whole number of 1 or more"),
        ("{min_score: high}", "`min_score` must be a number"),
        ("{min_score: .nan}", "`min_score` must be a number"),
        ("{min_score: .inf}", "`min_score` must be a number"),
        ("{min_score: 1e400}", "`min_score` must be a number"),
        ("{pinned: [1]}", "`pinned` must be a list of texts"),
        ("{tops: 1}", "unknown key `tops` in `relevance`"),
        ("5", "`relevance` must be a mapping"),
    ],
)
def test_settings_that_make_no_sense(tmp_path: Path, relevance: str, told: str) -> None:
    bundle = load(tmp_path, {"skills/a.md": skill("# A"), "layouts/dm.md": files(relevance)["layouts/dm.md"]})
    (found,) = bundle.problems
    assert told in found.message
    assert str(found.place).startswith(f"{tmp_path}/layouts/dm.md:2:")


def test_relevance_is_of_the_skills_alone(tmp_path: Path) -> None:
    layout = f"---\nslots: {{tools: {{relevance: {{top: 1}}}}}}\n---\n{LAYOUT}"
    (found,) = load(tmp_path, {"layouts/dm.md": layout}).problems
    assert "unknown key `relevance` in `tools`" in found.message


def test_a_pinned_skill_that_is_not_there_is_a_warning(tmp_path: Path) -> None:
    (found,) = load(
        tmp_path, {**files("{pinned: [pdf, idenity]}"), "layouts/cron.md": LAYOUT, "layouts/event.md": LAYOUT}
    ).problems
    assert (found.code, found.severity, found.hint) == (
        "unknown-skill",
        "warning",
        "did you mean `identity`?",
    )
    assert str(found.place) == f"{tmp_path}/layouts/dm.md:2:44"
