"""What bad input gets: a problem with a code, the place in the file, a caret and a hint; never a crash."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import docasm
from tests.bundles import LAYOUT, load, skill, write_bundle

DEEP = 1000
_SCENARIO = "trigger: {type: dm, text: hello}\n"
_TOOL = {"name": "t", "input_schema": {"type": "object"}}


def _told(folder: Path, files: Mapping[str, str]) -> str:
    """Everything that loading, checking and rendering have to say, with paths below the bundle."""
    write_bundle(folder, {"case.yaml": _SCENARIO, **files})
    told: list[docasm.Problem] = []

    def attempt(action: Callable[[], Any]) -> None:
        try:
            told.extend(action() or ())
        except docasm.DocasmError as error:
            told.extend(error.problems)

    attempt(lambda: docasm.Bundle.load(folder).problems)
    attempt(lambda: docasm.load_scenario(folder / "case.yaml").render().problems)
    return "\n".join(map(str, dict.fromkeys(told))).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"skills/a.md": "---\ntriggers: [dm]\nA"}, ["skills/a.md:1:1: error[front-matter-not-closed]"]),
        ({"skills/a.md": "---\n- a\n---\nA"}, ["skills/a.md:2:1: error[wrong-type]", "must be a mapping"]),
        (
            {"skills/a.md": "---\ntriggers: [dm]\ndescription: Use when: asked\n---\nA"},
            ["skills/a.md:3:22: error[yaml-syntax]", "3 | description: Use when: asked\n",
         "hint: put quotes"],
        ),
        ({"skills/a.md": "---\nname: a\nname: b\n---\n"},
         ["skills/a.md:3:1: error[duplicate-key]", "line 2"]),
        ({"skills/a.md": skill("A", "trigers: [dm]")},
         ["skills/a.md:2:1: warning[unknown-key]", "`triggers`?"]),
        ({"skills/a.md": skill("A", "triggers: [dn]")}, ["skills/a.md:2:12: error[unknown-trigger]", "`dm`"]),
        ({"skills/a.md": skill("A", "name: No Way")}, ["skills/a.md:2:7: error[bad-name]"]),
        ({"skills/a.md": skill("A", "variables: {a-b: 1}")}, ["skills/a.md:2:18: error[bad-name]"]),
        ({"skills/a.md": skill("A", "params: {temperature: hot}")}, ["skills/a.md:2:23: error[wrong-type]"]),
        ({"skills/a.md": skill("A", "template: perhaps")}, ["skills/a.md:2:11: error[wrong-type]"]),
        ({"docasm.yaml": "skils: [skills]"}, ["docasm.yaml:1:1: error[unknown-key]", "`skills`?"]),
        ({"docasm.yaml": "skills: [nowhere]"}, ["docasm.yaml:1:10: error[missing-folder]"]),
        ({"docasm.yaml": "adopted: [nobody]"}, ["docasm.yaml:1:11: error[unknown-skill]"]),
        ({"docasm.yaml": "layout: {dm: nope}"}, ["docasm.yaml:1:14: error[unknown-layout]"]),
        ({"docasm.yaml": "layout: {dn: dm}"}, ["docasm.yaml:1:10: error[unknown-key]", "`dm`"]),
        ({"docasm.yaml": "labels: {asistant: x}"}, ["docasm.yaml:1:10: error[unknown-key]", "`assistant`?"]),
        ({"docasm.yaml": "params: {modle: x}"}, ["docasm.yaml:1:10: error[unknown-key]", "`model`?"]),
        ({"docasm.yaml": "tools: nowhere.json"}, ["error[unreadable-file]"]),
        ({"docasm.yaml": "tools: [{input_schema: {}}]"}, ["docasm.yaml:1:9: error[tool-without-name]"]),
        ({"docasm.yaml": "a: &a [1]\nb: &b [*a, *a]\n" + "".join(
            f"c{n}: &c{n} [{', '.join([f'*c{n - 1}' if n else '*b'] * 9)}]\n" for n in range(9))},
         ["docasm.yaml:1:4: error[alias-bomb]"]),
        ({"docasm.yaml": "tools: t.json", "t.json": "[{]"}, ["t.json:1:3: error[json-syntax]"]),
        ({"docasm.yaml": "tools: t.json",
          "t.json": '[{"name": "a", "parameters": {}},\n {"name": "a", "parameters": {}}]'},
         ["error[duplicate-tool]"]),
        ({"layouts/dm.md": f"---\nslot: {{}}\n---\n{LAYOUT}"},
         ["layouts/dm.md:2:1: error[unknown-key]", "`slots`?"]),
        ({"layouts/dm.md": f"---\nslots: {{histroy: {{}}}}\n---\n{LAYOUT}"},
         ["layouts/dm.md:2:9: error[unknown-slot]", "`history`?"]),
        ({"layouts/dm.md": LAYOUT.replace("<<tools>>", "<<tool>>")},
         ["layouts/dm.md:6:1: error[unknown-skill]", "`tools`?"]),
        ({"layouts/dm.md": f"---\nslots: {{history: {{as: turns}}}}\n---\n{LAYOUT}"},
         ["layouts/dm.md:2:23: error[wrong-type]"]),
        ({"skills/a.md": skill("{{ now }}", "triggers: [dm]").replace("{{ now", "At {{ nwo")},
         ["skills/a.md:4:4: error[unknown-variable]", "`now`?"]),
        ({"case.yaml": "trigger: {type: dm, txt: hello}"}, ["case.yaml:1:21: error[unknown-key]", "`text`?"]),
        ({"case.yaml": "trigger: {type: dn, text: hello}"},
         ["case.yaml:1:17: error[unknown-trigger]", "`dm`"]),
        ({"case.yaml": "trigger: {type: dm, text: '  \u00a0 '}"}, ["error[empty-input]"]),
        ({"case.yaml": "trigger: {type: cron, filter: '* * * * *'}"}, ["error[bad-trigger]", "created_at"]),
        ({"case.yaml": "{"}, ["case.yaml:1:", "error[yaml-syntax]"]),
        ({"case.yaml": "history: []"}, ["case.yaml:1:", "error[bad-trigger]"]),
        ({"case.yaml": _SCENARIO + "history: [bot: hi]"}, ["case.yaml:2:", "assistant"]),
        ({"case.yaml": _SCENARIO + "histroy: []"}, ["case.yaml:2:1: error[unknown-key]", "`history`?"]),
        ({"case.yaml": _SCENARIO + "tools: 5"}, ["case.yaml:2:8: error["]),
        ({"case.yaml": _SCENARIO + "bundle: nowhere"}, ["error[no-bundle]"]),
        ({"case.yaml": "trigger: {type: dm, text: 5}"}, ["case.yaml:1:27: error[wrong-type]"]),
        ({"case.yaml": _SCENARIO + "layout: nope"}, ["error[unknown-layout]"]),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_is_told_with_its_place(
    tmp_path: Path, files: Mapping[str, str], expected: list[str]
) -> None:
    told = _told(tmp_path, {"skills/ok.md": skill("Fine."), **files})
    for each in expected:
        assert each in told


def test_what_is_not_utf8_is_told_with_the_byte(tmp_path: Path) -> None:
    write_bundle(tmp_path, {"skills/ok.md": skill("Fine.")})
    (tmp_path / "skills" / "a.md").write_bytes(b"---\ntriggers: [dm]\n---\nH\xe9llo")
    bundle = docasm.Bundle.load(tmp_path)
    problem = bundle.problems[0]
    assert (problem.code, problem.place and (problem.place.line, problem.place.column)) == (
        "not-utf8",
        (4, 2),
    )
    assert "byte 0xe9" in problem.message
    assert bundle.render(docasm.Trigger.dm("x")).messages[0].content == "Fine."


@pytest.mark.parametrize("start", ["\ufeff", ""])
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_a_bom_and_other_line_ends_are_read(tmp_path: Path, start: str, end: str) -> None:
    text = start + skill("system:\nOne,\ntwo.\n\nuser:\n{{ message }}\n").replace("\n", end)
    bundle = load(tmp_path, {"skills/a.md": text})
    assert bundle.problems == ()
    messages = bundle.render(docasm.Trigger.dm("x")).messages
    assert messages == (docasm.Message("system", "One,\ntwo."), docasm.Message("user", "x"))


def test_all_problems_are_told_together(tmp_path: Path) -> None:
    files = {
        "skills/a.md": skill(
            "<<nobody>> and <<noone>>\n\n{{ nothing }} is set.\n\n{{ x.__class__ }}", "tols: []"
        ),
        "skills/b.md": skill("- {{ sender }}\n- {{ sender }}"),
        "skills/c.md": "---\nx: [\n---\n",
        "layouts/dm.md": "system:\nNo slots.\n",
    }
    codes = sorted(problem.code for problem in load(tmp_path, files).problems)
    assert codes == sorted(
        ["unknown-key", "forbidden-attribute", "uncontained-value", "uncontained-value", "yaml-syntax",
         "slot-missing", "slot-missing"]
    )  # fmt: skip
    (tmp_path / "skills" / "a.md").write_text(
        skill("<<nobody>> and <<noone>>, {{ nothing }}."), encoding="utf-8"
    )
    found = [problem for problem in docasm.Bundle.load(tmp_path).problems if "a.md" in str(problem.place)]
    assert sorted(problem.code for problem in found) == ["unknown-skill", "unknown-skill", "unknown-variable"]


def test_configuration_problems_are_told_together(tmp_path: Path) -> None:
    config = "skils: x\nlayout: {dm: nope}\nadopted: [nobody]\ntools: [{input_schema: {}}]\nvariables: 5\n"
    with pytest.raises(docasm.DocasmError) as caught:
        load(tmp_path, {"docasm.yaml": config, "skills/a.md": skill("A")})
    codes = [problem.code for problem in caught.value.problems]
    assert sorted(codes) == sorted(
        ["unknown-key", "unknown-layout", "unknown-skill", "tool-without-name", "wrong-type"]
    )


def test_links_that_leave_the_bundle_are_refused_and_a_linked_root_is_not(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write_bundle(outside, {"secret.md": skill("Secret."), "inner/SKILL.md": skill("Secret.")})
    bundle = write_bundle(tmp_path / "bundle", {"skills/ok.md": skill("Fine.")})
    os.symlink(outside / "secret.md", bundle / "skills" / "secret.md")
    os.symlink(outside / "inner", bundle / "skills" / "inner")
    loaded = docasm.Bundle.load(bundle)
    assert [problem.code for problem in loaded.problems] == ["outside-bundle", "outside-bundle"]
    assert loaded.render(docasm.Trigger.dm("x")).messages[0].content == "Fine."
    os.symlink(bundle / "skills", tmp_path / "linked")
    (bundle / "docasm.yaml").write_text("skills: [../linked]", encoding="utf-8")
    (bundle / "skills" / "secret.md").unlink()
    (bundle / "skills" / "inner").unlink()
    assert docasm.Bundle.load(bundle).problems == ()


@pytest.mark.parametrize(
    "files",
    [
        {"skills/a.md": skill("A", f"metadata: {'[' * DEEP}{']' * DEEP}")},
        {"docasm.yaml": f"variables: {{a: {'[' * DEEP}{']' * DEEP}}}"},
        {"docasm.yaml": "tools: t.json", "t.json": "[" * DEEP + "]" * DEEP},
        {"case.yaml": f"trigger: {{type: event, payload: {'[' * DEEP}{']' * DEEP}}}"},
        {"case.yaml": "\n".join(f"{' ' * n}a:" for n in range(DEEP))},
        {"skills/a.md": skill("> " * DEEP + "deep")},
        {"skills/a.md": skill("- " * DEEP + "deep")},
        {"skills/a.md": skill("{% if sender %}" * DEEP + "{% endif %}" * DEEP)},
        {"skills/a.md": skill("{{ " + "(" * DEEP + "1" + ")" * DEEP + " }}")},
        {f"skills/s{n}.md": skill(f"<<s{n + 1}>>") for n in range(300)} | {"skills/s300.md": skill("end")},
    ],
    ids=lambda files: next(iter(files)),
)
def test_deep_nesting_in_files_is_a_problem(tmp_path: Path, files: Mapping[str, str]) -> None:
    assert "[nested-too-deep]" in _told(tmp_path, {"skills/ok.md": skill("Fine."), **files})


def _nested(kind: str) -> Any:
    value: Any = "x"
    for _ in range(DEEP):
        value = [value] if kind == "list" else {"a": value}
    return value


@pytest.mark.parametrize("kind", ["list", "dict"])
def test_deep_nesting_in_what_a_render_is_given_is_a_problem(tmp_path: Path, kind: str) -> None:
    files = {
        "skills/a.md": skill(
            "Value {{ value }}.", "triggers: [dm, event]\nvariables: {value: null}\ntools: all"
        )
    }
    bundle = load(tmp_path, files)
    tool = {**_TOOL, "input_schema": {"type": "object", "properties": {"a": _nested(kind)}}}
    with pytest.raises(docasm.DocasmError, match="nested-too-deep"):
        bundle.render(docasm.Trigger.event(_nested(kind)), variables={"value": "x"})
    with pytest.raises(docasm.DocasmError):
        bundle.render(docasm.Trigger.dm("x"), variables={"value": _nested(kind)})
    with pytest.raises(docasm.DocasmError, match="nested-too-deep"):
        bundle.render(docasm.Trigger.dm("x"), variables={"value": "x"}, tools=[tool])


@pytest.mark.parametrize(
    "given_",
    [
        {"trigger": docasm.Trigger.dm("cut \ud83d off")},
        {"trigger": docasm.Trigger.event({"a": "\udc00"})},
        {"trigger": docasm.Trigger.dm("x", sender="\ud800")},
        {"history": [docasm.Turn("user", "\udfff")]},
        {"history": [docasm.Turn("user", "x", name="\udfff")]},
        {"variables": {"value": "\ud800"}},
        {"tools": [{**_TOOL, "description": "\ud800"}]},
    ],
)
def test_a_lone_surrogate_is_a_problem(tmp_path: Path, given_: dict[str, Any]) -> None:
    front = "triggers: [dm, event]\nvariables: {value: none}\ntools: all"
    layout = {"layouts/event.md": LAYOUT, "layouts/dm.md": LAYOUT}
    bundle = load(
        tmp_path, {"skills/a.md": skill("Value {{ value }}, {{ sender | default('x') }}.", front), **layout}
    )
    trigger = given_.pop("trigger", docasm.Trigger.dm("x"))
    with pytest.raises(docasm.DocasmError, match="lone-surrogate"):
        bundle.render(trigger, **given_)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: docasm.Trigger.dm(" \n\t"), "empty-input"),
        (lambda: docasm.Trigger.dm(5), "bad-trigger"),  # type: ignore[arg-type]
        (lambda: docasm.Trigger.cron("", created_at=1), "empty-input"),
        (lambda: docasm.Trigger.cron("* * * * *", created_at=True), "bad-trigger"),
        (lambda: docasm.Turn("system", "x"), "unknown-role"),
        (lambda: docasm.join([docasm.Message("usr", "x")]), "unknown-role"),
    ],
)
def test_values_that_are_wrong_are_told_when_they_are_made(make: Callable[[], object], code: str) -> None:
    with pytest.raises(docasm.DocasmError, match=code):
        make()


@pytest.mark.parametrize(
    ("given_", "code"),
    [
        ({"history": [{"role": "system", "content": "x"}]}, "unknown-role"),
        ({"history": [{"role": "user"}, 5]}, "bad-message"),
        ({"history": 5}, "wrong-type"),
        ({"layout": "dn"}, "unknown-layout"),
        ({"layout": 5}, "wrong-type"),
        ({"variables": [1]}, "wrong-type"),
        ({"variables": "<!--"}, "wrong-type"),
        ({"variables": {1: "x"}}, "wrong-type"),
        ({"model": 5}, "wrong-type"),
        ({"now": 5}, "wrong-type"),
        ({"tools": [{"input_schema": {}}]}, "tool-without-name"),
        ({"tools": [{"name": "a b", "input_schema": {}}]}, "bad-tool-name"),
        ({"tools": [_TOOL, _TOOL]}, "duplicate-tool"),
        ({"tools": 5}, "bad-tool"),
    ],
)
def test_arguments_that_are_wrong_are_problems(tmp_path: Path, given_: dict[str, Any], code: str) -> None:
    bundle = load(tmp_path, {"skills/a.md": skill("A")})
    with pytest.raises(docasm.DocasmError, match=code):
        bundle.render(docasm.Trigger.dm("x"), **given_)


_VALID = {
    "docasm.yaml": "skills: [skills]\nadopted: [a]\nvariables: {v: 1}\nparams: {model: m}\n",
    "skills/a.md": skill("# A\n\n<<b>>\n\nValue {{ v }} from {{ sender }}.\n\n```\ncode\n```\n"),
    "skills/b.md": "B, {% if v %}yes{% endif %}.\n",
    "layouts/dm.md": LAYOUT,
    "case.yaml": _SCENARIO + "history: [user: hi, assistant: ho]\n",
}
_JUNK = st.sampled_from(
    ["{{", "}}", "{%", "%}", "<<", ">>", "---\n", "\n", ": ", "- ", "[", "]", "{", "&a ", "*a", "!x ", "'",
     '"', "\x00", "\ufeff", "\u2028", "\t", "#", "user:\n", "```\n", "<!--",
     "null", "1e999", "\\", "|", "~~~"]
)  # fmt: skip

_EDIT = st.tuples(st.integers(0, 120), st.integers(0, 4), _JUNK)


@settings(max_examples=200)
@given(
    st.sampled_from(sorted(_VALID)),
    st.lists(st.tuples(st.integers(0, 120), st.integers(0, 4), _JUNK), max_size=5),
)
def test_nothing_but_a_problem_comes_of_a_mangled_file(name: str, edits: list[tuple[int, int, str]]) -> None:
    text = _VALID[name]
    for position, removed, junk in edits:
        text = text[:position] + junk + text[position + removed :]
    with TemporaryDirectory() as folder:
        told = _told(Path(folder), {**_VALID, name: text})
    assert "internal-error" not in told


@settings(max_examples=100)
@given(st.sampled_from(sorted(_VALID)), st.binary(max_size=60))
def test_nothing_but_a_problem_comes_of_any_bytes(name: str, data: bytes) -> None:
    with TemporaryDirectory() as folder:
        write_bundle(Path(folder), _VALID)
        (Path(folder) / name).write_bytes(data)
        try:
            render = docasm.load_scenario(Path(folder) / "case.yaml").render()
        except docasm.DocasmError:
            return
        assert docasm.split(render.markdown) == render.messages
