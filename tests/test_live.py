"""The providers' own clients send payloads over HTTP to a server that refuses what the APIs refuse."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import docasm
from docasm.dialogue import ToolCall
from docasm.providers import PROVIDERS
from tests.loopback.clients import CLIENTS
from tests.loopback.server import APIS, Loopback, serving

EXAMPLES = Path(__file__).parent.parent / "examples"
SCENARIOS = sorted(path for path in EXAMPLES.rglob("*.yaml") if "trigger:" in path.read_text("utf-8"))
BOTH = ("dm.yaml", "cron.yaml")


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with serving() as running:
        yield running


def _talk(conversation: docasm.Conversation, provider: str, url: str) -> docasm.Conversation:
    """The conversation up to words of the model; a tool says its name and what it was given."""
    while True:
        payload = conversation.payload(provider)
        text, calls = CLIENTS[provider](url, payload)
        own = [ToolCall(call.id, payload.tool_names[call.name], call.arguments) for call in calls]
        conversation = conversation.assistant(text, own)
        if not own:
            return conversation
        for call in reversed(own):  # results may come in any order
            conversation = conversation.tool(call.id, f"{call.name}({call.arguments})")


def test_there_is_an_api_and_a_client_for_every_provider() -> None:
    assert {*APIS} == {*CLIENTS} == {*PROVIDERS}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_every_example_goes_on_to_words_of_the_model(path: Path, provider: str, server: Loopback) -> None:
    render = docasm.load_scenario(path).render()
    ended = _talk(docasm.Conversation.start(render), provider, server.url(provider))
    assert ended.entries[-1].role == "assistant"
    assert ended.entries[-1].content.startswith("Done: ")


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", BOTH)
def test_results_arrive_in_order_and_the_user_goes_on(name: str, provider: str, server: Loopback) -> None:
    render = docasm.load_scenario(EXAMPLES / name).render()
    ended = _talk(docasm.Conversation.start(render), provider, server.url(provider))
    first, second = (tool.name for tool in render.tools[:2])
    assert re.search(rf"Done: .*{first}\(.+ and .*{second}\(", ended.entries[-1].content)
    again = _talk(ended.user("And now?"), provider, server.url(provider))
    assert [entry.role for entry in again.entries[len(ended.entries) :]] == [
        "user", "assistant", "tool", "tool", "assistant",
    ]  # fmt: skip


def _spelled(value: Any) -> Any:
    """A body without what a client may write otherwise: it says the same."""
    if isinstance(value, list):
        return [_spelled(each) for each in value]
    if not isinstance(value, dict):
        return value
    named = {_NAMES.get(key, key): _spelled(each) for key, each in value.items()}
    return {key: each for key, each in named.items() if (key, each) not in _SAYS_NOTHING}


_NAMES = {"parameters_json_schema": "parametersJsonSchema"}
_SAYS_NOTHING: Sequence[tuple[str, object]] = (
    ("content", ""),
    ("prefix", False),
    ("index", 0),
    ("stream", False),
    ("tools", []),
    ("generationConfig", {}),
)


def _with_calls(path: Path, model: str | None = None) -> docasm.Conversation:
    """An example's conversation, with calls at once if it has tools."""
    render = docasm.load_scenario(path).render(model=model)
    started = docasm.Conversation.start(render)
    calls = [ToolCall(f"call_{tool.name}", tool.name, '{"key": "\u00e9"}') for tool in render.tools[:2]]
    started = started.assistant("", calls) if calls else started
    for call in calls:
        started = started.tool(call.id, "R")
    return started


@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_the_body_is_what_arrives(path: Path, provider: str, cache: bool, server: Loopback) -> None:
    model = "gpt-6" if cache and provider in ("openai", "responses") else None  # it takes breakpoints
    payload = _with_calls(path, model).payload(provider, cache=cache)
    CLIENTS[provider](server.url(provider), payload)
    body, arrived = payload.body, server.bodies[-1]
    if provider in ("gemini", "ollama", "mistral"):
        body, arrived = _spelled(body), _spelled(arrived)
    assert arrived == body


def test_the_client_of_gemini_sends_the_signature_of_a_call(server: Loopback) -> None:
    payload = _with_calls(EXAMPLES / "dm.yaml", "gemini-3-pro").payload("gemini")
    assert payload["contents"][1]["parts"][0]["thoughtSignature"]
    CLIENTS["gemini"](server.url("gemini"), payload)
    assert _spelled(server.bodies[-1]) == _spelled(payload.body)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_names_and_ids_that_an_api_does_not_take_come_back_as_they_were(
    provider: str, server: Loopback
) -> None:
    tools = [
        {"name": "mail.send-it", "inputSchema": {"type": "object"}},
        {"name": "mail_send-it", "inputSchema": {"type": "object"}},
    ]
    params = {"model": "some-model", "max_tokens": 9}
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Send it."}]
    asked = docasm.Conversation.from_messages(said, tools=tools, params=params)
    asked = asked.assistant(None, [ToolCall("call:1 of " + "x" * 60, "mail.send-it", "")])
    asked = asked.tool(asked.open_calls[0].id, "sent").assistant("Sent.").user("Again.")
    ended = _talk(asked, provider, server.url(provider))
    assert "mail.send-it({})" in ended.entries[-1].content
    assert "mail_send-it({})" in ended.entries[-1].content
