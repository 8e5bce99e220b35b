"""Anthropic Messages."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from docasm.dialogue import Entry
from docasm.providers.openai import schema
from docasm.providers.request import Request, Rules, digest
from docasm.tools import Tool


def write(request: Request) -> dict[str, Any]:
    """The keyword arguments of `client.messages.create`."""
    params = request.params
    made: dict[str, Any] = {"model": params["model"], "max_tokens": _max_tokens(request)}
    if request.system.strip():
        made["system"] = request.system
    made["messages"] = list(_messages(request.rest))
    if request.tools:
        made["tools"] = [_tool(tool) for tool in request.tools]
    for key, value in params.items():
        made.setdefault(key, value)
    return made


def _max_tokens(request: Request) -> int:
    given = request.params.get("max_tokens")
    if given is not None:
        return int(given)
    request.note(f"`max_tokens` is {request.facts.default_max_tokens}: the API requires one")
    return request.facts.default_max_tokens


def _messages(entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """The messages; a run of results, with the words of the user after it, is one of the user."""
    blocks: list[dict[str, Any]] = []
    for entry in entries:
        if entry.role == "tool":
            blocks.append({"type": "tool_result", "tool_use_id": entry.call_id, "content": entry.content})
            continue
        if blocks:
            if entry.role == "user":
                yield {"role": "user", "content": [*blocks, *_text(entry)]}
                blocks = []
                continue
            yield {"role": "user", "content": blocks}
            blocks = []
        yield _message(entry)
    if blocks:
        yield {"role": "user", "content": blocks}


def _message(entry: Entry) -> dict[str, Any]:
    if not entry.calls:
        return {"role": entry.role, "content": entry.content}
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.parsed()} for call in entry.calls
    ]
    return {"role": entry.role, "content": [*_text(entry), *calls]}


def _text(entry: Entry) -> list[dict[str, Any]]:
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
    system="apart",
    params=("temperature", "max_tokens"),
    takes_empty=False,
)
