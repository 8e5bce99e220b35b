"""The loopback server refuses what the providers' APIs refuse: a check that can fail."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anthropic import BadRequestError as AnthropicRefused
from google.genai.errors import ClientError as GeminiRefused
from mistralai.client.errors import SDKError as MistralRefused
from ollama import ResponseError as OllamaRefused
from openai import BadRequestError as OpenAIRefused

import docasm
from docasm.providers import PROVIDERS, Payload
from tests.loopback.clients import CLIENTS
from tests.loopback.server import Loopback, serving

DM = Path(__file__).parent.parent / "examples" / "dm.yaml"
PATHS: Mapping[str, str] = {
    "openai": "v1/chat/completions",
    "responses": "v1/responses",
    "anthropic": "v1/messages",
    "gemini": "v1beta/models/m:generateContent",
    "ollama": "api/chat",
    "mistral": "v1/chat/completions",
}
HEADERS = dict.fromkeys(["authorization", "anthropic-version", "x-goog-api-key"], "x")
REFUSED: Mapping[str, type[Exception]] = {
    "openai": OpenAIRefused,
    "responses": OpenAIRefused,
    "anthropic": AnthropicRefused,
    "gemini": GeminiRefused,
    "ollama": OllamaRefused,
    "mistral": MistralRefused,
}
"""What each client raises for a request that its API refuses."""


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with serving() as running:
        yield running


def _payload(provider: str) -> Payload:
    """A request with system text, two calls at once, their results and what was said after them."""
    render = docasm.load_scenario(DM).render()
    calls = [
        {"id": f"call_{at}", "function": {"name": tool.name, "arguments": "{}"}}
        for at, tool in enumerate(render.tools[:2])
    ]
    conversation = docasm.Conversation.start(render).assistant("I look.", calls)
    conversation = conversation.tool("call_0", "R0").tool("call_1", "R1")
    return conversation.assistant("Done.").user("And now?").payload(provider)


def _post(server: Loopback, provider: str, body: object, headers: Mapping[str, str] = HEADERS) -> Any:
    with httpx2.Client() as client:
        return client.post(f"{server.url(provider)}/{PATHS[provider]}", json=body, headers=headers)


def _set(*path: str | int, to: object) -> Callable[[Any], None]:
    def change(body: Any) -> None:
        for key in path[:-1]:
            body = body[key]
        body[path[-1]] = to

    return change


def _without(*path: str | int) -> Callable[[Any], None]:
    def change(body: Any) -> None:
        for key in path[:-1]:
            body = body[key]
        del body[path[-1]]

    return change


def _with(*path: str | int, also: object) -> Callable[[Any], None]:
    def change(body: Any) -> None:
        for key in path:
            body = body[key]
        body.append(also)

    return change


def _swapped(*path: str | int, one: int, other: int) -> Callable[[Any], None]:
    def change(body: Any) -> None:
        for key in path:
            body = body[key]
        body[one], body[other] = body[other], body[one]

    return change


def _twice(*path: str | int) -> Callable[[Any], None]:
    def change(body: Any) -> None:
        for key in path[:-1]:
            body = body[key]
        body.insert(int(path[-1]), body[int(path[-1])])

    return change


SYSTEM = {"role": "system", "content": "Be brief."}
ASSISTANT = {"role": "assistant", "content": "Well"}
FUNCTION = ("tools", 0, "function")
CHAT: Mapping[str, Callable[[Any], None]] = {
    "an unknown key": _set("sytem", to="x"),
    "an unknown key of a message": _set("messages", 1, "pinned", to=True),
    "an unknown role": _set("messages", 1, "role", to="narrator"),
    "no messages": _set("messages", to=[]),
    "no model": _without("model"),
    "a system message that is not in front": _with("messages", also=SYSTEM),
    "a tool without a name": _without(*FUNCTION, "name"),
    "a schema without properties": _without(*FUNCTION, "parameters", "properties"),
    "a schema of no object": _set(*FUNCTION, "parameters", "type", to="array"),
    "a tool's name with a blank": _set(*FUNCTION, "name", to="a b"),
    "a tool twice": _twice("tools", 0),
    "a call without its result": _without("messages", 4),
    "a result without its call": _without("messages", 2),
    "a result too late": _swapped("messages", one=4, other=5),
    "a result twice": _twice("messages", 3),
}
WITH_IDS: Mapping[str, Callable[[Any], None]] = {
    "a result of another call": _set("messages", 3, "tool_call_id", to="AAAAcall7"),
    "a result that names no call": _without("messages", 3, "tool_call_id"),
    "one id twice": _set("messages", 2, "tool_calls", 0, "id", to="AAAAcall1"),
    "arguments that are no text": _set("messages", 2, "tool_calls", 0, "function", "arguments", to=7),
}
BROKEN: Mapping[str, Mapping[str, Callable[[Any], None]]] = {
    "openai": {
        **CHAT,
        **WITH_IDS,
        "no tools, but a list": _set("tools", to=[]),
        "the role developer for a strict template": _set("messages", 0, "role", to="developer"),
        "an answer without words and calls": _set("messages", 5, "content", to=None),
        "a long id": _set("messages", 2, "tool_calls", 0, "id", to="x" * 41),
        "too hot": _set("temperature", to=2.5),
        "a stream": _set("stream", to=True),
        "the limit of another model": _set("model", to="gpt-5"),
    },
    "responses": {
        "an unknown key": _set("messages", to=[]),
        "a stream": _set("stream", to=True),
        "no input": _set("input", to=[]),
        "a message without a type": _without("input", 0, "type"),
        "an unknown key of an item": _set("input", 0, "pinned", to=True),
        "a message of a tool": _set("input", 0, "role", to="tool"),
        "arguments that are no text": _set("input", 2, "arguments", to={}),
        "an empty id": _set("input", 2, "call_id", to=""),
        "a call without its result": _without("input", 5),
        "a result without its call": _without("input", 2),
        "a result too late": _swapped("input", one=5, other=6),
        "a result twice": _twice("input", 5),
        "a tool in the form of Chat Completions": _set("tools", 0, to={"type": "function", "function": {}}),
        "no tools, but a list": _set("tools", to=[]),
        "a schema without properties": _without("tools", 0, "parameters", "properties"),
        "a tool twice": _twice("tools", 0),
    },
    "anthropic": {
        "an unknown key": _set("seed", to=1),
        "a stream": _set("stream", to=True),
        "no limit": _without("max_tokens"),
        "system text in front of the messages": lambda body: body["messages"].insert(0, SYSTEM),
        "system text for a model that takes none there": _with("messages", also=SYSTEM),
        "blank system text": _set("system", to=""),
        "the assistant first": lambda body: body["messages"].insert(0, ASSISTANT),
        "the assistant last": _with("messages", also=ASSISTANT),
        "empty text": _set("messages", 0, "content", to=""),
        "blank text": _set("messages", 0, "content", to=" \n"),
        "an empty block": _set("messages", 1, "content", 0, "text", to=""),
        "no blocks": _set("messages", 1, "content", to=[]),
        "a call without its result": _without("messages", 2, "content", 1),
        "a result without its call": _without("messages", 1, "content", 1),
        "a result too late": _swapped("messages", one=2, other=4),
        "a result twice": _twice("messages", 2, "content", 0),
        "a result after words": lambda body: body["messages"][2]["content"].insert(
            0, {"type": "text", "text": "Here:"}
        ),
        "arguments as text": _set("messages", 1, "content", 1, "input", to="{}"),
        "an id with a colon": _set("messages", 1, "content", 1, "id", to="call:0"),
        "five marks": _set(
            "system", to=[{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}] * 5
        ),
        "no tools, but a list": _set("tools", to=[]),
        "a schema of no object": _set("tools", 0, "input_schema", "type", to="array"),
        "a tool twice": _twice("tools", 0),
        "a tool's name with a dot": _set("tools", 0, "name", to="a.b"),
        "too hot": _set("temperature", to=1.5),
        "a temperature for a model that takes none": _set("model", to="claude-opus-4-8"),
    },
    "gemini": {
        "an unknown key": _set("model", to="m"),
        "no contents": _set("contents", to=[]),
        "an unknown role": _set("contents", 1, "role", to="assistant"),
        "no parts": _set("contents", 0, "parts", to=[]),
        "a part without data": _set("contents", 0, "parts", 0, to={}),
        "an unknown key of a part": _set("contents", 0, "parts", 0, to={"txt": "x"}),
        "system text among the contents": _set("contents", 0, "role", to="system"),
        "the model last": _without("contents", -1),
        "the model first": _without("contents", 0),
        "the model twice": _twice("contents", 3),
        "words among results": _with("contents", 2, "parts", also={"text": "x"}),
        "a call without its result": _without("contents", 2, "parts", 1),
        "a result without its call": _without("contents", 1, "parts", 1),
        "a result of another call": _set("contents", 2, "parts", 0, "functionResponse", "name", to="f"),
        "a result that is text": _set("contents", 2, "parts", 0, "functionResponse", "response", to="R"),
        "a keyword that is unknown": _set(
            "tools", 0, "functionDeclarations", 0, "parametersJsonSchema", "$schema", to="x"
        ),
        "a schema without properties": _without(
            "tools", 0, "functionDeclarations", 0, "parametersJsonSchema", "properties"
        ),
        "a tool twice": _twice("tools", 0, "functionDeclarations", 0),
        "the limit of another API": _set("generationConfig", "max_tokens", to=7),
    },
    "ollama": {
        **{name: change for name, change in CHAT.items() if name != "a tool's name with a blank"},
        "a stream": _set("stream", to=True),
        "the server's own default, a stream": _without("stream"),
        "arguments as text": _set("messages", 2, "tool_calls", 0, "function", "arguments", to="{}"),
        "content that is a list": _set("messages", 1, "content", to=[{"type": "text", "text": "x"}]),
        "results in another order": _swapped("messages", one=3, other=4),
        "a result that names no tool": _without("messages", 3, "tool_name"),
        "an option of another API": _set("options", "max_tokens", to=7),
    },
    "mistral": {
        **CHAT,
        **WITH_IDS,
        "no tools, but a list": _set("tools", to=[]),
        "an id of other letters": _set("messages", 2, "tool_calls", 0, "id", to="call_0"),
        "the assistant last": _with("messages", also=ASSISTANT),
        "a stream": _set("stream", to=True),
        "the user after a result": _without("messages", 5),
        "a seed by another name": _set("seed", to=1),
        "an answer without words and calls": _set("messages", 5, "content", to=""),
    },
}
CASES = [(provider, name) for provider, broken in BROKEN.items() for name in broken]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_the_broken_bodies_come_from_is_accepted(provider: str, server: Loopback) -> None:
    answer = _post(server, provider, _payload(provider).body)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(("provider", "name"), CASES, ids=str)
def test_a_broken_body_is_refused(provider: str, name: str, server: Loopback) -> None:
    body = json.loads(json.dumps(_payload(provider).body))
    whole = json.dumps(body)
    BROKEN[provider][name](body)
    assert json.dumps(body) != whole
    answer = _post(server, provider, body)
    assert answer.status_code == 400, answer.text
    assert "error" in answer.text


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_no_object_is_refused(provider: str, server: Loopback) -> None:
    assert _post(server, provider, []).status_code == 400
    assert _post(server, provider, None).status_code == 400


@pytest.mark.parametrize("provider", sorted({*PROVIDERS} - {"ollama"}))
def test_who_does_not_say_who_he_is_is_refused(provider: str, server: Loopback) -> None:
    assert _post(server, provider, _payload(provider).body, {}).status_code == 401


def test_another_address_is_refused(server: Loopback) -> None:
    with httpx2.Client() as client:
        for address in ("openai/v1/chat", "bard/v1/messages"):
            assert client.post(f"{server.root}/{address}", json={}, headers=HEADERS).status_code == 404


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refusal_is_the_client_s_own_error(provider: str, server: Loopback) -> None:
    payload = _payload(provider)
    BROKEN[provider]["a call without its result"](payload)
    with pytest.raises(REFUSED[provider], match="calls without results"):
        CLIENTS[provider](server.url(provider), payload)
