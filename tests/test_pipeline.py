"""Context pipelines and profiles: slots in order, limits for each and for all, a context for each model."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import docasm
from docasm.errors import DocasmError, Problem
from tests.bundles import skill, write_bundle
from tests.strategies import hostile_text, structural_text

EXAMPLES = Path(__file__).parent.parent / "examples" / "pipeline"
SKILLS = {
    "skills/soul.md": "# Soul\n\nI am Didactyl.",
    "skills/identity.md": "My key is 8f.",
    "skills/chat.md": skill("## Chat\n\nBe brief."),
}
HELLO = docasm.Trigger.dm("Hello")
TURNS = [docasm.Turn(("user", "assistant")[index % 2], f"turn {index}") for index in range(30)]
NOTES = [f"note {index}" for index in range(100)]


def example(name: str) -> docasm.Render:
    return docasm.load_scenario(EXAMPLES / f"{name}.yaml").render()


def names(render: docasm.Render) -> list[str]:
    """The slots of a document, those of one name together."""
    return list(dict.fromkeys(message.name for message in render.document.messages))


def pipeline(folder: Path, config: str, name: str = "config.yaml", **files: str) -> docasm.Bundle:
    write_bundle(folder, {**SKILLS, **files, name: config})
    return docasm.Bundle.load(folder, pipeline=folder / name)


def slots(*each: Mapping[str, Any], **options: Any) -> str:
    """A file with a pipeline, in JSON."""
    return json.dumps({"context_pipeline": {"slots": each, **options}})


def told(render: docasm.Render, name: str) -> str:
    (message,) = [each for each in render.document.messages if each.name == name]
    return message.content


def problems(folder: Path, config: str) -> tuple[Problem, ...]:
    try:
        return pipeline(folder, config).problems
    except DocasmError as error:
        return error.problems


class TestSeeds:
    def test_the_example_has_the_slots_in_order(self) -> None:
        assert names(example("dm")) == [
            *("soul", "identity", "adopted_skills", "startup_events", "dm_history", "admin_notes", "custom"),
            "input",
        ]
        assert len([each for each in example("dm").messages if each.role != "system"]) == 13
        assert told(example("dm"), "custom") == "Always respond in the style of a pirate."
        assert told(example("dm"), "adopted_skills").startswith("These are your learned skills. When a ")

    def test_the_model_chooses_the_profile(self) -> None:
        assert names(example("dm-sonnet")) == [
            *("soul", "identity", "admin_context", "admin_notes", "dm_history", "adopted_skills", "input"),
        ]
        assert names(example("dm-codex")) == ["soul", "adopted_skills", "admin_notes", "dm_history", "input"]
        codex = example("dm-codex")
        assert len(codex.markdown) <= 1800
        assert [(cut.slot, cut.limit) for cut in codex.cuts] == [
            ("history", "max_turns"),
            ("admin-notes", "document.max_chars"),
        ]

    def test_another_model_has_the_default(self) -> None:
        render = example("dm-soul")
        assert names(render) == ["soul", "identity", "adopted_skills", "dm_history", "admin_notes", "input"]
        assert "## Behavior\n- Be helpful" in told(render, "soul")


class TestSlots:
    def test_each_slot_has_its_limit(self, tmp_path: Path) -> None:
        long = "\n\n".join(f"Paragraph {index}." for index in range(100))
        config = slots(
            {"type": "soul", "max_chars": 200},
            {"type": "identity", "max_chars": 210},
            {"type": "adopted_skills", "max_chars": 500, "max_per_skill": 220},
            {"type": "startup_events", "max_chars": 230},
            {"type": "admin_notes", "max_chars": 240},
            {"type": "admin_context", "max_chars": 250},
            {"type": "custom", "content": long, "max_chars": 260},
            {"type": "dm_history", "max_chars": 120},
        )
        files = {
            **{f"skills/{name}.md": long for name in ("soul", "identity")},
            **{f"skills/s{number}.md": skill(long) for number in range(4)},
        }
        made = pipeline(tmp_path, config, **files)
        variables = {"startup_events": long, "admin_notes": NOTES, "admin_context": long}
        render = made.render(HELLO, variables=variables, history=TURNS)
        sizes = {name: len(told(render, name).split(":\n\n", 1)[-1]) for name in names(render)[:7]}
        limits = {"soul": 200, "identity": 210, "adopted_skills": 620, "startup_events": 230}
        limits |= {"admin_notes": 240, "admin_context": 250, "custom": 260}
        assert all(limits[name] // 2 < size <= limits[name] for name, size in sizes.items()), sizes
        assert {cut.slot for cut in render.cuts} == {
            *("soul", "identity", "skills", "startup-events", "admin-notes", "admin-context", "custom"),
            "history",
        }
        assert "are not shown.)" in told(render, "custom")

    def test_the_whole_gives_way_in_order(self, tmp_path: Path) -> None:
        each = [{"type": kind} for kind in ("soul", "adopted_skills", "dm_history", "admin_notes")]
        variables = {"admin_notes": NOTES}
        cuts = []
        for most in (1600, 700, 330):
            made = pipeline(tmp_path, slots(*each, max_total_chars=most))
            render = made.render(HELLO, variables=variables, history=TURNS)
            assert len(render.markdown) <= most
            cuts.append([cut.slot for cut in render.cuts if cut.limit == "document.max_chars"])
        assert cuts[0] == ["admin-notes"]
        assert set(cuts[1]) == {"admin-notes", "history"}
        made = pipeline(tmp_path, slots(*each, max_total_chars=1600, drop=["dm_history"]))
        render = made.render(HELLO, variables=variables, history=TURNS)
        assert {cut.slot for cut in render.cuts} == {"history"}

    def test_what_must_stay_and_does_not_fit_is_told(self, tmp_path: Path) -> None:
        made = pipeline(tmp_path, slots({"type": "soul"}, max_total_chars=20))
        with pytest.raises(DocasmError, match=r"does-not-fit"):
            made.render(HELLO)

    def test_content_stands_around_a_slot(self, tmp_path: Path) -> None:
        config = slots(
            {"type": "identity", "content": "Who:\n\n{{ identity }}\n\nThat is all."},
            {"type": "adopted_skills", "content": "Do as they say:"},
            {"type": "admin_notes", "content": "Of {{ sender }}:"},
            {"type": "admin_context", "content": "Never seen:"},
        )
        render = pipeline(tmp_path, config).render(HELLO, variables={"admin_notes": ["a"]})
        assert [message.content for message in render.messages] == [
            "Who:\n\nMy key is 8f.\n\nThat is all.",
            "Do as they say:\n\n## Chat\n\nBe brief.",
            "Of admin:\n\n- a",
            "Hello",
        ]

    def test_custom_may_be_there_again_and_hold_slots(self, tmp_path: Path) -> None:
        config = slots(
            {"type": "custom", "content": "A {{ model }}"},
            {"type": "custom", "content": "B <<identity>>"},
            {"type": "custom", "content": "C\n\n<<history>>"},
        )
        render = pipeline(tmp_path, config).render(HELLO, model="m", history=TURNS[:1])
        assert [(each.name, each.content) for each in render.document.messages] == [
            *(("custom", "A m"), ("custom_2", "B My key is 8f."), ("custom_3", "C\n\n- **User**: turn 0")),
            ("input", "Hello"),
        ]

    def test_a_soul_document_brings_the_personality(self, tmp_path: Path) -> None:
        soul = "# One\n\n# Two\n\n{{ x }} <<y>>\n\n---template---\n\n- {section: a, role: system, content: A}"
        write_bundle(
            tmp_path, {**SKILLS, "soul.md": soul, "c.json": slots({"type": "soul", "content": "Be:"})}
        )
        made = docasm.Bundle.load(tmp_path, soul=tmp_path / "soul.md", pipeline=tmp_path / "c.json")
        assert told(made.render(HELLO), "soul") == "Be:\n\n# One\n\n# Two\n\n{{ x }} <<y>>"
        (note,) = made.problems
        assert (note.code, note.severity, note.place and note.place.line) == ("unused-setting", "note", 7)


YAML = """\
llm: {model: x}
context_pipeline:
  slots:
    - {type: soul}
    - type: custom
      content: |
        Arr.

        Aye.
    - {type: dm_history, max_turns: 4}
"""


class TestFiles:
    def test_json_and_yaml_say_the_same(self, tmp_path: Path) -> None:
        custom = {"type": "custom", "content": "Arr.\n\nAye.\n"}
        config = {"slots": [{"type": "soul"}, custom, {"type": "dm_history", "max_turns": 4}]}
        text = json.dumps({"llm": {"model": "x"}, "context_pipeline": config}, indent="\t")
        of_yaml = pipeline(tmp_path, YAML).render(HELLO, history=TURNS)
        of_json = pipeline(tmp_path, text, "config.json").render(HELLO, history=TURNS)
        assert of_yaml.messages == of_json.messages
        assert len(of_yaml.messages) == 8

    def test_json_may_have_escapes(self, tmp_path: Path) -> None:
        config = slots({"type": "custom", "content": 'Arr 🏴 \\ "é" /'}).replace("/", "\\/")
        assert "\\ud83c" in config
        render = pipeline(tmp_path, config, "config.json").render(HELLO)
        assert render.messages[0].content == 'Arr 🏴 \\ "é" /'

    def test_json_that_is_none_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(DocasmError, match=r"config\.json:2:1: error\[json-syntax\]"):
            pipeline(tmp_path, '{"context_pipeline":\n}', "config.json")

    def test_places_point_into_the_file(self, tmp_path: Path) -> None:
        render = pipeline(tmp_path, YAML).render(HELLO)
        found = dict(zip(render.markdown.split("\n"), render.places, strict=False))
        assert {text: found[text].line for text in ("Arr.", "Aye.")} == {"Arr.": 7, "Aye.": 9}  # type: ignore[union-attr]
        assert str(found["I am Didactyl."]).endswith("skills/soul.md:3:1")


def profiles(*models: str) -> str:
    each = "\n".join(f"  {model}: {{slots: [{{type: custom, content: For {model}}}]}}" for model in models)
    return f"context_profiles:\n{each}\n"


class TestProfiles:
    @pytest.mark.parametrize(
        ("model", "profile"),
        [("gpt-5", "gpt-5"), ("claude-x", '"claude-*"'), ("other", "default"), (None, "default")],
    )
    def test_the_profile_of_a_model(self, tmp_path: Path, model: str | None, profile: str) -> None:
        made = pipeline(tmp_path, profiles("default", "gpt-5", '"claude-*"'))
        assert made.render(HELLO, model=model).messages[0].content == f"For {profile}"

    def test_without_a_default_another_model_is_an_error(self, tmp_path: Path) -> None:
        made = pipeline(tmp_path, profiles("gpt-5", "claude-x"))
        assert made.problems == ()
        assert made.render(HELLO, model="gpt-5").messages[0].content == "For gpt-5"
        with pytest.raises(DocasmError, match=r"no-profile\]: no profile is for the model `other`"):
            made.render(HELLO, model="other")
        with pytest.raises(DocasmError, match=r"(?s)no model is named.*of these: `gpt-5`, `claude-x`"):
            made.render(HELLO)

    def test_what_a_bundle_says_for_models_adds_no_profile(self, tmp_path: Path) -> None:
        files = {"docasm.yaml": "profiles: {default: {max_chars: 5000}, gpt-5: {max_chars: 4000}}"}
        made = pipeline(tmp_path, profiles("gpt-5"), **files)
        assert made.render(HELLO, model="gpt-5").messages[0].content == "For gpt-5"
        with pytest.raises(DocasmError, match="no-profile"):
            made.render(HELLO, model="other")

    def test_the_pipeline_is_the_default(self, tmp_path: Path) -> None:
        made = pipeline(tmp_path, YAML + profiles("gpt-5"))
        assert made.render(HELLO, model="gpt-5").messages[0].content == "For gpt-5"
        assert made.render(HELLO).messages[0].content == "# Soul\n\nI am Didactyl."
        (problem,) = pipeline(tmp_path, YAML + profiles("default")).problems
        assert (problem.code, problem.severity) == ("unused-setting", "warning")

    def test_a_profile_hides_no_layout(self, tmp_path: Path) -> None:
        made = pipeline(tmp_path, profiles("default", "dm"), **{"layouts/dm.md": "user:\nOwn <<input>>"})
        names = made.contents.compiler.layouts.names()
        assert names == ("config.yaml", "config.yaml: dm", "cron", "dm", "event")

    def test_each_profile_is_checked(self, tmp_path: Path) -> None:
        config = profiles("default") + "  gpt-5: {slots: [{type: custom, content: 'A {{ modle }}'}]}"
        (problem,) = pipeline(tmp_path, config).problems
        assert (problem.code, str(problem.place).split(":", 1)[1]) == ("unknown-variable", "3:46")
        assert "`model`" in problem.hint


WRONG = {
    "no pipeline": ("llm: {}", "no-pipeline", 1, 1),
    "nothing": ("", "no-pipeline", 1, 1),
    "nearly a pipeline": ("a: 1\ncontext_pipline: {}", "no-pipeline", 2, 1),
    "a list": ("[a]", "wrong-type", 1, 1),
    "a pipeline that is text": ("context_pipeline: x", "wrong-type", 1, 19),
    "no slots": ("context_pipeline: {}", "wrong-type", 1, 19),
    "slots that are no list": ("context_pipeline: {slots: x}", "wrong-type", 1, 27),
    "a slot that is text": ("context_pipeline: {slots: [soul]}", "wrong-type", 1, 28),
    "a slot without type": ("context_pipeline: {slots: [{max_chars: 1}]}", "wrong-type", 1, 28),
    "a type that there is not": ("context_pipeline: {slots: [{type: sole}]}", "unknown-slot", 1, 35),
    "a type that is no text": ("context_pipeline: {slots: [{type: 1}]}", "wrong-type", 1, 35),
    "an unknown key": ("context_pipeline: {slots: [], slot: 1}", "unknown-key", 1, 31),
    "a key of another type": (
        "context_pipeline: {slots: [{type: soul, max_turns: 1}]}",
        "unknown-key",
        1,
        41,
    ),
    "a limit of nothing": ("context_pipeline: {slots: [{type: soul, max_chars: 0}]}", "wrong-type", 1, 52),
    "a limit that is text": ("context_pipeline: {slots: [], max_total_chars: '9'}", "wrong-type", 1, 48),
    "custom without content": ("context_pipeline: {slots: [{type: custom}]}", "wrong-type", 1, 28),
    "a type that is there twice": (
        "context_pipeline:\n  slots:\n  - {type: soul}\n  - {type: soul}",
        "slot-twice",
        4,
        12,
    ),
    "drop from nowhere": (
        "context_pipeline: {slots: [{type: soul}], max_total_chars: 9, drop: [admin_notes]}",
        "unknown-slot",
        1,
        70,
    ),
    "drop from what there is not": (
        "context_pipeline: {slots: [], max_total_chars: 9, drop: [note]}",
        "unknown-slot",
        1,
        58,
    ),
    "no profile": ("context_profiles: {}", "wrong-type", 1, 19),
    "a profile that is text": ("context_profiles: {default: x}", "wrong-type", 1, 29),
    "a slot in a limited text": (
        "context_pipeline: {slots: [{type: custom, content: 'a\n\n\n  <<skills>>', max_chars: 9}]}",
        "slot-misplaced",
        1,
        52,
    ),
}


class TestWrongFiles:
    @pytest.mark.parametrize("name", WRONG)
    def test_it_is_told_where(self, tmp_path: Path, name: str) -> None:
        config, code, line, column = WRONG[name]
        found = problems(tmp_path, config)
        assert [(each.code, each.severity) for each in found] == [(code, "error")], found
        place = found[0].place
        assert place
        assert (Path(place.path).name, place.line, place.column) == ("config.yaml", line, column), found[0]
        assert found[0].hint or code == "wrong-type"

    def test_a_skill_that_is_missing_is_told(self, tmp_path: Path) -> None:
        write_bundle(tmp_path, {"c.json": slots({"type": "soul"}, {"type": "identity"})})
        with pytest.raises(DocasmError) as caught:
            docasm.Bundle.load(tmp_path, pipeline=tmp_path / "c.json")
        assert [each.code for each in caught.value.problems] == ["unknown-skill"] * 2
        assert "name a soul document with `soul`" in caught.value.problems[0].hint

    @pytest.mark.parametrize(
        "slot", [{"type": "dm_history", "content": "x"}, {"type": "dm_history", "drop": ["dm_history"]}]
    )
    def test_what_has_no_effect_is_told(self, tmp_path: Path, slot: dict[str, Any]) -> None:
        drop = {"drop": slot.pop("drop")} if "drop" in slot else {}
        (problem,) = problems(tmp_path, slots(slot, {"type": "adopted_skills"}, **drop))
        assert (problem.code, problem.severity) == ("unused-setting", "warning")


_WORDS = hostile_text() | structural_text()
ALL = slots(
    {"type": "soul", "max_chars": 300},
    {"type": "adopted_skills"},
    {"type": "startup_events", "max_chars": 100},
    {"type": "dm_history", "max_turns": 3},
    {"type": "admin_notes", "max_chars": 200},
    {"type": "custom", "content": "Arr {{ x }}"},
    max_total_chars=5000,
)


class TestPromises:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(_WORDS, st.lists(_WORDS, max_size=4), st.lists(_WORDS, max_size=3), _WORDS)
    def test_values_forge_nothing(
        self,
        tmp_path_factory: pytest.TempPathFactory,
        x: str,
        notes: list[str],
        turns: list[str],
        events: str,
    ) -> None:
        made = pipeline(tmp_path_factory.mktemp("pipeline"), ALL)
        history = [docasm.Turn("user", text) for text in turns]
        variables = {"x": x, "admin_notes": [*notes, "x"], "startup_events": f"x{events}"}
        assume(len(x) < 3000)
        render = made.render(HELLO, variables=variables, history=history)
        assert docasm.split(render.markdown) == render.messages
        assert len(render.markdown) <= 5000
        roles = [message.role for message in render.messages]
        kept = roles.count("user") - 1
        assert roles in (
            [*["system"] * 3, *["user"] * kept, *["system"] * 2, "user"],
            [*["system"] * 4, *["user"] * kept, *["system"] * 2, "user"],
        )
        assert len(render.places) == render.markdown.count("\n")
