"""Skills that are made, adopted and taken out in memory."""

from pathlib import Path
from typing import Any

import pytest

import docasm
from docasm.errors import DocasmError
from tests.bundles import load, skill
from tests.changing import CRON, DM, FILES, TOOL, change, codes, system


class TestCreate:
    def test_a_skill_is_adopted_where_all_are(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        cron = bundle.render(CRON).making.drafted
        compiled = bundle.contents.compiler.fragments.copy()
        bundle.create("aa", skill("AA {{ event.text }}"))
        assert system(bundle) == "A one\n\nAA x"
        now = bundle.contents.compiler.fragments
        assert all(now[key] is fragment for key, fragment in compiled.items())
        assert bundle.render(CRON).making.drafted is cron
        assert "aa" in bundle.skills
        assert not (tmp_path / "skills/aa.md").exists()
        assert [str(each) for each in bundle.render(DM).places[1:4:2]] == [
            f"{tmp_path.as_posix()}/skills/a.md:4:1",
            "aa.md:4:1",
        ]

    def test_it_waits_for_adopt_where_the_bundle_chooses(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {"docasm.yaml": "adopted: [a]", "skills/a.md": skill("A")})
        bundle.create("aa", skill("AA"))
        assert system(bundle) == "A"
        bundle.adopt("aa")
        assert system(bundle) == "A\n\nAA"
        bundle.create("aa", skill("AAA"))
        assert system(bundle) == "A\n\nAAA"

    def test_it_goes_before_one_of_its_name(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        assert system(bundle) == "A one"
        bundle.create("inner", "mine")
        assert system(bundle) == "A mine"
        change(tmp_path, {"skills/inner.md": "---\ntriggers: [dm\n---\n"})
        assert bundle.refresh()
        assert system(bundle) == "A mine"
        change(tmp_path, {"skills/inner.md": "two"})
        assert bundle.refresh()
        assert system(bundle) == "A mine"
        bundle.remove("inner")
        assert system(bundle) == "A two"

    def test_text_is_read_as_a_file_is(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        bundle.create("inner", "\ufeff---\r\ndescription: d\r\n---\r\nmine\r\n")
        assert system(bundle) == "A mine"
        assert bundle.skills["inner"].description == "d"
        assert bundle.problems == ()

    @pytest.mark.parametrize(
        ("name", "text", "shown"),
        [
            ("n", "---\ntriggers: [dm\n---\n", "n.md:3:1: error[yaml-syntax]"),
            ("n", "---\ntriggers: [dmm]\n---\n", "n.md:2:12: error[unknown-trigger]"),
            ("n", "---\nname: other\n---\n", "n.md:2:7: error[bad-name]"),
            ("N N", "x", "N N.md:1:1: error[bad-name]"),
            ("n", "a\n{{ x", "n.md:2:4: error[template-syntax]"),
            ("n", "---\n---\n<<innr>>", "n.md:3:1: error[unknown-skill]"),
            ("inner", "<<a>>", "skills/a.md:4:3: error[include-cycle]"),
            ("n", "a\r\n\ud800", "n.md:2:1: error[lone-surrogate]"),
            ("n", 5, "error[wrong-type]"),
            (None, "x", "error[wrong-type]"),
        ],
    )
    def test_what_is_wrong_is_told_with_its_place(
        self, tmp_path: Path, name: Any, text: Any, shown: str
    ) -> None:
        bundle = load(tmp_path, FILES)
        before = bundle.contents
        with pytest.raises(DocasmError) as error:
            bundle.create(name, text)
        assert shown in str(error.value)
        assert bundle.contents is before
        assert system(bundle) == "A one"

    def test_a_tool_that_there_is_not(self, tmp_path: Path) -> None:
        text = skill("N", "tools: [b]")
        bundle = load(tmp_path / "without", FILES)
        bundle.create("n", text)
        assert [each.severity for each in bundle.problems] == ["warning"]
        bundle = load(tmp_path / "with", {**FILES, "docasm.yaml": f"tools: [{TOOL % 'd'}]"})
        with pytest.raises(DocasmError) as error:
            bundle.create("n", text)
        assert codes(error) == ["unknown-tool"]

    def test_warnings_are_among_the_problems(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        bundle.create("n", "---\nfoo: 1\n---\n")
        assert [(each.code, str(each.place)) for each in bundle.problems] == [("unknown-key", "n.md:2:1")]
        assert bundle.noticed == bundle.problems


class TestAdopt:
    def test_at_the_end_or_in_its_place(self, tmp_path: Path) -> None:
        files = {"docasm.yaml": "adopted: [c, a]", **{f"skills/{n}.md": skill(n.upper()) for n in "abcd"}}
        bundle = load(tmp_path, files)
        bundle.adopt("d")
        bundle.adopt("b")
        assert system(bundle).split() == ["C", "A", "D", "B"]
        for name in "cadb":
            bundle.adopt(name, ["dm"])
        assert system(bundle).split() == ["C", "A", "D", "B"]
        bundle.remove("c")
        bundle.remove("d")
        assert system(bundle).split() == ["A", "B"]
        bundle.adopt("c")
        bundle.adopt("d")
        assert system(bundle).split() == ["A", "B", "C", "D"]

    @pytest.mark.parametrize("triggers", ["cron", ["dm", {"cron": "0 8 * * *"}], {"cron": ("0 8 * * *",)}])
    def test_triggers_as_in_the_configuration(self, tmp_path: Path, triggers: Any) -> None:
        bundle = load(tmp_path, {**FILES, "docasm.yaml": "adopted: [b]"})
        bundle.adopt("a", triggers)
        assert bundle.render(CRON).skills == ("b", "a")
        bundle.adopt("a")
        assert bundle.render(CRON).skills == ("b",)
        bundle.adopt("b", [])
        assert bundle.render(DM).skills == ("a",)

    def test_params_go_before_the_skills_own(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {"skills/a.md": skill("A", "triggers: [dm]\nparams: {model: m, seed: 1}")})
        bundle.adopt("a", params={"model": "n"})
        assert bundle.render(DM).params == {"model": "n", "seed": 1}
        given: dict[str, Any] = {"dm": {"sender": ["ann"]}}
        bundle.adopt("a", given)
        given["dm"]["sender"][0] = "admin"
        assert bundle.render(docasm.Trigger.dm("x", sender="ann")).params == {"model": "m", "seed": 1}

    @pytest.mark.parametrize(
        ("arguments", "shown"),
        [
            (
                ("innr",),
                "error[unknown-skill]: there is no skill `innr` to adopt\nhint: did you mean `inner`?",
            ),
            (("a", "dmm"), "error[unknown-trigger]: unknown kind of trigger `dmm`\nhint: did you mean `dm`?"),
            (("a", [{"dm": {"sendr": "x"}}]), "error[unknown-key]: unknown key `sendr` in `dm`"),
            (("a", [{"dm": 1, "cron": 2}]), "error[bad-trigger]"),
            (("a", 5), "error[wrong-type]"),
            (("a", {5: 5}), "error[wrong-type]"),
            (("a", [object()]), "error[wrong-type]"),
            (("a", None, {"temperature": "hot"}), "error[wrong-type]: `temperature` must be"),
            (("a", None, {"heat": 1}), "error[unknown-key]"),
            (("a", None, 5), "error[wrong-type]: `params` must be a mapping"),
            ((5,), "error[wrong-type]"),
        ],
    )
    def test_what_is_wrong_is_told(self, tmp_path: Path, arguments: Any, shown: str) -> None:
        bundle = load(tmp_path, FILES)
        before = bundle.contents
        with pytest.raises(DocasmError) as error:
            bundle.adopt(*arguments)
        assert str(error.value).startswith(shown)
        assert bundle.contents is before

    def test_too_deep_or_without_end(self, tmp_path: Path) -> None:
        endless: list[Any] = []
        endless.append(endless)
        with pytest.raises(DocasmError) as error:
            load(tmp_path, FILES).adopt("a", endless)
        assert codes(error) == ["nested-too-deep"]

    def test_a_broken_skill_waits_until_it_heals(self, tmp_path: Path) -> None:
        broken = {"skills/z.md": "---\ntriggers: [dm\n---\n"}
        bundle = load(tmp_path, {**FILES, **broken, "docasm.yaml": "adopted: [a]"})
        bundle.adopt("z")
        assert [each.code for each in bundle.render(DM).problems] == ["broken-skill"]
        change(tmp_path, {"skills/z.md": skill("Z")})
        bundle.refresh()
        assert system(bundle) == "A one\n\nZ"


class TestRemove:
    def test_others_may_include_it_still(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {"skills/a.md": skill("A <<b>>"), "skills/b.md": skill("B")})
        assert bundle.render(DM).skills == ("a", "b")
        bundle.remove("b")
        assert bundle.render(DM).skills == ("a",)
        assert system(bundle) == "A B"

    def test_one_made_in_memory_leaves_the_set(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        bundle.create("n", skill("N"))
        bundle.remove("n")
        assert "n" not in bundle.skills
        with pytest.raises(DocasmError) as error:
            bundle.remove("n")
        assert str(error.value).startswith("error[unknown-skill]: there is no skill `n` to remove")
        bundle.create("a", skill("mine"))
        bundle.remove("a")
        bundle.create("a", skill("mine"))
        assert system(bundle) == "mine"

    def test_nothing_piles_up(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        for number in range(5):
            bundle.create(f"n{number}", skill("N"))
            bundle.adopt(f"n{number}")
            bundle.remove(f"n{number}")
            bundle.remove("a")
            bundle.adopt("a")
            bundle.adopt("a", "dm")
        edits = bundle._state.edits
        assert len(edits.steps) == 2
        assert not edits.created


class TestEditsAfterARefresh:
    def test_they_stay(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {**FILES, "skills/c.md": skill("C"), "skills/d.md": skill("D")})
        bundle.create("n", skill("N <<inner>>"))
        bundle.remove("c")
        bundle.adopt("b", "dm")
        bundle.adopt("a", "dm")
        bundle.remove("d")
        bundle.adopt("d")
        change(tmp_path, {"skills/c.md": skill("CC"), "skills/inner.md": "two"})
        assert bundle.refresh()
        assert system(bundle).split("\n\n") == ["A two", "B", "N two", "D"]

    def test_an_adopted_skill_that_goes_is_told_of(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {**FILES, "docasm.yaml": "adopted: [a]"})
        bundle.adopt("b", "dm")
        (tmp_path / "skills/b.md").unlink()
        [problem] = bundle.refresh().problems
        assert (problem.code, problem.severity) == ("unknown-skill", "warning")
        for told in (bundle.problems, bundle.noticed, bundle.render(DM).problems):
            assert told == (problem,)
        assert system(bundle) == "A one"
        change(tmp_path, {"skills/b.md": skill("BB")})
        assert bundle.refresh().problems == ()
        assert system(bundle) == "A one\n\nBB"
        (tmp_path / "skills/b.md").unlink()
        bundle.refresh()
        bundle.remove("b")
        assert bundle.problems == ()

    def test_the_configuration_may_adopt_what_is_only_in_memory(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {**FILES, "docasm.yaml": "adopted: [a]"})
        bundle.create("n", skill("N"))
        change(tmp_path, {"docasm.yaml": "adopted: [n, a]"})
        bundle.refresh()
        assert system(bundle) == "N\n\nA one"
        bundle.remove("n")
        assert system(bundle) == "A one"
