"""OpenAI Responses."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from docasm.dialogue import Entry
from docasm.providers.names import shortened
from docasm.providers.openai import schema
from docasm.providers.request import Request, Rules
from docasm.tools import Tool

LONGEST_ID = 64
_KEYS = {"max_tokens": "max_output_tokens"}


def write(request: Request) -> dict[str, Any]:
    """The keyword arguments of `client.responses.create`; the provider stores nothing unless told to."""
    made: dict[str, Any] = {"model": request.params["model"]}
    if request.system:
        made["instructions"] = request.system
    made["input"] = [item for entry in request.rest for item in _items(entry)]
    if request.tools:
        made["tools"] = [_tool(tool) for tool in request.tools]
    for key, value in request.params.items():
        made.setdefault(_KEYS.get(key, key), value)
    made.setdefault("store", False)
    return made


def _items(entry: Entry) -> Iterator[dict[str, Any]]:
    if entry.role == "tool":
        yield {"type": "function_call_output", "call_id": entry.call_id, "output": entry.content}
        return
    if entry.content or not entry.calls:
        yield {"type": "message", "role": entry.role, "content": entry.content}
    for call in entry.calls:
        arguments = call.arguments or "{}"
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}


def _tool(tool: Tool) -> dict[str, Any]:
    """Without `strict` the API would try to be strict."""
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": schema(tool.parameters),
        "strict": bool(tool.strict),
    }


RULES = Rules(
    write=write,
    tool_name=re.compile(r"[A-Za-z0-9_-]{1,128}"),
    longest_name=128,
    call_id=re.compile(r"(?s).{1,64}"),
    make_id=partial(shortened, longest=LONGEST_ID),
    params=("temperature", "max_tokens"),
    system_apart=True,
    highest_temperature=2,
)
