"""`docasm check --fix`: what is mechanical is mended, once, and nothing else is touched."""

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import docasm
from docasm.advice import advice
from docasm.bundle import read_bundle
from docasm.cli import main
from docasm.cli.second_parser import second_parser
from docasm.errors import DocasmError
from docasm.lints.subject import subject_of
from docasm.mends import MENDS, mended
from docasm.mends.markdown import without_closers
from docasm.mends.patient import Patient
from tests.bundles import skill, write_bundle
from tests.strategies import hostile_text, structural_text

_quick = settings(max_examples=200, deadline=None)
_BODIES = hostile_text() | structural_text()
_HEADINGS = st.lists(
    st.sampled_from(["# a", "## b", "### c", "#### d ##", "######", "e\n===", "f\n---", "- # g", "x"]),
    max_size=9,
).map("\n\n".join)
_NESTED = st.lists(
    st.tuples(
        st.sampled_from(["", "  ", "> ", "- ", "   ", "1. ", "  > ", "- > ", "> - ", ">   "]),
        st.sampled_from(["```", "````py", "~~~", "<!-- x", "-->", "x", "", "<pre>", "</pre>", "# y", "<?x"]),
    ).map("".join),
    max_size=9,
).map("\n".join)
_LEVEL = re.compile(r"^( {0,3})#{1,6}(?=[ \t]|$)", re.M)


def fix(folder: Path) -> Mapping[str, int]:
    """Mends the files of a bundle, as the command does; how much by code."""
    counts: dict[str, int] = {}
    bundle, _ = read_bundle(folder)
    subject = subject_of(bundle.disk, bundle.contents)
    for each in mended(subject, bundle.disk.config.severities):
        each.path.write_bytes(each.after.encode())
        for code, count in each.counts.items():
            counts[code] = counts.get(code, 0) + count
    return counts


def found(folder: Path) -> list[tuple[str, str]]:
    bundle, wrong = read_bundle(folder)
    subject = subject_of(bundle.disk, bundle.contents, second_parser())
    listed = advice(subject, [*wrong, *bundle.problems], bundle.disk.config.severities)
    return [(each.code, each.message) for each in listed]


def files_of(folder: Path) -> Mapping[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def _rendered(folder: Path) -> str | None:
    try:
        return docasm.Bundle.load(folder).render(docasm.Trigger.dm("x", sender="ann"), now="noon").markdown
    except DocasmError:
        return None


def _without(document: str) -> list[str]:
    """The messages without levels of headings, and without what closes blocks in lists and quotes."""
    return [_LEVEL.sub(r"\1#", without_closers(each.content)) for each in docasm.split(document)]


class TestProperties:
    @_quick
    @given(_BODIES | _NESTED, _BODIES | _NESTED, _BODIES)
    def test_to_fix_twice_is_to_fix_once(self, body: str, agent: str, head: str) -> None:
        with TemporaryDirectory() as name:
            folder = write_bundle(
                Path(name),
                {
                    "skills/a.md": skill(body),
                    "skills/b/SKILL.md": f"---\nname: c\n{head}\n---\n{agent}",
                    "skills/d.md": head,
                },
            )
            fix(folder)
            once = files_of(folder)
            assert fix(folder) == {}
            assert files_of(folder) == once

    @_quick
    @given(_BODIES | _HEADINGS | _NESTED)
    def test_what_was_mended_is_gone(self, body: str) -> None:
        with TemporaryDirectory() as name:
            folder = write_bundle(Path(name), {"skills/a.md": skill(body)})
            counts = fix(folder)
            assert not {code for code, _ in found(folder)} & counts.keys()

    @_quick
    @given(_BODIES | _NESTED, st.booleans())
    def test_only_closers_and_levels_of_headings_change(self, body: str, verbatim: bool) -> None:
        with TemporaryDirectory() as name:
            folder = write_bundle(
                Path(name), {"skills/a.md": skill(body, f"triggers: [dm]\ntemplate: {str(verbatim).lower()}")}
            )
            before, counts, after = _rendered(folder), fix(folder), _rendered(folder)
            if not {"heading-jump", "left-open"} & counts.keys():
                assert after == before
            elif before is not None and after is not None:
                assert _without(after) == _without(before)

    @_quick
    @given(_HEADINGS)
    def test_headings_keep_their_order_and_stop_jumping(self, body: str) -> None:
        with TemporaryDirectory() as name:
            folder = write_bundle(Path(name), {"skills/a.md": skill(body)})
            before = (folder / "skills/a.md").read_text()
            counts = fix(folder)
            after = (folder / "skills/a.md").read_text()
            assert "heading-jump" not in {code for code, _ in found(folder)}
            assert _LEVEL.sub(r"\1#", after) == _LEVEL.sub(r"\1#", before)
            assert counts.get("heading-jump", 0) == sum(
                a != b for a, b in zip(after.split("\n"), before.split("\n"), strict=True)
            )

    @_quick
    @given(st.text(max_size=30), st.sampled_from(["description", "metadata", "note"]))
    def test_quotes_keep_the_text(self, value: str, key: str) -> None:
        with TemporaryDirectory() as name:
            folder = write_bundle(Path(name), {"skills/a.md": "---\ntriggers: [dm]\n---\nHi."})
            path = folder / "skills/a.md"
            path.write_bytes(f"---\ntriggers: [dm]\n{key}: {value}\n---\nHi.".encode(errors="replace"))
            before = path.read_bytes()
            if "yaml-syntax" in fix(folder):
                after = path.read_text(encoding="utf-8")
                front = Patient(after, "skill", "a", {}).halves
                assert front is not None
                quoted = re.search(rf'^{key}:[ \t]+"(.*)"$', after, re.M)
                assert quoted
                assert quoted[1].replace('\\"', '"').replace("\\\\", "\\") == value.strip(" \t")
            elif b"\r" not in before:
                assert path.read_bytes() == before


CASES: Mapping[str, tuple[str, str]] = {
    "a fence": ("# A\n\n```py\nx\n", "# A\n\n```py\nx\n```\n"),
    "a fence without a last line end": ("~~~~\nx", "~~~~\nx\n~~~~"),
    "blank lines at the end stay": ("```\nx\n\n\n", "```\nx\n```\n\n\n"),
    "a comment": ("<!-- x\n\ny\n", "<!-- x\n\ny\n-->\n"),
    "each part": ("system:\n```a\nx\n\nuser:\n```b\ny\n", "system:\n```a\nx\n```\n\nuser:\n```b\ny\n```\n"),
    "before few-shot parts": ("<!-- x\n\nuser:\nhi\n", "<!-- x\n-->\n\nuser:\nhi\n"),
    "below a jump": ("# A\n\n### B\n\n#### C\n\n### D #\n", "# A\n\n## B\n\n### C\n\n## D #\n"),
    "code is no heading": ("# A\n\n```\n### B\n```\n", "# A\n\n```\n### B\n```\n"),
    "both": ("# A\n\n### B\n\n```\nx", "# A\n\n## B\n\n```\nx\n```"),
    "in a list": ("- a\n\n  ```py\n  x\n\n- b\n", "- a\n\n  ```py\n  x\n  ```\n\n- b\n"),
    "first in an item": ("1. ~~~\n   x\n\n\nb\n", "1. ~~~\n   x\n   ~~~\n\n\nb\n"),
    "in a quote": ("> ```\n> x\n\nb\n", "> ```\n> x\n> ```\n\nb\n"),
    "a quote in a list": ("- > ````\n  > x", "- > ````\n  > x\n  > ````"),
    "a list in a quote": ("> - a\n>   <!-- x\n>   y\n", "> - a\n>   <!-- x\n>   y\n>   -->\n"),
    "in two items": ("- ```\n- ```\n  x\n", "- ```\n  ```\n- ```\n  x\n  ```\n"),
    "CR": ("# A\r\rb\r\n", "# A\n\nb\n"),
}


class TestFiles:
    def test_what_a_closer_would_change_stays(self, tmp_path: Path) -> None:
        """In a closed fence a backslash before a marker is text; in one that nothing closes it escapes."""
        write_bundle(tmp_path, {"skills/a.md": skill("```\nsystem\\:\n")})
        assert fix(tmp_path) == {}

    @pytest.mark.parametrize("case", CASES)
    def test_a_body_is_mended(self, tmp_path: Path, case: str) -> None:
        before, after = CASES[case]
        write_bundle(tmp_path, {"skills/a.md": skill(before)})
        fix(tmp_path)
        assert (tmp_path / "skills/a.md").read_bytes().decode() == skill(after)

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("description: Use: this", 'description: "Use: this"'),
            ('description: @ann\'s \\ "list"', 'description: "@ann\'s \\\\ \\"list\\""'),
            ("description: 12", 'description: "12"'),
            ("description: true", 'description: "true"'),
            ("description: a: b\nnote: c: d", 'description: "a: b"\nnote: "c: d"'),
        ],
    )
    def test_front_matter_gets_quotes(self, tmp_path: Path, before: str, after: str) -> None:
        write_bundle(tmp_path, {"skills/a.md": skill("Hi.", before)})
        assert "yaml-syntax" in fix(tmp_path)
        assert (tmp_path / "skills/a.md").read_text() == skill("Hi.", after)

    @pytest.mark.parametrize(
        "front",
        [
            "description: a: b # is it a comment",
            "description: a: b\n  goes on",
            "description: 'a: b",
            "  description: a: b",
            "description: a: b\ntools: [x",
            "- a\nb: c: d",
        ],
    )
    def test_what_more_than_quotes_would_mend_stays(self, tmp_path: Path, front: str) -> None:
        write_bundle(tmp_path, {"skills/a.md": skill("Hi.", front)})
        assert fix(tmp_path) == {}

    def test_an_agent_skill_gets_the_name_of_its_folder(self, tmp_path: Path) -> None:
        text = "---\ndescription: Reads PDFs.\nname: 'pdf-tools'   \n---\nHi."
        write_bundle(tmp_path, {"skills/pdf/SKILL.md": text})
        assert fix(tmp_path) == {"name-differs": 1}
        assert (tmp_path / "skills/pdf/SKILL.md").read_text() == text.replace("pdf-tools", "pdf")

    @pytest.mark.parametrize(
        "files",
        [
            {"docasm.yaml": "adopted: [{skill: b, triggers: [dm]}]"},
            {"skills/x.md": skill("<<b>>")},
            {"skills/a.md": skill("Hi.")},
            {"skills/z/SKILL.md": "---\nname: a\ndescription: d\n---\n", "skills/x.md": skill("<<z>>")},
            {"docasm.yaml": "adopted: [a]", "skills/a.md": skill("Hi.")},
        ],
    )
    def test_a_name_in_use_stays(self, tmp_path: Path, files: Mapping[str, str]) -> None:
        write_bundle(tmp_path, {"skills/a/SKILL.md": "---\nname: b\ndescription: d\n---\n", **files})
        before = (tmp_path / "skills/a/SKILL.md").read_bytes()
        fix(tmp_path)
        assert (tmp_path / "skills/a/SKILL.md").read_bytes() == before

    def test_names_that_wait_for_each_other_are_all_mended(self, tmp_path: Path) -> None:
        names = {"a": "b", "b": "c", "c": "d"}
        files = {f"skills/{a}/SKILL.md": f"---\nname: {b}\ndescription: d\n---\n" for a, b in names.items()}
        write_bundle(tmp_path, files)
        assert fix(tmp_path) == {"name-differs": 3}
        assert fix(tmp_path) == {}

    def test_what_is_off_or_ignored_stays(self, tmp_path: Path) -> None:
        text = "# A\n\n### B\n\n```\nx"
        files = {
            "docasm.yaml": "check: {left-open: off, files: {'*b.md': {heading-jump: off}}}",
            "skills/a.md": skill(text, "triggers: [dm]\n# docasm: ignore heading-jump"),
            "skills/b.md": skill(text),
        }
        write_bundle(tmp_path, files)
        assert fix(tmp_path) == {}

    def test_a_layout_is_mended_too(self, tmp_path: Path) -> None:
        write_bundle(
            tmp_path, {"layouts/dm.md": "system:\n# A\n\n### B\n\n<<skills>>\n\nuser:\n<<input>>\r\n"}
        )
        assert fix(tmp_path) == {"line-ends": 1, "heading-jump": 1}

    def test_every_mend_has_a_code_of_its_own(self) -> None:
        assert set(MENDS) <= {code for code, _ in _examples()}


def _examples() -> list[tuple[str, str]]:
    """A bundle with everything that can be mended."""
    with TemporaryDirectory() as name:
        folder = write_bundle(
            Path(name),
            {
                "skills/a.md": "\ufeff" + skill("# A\r\n### B\n```\n"),
                "skills/b/SKILL.md": "---\nname: c\ndescription: d\n---\n",
                "skills/d.md": "---\ndescription: a: b\n---\n",
            },
        )
        return found(folder)


def _run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["check", *options, str(folder)])


class TestCommand:
    WRONG = skill("# A\n\n### B\n")

    def test_it_mends_and_lists_what_is_left(self, tmp_path: Path) -> None:
        write_bundle(tmp_path, {"skills/a.md": self.WRONG, "skills/b.md": "Hi."})
        result = _run(tmp_path, "--fix")
        assert "fixed 1 place in 1 file: heading-jump 1\n" in result.stderr
        assert "unused-skill" in result.stdout
        assert "heading-jump" not in result.stdout
        assert result.exit_code == 0

    def test_a_diff_changes_nothing_and_exits_with_1(self, tmp_path: Path) -> None:
        write_bundle(tmp_path, {"skills/a.md": self.WRONG})
        before = files_of(tmp_path)
        result = _run(tmp_path, "--diff")
        assert result.exit_code == 1
        assert "-### B\n+## B\n" in result.stdout
        assert "would fix 1 place in 1 file: heading-jump 1\n" in result.stderr
        assert files_of(tmp_path) == before
        assert _run(tmp_path, "--fix", "--diff").exit_code == 1
        assert files_of(tmp_path) == before

    def test_a_diff_of_nothing_exits_with_0(self, tmp_path: Path) -> None:
        write_bundle(tmp_path, {"skills/a.md": skill("Hi.")})
        result = _run(tmp_path, "--diff")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "nothing to fix\n")

    def test_a_diff_shows_what_no_terminal_shows(self, tmp_path: Path) -> None:
        write_bundle(tmp_path, {"skills/a.md": "\ufeff" + skill("\x1b[31mHi.\r\n")})
        result = _run(tmp_path, "--diff")
        assert "-<BOM>---\n+---\n" in result.stdout
        assert "<CR>\n" in result.stdout
        assert "\x1b" not in result.stdout

    def test_a_diff_says_where_the_last_line_has_no_end(self, tmp_path: Path) -> None:
        write_bundle(tmp_path, {"skills/a.md": skill("# A\n\n### B").rstrip("\n")})
        result = _run(tmp_path, "--diff")
        no_end = "\\ No newline at end of file\n"
        assert result.stdout.endswith(f"-### B\n{no_end}+## B\n{no_end}")

    def test_nothing_is_mended_while_the_configuration_has_errors(self, tmp_path: Path) -> None:
        files = {"docasm.yaml": "check: {heading-jum: off}", "skills/a.md": self.WRONG}
        before = files_of(write_bundle(tmp_path, files))
        for option in ("--fix", "--diff"):
            result = _run(tmp_path, option)
            assert (result.exit_code, "unknown-code" in result.stdout) == (1, True)
        assert files_of(tmp_path) == before

    def test_without_a_bundle_that_is_told(self, tmp_path: Path) -> None:
        for option in ("--fix", "--diff"):
            result = _run(tmp_path, option)
            assert (result.exit_code, "no-bundle" in result.output) == (1, True)

    def test_permissions_stay_and_nothing_is_left_behind(self, tmp_path: Path) -> None:
        path = write_bundle(tmp_path, {"skills/a.md": self.WRONG}) / "skills/a.md"
        path.chmod(0o640)
        _run(tmp_path, "--fix")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert sorted(each.name for each in path.parent.iterdir()) == ["a.md"]

    @pytest.mark.parametrize("link", ["file", "folder", "skills"])
    def test_nothing_is_written_through_a_link(self, tmp_path: Path, link: str) -> None:
        bot, other = write_bundle(tmp_path / "bot", {}), tmp_path / "bot" / "other"
        write_bundle(other, {"real.md": self.WRONG, "pdf/SKILL.md": "---\nname: x\ndescription: d\n---\n"})
        (bot / "docasm.yaml").write_text("skills: [skills]\nlayouts: other\n")
        if link == "skills":
            (bot / "skills").symlink_to(other)
        else:
            (bot / "skills").mkdir()
            target = other / ("real.md" if link == "file" else "pdf")
            (bot / "skills" / ("a.md" if link == "file" else "a")).symlink_to(target)
        before = files_of(tmp_path)
        result = _run(bot, "--fix")
        assert "a link leads to it" in result.stderr
        assert {name: each for name, each in files_of(tmp_path).items() if "real" not in name} == {
            name: each for name, each in before.items() if "real" not in name
        }

    def test_nothing_outside_of_the_bundle_is_touched(self, tmp_path: Path) -> None:
        outside = {"vendor/skills/x.md": self.WRONG, "real.md": self.WRONG, "bot/vendor/y.md": self.WRONG}
        write_bundle(tmp_path, outside)
        write_bundle(tmp_path / "bot", {"skills/a.md": self.WRONG})
        (tmp_path / "bot/skills/b.md").symlink_to(tmp_path / "real.md")
        _run(tmp_path / "bot", "--fix")
        assert {name: (tmp_path / name).read_text() for name in outside} == outside
        assert (tmp_path / "bot/skills/b.md").is_symlink()
        assert (tmp_path / "bot/skills/a.md").read_text() != self.WRONG

    def test_a_bundle_behind_a_link_is_mended(self, tmp_path: Path) -> None:
        write_bundle(tmp_path / "bot", {"skills/a.md": self.WRONG})
        (tmp_path / "link").symlink_to(tmp_path / "bot")
        assert "fixed 1 place" in _run(tmp_path / "link", "--fix").stderr

    def test_a_folder_beside_the_bundle_that_it_lists_is_mended(self, tmp_path: Path) -> None:
        write_bundle(tmp_path, {"shared/a.md": self.WRONG})
        write_bundle(tmp_path / "bot", {"docasm.yaml": "skills: [../shared]"})
        assert "fixed 1 place" in _run(tmp_path / "bot", "--fix").stderr

    def test_a_file_that_may_not_be_written_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = write_bundle(tmp_path, {"skills/a.md": self.WRONG}) / "skills/a.md"
        monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
        assert "unwritable-file" in _run(tmp_path, "--fix").stderr
        assert path.read_text() == self.WRONG

    def test_a_file_that_changes_meanwhile_stays(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = write_bundle(tmp_path, {"skills/a.md": self.WRONG}) / "skills/a.md"

        def late(*arguments: object) -> object:
            for each in mended(*arguments):  # type: ignore[arg-type]
                path.write_text("Mine.")
                yield each

        monkeypatch.setattr("docasm.mends.mended", late)
        result = _run(tmp_path, "--fix")
        assert "it changed meanwhile" in result.stderr
        assert path.read_text() == "Mine."
