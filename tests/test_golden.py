"""The two documents of the example that the project grew from, byte for byte."""

import json
from pathlib import Path

import pytest

import docasm

GOLDEN = Path(__file__).parent / "golden"
ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples"


@pytest.mark.parametrize("name", ["dm", "cron"])
def test_the_document_is_the_golden_one(name: str) -> None:
    render = docasm.load_scenario(EXAMPLE / f"{name}.yaml").render()
    assert render.markdown == (GOLDEN / f"{name}.md").read_text(encoding="utf-8")
    assert docasm.split(render.markdown) == render.messages
    assert not render.problems


def test_the_messages_are_the_golden_ones() -> None:
    messages = docasm.load_scenario(EXAMPLE / "dm.yaml").render().messages
    golden = json.loads((GOLDEN / "dm.messages.json").read_text(encoding="utf-8"))
    assert [{"role": each.role, "content": each.content} for each in messages] == golden


def test_the_payload_has_the_parameters_and_all_five_tools() -> None:
    payload = docasm.load_scenario(EXAMPLE / "dm.yaml").render().payload()
    assert (payload["model"], payload["temperature"], payload["max_tokens"]) == ("claude-opus-4.6", 0.7, 512)
    names = [tool["function"]["name"] for tool in payload["tools"]]
    assert names == ["nostr_query", "nostr_dm", "nostr_post", "memory_read", "memory_write"]
    assert {tool["type"] for tool in payload["tools"]} == {"function"}
    assert payload["tools"][0]["function"] == {
        "name": "nostr_query",
        "description": "Query Nostr relays for events matching a filter",
        "parameters": {"type": "object", "properties": {"filter": {"type": "string"}}},
    }


def _documents(skills: Path) -> list[str]:
    """All documents of the example with its skills taken from another folder, and each skill alone."""
    scenarios = [docasm.load_scenario(EXAMPLE / f"{name}.yaml") for name in ("dm", "cron")]
    folder = skills.parent
    (folder / "docasm.yaml").write_text(
        (EXAMPLE / "docasm.yaml").read_text(encoding="utf-8").replace("../skills", "skills")
        .replace("../layouts", str(ROOT / "layouts")).replace("tools.json", str(EXAMPLE / "tools.json")),
        encoding="utf-8",
    )  # fmt: skip
    documents = []
    for scenario in scenarios:
        try:
            bundle = docasm.Bundle.load(folder)
            render = bundle.render(scenario.trigger, history=scenario.history)
            documents.append(render.markdown + repr(render.payload()))
        except docasm.DocasmError as error:
            documents.append(str(error))
    return documents


def _lines() -> list[tuple[str, int]]:
    files = sorted((ROOT / "skills").glob("*.md"))
    return [
        (file.name, number)
        for file in files
        for number in range(file.read_text(encoding="utf-8").count("\n"))
    ]


@pytest.mark.parametrize(("name", "number"), _lines(), ids=lambda value: str(value))
def test_no_line_of_a_skill_is_idle(tmp_path: Path, name: str, number: int) -> None:
    skills = tmp_path / "skills"
    skills.mkdir()
    for file in (ROOT / "skills").glob("*.md"):
        (skills / file.name).write_bytes(file.read_bytes())
    whole = _documents(skills)
    lines = (skills / name).read_text(encoding="utf-8").split("\n")
    del lines[number]
    (skills / name).write_text("\n".join(lines), encoding="utf-8")
    assert _documents(skills) != whole


@pytest.mark.parametrize("name", ["identity", "personality", "chat", "readme-monitor"])
def test_each_skill_renders_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "skills").mkdir()
    for file in (ROOT / "skills").glob("*.md"):
        (tmp_path / "skills" / file.name).write_bytes(file.read_bytes())
    config = f"adopted: [{{skill: {name}, triggers: [dm]}}]\nvariables: {{agent_name: Simon}}\n"
    tools = f"tools: {json.dumps(str(EXAMPLE / 'tools.json'))}\n"
    (tmp_path / "docasm.yaml").write_text(config + tools, encoding="utf-8")
    render = docasm.Bundle.load(tmp_path).render(docasm.Trigger.dm("hello"))
    assert render.messages[0].content.startswith("# ")
    assert render.messages[-1] == docasm.Message("user", "hello")
