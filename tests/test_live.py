"""The providers' own clients send payloads over HTTP to a server that refuses what the APIs refuse."""

import re
from collections.abc import Iterator
from pathlib import Path

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


@pytest.mark.parametrize("provider", ["openai", "responses", "anthropic"])
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_the_body_is_what_arrives(path: Path, provider: str, server: Loopback) -> None:
    payload = docasm.load_scenario(path).render().payload(provider)
    CLIENTS[provider](server.url(provider), payload)
    assert server.bodies[-1] == payload.body


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
