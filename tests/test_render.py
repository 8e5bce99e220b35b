"""What a render holds besides its text: tools, parameters, cuts, notes, payload."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import docasm
from tests.bundles import LAYOUT, load, skill

TOOLS = [{"name": name, "description": f"Does {name}", "input_schema": {"type": "object"}} for name in "abcd"]


def _names(render: docasm.Render) -> list[str]:
    return [tool.name for tool in render.tools]


def test_tools_come_in_adoption_order_each_skill_with_those_it_includes(tmp_path: Path) -> None:
    files = {
        "docasm.yaml": "adopted: [second, first]",
        "skills/first.md": skill("First", "triggers: [dm]\ntools: [a, b]"),
        "skills/second.md": skill("<<inner>>\n\nSecond", "triggers: [dm]\ntools: [d]"),
        "skills/inner.md": skill("Inner", "tools: [b, c]"),
    }
    render = load(tmp_path, files).render(docasm.Trigger.dm("x"), tools=TOOLS)
    assert _names(render) == ["d", "b", "c", "a"]
    assert (
        [tool["function"]["name"] for tool in render.payload()["tools"]] == ["d", "b", "c", "a"]
        if (render.params.get("model"))
        else True
    )


def test_the_word_all_is_every_tool_in_the_bundles_order(tmp_path: Path) -> None:
    bundle = load(tmp_path, {"skills/a.md": skill("A", "triggers: [dm]\ntools: all")})
    assert _names(bundle.render(docasm.Trigger.dm("x"), tools=TOOLS)) == list("abcd")
    assert _names(bundle.render(docasm.Trigger.dm("x"))) == []


def test_the_first_skill_to_set_a_parameter_wins_and_the_render_says_so(tmp_path: Path) -> None:
    files = {
        "docasm.yaml": "params: {model: base, seed: 1}",
        "skills/a.md": skill(
            "A", "triggers: [{dm: null, params: {temperature: 0.1}}]\nparams: {temperature: 2}"
        ),
        "skills/b.md": skill("B", "triggers: [dm]\nparams: {temperature: 0.9, max_tokens: 5}"),
    }
    render = load(tmp_path, files).render(docasm.Trigger.dm("x"))
    assert dict(render.params) == {"model": "base", "temperature": 0.1, "max_tokens": 5, "seed": 1}
    assert [problem.code for problem in render.problems] == ["conflicting-params"]
    assert "`a` sets `temperature` to 0.1 and `b` to 0.9" in render.problems[0].message


def test_the_renders_model_goes_first_and_templates_see_it(tmp_path: Path) -> None:
    files = {"docasm.yaml": "params: {model: base}", "skills/a.md": skill("Model {{ model }} here.")}
    bundle = load(tmp_path, files)
    assert "Model base here." in bundle.render(docasm.Trigger.dm("x")).markdown
    render = bundle.render(docasm.Trigger.dm("x"), model="other")
    assert "Model other here." in render.markdown
    assert render.payload()["model"] == "other"
    assert render.problems == ()


def test_a_payload_without_a_model_is_a_problem(tmp_path: Path) -> None:
    render = load(tmp_path, {"skills/a.md": skill("A")}).render(docasm.Trigger.dm("x"))
    with pytest.raises(docasm.DocasmError, match="model-missing"):
        render.payload()
    with pytest.raises(docasm.DocasmError, match="unknown-provider"):
        render.payload("opneai")


@pytest.mark.parametrize("layout", ["list", "messages"])
def test_what_max_turns_cuts_is_marked_and_listed(tmp_path: Path, layout: str) -> None:
    text = f"---\nslots: {{history: {{max_turns: 2, as: {layout}}}}}\n---\n"
    body = LAYOUT if layout == "list" else LAYOUT.replace("## History\n\n", "")
    bundle = load(tmp_path, {"skills/a.md": skill("A"), "layouts/dm.md": text + body})
    turns = [docasm.Turn(role, f"turn {n}") for n, role in enumerate(["user", "assistant"] * 3)]
    render = bundle.render(docasm.Trigger.dm("x"), history=turns)
    assert render.cuts == (docasm.Cut("history", "max_turns", 4),)
    assert "(4 earlier messages are not shown.)" in render.messages[0].content
    assert "turn 3" not in render.markdown
    assert "turn 4" in render.markdown
    assert bundle.render(docasm.Trigger.dm("x"), history=turns[:2]).cuts == ()


def test_a_cut_never_leaves_an_assistants_message_first(tmp_path: Path) -> None:
    text = "---\nslots: {history: {max_turns: 3, as: messages}}\n---\n"
    layout = text + LAYOUT.replace("## History\n\n", "")
    bundle = load(tmp_path, {"skills/a.md": skill("A"), "layouts/dm.md": layout})
    turns = [docasm.Turn(role, f"turn {n}") for n, role in enumerate(["user", "assistant"] * 3)]
    render = bundle.render(docasm.Trigger.dm("x"), history=turns)
    assert [message.role for message in render.messages] == ["system", "user", "assistant", "user"]
    assert render.cuts == (docasm.Cut("history", "max_turns", 4),)


def test_a_history_that_the_layout_cannot_show_is_a_problem(tmp_path: Path) -> None:
    layout = "system:\n<<skills>>\n\nuser:\n<<input>>"
    bundle = load(tmp_path, {"skills/a.md": skill("A"), "layouts/dm.md": layout})
    with pytest.raises(docasm.DocasmError, match="slot-missing"):
        bundle.render(docasm.Trigger.dm("x"), history=[docasm.Turn("user", "hi")])


def test_an_include_that_stands_already_is_noted(tmp_path: Path) -> None:
    files = {
        "skills/a.md": skill("<<shared>>\n\nA"),
        "skills/b.md": skill("<<shared>>\n\nB"),
        "skills/shared.md": skill("Shared."),
    }
    render = load(tmp_path, files).render(docasm.Trigger.dm("x"))
    assert render.messages[0].content == "Shared.\n\nA\n\nB"
    notes = [(problem.code, problem.severity, problem.place is None) for problem in render.problems]
    assert notes == [("already-included", "note", False), ("already-included", "note", True)]


def test_a_variable_that_nothing_uses_is_told(tmp_path: Path) -> None:
    files = {"skills/a.md": skill("Hi {{ name }}.", "triggers: [dm]\nvariables: {name: you}")}
    render = load(tmp_path, files).render(docasm.Trigger.dm("x"), variables={"nmae": "Ann"})
    assert [problem.code for problem in render.problems] == ["unused-variable"]
    assert "Hi you." in render.markdown
    with pytest.raises(docasm.DocasmError, match="no variable may be called `message`"):
        load(tmp_path, files).render(docasm.Trigger.dm("x"), variables={"message": "x"})


def test_now_is_what_the_caller_says(tmp_path: Path) -> None:
    files = {"skills/a.md": skill("It is {{ now }}.")}
    bundle = load(tmp_path, files)
    moment = datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert "It is 2026-11-30T12:00:00Z." in bundle.render(docasm.Trigger.dm("x"), now=moment).markdown
    assert "It is noon." in bundle.render(docasm.Trigger.dm("x"), now="noon").markdown
    with pytest.raises(docasm.DocasmError, match="unknown-variable"):
        bundle.render(docasm.Trigger.dm("x"))


def test_one_broken_skill_does_not_stop_another(tmp_path: Path) -> None:
    files = {
        "skills/good.md": skill("Good."),
        "skills/broken.md": "---\ntriggers: [dm\n---\n",
        "skills/odd.md": skill("{% if %}", "triggers: [event]"),
    }
    bundle = load(tmp_path, files)
    assert bundle.render(docasm.Trigger.dm("x")).messages[0].content == "Good."
    assert sorted({problem.code for problem in bundle.problems}) == ["template-syntax", "yaml-syntax"]
    with pytest.raises(docasm.DocasmError, match="template-syntax"):
        bundle.render(docasm.Trigger.event({}))


def test_the_digest_is_that_of_the_markdown(tmp_path: Path) -> None:
    render = load(tmp_path, {"skills/a.md": skill("A")}).render(docasm.Trigger.dm("größe"))
    assert render.digest == "".join(f"{byte:02x}" for byte in __import__("hashlib").sha256(
        render.markdown.encode()).digest())  # fmt: skip


def test_the_document_is_a_tree_of_messages_and_sections(tmp_path: Path) -> None:
    bundle = load(tmp_path, {"skills/a.md": skill("A"), "layouts/dm.md": LAYOUT})
    document = bundle.render(docasm.Trigger.dm("x"), history=[docasm.Turn("user", "hi")]).document
    assert [message.role for message in document.messages] == ["system", "user"]
    names = [section.name for section in document.messages[0].sections]
    assert names == ["skills", "layout", "history"]
    assert document.messages[0].sections[2].text.endswith("- **User**: hi")
    assert document.messages[1].content == "x"
