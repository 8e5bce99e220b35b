"""Anthropic Messages."""

import re
from collections.abc import Iterator
from typing import Any

from docasm.providers.anthropic_cache import marked
from docasm.providers.names import digest
from docasm.providers.openai import schema
from docasm.providers.request import Item, Request, Rules
from docasm.tools import Tool

_NOT_IN_SDK = ("temperature", "top_p", "top_k")
"""What the API takes of older models, and the SDK since its version 2 only as a part of `extra_body`."""


def write(request: Request) -> dict[str, Any]:
    """The keyword arguments of `client.messages.create`."""
    params = request.params
    made: dict[str, Any] = {"model": params["model"], "max_tokens": _max_tokens(request)}
    if request.system:
        made["system"] = request.system
    made["messages"] = list(_messages(request))
    if request.tools:
        made["tools"] = [_tool(tool) for tool in request.tools]
    for key, value in params.items():
        if key in _NOT_IN_SDK:
            made.setdefault("extra_body", {})[key] = value
        else:
            made.setdefault(key, value)
    return marked(made, request) if request.cache else made


def _max_tokens(request: Request) -> int:
    given = request.params.get("max_tokens")
    if given is not None:
        return int(given)
    request.note(f"`max_tokens` is {request.facts.default_max_tokens}: the API requires one")
    return request.facts.default_max_tokens


def _messages(request: Request) -> Iterator[dict[str, Any]]:
    """The messages; a run of results, with the words of the user after it, is one of the user."""
    blocks: list[dict[str, Any]] = []
    for entry in request.rest:
        if entry.role == "tool":
            blocks.append({"type": "tool_result", "tool_use_id": entry.call_id, "content": entry.content})
            continue
        if blocks:
            if entry.role == "user":
                request.note(f"message {entry.index} (user) is in one message with the results before it")
                yield {"role": "user", "content": [*blocks, *_text(entry)]}
                blocks = []
                continue
            yield {"role": "user", "content": blocks}
            blocks = []
        yield _message(entry, request)
    if blocks:
        yield {"role": "user", "content": blocks}


def _message(entry: Item, request: Request) -> dict[str, Any]:
    if not entry.calls:
        return {"role": entry.role, "content": entry.content}
    if entry.content and not entry.content.strip():
        request.note(f"message {entry.index} (assistant) has only its calls: its text is blank")
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.parsed()} for call in entry.calls
    ]
    return {"role": entry.role, "content": [*_text(entry), *calls]}


def _text(entry: Item) -> list[dict[str, Any]]:
    """A block of text; a blank one would be refused, and says nothing beside a call or a result."""
    return [{"type": "text", "text": entry.content}] if entry.content.strip() else []


def _tool(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": schema(tool.parameters)}


def _cleaned(id_: str) -> str:
    return f"{re.sub(r'[^A-Za-z0-9_-]', '_', id_)[:40]}_{digest(id_)[:8]}"


RULES = Rules(
    write=write,
    tool_name=re.compile(r"[A-Za-z0-9_-]{1,128}"),
    longest_name=128,
    call_id=re.compile(r"[A-Za-z0-9_-]+"),
    make_id=_cleaned,
    params=("temperature", "max_tokens"),
    system_apart=True,
    system_after_user=True,
    highest_temperature=1,
    most_messages=100_000,
    caches=True,
    never_blank=("system", "user", "assistant"),
    user_first=True,
    keeps_last_space=False,
    takes_objects=True,
)
