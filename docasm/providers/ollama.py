"""Ollama's own chat API."""

import re
from typing import Any

from docasm.dialogue import Entry
from docasm.providers.openai import function_tool
from docasm.providers.request import Request, Rules

_OPTIONS = {"temperature": "temperature", "max_tokens": "num_predict", "seed": "seed"}


def write(request: Request) -> dict[str, Any]:
    """The keyword arguments of `client.chat`."""
    made: dict[str, Any] = {"model": request.params["model"]}
    made["messages"] = [_message(entry, request) for entry in request.entries]
    if request.tools:
        made["tools"] = [function_tool(tool) for tool in request.tools]
    options = {_OPTIONS[key]: value for key, value in request.params.items() if key in _OPTIONS}
    if options:
        made["options"] = options
    for key, value in request.params.items():
        if key not in _OPTIONS:
            made.setdefault(key, value)
    return {**made, "stream": False}


def _message(entry: Entry, request: Request) -> dict[str, Any]:
    """Calls have no ids: results name their tool."""
    if entry.role == "tool":
        return {"role": "tool", "tool_name": request.name_of(entry.call_id), "content": entry.content}
    made: dict[str, Any] = {"role": entry.role, "content": entry.content}
    if entry.calls:
        made["tool_calls"] = [
            {"function": {"name": call.name, "arguments": call.parsed()}} for call in entry.calls
        ]
    return made


RULES = Rules(
    write=write,
    tool_name=re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,127}"),
    longest_name=128,
    call_id=re.compile(r"(?s).*"),
    make_id=str,
    system="among",
    params=("temperature", "max_tokens", "seed"),
)
