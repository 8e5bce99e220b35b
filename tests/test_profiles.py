"""Profiles: what a layout says otherwise for a model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import docasm
from tests.bundles import LAYOUT, load, skill, write_bundle

DM = docasm.Trigger.dm("Hello")
CHAT = skill("# Chat\n\nBe {{ manner }}.\n", "triggers: [dm]\nvariables: {manner: brief}")
WRONG = "error[wrong-type]"
NO_MAPPING = "must be a mapping of keys to values"
NO_NAME = "cannot be a variable: a letter, then letters, digits and underscores"
TURNS = [docasm.Turn("user", f"turn {number}") for number in range(4)]


def layout(front_matter: str, body: str = LAYOUT) -> str:
    return f"---\n{front_matter}\n---\n{body}"


def wording(*names: str) -> str:
    """Profiles of names that say who they are."""
    return "\n".join(["profiles:", *(f"  {name!r}: {{variables: {{manner: {name!r}}}}}" for name in names)])


def manner(bundle: docasm.Bundle, model: str | None = None, **options: Any) -> str:
    text = bundle.render(DM, model=model, **options).messages[0].content
    return text.partition("Be ")[2].partition(".\n")[0].removesuffix(".")


def problems(folder: Path, files: Mapping[str, str]) -> list[str]:
    """What is wrong with a bundle, without its folder."""
    try:
        found = load(folder, {"skills/chat.md": CHAT, **files}).problems
    except docasm.DocasmError as error:
        found = error.problems
    return [str(each).split("\n")[0].removeprefix(f"{folder}/") for each in found]


class TestWhich:
    """The profile whose name fits the model."""

    NAMES = ("gpt-4.1", "claude-*", "claude-opus-*", "default")

    @pytest.mark.parametrize("where", ["docasm.yaml", "layouts/dm.md"])
    @pytest.mark.parametrize(
        ("model", "name"),
        [
            ("gpt-4.1", "gpt-4.1"),
            ("gpt-4.1-mini", "default"),
            ("claude-sonnet-4", "claude-*"),
            ("claude-opus-4.6", "claude-*"),
            ("Claude-opus", "default"),
            ("claude-*", "claude-*"),
            (None, "default"),
        ],
    )
    def test_the_exact_name_then_the_first_pattern_then_default(
        self, tmp_path: Path, where: str, model: str | None, name: str
    ) -> None:
        text = wording(*self.NAMES)
        files = {"skills/chat.md": CHAT, where: text if where == "docasm.yaml" else layout(text)}
        assert manner(load(tmp_path, files), model) == name

    def test_no_profile_fits(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {"skills/chat.md": CHAT, "docasm.yaml": wording("gpt-*")})
        assert manner(bundle, "o3") == manner(bundle) == "brief"

    def test_only_a_star_makes_a_pattern(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {"skills/chat.md": CHAT, "docasm.yaml": wording("gpt-?", "[ab]")})
        assert [manner(bundle, each) for each in ("gpt-4", "a", "gpt-?")] == ["brief", "brief", "gpt-?"]

    def test_the_model_of_params_scenario_and_call(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": f"params: {{model: a}}\n{wording('a', 'b', 'c', 'd')}",
            "skills/chat.md": CHAT,
            "dm.yaml": "trigger: {type: dm, text: Hi}\nmodel: c",
        }
        bundle = load(tmp_path, files)
        assert [manner(bundle), manner(bundle, "d")] == ["a", "d"]
        scenario = docasm.load_scenario(tmp_path / "dm.yaml")
        assert "Be c." in scenario.render().markdown
        assert "Be d." in scenario.render(model="d").markdown
        skill_with_model = CHAT.replace("triggers: [dm]", "triggers: [dm]\nparams: {model: b}")
        assert manner(load(tmp_path, {**files, "skills/chat.md": skill_with_model})) == "b"

    def test_a_layouts_profiles_go_before_the_bundles(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": wording("claude-*", "o3"),
            "layouts/dm.md": layout("profiles: {claude-opus-*: {variables: {manner: layout}}}"),
            "skills/chat.md": CHAT,
        }
        bundle = load(tmp_path, files)
        assert [manner(bundle, each) for each in ("claude-opus-4", "claude-x", "o3")] == [
            "layout",
            "claude-*",
            "o3",
        ]

    def test_of_one_name_both_count_key_by_key(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": "profiles: {m: {slots: {history: {max_turns: 1}}, variables: {manner: bundle}}}",
            "layouts/dm.md": layout("profiles: {m: {variables: {manner: layout}}}"),
            "skills/chat.md": CHAT,
        }
        bundle = load(tmp_path, files)
        assert manner(bundle, "m") == "layout"
        assert bundle.render(DM, model="m", history=TURNS).cuts[0].missing == 3


class TestWhat:
    """All that a profile may say."""

    def render(
        self, folder: Path, profile: str, front_matter: str = "slots: {}", **files: str
    ) -> docasm.Render:
        text = layout(f"{front_matter}\nprofiles: {{m: {profile}}}")
        bundle = load(folder, {"skills/chat.md": CHAT, "layouts/dm.md": text, **files})
        assert bundle.problems == ()
        return bundle.render(DM, model="m", history=TURNS)

    def test_another_order(self, tmp_path: Path) -> None:
        other = "system:\n## History\n\n<<history>>\n\n## Skills\n\n<<skills>>\n\nuser:\n<<input>>\n"
        files = {"layouts/other.md": other}
        text = self.render(tmp_path, "{layout: other, variables: {manner: polite}}", **files).markdown
        assert text.index("## History") < text.index("## Skills") < text.index("Be polite.")

    def test_another_layout_keeps_its_own_settings_under_the_profile(self, tmp_path: Path) -> None:
        other = layout(
            "slots: {history: {max_turns: 1, as: messages}}",
            "system:\n<<skills>>\n\n<<history>>\n\nuser:\n<<input>>\n",
        )
        render = self.render(
            tmp_path, "{layout: other, slots: {history: {max_turns: 2}}}", **{"layouts/other.md": other}
        )
        assert [each.content for each in render.messages[1:]] == ["turn 2", "turn 3", "Hello"]

    def test_limits_of_a_slot(self, tmp_path: Path) -> None:
        render = self.render(
            tmp_path, "{slots: {history: {max_turns: 1}}}", "slots: {history: {max_turns: 3}}"
        )
        assert [(each.limit, each.missing) for each in render.cuts] == [("max_turns", 3)]

    def test_null_lifts_a_limit(self, tmp_path: Path) -> None:
        front_matter = "max_chars: 150\ndrop: [history]\nslots: {history: {max_turns: 1}}"
        for profile in (
            "{max_chars: null, slots: {history: {max_turns: null}}}",
            "{max_chars: null, slots: null}",
        ):
            render = self.render(tmp_path, profile, front_matter)
            assert render.cuts == ()
            assert "turn 0" in render.markdown

    def test_a_limit_of_the_document_and_what_gives_way(self, tmp_path: Path) -> None:
        whole = len(self.render(tmp_path, "{}").markdown)
        render = self.render(tmp_path, f"{{max_chars: {whole - 5}, drop: [history]}}")
        assert [each.slot for each in render.cuts] == ["history"]
        assert len(render.markdown) <= whole - 5

    def test_drop_alone(self, tmp_path: Path) -> None:
        front_matter = "max_chars: 120\ndrop: [history]"
        assert self.render(tmp_path, "{}", front_matter).cuts != ()
        with pytest.raises(docasm.DocasmError, match="does-not-fit"):
            self.render(tmp_path, "{drop: []}", front_matter)

    def test_tokenizer_and_factor(self, tmp_path: Path) -> None:
        front_matter = "max_tokens: 75\ndrop: [history]\ntokenizer: estimate"
        assert self.render(tmp_path, "{}", front_matter).cuts == ()
        with pytest.raises(docasm.DocasmError, match="does-not-fit"):
            self.render(tmp_path, "{token_factor: 9}", front_matter)
        with pytest.raises(docasm.DocasmError, match="there is no tokenizer `mine`"):
            self.render(tmp_path, "{tokenizer: mine}", front_matter)

    def test_wording_goes_before_the_bundle_and_reaches_skills(self, tmp_path: Path) -> None:
        files = {"docasm.yaml": "variables: {manner: bundle}"}
        assert "Be profile." in self.render(tmp_path, "{variables: {manner: profile}}", **files).markdown

    def test_wording_that_is_a_tool(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": "variables: {manner: bundle}\nprofiles: {m: {variables: {manner: {tool: t}}}}",
            "skills/chat.md": CHAT,
        }
        bundle = load(tmp_path, files)
        assert manner(bundle, "m", resolvers={"t": "asked"}) == "asked"
        assert manner(bundle, "o") == "bundle"

    def test_what_a_render_sets_goes_before_wording(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {"skills/chat.md": CHAT, "docasm.yaml": wording("m")})
        assert manner(bundle, "m", variables={"manner": "mine"}) == "mine"

    def test_an_event_needs_no_profile(self, tmp_path: Path) -> None:
        files = {"skills/chat.md": skill("# Hook", "triggers: [event]"), "docasm.yaml": wording("m")}
        bundle = load(tmp_path, files)
        event = docasm.Trigger.event({})
        assert bundle.render(event, model="m").messages == bundle.render(event).messages


def test_models_that_alternate_keep_their_own_text(tmp_path: Path) -> None:
    names = ("a", "b", "default")
    bundle = load(tmp_path, {"skills/chat.md": CHAT, "docasm.yaml": wording(*names)})
    asked = ("a", "b", None, "a", "c", "b", "a")
    assert [manner(bundle, each) for each in asked] == ["a", "b", "default", "a", "default", "b", "a"]


def test_a_profile_that_changes_is_seen_after_a_refresh(tmp_path: Path) -> None:
    bundle = load(tmp_path, {"skills/chat.md": CHAT, "docasm.yaml": wording("a")})
    assert manner(bundle, "a") == "a"
    write_bundle(tmp_path, {"docasm.yaml": wording("a").replace("manner: 'a'", "manner: other")})
    bundle.refresh()
    assert manner(bundle, "a") == "other"


def test_the_model_that_only_a_skill_left_out_sets_decides_nothing(tmp_path: Path) -> None:
    files = {
        "docasm.yaml": wording("m"),
        "layouts/dm.md": layout("slots: {skills: {relevance: {top: 1}}}"),
        "skills/chat.md": CHAT.replace("triggers", "description: hello\ntriggers"),
        "skills/other.md": skill("# Other", "triggers: [dm]\nparams: {model: m}"),
    }
    render = load(tmp_path, files).render(DM)
    assert (render.skills, dict(render.params)) == (("chat",), {})
    assert "Be brief." in render.markdown


class TestErrors:
    """What is wrong with a profile, with its place."""

    @pytest.mark.parametrize(
        ("files", "told"),
        [
            (
                {"docasm.yaml": "profiles: {m: {layuot: x}}"},
                ["docasm.yaml:1:16: error[unknown-key]: unknown key `layuot` in `m`"],
            ),
            (
                {"docasm.yaml": "profiles: {m: {slots: {history: {max_turns: -1}}}}"},
                ["docasm.yaml:1:45: error[wrong-type]: `max_turns` must be a whole number of 0 or more"],
            ),
            ({"docasm.yaml": "profiles: {m: 7}"}, [f"docasm.yaml:1:15: error[wrong-type]: `m` {NO_MAPPING}"]),
            ({"docasm.yaml": "profiles: [m]"}, [f"docasm.yaml:1:11: {WRONG}: `profiles` {NO_MAPPING}"]),
            (
                {"layouts/dm.md": layout("profiles: {m: {slots: {skils: {}}}}")},
                ["layouts/dm.md:2:24: error[unknown-slot]: there is no slot `skils`"],
            ),
            (
                {"layouts/dm.md": layout("profiles: {m: {variables: {2a: x}}}")},
                [f"layouts/dm.md:2:32: error[bad-name]: `2a` {NO_NAME}"],
            ),
            (
                {"layouts/dm.md": layout("profiles: {m: {layout: othr}}"), "layouts/other.md": LAYOUT},
                ["layouts/dm.md:2:24: error[unknown-layout]: there is no layout `othr`"],
            ),
            (
                {"docasm.yaml": "profiles: {m: {layout: 7}}"},
                ["docasm.yaml:1:24: error[wrong-type]: `layout` must be text"],
            ),
            (
                {"docasm.yaml": "profiles: {m: {variables: {x: {tool: 7}}}}"},
                ["docasm.yaml:1:38: error[wrong-type]: `tool` must be text"],
            ),
        ],
    )  # fmt: skip
    def test_each(self, tmp_path: Path, files: Mapping[str, str], told: list[str]) -> None:
        assert list(dict.fromkeys(problems(tmp_path, files))) == told

    def test_a_layout_that_is_not_there_fails_the_renders_that_want_it(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {"skills/chat.md": CHAT, "docasm.yaml": "profiles: {m: {layout: othr}}"})
        assert manner(bundle) == "brief"
        with pytest.raises(docasm.DocasmError, match=r"docasm.yaml:1:24: error\[unknown-layout\]"):
            bundle.render(DM, model="m")

    def test_a_profile_may_speak_of_the_slots_of_its_own_layout(self, tmp_path: Path) -> None:
        other = LAYOUT.replace("<<tools>>", "<<notes>>")
        files = {
            "layouts/dm.md": layout("profiles: {m: {layout: other, slots: {notes: {from: manner}}}}"),
            "layouts/other.md": layout("slots: {notes: {from: manner}}\nvariables: {manner: x}", other),
        }
        assert problems(tmp_path, files) == []

    def test_what_a_profile_needs_is_checked_in_each(self, tmp_path: Path) -> None:
        files = {
            "layouts/dm.md": layout("profiles: {m: {variables: {who: me}}}", f"{{{{ who }}}}\n\n{LAYOUT}"),
        }
        (told,) = problems(tmp_path, files)
        assert told.startswith("layouts/dm.md:4:1: error[unknown-variable]: nothing gives the variable `who`")
