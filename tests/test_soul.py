"""Soul documents: a personality, and the sections of the context in the order of its template."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import docasm
from docasm.errors import DocasmError, Problem
from tests.bundles import load, skill, write_bundle
from tests.strategies import hostile_text, structural_text

EXAMPLES = Path(__file__).parent.parent / "examples" / "souls"
DIRECTIVE = (
    "These are your learned skills. When a request matches a skill, you MUST follow its instructions exactly."
)
CHAT = {"skills/chat.md": skill("Be brief.")}
HELLO = docasm.Trigger.dm("Hello")
TURNS = [docasm.Turn(("user", "assistant")[index % 2], f"turn {index}") for index in range(1, 31)]
HEAD = "# I\n\n---template---\n"


def example(name: str) -> docasm.Render:
    return docasm.load_scenario(EXAMPLES / f"dm-{name}.yaml").render()


def names(render: docasm.Render) -> list[str]:
    """The sections of a document, those of one name together."""
    return list(dict.fromkeys(message.name for message in render.document.messages))


def bundle(folder: Path, soul: str, files: Mapping[str, str] | None = None, **options: Any) -> docasm.Bundle:
    write_bundle(folder, {"soul.md": soul, **CHAT, **(files or {})})
    return docasm.Bundle.load(folder, soul=folder / "soul.md", **options)


def contents(render: docasm.Render, role: str = "system") -> list[str]:
    return [message.content for message in render.messages if message.role == role]


def sections(text: str) -> str:
    return f"{HEAD}\n{text}"


def problems(folder: Path, soul: str, files: Mapping[str, str] | None = None) -> tuple[Problem, ...]:
    """What is wrong with a soul document, whether it can be loaded or not."""
    try:
        return bundle(folder, soul, files).problems
    except DocasmError as error:
        return error.problems


class TestSeeds:
    def test_each_soul_has_its_own_order(self) -> None:
        assert names(example("architect")) == [
            *("system_prompt", "admin_identity", "admin_profile", "startup_events", "adopted_skills"),
            *("dm_history", "admin_notes", "input"),
        ]
        assert names(example("egirl")) == [
            *("system_prompt", "admin_identity", "admin_profile", "admin_notes", "adopted_skills"),
            *("dm_history", "input"),
        ]

    @pytest.mark.parametrize(("name", "turns", "notes"), [("architect", 20, 5), ("egirl", 8, 20)])
    def test_each_soul_has_its_own_limits(self, name: str, turns: int, notes: int) -> None:
        render = example(name)
        shown = [message for message in render.messages if message.role != "system"]
        assert len(shown) == turns + 1
        (told,) = [message.content for message in render.messages if "- gm nostr" in message.content]
        assert told.count("\n- ") == notes
        assert told.endswith(f"\n\n({24 - notes} items are not shown.)")
        assert {(cut.slot, cut.limit): cut.missing for cut in render.cuts} == {
            ("history", "max_turns"): 26 - turns,
            ("admin-notes", "max_items"): 24 - notes,
        }

    def test_the_personality_is_copied(self) -> None:
        text = (EXAMPLES / "architect.md").read_text(encoding="utf-8")
        assert example("architect").messages[0].content == text.partition("\n\n---template---")[0]

    def test_adopted_skills_carry_the_directive(self) -> None:
        (told,) = [each for each in contents(example("egirl")) if DIRECTIVE in each]
        assert told.startswith(f"{DIRECTIVE}\n\n## Relay design\n\n1. List who")

    def test_without_the_marker_the_order_is_the_one_from_before(self) -> None:
        render = example("plain")
        assert names(render) == [
            *("system_prompt", "admin_identity", "admin_profile", "adopted_skills", "dm_history"),
            *("admin_notes", "input"),
        ]
        assert len([each for each in render.messages if each.role != "system"]) == 13
        assert render.messages[0].content == (EXAMPLES / "plain.md").read_text(encoding="utf-8").strip()

    def test_without_the_marker_all_sections_are_there_that_have_something_to_say(
        self, tmp_path: Path
    ) -> None:
        given = ("admin_pubkey", "admin_kind0_json", "admin_kind10002_json", "startup_events_json")
        variables = {**dict.fromkeys(given, "{}"), "admin_notes_content": ["a", "b"]}
        render = bundle(tmp_path, "# I").render(HELLO, variables=variables, history=TURNS)
        assert names(render) == [
            *("system_prompt", "admin_identity", "admin_profile", "admin_relay_list", "startup_events"),
            *("adopted_skills", "dm_history", "admin_notes", "input"),
        ]
        assert render.problems == ()
        assert names(bundle(tmp_path, "# I").render(HELLO)) == ["system_prompt", "adopted_skills", "input"]


class TestSections:
    def test_a_limit_counts_items_and_a_text_is_one(self, tmp_path: Path) -> None:
        soul = sections("- {section: notes, role: system, limit: 2, content: 'N: {{ admin_notes_content }}'}")
        made = bundle(tmp_path, soul, {"skills/chat.md": "x"})
        shown = {
            told: contents(made.render(HELLO, variables={"admin_notes_content": value}))[1:]
            for told, value in {"list": ["a", "b", "c"], "text": "a\n\nb\n\nc", "none": []}.items()
        }
        assert shown == {
            "list": ["N:\n\n- a\n- b\n\n(1 item is not shown.)"],
            "text": ["N:\n\na\n\nb\n\nc"],
            "none": [],
        }

    def test_expand_stands_where_it_is_written(self, tmp_path: Path) -> None:
        soul = sections(
            "- {section: a, role: system, content: A}\n"
            "- {section: talk, role: expand, limit: 2}\n"
            "- {section: b, role: assistant, content: B}\n"
        )
        render = bundle(tmp_path, soul, {"skills/chat.md": "x"}).render(HELLO, history=TURNS[1:5])
        assert [(each.role, each.content) for each in render.messages] == [
            *(("system", "# I"), ("system", "A"), ("system", "(2 earlier messages are not shown.)")),
            *(("user", "turn 4"), ("assistant", "turn 5"), ("assistant", "B"), ("user", "Hello")),
        ]

    def test_a_section_may_hold_the_input(self, tmp_path: Path) -> None:
        soul = sections(
            "- section: ask\n  role: user\n  content: |\n    Asked:\n\n    <<input>>\n"
            "- {section: end, role: system, content: End}\n"
        )
        render = bundle(tmp_path, soul, {"skills/chat.md": "x"}).render(HELLO)
        assert [each.content for each in render.messages] == ["# I", "Asked:\n\nHello", "End"]

    def test_a_variable_may_name_a_skill(self, tmp_path: Path) -> None:
        soul = sections(
            "- section: who\n  role: system\n  content: |\n    {{identity}}\n\n    And {{ code_style }}"
        )
        files = {
            "skills/identity.md": "## Who\n\nI am Robin.",
            "skills/code-style.md": "tabs",
            "docasm.yaml": "adopted: []",
        }
        made = bundle(tmp_path, soul, files)
        assert contents(made.render(HELLO))[1] == "## Who\n\nI am Robin.\n\nAnd tabs"
        files["docasm.yaml"] += "\nvariables: {code_style: spaces}"
        assert contents(bundle(tmp_path, soul, files).render(HELLO))[1].endswith("And spaces")

    def test_a_skill_that_comes_later_can_be_named(self, tmp_path: Path) -> None:
        made = bundle(tmp_path, sections("- {section: who, role: system, content: '{{identity}}'}"))
        with pytest.raises(DocasmError, match=r"unknown-variable"):
            made.render(HELLO)
        write_bundle(tmp_path, {"skills/identity.md": "I am Robin."})
        made.refresh()
        assert contents(made.render(HELLO))[1] == "I am Robin."

    def test_skills_that_have_no_place_are_told(self, tmp_path: Path) -> None:
        render = bundle(tmp_path, sections("- {section: a, role: system, content: A}")).render(HELLO)
        (problem,) = render.problems
        assert (problem.code, problem.severity) == ("skills-not-shown", "warning")
        assert "`chat`" in problem.message

    def test_no_skill_need_match(self, tmp_path: Path) -> None:
        render = bundle(tmp_path, "# I").render(docasm.Trigger.cron("0 1 * * *", created_at=1))
        assert names(render) == ["system_prompt", "input"]


PROVIDERS = """\
- section: who
  role: system
  content: |
    ## Who

    Admin: {{admin_pubkey}}
  provider:
    anthropic: |
      <who_is_admin>
      Admin: {{admin_pubkey}}
      </who_is_admin>
"""


class TestProviders:
    def test_an_override_is_used_for_its_provider(self, tmp_path: Path) -> None:
        made = bundle(tmp_path, sections(PROVIDERS), {"skills/chat.md": "x"})
        render = made.render(HELLO, variables={"admin_pubkey": "8f"}, model="m")
        assert contents(render)[1] == "## Who\n\nAdmin: 8f"
        assert contents(render.for_provider("anthropic"))[1] == "<who_is_admin>\nAdmin: 8f\n</who_is_admin>"
        assert contents(render.for_provider("gemini")) == contents(render)
        other = made.render(HELLO, variables={"admin_pubkey": "8f"}, provider="anthropic", model="m")
        assert other.messages == render.for_provider("anthropic").messages
        assert other.payload("openai") == render.payload()

    def test_an_override_goes_before_a_tool(self) -> None:
        scenario = docasm.load_scenario(EXAMPLES / "dm-tools.yaml")
        render = scenario.render()
        assert contents(render)[1] == "ann, who runs relays"
        told = "<admin_profile>\nThis is your administrator: ann, who runs relays\n</admin_profile>"
        assert contents(render.for_provider("anthropic"))[1] == told

    def test_all_texts_are_checked(self, tmp_path: Path) -> None:
        soul = sections(PROVIDERS.replace("      Admin: {{admin_pubkey}}", "      Admin: {{admin_pubky}}"))
        (problem,) = problems(tmp_path, soul)
        assert (problem.code, problem.place and problem.place.line) == ("unknown-variable", 14)
        assert "`admin_pubkey`" in problem.hint


TOOL = "- {section: news, role: system, tool: fetch, args: '{\"n\": 2}', result_field: items, limit: 2}"


class TestTools:
    def test_a_tool_is_asked_with_its_arguments(self, tmp_path: Path) -> None:
        asked = []

        def fetch(args: Mapping[str, Any]) -> Mapping[str, Any]:
            asked.append(args)
            return {"items": ["a", "b", "c"], "content": "no"}

        made = bundle(tmp_path, sections(TOOL), {"skills/chat.md": "x"}, resolvers={"fetch": fetch})
        render = made.render(HELLO)
        assert contents(render)[1] == "- a\n- b\n\n(1 item is not shown.)"
        assert asked == [{"n": 2}]
        assert [message.name for message in render.document.messages] == ["system_prompt", "news", "input"]

    def test_results_can_be_written_down(self) -> None:
        render = example("tools")
        assert contents(render)[-1].endswith("again. It keeps getting better.\n\n(2 items are not shown.)")

    def test_a_tool_that_nothing_answers_for_is_told_with_its_place(self, tmp_path: Path) -> None:
        with pytest.raises(DocasmError) as caught:
            bundle(tmp_path, sections(TOOL)).render(HELLO)
        (problem,) = caught.value.problems
        assert (problem.code, problem.place and problem.place.line) == ("no-resolver", 5)
        assert problem.source_line == TOOL

    def test_a_tool_that_returns_nothing_takes_its_section_away(self, tmp_path: Path) -> None:
        made = bundle(tmp_path, sections(TOOL), {"skills/chat.md": "x"}, resolvers={"fetch": {"items": []}})
        assert contents(made.render(HELLO)) == ["# I"]


def one(**changes: str) -> str:
    """A section with keys that are changed, or left out where they are empty."""
    values = {"section": "s", "role": "system", "content": "C", **changes}
    return sections("- " + "\n  ".join(f"{key}: {value}" for key, value in values.items() if value) + "\n")


WRONG = {
    "no section": (one(section=""), "wrong-type", 5, 3),
    "blank section": (one(section="''"), "wrong-type", 5, 12),
    "no role": (one(role=""), "wrong-type", 5, 3),
    "a role that there is not": (one(role="sytem"), "unknown-role", 6, 9),
    "neither content nor tool": (one(content=""), "wrong-type", 5, 3),
    "content that is no text": (one(content="[a]"), "wrong-type", 7, 12),
    "a limit that is not whole": (one(limit="1.5"), "wrong-type", 8, 10),
    "a limit below zero": (one(limit="-1"), "wrong-type", 8, 10),
    "an unknown key": (one(limt="1"), "unknown-key", 8, 3),
    "a provider that is no text": (one(provider="{openai: 1}"), "wrong-type", 8, 22),
    "providers that are no mapping": (one(provider="x"), "wrong-type", 8, 13),
    "arguments that are not JSON": (one(content="", tool="t", args="'{'"), "wrong-type", 8, 9),
    "two of one name": (one() + "- {section: s, role: expand}", "duplicate-section", 8, 13),
    "the name of the personality": (one(section="system_prompt"), "duplicate-section", 5, 12),
    "no list": (sections("section: s"), "wrong-type", 5, 1),
    "nothing below the marker": (HEAD, "wrong-type", 3, 1),
    "bad YAML": (sections("- section: a\n  role: system\n  content: a: b\n"), "yaml-syntax", 7, 13),
    "a tag without quotes": (one(content="{{x}}"), "yaml-syntax", 7, 13),
    "two histories": (
        sections("- {section: a, role: expand}\n- {section: b, role: expand}"),
        "slot-twice",
        6,
        3,
    ),
    "a list within a line": (
        one(content="A {{adopted_skills_content}} b"),
        "slot-misplaced",
        7,
        13,
    ),
    "a value that starts a line in code": (
        one(content="'`{{admin_notes_content}}`\n\n  {{admin_kind0_json}}'", limit="1"),
        "uncontained-value",
        7,
        12,
    ),
    "a template that is none": (one(content="|\n    a\n    b {{ x"), "template-syntax", 9, 10),
}


class TestWrongFiles:
    @pytest.mark.parametrize("name", WRONG)
    def test_it_is_told_where(self, tmp_path: Path, name: str) -> None:
        soul, code, line, column = WRONG[name]
        found = problems(tmp_path, soul)
        assert [(each.code, each.severity) for each in found] == [(code, "error")], found
        place = found[0].place
        assert place
        assert (Path(place.path).name, place.line, place.column) == ("soul.md", line, column), found[0]
        assert found[0].hint or code == "wrong-type"
        assert found[0].source_line == soul.split("\n")[line - 1]

    def test_a_list_that_stands_in_a_fence_is_told(self, tmp_path: Path) -> None:
        soul = one(content="|\n    ```\n    {{admin_notes_content}}\n    ```", limit="1")
        (problem,) = problems(tmp_path, soul)
        assert (problem.code, problem.place and problem.place.line) == ("slot-misplaced", 9)
        assert problem.place
        assert problem.place.column == 5

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        made = write_bundle(tmp_path, CHAT)
        with pytest.raises(DocasmError, match=r"unreadable-file.*nope\.md"):
            docasm.Bundle.load(made, soul=tmp_path / "nope.md")
        write_bundle(tmp_path, {"docasm.yaml": "soul: nope.md"})
        with pytest.raises(DocasmError, match=r"docasm\.yaml:1:7: error\[unreadable-file\]"):
            docasm.Bundle.load(made)
        write_bundle(tmp_path, {"dm.yaml": "trigger: {type: dm, text: a}\npipeline: nope.json"})
        with pytest.raises(DocasmError, match=r"dm\.yaml:2:11: error\[unreadable-file\]"):
            docasm.load_scenario(tmp_path / "dm.yaml")

    def test_a_value_in_html_is_refused(self, tmp_path: Path) -> None:
        soul = sections(PROVIDERS.replace("who_is_admin", "who"))
        (problem,) = problems(tmp_path, soul)
        assert (problem.code, problem.place and problem.place.line) == ("uncontained-value", 14)

    def test_an_undefined_variable_has_its_place(self, tmp_path: Path) -> None:
        soul = one(content="|\n    A\n\n    Key {{ admin_pubkey }}")
        with pytest.raises(DocasmError) as caught:
            bundle(tmp_path, soul).render(HELLO)
        (problem,) = caught.value.problems
        place = problem.place
        assert place
        assert (problem.code, place.line, place.column) == ("unknown-variable", 10, 9)


WARNED = {
    "a limit above the cap": (one(content="'{{ admin_notes_content }}'", limit="201"), "limit-capped", 8),
    "a limit that counts nothing": (one(limit="3"), "unused-setting", 8),
    "content beside a tool": (one(tool="t"), "unused-setting", 7),
    "arguments without a tool": (one(args="'{}'"), "unused-setting", 8),
    "content of a history": (one(role="expand"), "unused-setting", 7),
    "nearly a marker": ("# I\n\n--- Template ---\n\ntext", "nearly-a-marker", 3),
}


class TestWarnings:
    @pytest.mark.parametrize("name", WARNED)
    def test_nothing_is_ignored_silently(self, tmp_path: Path, name: str) -> None:
        soul, code, line = WARNED[name]
        found = problems(tmp_path, soul)
        told = [(each.code, each.severity, each.place and each.place.line) for each in found]
        assert told == [(code, "warning", line)]

    def test_a_limit_is_capped_at_200(self, tmp_path: Path) -> None:
        soul = sections(
            "- {section: n, role: system, limit: 999, content: '{{ xs }}'}\n"
            "- {section: h, role: expand, limit: 1000000}\n"
        )
        made = bundle(tmp_path, soul, {"skills/chat.md": "x"})
        turns = [docasm.Turn("user", str(index)) for index in range(300)]
        render = made.render(HELLO, history=turns, variables={"xs": [str(index) for index in range(250)]})
        assert contents(render)[1].count("- ") == 200
        assert len(contents(render, "user")) == 201
        assert [each.code for each in made.noticed] == ["limit-capped"] * 2

    def test_a_limit_of_zero_is_none(self, tmp_path: Path) -> None:
        made = bundle(tmp_path, sections("- {section: h, role: expand, limit: 0}"), {"skills/chat.md": "x"})
        assert len(made.render(HELLO, history=TURNS).messages) == 32


ALL = """\
- section: who
  role: system
  content: |
    Admin: {{admin_pubkey}}
- section: notes
  role: system
  limit: 2
  content: |
    ## Notes

    {{admin_notes_content}}
- section: skills
  role: system
  content: |
    {{adopted_skills_content}}
- {section: talk, role: expand, limit: 3}
"""
_WORDS = hostile_text() | structural_text()


class TestPromises:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(_WORDS, st.lists(_WORDS, min_size=1, max_size=4), st.lists(_WORDS, max_size=5), _WORDS)
    def test_values_forge_nothing(
        self,
        tmp_path_factory: pytest.TempPathFactory,
        who: str,
        notes: list[str],
        turns: list[str],
        told: str,
    ) -> None:
        made = bundle(tmp_path_factory.mktemp("soul"), sections(ALL))
        history = [docasm.Turn("user", text) for text in turns]
        trigger = docasm.Trigger.dm(told if told.strip() else "x")
        variables = {"admin_pubkey": who, "admin_notes_content": [*notes, "x"]}
        render = made.render(trigger, history=history, variables=variables)
        cut = len(turns) > 3
        assert [message.role for message in render.messages] == [
            *["system"] * (4 + cut),
            *["user"] * (min(3, len(turns)) + 1),
        ]
        assert docasm.split(render.markdown) == render.messages
        assert len(render.places) == render.markdown.count("\n")

    def test_places_point_into_the_file(self, tmp_path: Path) -> None:
        soul = sections(ALL)
        variables = {"admin_pubkey": "8f", "admin_notes_content": ["a"]}
        render = bundle(tmp_path, soul).render(HELLO, variables=variables)
        lines = render.markdown.split("\n")
        found = {
            lines[number]: place.line
            for number, place in enumerate(render.places)
            if isinstance(place, docasm.Place) and place.path.endswith("soul.md") and lines[number]
        }
        written = soul.split("\n")
        assert {text for text, line in found.items() if text in written[line - 1]} >= {"# I", "## Notes"}
        assert written[found["Admin: 8f"] - 1].strip() == "Admin: {{admin_pubkey}}"
        assert "admin-notes" not in render.places
        assert [lines[number] for number, place in enumerate(render.places) if place == "notes"] == ["- a"]
        (directive,) = [place for place, line in zip(render.places, lines, strict=False) if line == DIRECTIVE]
        assert isinstance(directive, docasm.Place)
        assert directive.path == "docasm/formats/wording.yaml"

    def test_text_with_escapes_is_told_to_stand_on_its_line(self, tmp_path: Path) -> None:
        soul = sections('- section: a\n  role: system\n  content: "A\\n\\nB {{ admin_pubkey }}\\nC"')
        render = bundle(tmp_path, soul, {"skills/chat.md": "x"}).render(
            HELLO, variables={"admin_pubkey": "8"}
        )
        found = dict(zip(render.markdown.split("\n"), render.places, strict=False))
        assert [found[text].line for text in ("A", "B 8", "C")] == [7, 7, 7]  # type: ignore[union-attr]


def test_the_configuration_may_name_a_soul(tmp_path: Path) -> None:
    made = load(tmp_path, {"docasm.yaml": "soul: me.md", "me.md": "# I", **CHAT})
    assert contents(made.render(HELLO))[0] == "# I"
    write_bundle(tmp_path, {"docasm.yaml": "soul: me.md", "me.md": "# You"})
    assert [Path(each).name for each in made.refresh().changed] == ["me.md"]
    assert contents(made.render(HELLO))[0] == "# You"


def test_a_soul_that_did_not_change_is_not_compiled_again(tmp_path: Path) -> None:
    made = load(tmp_path, {"docasm.yaml": "soul: me.md", "me.md": "# I", **CHAT})
    before = made.contents.compiler.layouts.get("me.md")
    write_bundle(tmp_path, {"docasm.yaml": "soul: me.md", "skills/chat.md": skill("Be long.")})
    assert made.refresh()
    assert made.contents.compiler.layouts.get("me.md") is before
