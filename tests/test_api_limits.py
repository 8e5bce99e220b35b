"""How much an API takes, told before it is sent; and ids of calls that were used before."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from docasm.conversation import Conversation
from docasm.dialogue import Entry, ToolCall, check_pairs
from docasm.errors import DocasmError
from docasm.providers import PROVIDERS, Payload, payload
from docasm.providers.call_ids import with_own_ids
from docasm.providers.facts import facts_of
from docasm.providers.openai import RULES
from docasm.providers.request import Request, numbered
from docasm.tools import Tool
from tests.test_payload_types import check, dialogues

ASK = Entry("user", "x")


def made(provider: str, model: str, entries: Sequence[Entry] = (ASK,), **more: Any) -> Payload:
    return payload(provider, entries, more.pop("tools", ()), {"model": model}, **more)


def tools(count: int, description: str = "d") -> list[Tool]:
    return [Tool(f"t{number}", description, {"type": "object", "properties": {}}) for number in range(count)]


@pytest.mark.parametrize(
    ("provider", "model", "most"),
    [
        ("openai", "gpt-4.1", 128),
        ("openai", "gpt-5.6", 128),
        ("openai", "o3-mini", 128),
        ("openai", "qwen3", None),
        ("responses", "gpt-5.6", None),
        ("anthropic", "claude-opus-5", None),
        ("gemini", "models/gemini-2.5-pro", 512),
        ("gemini", "gemini-3-pro", 512),
        ("ollama", "qwen3", None),
        ("mistral", "mistral-large", None),
    ],
)
def test_the_number_of_tools(provider: str, model: str, most: int | None) -> None:
    assert made(provider, model, tools=tools(most or 600))
    if most:
        with pytest.raises(DocasmError, match=rf"{most + 1} tools are too many: the API takes {most} for"):
            made(provider, model, tools=tools(most + 1))


def test_a_bundle_says_how_many_tools_a_model_takes() -> None:
    with pytest.raises(DocasmError, match="3 tools are too many"):
        made("openai", "qwen3", tools=tools(3), models={"openai": [(("*",), {"max_tools": 2})]})


@pytest.mark.parametrize("provider", PROVIDERS)
def test_two_tools_of_one_name(provider: str) -> None:
    with pytest.raises(DocasmError, match="2 tools are called `t0`"):
        made(provider, "some-model", tools=[*tools(1), *tools(2)])


def test_a_long_description_is_noted_where_some_were_refused() -> None:
    for model, noted in (("gpt-4o", True), ("gpt-5.6", False), ("qwen3", False)):
        notes = made("openai", model, tools=tools(1, "d" * 1025)).notes
        assert any("may refuse more than 1,024" in note.message for note in notes) == noted
    assert not made("openai", "gpt-4o", tools=tools(1, "d" * 1024)).notes


def test_the_number_of_messages_for_anthropic() -> None:
    entries = [Entry("user" if number % 2 == 0 else "assistant", "x") for number in range(100_001)]
    with pytest.raises(DocasmError, match="100,001 messages are too many"):
        made("anthropic", "claude-opus-5", entries)


def test_the_length_of_a_result_for_responses() -> None:
    for length, refused in ((10_485_760, False), (10_485_761, True)):
        entries = [
            ASK,
            Entry("assistant", "", (ToolCall("c", "f", "{}"),)),
            Entry("tool", "r" * length, (), "c"),
        ]
        assert made("openai", "gpt-4.1", entries)
        if not refused:
            assert made("responses", "gpt-4.1", entries)
            continue
        with pytest.raises(DocasmError, match="message 2, the result of the call `c`, has 10,485,761 char"):
            made("responses", "gpt-4.1", entries)


def asked(*ids: str) -> Entry:
    return Entry("assistant", "", tuple(ToolCall(id_, "f", "{}") for id_ in ids))


def said(text: str, id_: str) -> Entry:
    return Entry("tool", text, (), id_)


TWICE = [ASK, asked("c1"), said("one", "c1"), Entry("assistant", "a"), ASK, asked("c1"), said("two", "c1")]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_id_that_is_used_again_is_refused_or_renamed(provider: str) -> None:
    with pytest.raises(DocasmError, match="message 5 has a second call with the id `c1`") as error:
        made(provider, "some-model", TWICE)
    assert "`ids`" in (error.value.problems[0].hint or "")
    found = made(provider, "some-model", TWICE, repair=["ids"])
    check(provider, found)
    told = [note.message for note in found.notes if note.code == "request-repaired"]
    assert told == ["the second call `c1`, of message 5, and its result are `c1_2`"]
    assert len(found.call_ids) == 2
    assert {*found.call_ids.values()} == {"c1"}


def test_results_go_with_their_calls() -> None:
    entries = [*TWICE, asked("c1", "c1", "c1_2"), said("3", "c1"), said("4", "c1_2"), said("5", "c1")]
    messages = made("openai", "gpt-4.1", entries, repair="ids")["messages"]
    assert [call["id"] for call in messages[7]["tool_calls"]] == ["c1_3", "c1_4", "c1_2_2"]
    results = [message for message in messages if message["role"] == "tool"]
    assert [message["tool_call_id"] for message in results] == ["c1", "c1_2", "c1_3", "c1_2_2", "c1_4"]
    assert [message["content"] for message in results] == ["one", "two", "3", "4", "5"]


def test_a_conversation_is_repaired_too() -> None:
    call = {"id": "0", "function": {"name": "f", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [{"role": "user", "content": "x"}]
    for _ in range(2):
        messages += [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "0", "content": "r"},
        ]
    conversation = Conversation.from_messages(messages, params={"model": "gpt-4.1"})
    body = conversation.payload("openai", repair=("ids",))
    assert [each.get("tool_call_id") for each in body["messages"]] == [None, None, "0", None, "0_2"]


@given(dialogues(), dialogues())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_ids_are_unique_and_stay_as_more_is_said(entries: list[Entry], more: list[Entry]) -> None:
    facts = facts_of("openai", "gpt-4.1")

    def renamed(entries: list[Entry]) -> Request:
        return with_own_ids(Request(numbered(entries), (), {"model": "m"}, facts), RULES)

    found, longer = renamed(entries), renamed(entries + more)
    ids = [call.id for entry in longer.entries for call in entry.calls]
    assert len({*ids}) == len(ids)
    assert longer.entries[: len(found.entries)] == found.entries
    given_ids = [longer.given_ids.get(id_, id_) for id_ in ids]
    assert given_ids == [call.id for entry in entries + more for call in entry.calls]
    try:
        check_pairs(entries + more)
    except DocasmError as error:
        if all(re.search("second call", each.message) for each in error.problems):
            check_pairs(longer.entries)
    else:
        assert longer.entries == numbered(entries + more)
