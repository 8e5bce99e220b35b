"""Requests for OpenAI Chat Completions."""

import json
from typing import Any

import pytest

from docasm.errors import DocasmError
from docasm.markers import Message
from docasm.providers import PROVIDERS, payload
from docasm.tools import Tool, read_tool

MESSAGES = (Message("system", "# Simon"), Message("user", "Hi"))
QUERY = read_tool(
    {"name": "query", "description": "Query\n\nrelays", "input_schema": {"properties": {"a": {}}}}
)


def test_a_request() -> None:
    params = {"seed": 7, "top_p": 1, "max_tokens": 512, "temperature": 0.7, "model": "gpt-4.1"}
    expected = {
        "model": "gpt-4.1",
        "messages": [{"role": "system", "content": "# Simon"}, {"role": "user", "content": "Hi"}],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "query",
                    "description": "Query\n\nrelays",
                    "parameters": {"properties": {"a": {}}, "type": "object"},
                },
            }
        ],
        "temperature": 0.7,
        "max_tokens": 512,
        "seed": 7,
        "top_p": 1,
    }
    assert json.dumps(payload("openai", MESSAGES, [QUERY], params)) == json.dumps(expected)


def test_no_tools_no_key() -> None:
    assert list(payload("openai", MESSAGES, [], {"model": "m"})) == ["model", "messages"]


@pytest.mark.parametrize("strict", [True, False])
def test_strict_is_passed_on(strict: bool) -> None:
    tool = Tool("f", "", {"type": "object", "properties": {}}, strict)
    assert payload("openai", MESSAGES, [tool], {"model": "m"})["tools"][0]["function"]["strict"] is strict


def test_a_request_is_the_callers_to_edit() -> None:
    params: dict[str, Any] = {"model": "m", "stop": ["x"]}
    request = payload("openai", MESSAGES, [QUERY], params)
    request["stop"].append("y")
    request["tools"][0]["function"]["parameters"]["properties"]["a"]["b"] = 1
    assert params["stop"] == ["x"]
    assert QUERY.parameters["properties"] == {"a": {}}


@pytest.mark.parametrize("params", [{}, {"model": None}, {"model": ""}])
def test_a_model_is_needed(params: dict[str, Any]) -> None:
    with pytest.raises(
        DocasmError, match=r"error\[model-missing\].*\nhint: set `params.model` in docasm.yaml"
    ):
        payload("openai", MESSAGES, [], params)


def test_names_that_openai_refuses_are_changed() -> None:
    names = ("cal.add", "fine-1", "a" * 65, "a" * 64)
    tools = [Tool(name, "", {"type": "object", "properties": {}}) for name in names]
    made = payload("openai", MESSAGES, tools, {"model": "m"})
    assert [tool["function"]["name"] for tool in made["tools"]] == [
        "cal_add",
        "fine-1",
        f"{'a' * 62}_2",
        "a" * 64,
    ]
    assert tuple(made.tool_names[tool["function"]["name"]] for tool in made["tools"]) == names


def test_an_unknown_provider() -> None:
    with pytest.raises(DocasmError, match=r"error\[unknown-provider\].*`opnai`\nhint: did you mean `openai`"):
        payload("opnai", MESSAGES, [], {"model": "m"})
    with pytest.raises(TypeError):
        PROVIDERS["x"] = PROVIDERS["openai"]  # type: ignore[index]
