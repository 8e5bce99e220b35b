"""Every payload passes the types of the provider's own SDK, unknown keys forbidden."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from google.genai import types as google
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
from docasm.dialogue import read_entries
from docasm.errors import DocasmError
from docasm.providers import PROVIDERS, payload

ROOT = Path(__file__).parent
EXAMPLES = ROOT.parent / "examples"
SCENARIOS = sorted(path for path in EXAMPLES.rglob("*.yaml") if "trigger:" in path.read_text("utf-8"))
CASES: list[dict[str, Any]] = json.loads((ROOT / "vectors/message_cases.json").read_text("utf-8"))
EVERY = ("pair", "empty", "merge", "trailing", "bridge", "params")


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
        assert _drained(adapter.validate_python([dict(made)]))[0] == made

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
        CHECKS[provider](payload(provider, entries, (), params, models=models))
    except DocasmError as error:
        assert all("message " in each.message for each in error.problems)
        CHECKS[provider](payload(provider, entries, (), params, models=models, repair=EVERY))
