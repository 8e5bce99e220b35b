"""What `docasm check` says beside what is wrong: the lints, severities and comments that silence them."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings

import docasm
import docasm.cli.lint
from docasm.advice import advice
from docasm.bundle import read_bundle
from docasm.cli import main
from docasm.cli.second_parser import second_parser
from docasm.codes import CODES
from docasm.errors import Problem
from docasm.lints.subject import subject_of
from tests.bundles import LAYOUT, skill, write_bundle
from tests.strategies import hostile_text

_quick = settings(max_examples=150, deadline=None)
LONG = "Answer in short sentences. " * 50


def check(folder: Path, files: Mapping[str, str]) -> list[Problem]:
    """What `docasm check` lists for a bundle of some files."""
    bundle, wrong = read_bundle(write_bundle(folder, files))
    subject = subject_of(bundle.disk, bundle.contents, second_parser())
    return [*advice(subject, [*wrong, *bundle.problems], bundle.disk.config.severities)]


def codes(folder: Path, files: Mapping[str, str]) -> list[str]:
    return sorted(problem.code for problem in check(folder, files))


class TestProperties:
    @_quick
    @given(hostile_text(), hostile_text(), hostile_text())
    def test_a_lint_never_fails_and_says_the_same_again(self, body: str, other: str, head: str) -> None:
        files = {
            "skills/a.md": skill(body),
            "skills/b/SKILL.md": f"---\nname: b\n{head}\n---\n{other}",
            "layouts/dm.md": f"---\n{head}\n---\n{LAYOUT}\n{other}",
        }
        with TemporaryDirectory() as folder:
            found = check(Path(folder), files)
            assert found == check(Path(folder), files)
        assert all(problem.code in CODES for problem in found)
        assert all(problem.place is None or problem.place.line >= 1 for problem in found)

    @_quick
    @given(hostile_text())
    def test_lints_do_not_change_what_is_wrong(self, body: str) -> None:
        with TemporaryDirectory() as folder:
            found = check(Path(folder), {"skills/a.md": skill(body)})
            errors = [each for each in docasm.Bundle.load(folder).problems if each.severity == "error"]
        assert [each for each in found if each.severity == "error"] == errors


class TestUnused:
    def test_what_a_used_skill_or_a_layout_includes_is_used(self, tmp_path: Path) -> None:
        files = {
            "skills/a.md": skill("<<b>>"),
            "skills/b.md": "<<c>>",
            "skills/c.md": "Hello.",
            "skills/d.md": "Hi.",
            "layouts/dm.md": f"<<d>>\n\n{LAYOUT}",
        }
        assert codes(tmp_path, files) == []

    def test_skills_that_include_only_each_other_are_not(self, tmp_path: Path) -> None:
        assert codes(tmp_path, {"skills/a.md": "<<b>>", "skills/b.md": "Hi."}) == ["unused-skill"] * 2

    def test_one_that_a_misspelt_include_may_mean_is_used(self, tmp_path: Path) -> None:
        files = {"skills/a.md": skill("<<identiti>>"), "skills/identity.md": "Hi."}
        assert codes(tmp_path, files) == ["unknown-skill"]

    def test_a_skill_in_a_folder_outside_is_for_others_too(self, tmp_path: Path) -> None:
        write_bundle(tmp_path, {"shared/a.md": "Hi."})
        assert codes(tmp_path / "bot", {"docasm.yaml": "skills: [../shared]"}) == []

    def test_a_tool_that_a_profile_or_a_soul_shows_is_used(self, tmp_path: Path) -> None:
        config = "tools: [{name: f, input_schema: {}}, {name: g, input_schema: {}}]\nsoul: soul.md\n"
        files = {
            "docasm.yaml": f"{config}profiles: {{o3: {{variables: {{x: {{tool: f}}}}}}}}",
            "soul.md": "# A\n\n---template---\n\n- section: a\n  role: system\n  tool: g\n",
        }
        assert "unused-tool" not in codes(tmp_path, files)

    @pytest.mark.parametrize("front", ["tools: all", "tools: [f]", "variables: {x: {tool: f}}"])
    def test_a_tool_that_is_asked_for_is_used(self, tmp_path: Path, front: str) -> None:
        files = {
            "docasm.yaml": "tools: [{name: f, input_schema: {type: object}}]",
            "skills/a.md": skill("{{ x | default('') }} x", f"triggers: [dm]\n{front}"),
        }
        assert "unused-tool" not in codes(tmp_path, files)

    def test_a_variable_of_the_bundle_is_used_by_any_file(self, tmp_path: Path) -> None:
        files = {"docasm.yaml": "variables: {a: 1, b: 2}", "skills/a.md": skill("I am {{ a }}.")}
        found = check(tmp_path, files)
        assert [(each.code, each.place and each.place.column) for each in found] == [("unused-variable", 19)]

    def test_one_that_a_slot_shows_is_used(self, tmp_path: Path) -> None:
        front = "slots: {duties: {from: tasks}}\nvariables: {tasks: [a]}"
        layout = f"---\n{front}\n---\nsystem:\n<<duties>>\n\n<<skills>>\n\nuser:\n<<input>>\n"
        assert codes(tmp_path, {"layouts/dm.md": layout}) == []

    def test_one_in_a_statement_is_used_and_one_that_is_set_there_is_not(self, tmp_path: Path) -> None:
        body = "{% for each in xs %}\n- {{ each }}\n{% endfor %}\n\n{% set y = 1 %}\nNow {{ y }}."
        front = "triggers: [dm]\nvariables: {xs: [1], y: 2, each: 3}"
        assert codes(tmp_path, {"skills/a.md": skill(body, front)}) == ["unused-variable"] * 2

    def test_what_only_a_scenario_names_is_used(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": "variables: {about_ann: x}",
            "layouts/brief.md": LAYOUT,
            "dm.yaml": "trigger: {type: dm, text: x}\nlayout: brief\nsoul: soul.md",
            "soul.md": "# Ann\n\n{{about_ann}}",
        }
        assert codes(tmp_path, files) == []

    def test_a_layout_that_a_profile_names_is_used(self, tmp_path: Path) -> None:
        files = {"docasm.yaml": "profiles: {o3: {layout: brief}}", "layouts/brief.md": LAYOUT}
        assert codes(tmp_path, files) == []


class TestValues:
    def test_a_value_that_the_owner_set_may_be_trusted(self, tmp_path: Path) -> None:
        front = "triggers: [dm]\nvariables: {x: 1}"
        assert codes(tmp_path, {"skills/a.md": skill("See {{ x | trusted }}.", front)}) == []

    def test_a_variable_that_a_render_must_set_may_not(self, tmp_path: Path) -> None:
        front = "triggers: [dm]\nvariables: {x: null}"
        found = codes(tmp_path, {"skills/a.md": skill("See {{ x | trusted }}.", front)})
        assert found == ["trusted-value"]

    def test_the_size_of_what_is_spoiled_is_told(self, tmp_path: Path) -> None:
        files = {"skills/a.md": skill("It is {{ now }}."), "skills/b.md": skill("x" * 5000)}
        (found,) = check(tmp_path, files)
        rendered = docasm.Bundle.load(tmp_path).render(docasm.Trigger.dm("Hi", sender="ann"), now="noon")
        spoiled = int(found.message.split(" and ")[1].split()[0].replace(",", ""))
        after = rendered.markdown.partition("noon")[2].partition("user:")[0].rstrip("\n")
        assert (found.code, spoiled >= len(after)) == ("volatile-prefix", True)
        assert spoiled <= len(after) + 200  # headings of slots that this render leaves out

    def test_the_history_spoils_what_follows_it_and_the_input_nothing(self, tmp_path: Path) -> None:
        layout = (
            f"system:\n<<skills>>\n\n## History\n\n<<history>>\n\n## Rules\n\n{LONG}\n\nuser:\n<<input>>\n"
        )
        (found,) = check(tmp_path, {"layouts/dm.md": layout, "skills/a.md": skill("Hi.")})
        assert found.code == "volatile-prefix"
        assert found.place is not None
        assert found.place.line == 6

    def test_what_is_short_is_not_worth_it(self, tmp_path: Path) -> None:
        assert codes(tmp_path, {"skills/a.md": skill("It is {{ now }}.\n\nBe brief.")}) == []


class TestMarkdown:
    @pytest.mark.parametrize(
        "body",
        [
            "### A\n\n#### B\n\n## C\n\n### D",
            "# A\n\n## B\n\n- ##### in a list",
            "# A\n\n```\n### B\n```",
            "A\n===\n\nB\n---\n\n### C",
        ],
    )
    def test_no_heading_jumps_here(self, tmp_path: Path, body: str) -> None:
        assert "heading-jump" not in codes(tmp_path, {"skills/a.md": skill(body)})

    def test_each_part_has_an_outline_of_its_own(self, tmp_path: Path) -> None:
        body = "system:\n# A\n\nuser:\n### B\n\n##### C"
        (found,) = check(tmp_path, {"skills/a.md": skill(body)})
        assert (found.code, found.place and found.place.line) == ("heading-jump", 10)

    def test_seven_are_no_heading(self, tmp_path: Path) -> None:
        body = "####### deep\n\n```\n####### code\n```\n\n#######tag"
        (found,) = check(tmp_path, {"skills/a.md": skill(body)})
        assert (found.code, found.place and found.place.line) == ("heading-too-deep", 4)

    def test_a_fence_in_a_quote_is_closed_by_its_end(self, tmp_path: Path) -> None:
        found = check(tmp_path, {"skills/a.md": skill("> ```\n> a\n\nb\n\n- ```\n  x\n  ```\n")})
        assert [(each.code, each.place and each.place.line) for each in found] == [("left-open", 4)]

    def test_so_is_a_comment(self, tmp_path: Path) -> None:
        found = check(tmp_path, {"skills/a.md": skill("- <!-- a\n\nb\n\n> <!-- c -->\n")})
        assert [(each.code, each.place and each.place.line) for each in found] == [("left-open", 4)]

    def test_the_same_definition_twice_is_none_of_two(self, tmp_path: Path) -> None:
        files = {"skills/a.md": skill("[x]: /a 't'"), "skills/b.md": skill("[X]: /a (t)")}
        assert "conflicting-reference" not in codes(tmp_path, files)

    def test_what_is_included_stands_in_the_document_too(self, tmp_path: Path) -> None:
        files = {"skills/a.md": skill("<<c>>\n\n[x]: /a"), "skills/c.md": "[x]: /c"}
        assert codes(tmp_path, files) == ["conflicting-reference"]

    def test_files_of_other_triggers_do_not_meet(self, tmp_path: Path) -> None:
        files = {"skills/a.md": skill("[x]: /a"), "skills/b.md": skill("[x]: /b", 'triggers: [cron: "1"]')}
        assert "conflicting-reference" not in codes(tmp_path, files)


class TestSkills:
    def test_a_docasm_skill_needs_no_description(self, tmp_path: Path) -> None:
        assert codes(tmp_path, {"skills/a.md": skill("Hi.")}) == []

    def test_one_that_is_chosen_by_its_words_does(self, tmp_path: Path) -> None:
        front = "---\nslots: {skills: {relevance: {top: 1, pinned: [b]}}}\n---\n"
        files = {
            "layouts/dm.md": front + LAYOUT,
            "skills/a.md": skill("Hi."),
            "skills/b.md": skill("Ho."),
            "skills/c.md": skill("Ha.", "triggers: [dm]\ndescription: Laughs."),
        }
        (found,) = check(tmp_path, files)
        assert (found.code, found.place and found.place.path.endswith("a.md")) == (
            "missing-description",
            True,
        )

    @pytest.mark.parametrize(("size", "found"), [(1024, []), (1025, ["long-description"])])
    def test_a_description_has_so_many_characters(self, tmp_path: Path, size: int, found: list[str]) -> None:
        front = f"triggers: [dm]\ndescription: {'é' * size}"
        assert codes(tmp_path, {"skills/a.md": skill("Hi.", front)}) == found

    @pytest.mark.parametrize("text", ["Use when x < 3 and y > 4.", "Emails (a <b@example.org>).", "a -> b"])
    def test_less_than_is_no_tag(self, tmp_path: Path, text: str) -> None:
        front = f"triggers: [dm]\ndescription: {text}"
        assert codes(tmp_path, {"skills/a.md": skill("Hi.", front)}) == []

    @pytest.mark.parametrize(("lines", "found"), [(500, []), (501, ["long-skill"])])
    def test_a_body_has_so_many_lines(self, tmp_path: Path, lines: int, found: list[str]) -> None:
        assert codes(tmp_path, {"skills/a.md": skill("x\n" * lines)}) == found

    def test_a_body_has_so_many_tokens(self, tmp_path: Path) -> None:
        assert codes(tmp_path, {"skills/a.md": skill("many words " * 2000)}) == ["long-skill"]


class TestSeverities:
    FILES: Mapping[str, str] = {"skills/a.md": "Hi.", "skills/vendor-b.md": "# A\n\n### B"}

    @pytest.mark.parametrize(
        ("settings", "expected"),
        [
            ("", ["note heading-jump", "note unused-skill", "note unused-skill"]),
            ("unused-skill: off", ["note heading-jump"]),
            ("unused-skill: error", ["error unused-skill", "error unused-skill", "note heading-jump"]),
            ("all: off", []),
            ("all: off, heading-jump: warning", ["warning heading-jump"]),
            ('files: {"skills/vendor-*": {all: off}}', ["note unused-skill"]),
            (
                'all: warning, files: {"*b.md": {heading-jump: note}}',
                ["note heading-jump", "warning unused-skill", "warning unused-skill"],
            ),
            (
                'files: {"*": {all: off}, "*a.md": {unused-skill: error}}',
                ["error unused-skill"],
            ),
        ],
    )
    def test_they_are_as_the_bundle_says(self, tmp_path: Path, settings: str, expected: list[str]) -> None:
        files = {**self.FILES, "docasm.yaml": f"check: {{{settings}}}"}
        found = check(tmp_path, files)
        assert sorted(f"{each.severity} {each.code}" for each in found) == expected

    def test_what_stops_a_render_stays_an_error(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": "check: {all: off, unknown-skill: note}",
            "skills/a.md": skill("<<nope>>", "triggers: [dm]\n# docasm: ignore unknown-skill"),
        }
        (found,) = check(tmp_path, files)
        assert (found.code, found.severity) == ("unknown-skill", "error")

    def test_renders_and_problems_do_not_change(self, tmp_path: Path) -> None:
        files = {"docasm.yaml": "check: {all: error}", "skills/a.md": skill("# A\n\n### B")}
        bundle = docasm.Bundle.load(write_bundle(tmp_path, files))
        assert bundle.problems == ()
        assert bundle.render(docasm.Trigger.dm("x")).problems == ()

    @pytest.mark.parametrize(
        ("settings", "code", "hint"),
        [
            ("unused-skil: off", "unknown-code", "did you mean `unused-skill`?"),
            ("unused-skill: never", "wrong-type", ""),
            ("files: {'*': {unused-skil: off}}", "unknown-code", "did you mean `unused-skill`?"),
            ("files: {'*': off}", "wrong-type", ""),
            ("unused-skill: false", "wrong-type", ""),
        ],
    )
    def test_what_cannot_be_is_told(self, tmp_path: Path, settings: str, code: str, hint: str) -> None:
        found = check(tmp_path, {"docasm.yaml": f"check: {{{settings}}}"})
        assert [(each.code, each.hint) for each in found] == [(code, hint)]


class TestComments:
    def front(self, comment: str) -> Mapping[str, str]:
        return {"skills/a.md": skill("{{ sender | trusted }} x\n", f"triggers: [dm]\n{comment}")}

    def test_one_on_its_own_line_is_for_the_whole_file(self, tmp_path: Path) -> None:
        assert codes(tmp_path, self.front("# docasm: ignore trusted-value")) == []

    def test_one_that_ends_a_line_is_for_this_line(self, tmp_path: Path) -> None:
        front = self.front("variables: {x: 1}  # docasm: ignore unused-variable, trusted-value")
        assert codes(tmp_path, front) == ["trusted-value", "unused-ignore"]

    def test_one_in_a_text_is_none(self, tmp_path: Path) -> None:
        front = self.front("description: |\n  # docasm: ignore trusted-value")
        assert codes(tmp_path, front) == ["trusted-value"]

    def test_one_in_the_markdown_is_text(self, tmp_path: Path) -> None:
        body = "# docasm: ignore trusted-value\n\nI am {{ sender | trusted }}.\n"
        assert codes(tmp_path, {"skills/a.md": skill(body)}) == ["trusted-value"]

    def test_a_soul_has_none(self, tmp_path: Path) -> None:
        files = {"docasm.yaml": "soul: soul.md", "soul.md": "# docasm: ignore no-such"}
        assert codes(tmp_path, files) == []

    def test_a_code_that_there_is_not_is_told(self, tmp_path: Path) -> None:
        found = check(tmp_path, self.front("# docasm: ignore trusted-values"))
        assert sorted(each.code for each in found) == ["trusted-value", "unknown-code"]

    def test_a_file_with_errors_is_not_asked_what_it_ignores(self, tmp_path: Path) -> None:
        files = {"skills/a.md": skill("{{ x }} <<no>>", "# docasm: ignore heading-jump")}
        assert "unused-ignore" not in codes(tmp_path, files)

    def test_it_may_be_turned_off_itself(self, tmp_path: Path) -> None:
        files = {
            **self.front("# docasm: ignore left-open, trusted-value"),
            "docasm.yaml": "check: {unused-ignore: off}",
        }
        assert codes(tmp_path, files) == []

    def test_front_matter_may_hold_nothing_else(self, tmp_path: Path) -> None:
        assert codes(tmp_path, {"skills/a.md": "---\n# docasm: ignore unused-skill\n---\nHi."}) == []


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check", *arguments])


class TestCommand:
    def test_a_note_leaves_the_exit_code_at_0_and_an_error_does_not(self, tmp_path: Path) -> None:
        write_bundle(tmp_path, {"skills/a.md": "Hi."})
        assert _run(str(tmp_path)).exit_code == 0
        write_bundle(tmp_path, {"docasm.yaml": "check: {unused-skill: error}"})
        assert _run(str(tmp_path)).exit_code == 1

    def test_without_a_second_parser_that_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_bundle(tmp_path, {"skills/a.md": skill("- a\n===", "# docasm: ignore parsed-differently")})
        assert "not checked" not in _run(str(tmp_path)).stderr
        monkeypatch.setattr(docasm.cli.lint, "second_parser", lambda: None)
        result = _run(str(tmp_path))
        assert "not checked: whether parsers read the Markdown alike" in result.stderr
        assert "unused-ignore" not in result.stdout
