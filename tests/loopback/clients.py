"""The real clients of the providers, each made to send a payload to the loopback server."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import anthropic
import ollama
import openai
from google import genai
from mistralai.client import Mistral

from docasm.dialogue import ToolCall
from docasm.providers import Payload

Said = tuple[str | None, list[ToolCall]]
"""What the model says: words, and calls with the tools' names as they were sent."""


def _openai(url: str, payload: Payload) -> Said:
    with openai.OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0) as client:
        message: Any = client.chat.completions.create(**payload).choices[0].message
    return message.content, [
        ToolCall(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or ()
    ]


def _responses(url: str, payload: Payload) -> Said:
    with openai.OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0) as client:
        answer: Any = client.responses.create(**payload)
    calls = [item for item in answer.output if item.type == "function_call"]
    return answer.output_text, [ToolCall(call.call_id, call.name, call.arguments) for call in calls]


def _anthropic(url: str, payload: Payload) -> Said:
    with anthropic.Anthropic(base_url=url, api_key="x", max_retries=0) as client:
        answer: Any = client.messages.create(**payload)
    text = "".join(block.text for block in answer.content if block.type == "text")
    calls = [block for block in answer.content if block.type == "tool_use"]
    return text, [ToolCall(call.id, call.name, json.dumps(call.input)) for call in calls]


def _gemini(url: str, payload: Payload) -> Said:
    keys = {"systemInstruction": "system_instruction", "tools": "tools"}
    config: Any = {name: payload[key] for key, name in keys.items() if key in payload}
    config |= payload.get("generationConfig", {})
    options = genai.types.HttpOptions(base_url=url)
    with genai.Client(api_key="x", http_options=options) as client:
        answer: Any = client.models.generate_content(
            model=payload.model, contents=payload["contents"], config=config
        )
    parts = answer.candidates[0].content.parts
    calls = [part.function_call for part in parts if part.function_call]
    return "".join(part.text or "" for part in parts), [
        _without_id(call.name, call.args, payload, at) for at, call in enumerate(calls)
    ]


def _ollama(url: str, payload: Payload) -> Said:
    client = ollama.Client(host=url)
    message = client.chat(**payload).message
    return message.content, [
        _without_id(call.function.name, call.function.arguments, payload, at)
        for at, call in enumerate(message.tool_calls or ())
    ]


def _without_id(name: str, arguments: Mapping[str, Any], payload: Payload, at: int) -> ToolCall:
    """A call that the API gave no id, with one that no other has."""
    count = len(payload.get("contents") or payload["messages"])
    return ToolCall(f"call_{count}_{at}", name, json.dumps(dict(arguments)))


def _mistral(url: str, payload: Payload) -> Said:
    with Mistral(api_key="x", server_url=url) as client:
        message: Any = client.chat.complete(**payload).choices[0].message
    return message.content, [
        ToolCall(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or ()
    ]


CLIENTS: Mapping[str, Callable[[str, Payload], Said]] = {
    "openai": _openai,
    "responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "ollama": _ollama,
    "mistral": _mistral,
}
