"""Every payload passes the types of the provider's own SDK, unknown keys forbidden."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from google.genai import types as google
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mistral_common.protocol.instruct.request import ChatCompletionRequest as StrictMistralRequest
from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
from mistral_common.tokens.tokenizers.base import TokenizerVersion
from mistralai.client.models import ChatCompletionRequest as MistralRequest
from ollama import Message as OllamaMessage
from ollama import Tool as OllamaTool
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import ConfigDict, TypeAdapter

import docasm
from docasm.conversation import Conversation
from docasm.dialogue import Entry, ToolCall, read_entries
from docasm.errors import DocasmError
from docasm.providers import PROVIDERS, Payload, payload
from docasm.providers.facts import NO_MODELS
from docasm.providers.repair import REPAIRS
from tests.strategies import hostile_text

ROOT = Path(__file__).parent
EXAMPLES = ROOT.parent / "examples"
SCENARIOS = sorted(path for path in EXAMPLES.rglob("*.yaml") if "trigger:" in path.read_text("utf-8"))
CASES: list[dict[str, Any]] = json.loads((ROOT / "vectors/message_cases.json").read_text("utf-8"))
EVERY = tuple(REPAIRS)


def _drained(value: Any) -> Any:
    """The value with lazy lists read to their end: pydantic checks them only then."""
    if isinstance(value, dict):
        return {key: _drained(each) for key, each in value.items()}
    if value is None or isinstance(value, str | bytes | int | float | bool):
        return value
    return [_drained(each) for each in value]


def _typed(kind: Any) -> Callable[[dict[str, Any]], None]:
    adapter = TypeAdapter(list[kind], config=ConfigDict(extra="forbid"))

    def check(made: dict[str, Any]) -> None:
        typed = {key: value for key, value in made.items() if key != "extra_body"}
        assert _drained(adapter.validate_python([typed]))[0] == typed
        assert made.get("extra_body", {}).keys() <= {"temperature"}

    return check


def _gemini(made: dict[str, Any]) -> None:
    keys = {"systemInstruction", "contents", "tools", "generationConfig"}
    assert made.keys() <= keys
    for content in made["contents"]:
        google.Content.model_validate(content)
        assert content["role"] in ("user", "model")
    if "systemInstruction" in made:
        google.Content.model_validate(made["systemInstruction"])
    for tool in made.get("tools", ()):
        google.Tool.model_validate(tool)
    google.GenerationConfig.model_validate(made.get("generationConfig", {}))


def _ollama(made: dict[str, Any]) -> None:
    assert made.keys() <= {"model", "messages", "tools", "options", "stream"}
    for message in made["messages"]:
        assert OllamaMessage.model_validate(message).model_dump(exclude_none=True) == message
        assert message["role"] in ("system", "user", "assistant", "tool")
    for tool in made.get("tools", ()):
        OllamaTool.model_validate(tool)


def _mistral(made: dict[str, Any]) -> None:
    MistralRequest.model_validate(made)
    known = {"messages": made["messages"], "tools": made.get("tools")}
    request = StrictMistralRequest.from_openai(**known, model=made["model"])
    if made["messages"][-1].get("prefix"):  # which the reader of that package overlooks
        request.messages[-1].prefix = True
    for version in (TokenizerVersion.v7, TokenizerVersion.v13):
        get_validator(version, ValidationMode.serving).validate_request(request)


CHECKS: Mapping[str, Callable[[dict[str, Any]], None]] = {
    "openai": _typed(CompletionCreateParamsNonStreaming),
    "responses": _typed(ResponseCreateParamsNonStreaming),
    "anthropic": _typed(MessageCreateParamsNonStreaming),
    "gemini": _gemini,
    "ollama": _ollama,
    "mistral": _mistral,
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_every_example_is_valid_for_every_provider(path: Path, provider: str) -> None:
    CHECKS[provider](docasm.load_scenario(path).render().payload(provider))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_conversation_with_calls_is_valid(provider: str) -> None:
    render = docasm.load_scenario(EXAMPLES / "dm.yaml").render()
    names = [tool.name for tool in render.tools]
    calls = [
        {"id": f"call_{number}", "function": {"name": name, "arguments": '{"a": [1]}'}}
        for number, name in enumerate(names[:2])
    ]
    conversation = Conversation.start(render).assistant("Wait.", calls)
    conversation = conversation.tool("call_1", {"ok": True}).tool("call_0", "R")
    CHECKS[provider](conversation.payload(provider))
    conversation = conversation.assistant("Done.").user("And now?")
    CHECKS[provider](conversation.payload(provider))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_case_is_valid_or_refused_and_valid_when_repaired(case: dict[str, Any], provider: str) -> None:
    entries = read_entries(case["input"])
    params = {"model": "some-model", "max_tokens": 10}
    models = {provider: [(("*",), {"prefill": True})]}
    try:
        made = payload(provider, entries, (), params, models=models)
    except DocasmError as error:
        refused = [each.message for each in error.problems]
        made = payload(provider, entries, (), params, models=models, repair=EVERY)
        assert all("message " in each for each in refused)
        assert made.notes
    CHECKS[provider](made)


def texts(value: Any) -> Iterator[str]:
    """Every text in a payload, keys too, and those in JSON text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


def dialogues() -> st.SearchStrategy[list[Entry]]:
    """Conversations of which some make sense."""
    ids = st.sampled_from(["c1", "c2", "call-1", "call_1", "", "x" * 70, "\u00e9"]) | st.text(max_size=4)
    names = st.sampled_from(["f", "a.b", "a_b", "1", "", "x" * 130, "x" * 129 + "y"]) | hostile_text()
    arguments = st.sampled_from(["", "{}", '{"a": [1]}', "[1]", "null", "NaN", '{"a": NaN}', "{"])
    calls = st.lists(st.builds(ToolCall, ids, names, arguments), max_size=2).map(tuple)
    texts = st.sampled_from(["", " ", "a ", "b"]) | hostile_text()
    said = st.builds(Entry, st.sampled_from(["system", "user", "assistant"]), texts).map(
        lambda entry: [entry]
    )
    rounds = st.builds(_round, texts, calls, texts)
    results = st.builds(Entry, st.just("tool"), texts, st.just(()), ids).map(lambda entry: [entry])
    return st.lists(said | rounds | said | results, max_size=7).map(lambda parts: [*chain(*parts)])


def _round(text: str, calls: tuple[ToolCall, ...], result: str) -> list[Entry]:
    return [Entry("assistant", text, calls), *(Entry("tool", result, (), call.id) for call in calls[::-1])]


@pytest.mark.parametrize("provider", PROVIDERS)
@given(entries=dialogues(), repair=st.just(set(EVERY)) | st.sets(st.sampled_from(EVERY)), facts=st.booleans())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_a_conversation_is_refused_by_index_or_valid_and_whole(
    provider: str, entries: list[Entry], repair: set[str], facts: bool
) -> None:
    taken = ("prefill", "inline_system", "many_systems", "thought_signature")
    models = {provider: [(("*",), dict.fromkeys(taken, facts))]} if provider != "mistral" else NO_MODELS
    params = {"model": "some-model", "max_tokens": 10}
    try:
        made = payload(provider, entries, (), params, repair=repair, models=models)
    except DocasmError as error:
        refused = [each.message for each in error.problems]
    else:
        CHECKS[provider](made)
        _is_whole(made, entries, provider)
        return
    assert all(re.search(r"message \d|a request needs", each) for each in refused)


def _is_whole(made: Payload, entries: Sequence[Entry], provider: str) -> None:
    found = "\0".join(texts(json.loads(json.dumps(made))))
    told = [note.message for note in made.notes if re.search("left out|blank", note.message)]
    dropped = {int(index) for each in told for index in re.findall(r"message (\d+)", each)}
    for index, entry in enumerate(entries):
        assert entry.content.strip() in found or index in dropped
        for call in entry.calls:
            new = next(new for new, old in made.tool_names.items() if old == call.name)
            assert PROVIDERS[provider].tool_name.fullmatch(new)
            assert new in found
    assert {*made.call_ids.values()} == {call.id for entry in entries for call in entry.calls}


def _sent(answer: Callable[[httpx2.Client], object]) -> dict[str, Any]:
    """The body that an SDK's client sends."""
    bodies: list[bytes] = []

    def note(request: httpx2.Request) -> httpx2.Response:
        bodies.append(request.content)
        return httpx2.Response(418, json={})

    raised: Exception | None = None
    with httpx2.Client(transport=httpx2.MockTransport(note)) as client:
        try:
            answer(client)
        except Exception as error:  # the answer is none that an SDK understands
            raised = error
    assert bodies, raised
    body: dict[str, Any] = json.loads(bodies[0])
    return body


SENDERS: Mapping[str, Callable[[httpx2.Client, Any], object]] = {
    "openai": lambda client, made: openai.OpenAI(
        api_key="x", http_client=client, max_retries=0
    ).chat.completions.create(**made),
    "responses": lambda client, made: openai.OpenAI(
        api_key="x", http_client=client, max_retries=0
    ).responses.create(**made),
    "anthropic": lambda client, made: anthropic.Anthropic(
        api_key="x", http_client=client, max_retries=0
    ).messages.create(**made),
}


@pytest.mark.parametrize("provider", SENDERS)
@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_the_sdk_sends_the_body(path: Path, provider: str, cache: bool) -> None:
    models = {"openai": "gpt-6", "responses": "gpt-6"} if cache else {}
    made = docasm.load_scenario(path).render(model=models.get(provider)).payload(provider, cache=cache)
    assert _sent(lambda client: SENDERS[provider](client, made)) == made.body
