"""A saved conversation comes from outside: whatever it holds, it and its requests are made or refused."""

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docasm import Conversation, DocasmError
from docasm.providers import PROVIDERS
from docasm.providers.repair import REPAIRS
from tests.mutations import mutated

_TOOL = {"name": "find", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}
_SAID = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Who?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "ann"},
    {"role": "assistant", "content": "Ann."},
    {"role": "user", "content": "Sure?"},
]
_PARAMS = {"model": "gpt-4o", "temperature": 1, "max_tokens": 10, "seed": 1}
_SETTINGS = {
    "max_turns": 4,
    "step": 2,
    "max_chars": 900,
    "max_tokens": 90,
    "token_factor": 1.5,
    "tokenizer": None,
}
SAVED: dict[str, Any] = {
    **json.loads(Conversation.from_messages(_SAID, tools=[_TOOL], params=_PARAMS).to_json()),
    "window": {**_SETTINGS, "document_chars": 2000, "document_tokens": 500},
}


@given(st.randoms(use_true_random=False))
def test_a_saved_conversation_is_read_or_refused(random: Random) -> None:
    try:
        found = Conversation.from_json(json.dumps(mutated(SAVED, random)))
    except DocasmError:
        return
    assert Conversation.from_json(found.to_json()) == found
    for provider in PROVIDERS:
        for repair in ((), REPAIRS):
            _check(found, provider, repair, cache=random.random() < 0.5)


def _check(conversation: Conversation, provider: str, repair: Any, *, cache: bool) -> None:
    try:
        payload = conversation.payload(provider, repair=repair, cache=cache)
    except DocasmError:
        return
    json.dumps(payload.body, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
@pytest.mark.parametrize("key", ["temperature", "max_tokens"])
def test_what_is_no_number_in_json_is_refused(written: str, key: str) -> None:
    text = json.dumps(SAVED).replace(f'"{key}": {_PARAMS[key]}', f'"{key}": {written}', 1)
    assert written in text
    with pytest.raises(DocasmError, match="bad-conversation"):
        Conversation.from_json(text)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max_tokens", "x"),
        ("max_tokens", [1]),
        ("max_tokens", float("inf")),
        ("max_tokens", 0),
        ("max_tokens", True),
        ("temperature", float("nan")),
        ("temperature", -1),
        ("seed", 1.5),
        ("model", "\ud800"),
    ],
)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_parameter_of_another_type_is_refused(provider: str, key: str, value: object) -> None:
    params = {"model": "m", key: value}
    with pytest.raises(DocasmError, match=f"`{key}` must be"):
        Conversation.from_messages(_SAID, tools=[_TOOL], params=params)
    conversation = replace(Conversation.from_messages(_SAID, tools=[_TOOL]), params=params)
    with pytest.raises(DocasmError, match=f"`{key}` must be"):
        conversation.payload(provider, repair=REPAIRS)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("at", range(6))
def test_what_is_no_text_is_refused_by_index(provider: str, at: int) -> None:
    said = json.loads(json.dumps(_SAID))
    said[at]["content"] = "cut \ud83d off"
    conversation = Conversation.from_messages(said, params={"model": "m", "max_tokens": 9})
    with pytest.raises(DocasmError, match=rf"lone-surrogate.*message {at} "):
        conversation.payload(provider)


@pytest.mark.parametrize("value", [float("nan"), {"a": [float("inf")]}, {1, 2}, "\ud800", {"\ud800": 1}])
def test_another_parameter_must_be_json(value: object) -> None:
    with pytest.raises(DocasmError, match=r"`top_p` (must be JSON|holds a lone surrogate)"):
        Conversation.from_messages(_SAID, params={"model": "m", "top_p": value})
    Conversation.from_messages(_SAID, params={"model": "m", "stop": ["a", {"b": None}]}).payload("openai")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_arguments_that_are_no_text_are_refused_where_they_are_sent_as_an_object(provider: str) -> None:
    said = json.loads(json.dumps(_SAID))
    said[2]["tool_calls"][0]["function"]["arguments"] = r'{"q": "\ud800"}'
    conversation = Conversation.from_messages(said, params={"model": "m", "max_tokens": 9})
    if PROVIDERS[provider].takes_objects:
        with pytest.raises(DocasmError, match="message 2: the call `c1` of `find` holds a lone surrogate"):
            conversation.payload(provider)
    else:
        json.dumps(conversation.payload(provider).body, ensure_ascii=False).encode()


@given(st.randoms(use_true_random=False))
@example(Random(0))
def test_tools_from_code_are_read_or_refused(random: Random) -> None:
    try:
        found = Conversation.from_messages(_SAID, tools=mutated([_TOOL], random), params=_PARAMS)
    except DocasmError:
        return
    _check(found, "openai", REPAIRS, cache=False)
