"""A bundle whose files change and are read again."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import docasm
from docasm import compiler, library
from docasm.errors import DocasmError
from tests.bundles import LAYOUT, load, skill
from tests.changing import CRON, DM, FILES, TOOL, change, codes, system


@dataclass(slots=True)
class Work:
    """What was parsed and compiled, each as the first line of its text."""

    parsed: list[str] = field(default_factory=list)
    compiled: list[str] = field(default_factory=list)
    drafted: list[str] = field(default_factory=list)

    def forget(self) -> None:
        self.parsed, self.compiled, self.drafted = [], [], []


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    done = Work()

    def counted(target: object, name: str, note: Callable[..., Any]) -> None:
        original = getattr(target, name)

        def wrapped(*args: Any, **options: Any) -> Any:
            note(*args, **options)
            return original(*args, **options)

        monkeypatch.setattr(target, name, wrapped)

    counted(library, "read_skill", lambda source, *_, **__: done.parsed.append(source.path.rsplit("/")[-1]))
    counted(library, "read_layout", lambda source, *_, **__: done.parsed.append(source.path.rsplit("/")[-1]))
    counted(compiler, "compile_fragment", lambda body, **_: done.compiled.append(body.path.rsplit("/")[-1]))
    counted(compiler, "draft", lambda layout, *_: done.drafted.append(layout.name))
    return done


class TestRefresh:
    def test_nothing_changed(self, tmp_path: Path, work: Work) -> None:
        bundle = load(tmp_path, FILES)
        system(bundle)
        before = bundle.contents
        work.forget()
        changes = bundle.refresh()
        assert not changes
        assert changes == docasm.Changes()
        assert bundle.contents is before
        assert work == Work()

    def test_only_what_depends_on_a_changed_file_is_done_again(self, tmp_path: Path, work: Work) -> None:
        bundle = load(tmp_path, FILES)
        assert system(bundle) == "A one"
        cron = bundle.render(CRON).making.drafted
        work.forget()
        change(tmp_path, {"skills/inner.md": "two"})
        changes = bundle.refresh()
        assert changes
        assert changes.changed == (f"{tmp_path.as_posix()}/skills/inner.md",)
        assert (changes.added, changes.removed, changes.problems) == ((), (), ())
        assert (work.parsed, work.compiled) == (["inner.md"], [])
        assert system(bundle) == "A two"
        assert bundle.render(CRON).making.drafted is cron
        assert (work.compiled, work.drafted) == (["inner.md"], ["dm"])

    def test_a_touched_file_is_not_parsed_again(self, tmp_path: Path, work: Work) -> None:
        bundle = load(tmp_path, FILES)
        system(bundle)
        work.forget()
        os.utime(tmp_path / "skills/inner.md", (1, 1))
        assert not bundle.refresh()
        system(bundle)
        assert work == Work()

    def test_content_counts_and_not_size_and_time(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        path = tmp_path / "skills/inner.md"
        before = path.stat()
        path.write_text("two", encoding="utf-8")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
        assert bundle.refresh()
        assert system(bundle) == "A two"

    def test_a_broken_skill_fails_its_renders_until_it_heals(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        change(tmp_path, {"skills/inner.md": "---\ntriggers: [dm\n---\n"})
        [problem] = bundle.refresh().problems
        assert problem.code == "yaml-syntax"
        assert problem in bundle.noticed
        assert problem in bundle.problems
        assert system(bundle, CRON) == "B"
        with pytest.raises(DocasmError) as error:
            system(bundle)
        assert codes(error) == ["yaml-syntax"]
        assert not bundle.refresh()
        change(tmp_path, {"skills/inner.md": "two"})
        assert bundle.refresh().problems == ()
        assert system(bundle) == "A two"
        assert bundle.problems == ()

    def test_files_come_and_go(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        skills = bundle.skills
        (tmp_path / "skills/b.md").unlink()
        change(tmp_path, {"skills/c.md": skill("C"), "skills/d/SKILL.md": "D"})
        changes = bundle.refresh()
        names = [tuple(Path(each).name for each in files) for files in (changes.added, changes.removed)]
        assert names == [("c.md", "SKILL.md"), ("b.md",)]
        assert set(bundle.skills) == {"a", "c", "d", "inner"}
        assert set(skills) == {"a", "b", "inner"}
        assert system(bundle) == "A one\n\nC"
        with pytest.raises(DocasmError) as error:
            bundle.render(CRON)
        assert codes(error) == ["no-match"]

    def test_a_skill_that_goes_leaves_its_includes_without_it(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        assert system(bundle) == "A one"
        (tmp_path / "skills/inner.md").unlink()
        bundle.refresh()
        with pytest.raises(DocasmError) as error:
            system(bundle)
        assert codes(error) == ["unknown-skill"]
        change(tmp_path, {"skills/inner/SKILL.md": "three"})
        bundle.refresh()
        assert system(bundle) == "A three"

    def test_a_skill_in_a_folder_listed_before_takes_over(self, tmp_path: Path) -> None:
        files = {"docasm.yaml": "skills: [own, shipped]", "own/x.md": "x", "shipped/a.md": skill("shipped")}
        bundle = load(tmp_path, files)
        assert system(bundle) == "shipped"
        change(tmp_path, {"own/a.md": skill("own")})
        assert [each.code for each in bundle.refresh().problems] == ["shadowed-skill"]
        assert system(bundle) == "own"
        (tmp_path / "own/a.md").unlink()
        bundle.refresh()
        assert system(bundle) == "shipped"

    def test_layouts(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {"skills/a.md": skill("A")})
        before = system(bundle)
        change(tmp_path, {"layouts/dm.md": "system:\nMine\n\n<<skills>>\n\nuser:\n<<input>>\n"})
        changes = bundle.refresh()
        assert ([Path(each).name for each in changes.added], changes.removed) == (["dm.md"], ())
        assert system(bundle) == "Mine\n\nA" != before
        (tmp_path / "layouts/dm.md").unlink()
        assert bundle.refresh().removed
        assert system(bundle) == before

    def test_tools(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": "tools: tools.json",
            "tools.json": f"[{TOOL % 'old'}]",
            "skills/a.md": skill("A", "triggers: [dm]\ntools: [a]"),
        }
        bundle = load(tmp_path, files)
        assert bundle.render(DM).tools[0].description == "old"
        change(tmp_path, {"tools.json": f"[{TOOL % 'new'}]"})
        assert [Path(each).name for each in bundle.refresh().changed] == ["tools.json"]
        assert bundle.render(DM).tools[0].description == "new"
        assert "new" in system(bundle)
        before = bundle.contents
        for text, code in (("[", "json-syntax"), ("[{}]", "bad-tool")):
            change(tmp_path, {"tools.json": text})
            with pytest.raises(DocasmError) as error:
                bundle.refresh()
            assert codes(error)[0] in (code, "tool-without-name")
            assert bundle.contents is before
        change(tmp_path, {"tools.json": f"[{TOOL % 'new'}]"})
        assert not bundle.refresh()

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("adopted: [a", "yaml-syntax"),
            ("adoptd: [a]", "unknown-key"),
            ("adopted: [z]", "unknown-skill"),
            ("layout: {dm: z}", "unknown-layout"),
            (None, "no-bundle"),
        ],
    )
    def test_a_configuration_that_cannot_be_used_changes_nothing(
        self, tmp_path: Path, text: str | None, code: str
    ) -> None:
        bundle = load(tmp_path, FILES)
        before = bundle.contents
        change(tmp_path, {"skills/inner.md": "two", **({"docasm.yaml": text} if text else {})})
        if text is None:
            (tmp_path / "docasm.yaml").unlink()
        with pytest.raises(DocasmError) as error:
            bundle.refresh()
        assert codes(error) == [code]
        assert bundle.contents is before
        assert system(bundle) == "A one"
        change(tmp_path, {"docasm.yaml": ""})
        assert bundle.refresh()
        assert system(bundle) == "A two"

    @pytest.mark.parametrize(("old", "new"), [("1", "2"), ("1", "true"), ("1", "1.0")])
    def test_variables_of_the_bundle(self, tmp_path: Path, work: Work, old: str, new: str) -> None:
        files = {"skills/a.md": skill("A {{ x }}"), "docasm.yaml": f"variables: {{x: {old}}}"}
        bundle = load(tmp_path, files)
        before = system(bundle)
        change(tmp_path, {"docasm.yaml": f"variables: {{x: {new}}}"})
        assert bundle.refresh()
        assert system(bundle) == system(docasm.Bundle.load(tmp_path)) != before
        work.forget()
        change(tmp_path, {"docasm.yaml": f"variables: {{x: {new}}}\nlabels: {{user: Me}}"})
        assert bundle.refresh()
        system(bundle)
        assert work == Work()

    def test_adoption(self, tmp_path: Path) -> None:
        files = {"docasm.yaml": "adopted: [a, b]", "skills/a.md": skill("A"), "skills/b.md": skill("B")}
        bundle = load(tmp_path, files)
        assert system(bundle) == "A\n\nB"
        change(tmp_path, {"docasm.yaml": "adopted: [b, a]"})
        bundle.refresh()
        assert system(bundle) == "B\n\nA"

    def test_a_render_from_before_stays_what_it_was(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        render = bundle.render(DM)
        change(tmp_path, {"skills/inner.md": "two"})
        bundle.refresh()
        assert "A one" in render.markdown
        assert str(render.document.messages[0]) != ""
        assert render.stable_prefix() == len(render.markdown)

    def test_links_are_followed_each_time(self, tmp_path: Path) -> None:
        bundle = load(tmp_path / "bot", FILES)
        outside, link = tmp_path / "outside.md", tmp_path / "bot/skills/inner.md"
        outside.write_text("secret", encoding="utf-8")
        link.unlink()
        link.symlink_to(outside)
        assert [each.code for each in bundle.refresh().problems] == ["outside-bundle"]
        (tmp_path / "out").mkdir()
        (tmp_path / "out/SKILL.md").write_text("secret", encoding="utf-8")
        (tmp_path / "bot/skills/other").symlink_to(tmp_path / "out")
        assert [each.code for each in bundle.refresh().problems] == ["outside-bundle"]
        link.unlink()
        link.symlink_to(tmp_path / "bot/layouts/dm.md")
        bundle.refresh()
        assert "inner" in bundle.skills
        assert "other" not in bundle.skills

    def test_the_folder_is_the_same_wherever_the_process_goes(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        load(tmp_path / "bot", FILES)
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path)
        bundle = docasm.Bundle.load("bot")
        monkeypatch.chdir(tmp_path / "elsewhere")
        change(tmp_path / "bot", {"skills/inner.md": "two"})
        assert bundle.refresh().changed == ("bot/skills/inner.md",)
        assert (bundle.path, repr(bundle)) == (Path("bot"), f"Bundle(path={Path('bot')!r})")


SKILLS = st.sampled_from(
    [
        skill("A <<b>>"),
        skill("# T\n\n{{ x }} {{ y }}", "triggers: [dm]\nvariables: {y: 1}"),
        skill("<<c>>", "triggers: [dm, cron]\ntools: [a]"),
        skill("C", "params: {model: m}"),
        "plain {{ message }}",
        "---\nname: b\n---\nnamed b",
        "---\ntriggers: [dm\n---\n",
        "---\nfoo: 1\n---\n{% if x %}yes{% endif %}",
        None,
    ]
)
STEPS: Mapping[str, st.SearchStrategy[str | None]] = {
    **{f"{folder}/{name}.md": SKILLS for folder in ("skills", "own") for name in "abc"},
    "skills/d/SKILL.md": SKILLS,
    "layouts/dm.md": st.sampled_from(
        [LAYOUT, "system:\nL {{ x }}\n\n<<b>>\n\n<<skills>>\n\nuser:\n<<input>>\n", None]
    ),
    "docasm.yaml": st.sampled_from(
        [
            "",
            "skills: [own, skills]",
            "variables: {x: 1}",
            "variables: {x: true}",
            "adopted: [b, a]",
            "tools: t.json",
        ]
    ),
    "t.json": st.sampled_from([f"[{TOOL % 'd'}]", f"[{TOOL % 'e'}]", "[", None]),
}
EDITS = st.lists(
    st.sampled_from(sorted(STEPS)).flatmap(lambda path: st.tuples(st.just(path), STEPS[path])), max_size=4
)


def told(make: Callable[[], object]) -> object:
    try:
        return make()
    except DocasmError as error:
        return error.problems


def everything(bundle: docasm.Bundle) -> list[object]:
    def rendered(trigger: docasm.Trigger, variables: Mapping[str, Any]) -> object:
        render = bundle.render(trigger, variables=variables)
        return render.markdown, render.places, render.tools, render.params, render.problems

    triggers = ((trigger, given) for trigger in (DM, CRON) for given in ({}, {"x": "v"}))
    renders = [told(lambda each=each: rendered(*each)) for each in triggers]  # type: ignore[misc]
    return [*renders, bundle.problems, bundle.noticed, bundle.skills.keys()]


@settings(max_examples=60)
@given(batches=st.lists(EDITS, min_size=1, max_size=5))
def test_a_refreshed_bundle_is_as_one_newly_loaded(batches: list[list[tuple[str, str | None]]]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "own").mkdir()
        bundle = load(folder, {"skills/a.md": skill("A <<b>>"), "skills/b.md": "B", "layouts/dm.md": LAYOUT})
        for batch in batches:
            for path, text in batch:
                if text is None:
                    (folder / path).unlink(missing_ok=True)
                else:
                    change(folder, {path: text})
            before = everything(bundle)
            new = told(lambda: docasm.Bundle.load(folder))
            if isinstance(new, docasm.Bundle):
                bundle.refresh()
                assert everything(bundle) == everything(new)
            else:
                assert told(bundle.refresh) == new
                assert everything(bundle) == before
