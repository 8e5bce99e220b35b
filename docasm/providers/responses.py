"""OpenAI Responses."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from docasm.dialogue import Entry
from docasm.providers.names import shortened
from docasm.providers.openai import schema
from docasm.providers.openai_cache import breakpoints, in_parts, with_key
from docasm.providers.request import Request, Rules
from docasm.tools import Tool

LONGEST_ID = 64
ROLES = ("system", "user")
"""Whose items can have a breakpoint."""
_KEYS = {"max_tokens": "max_output_tokens"}


def write(request: Request) -> dict[str, Any]:
    """The keyword arguments of `client.responses.create`; the provider stores nothing unless told to."""
    made: dict[str, Any] = {"model": request.params["model"]}
    made |= _prompt(request)
    if request.tools:
        made["tools"] = [_tool(tool) for tool in request.tools]
    for key, value in request.params.items():
        made.setdefault(_KEYS.get(key, key), value)
    made.setdefault("store", False)
    return with_key(made, request)


def _prompt(request: Request) -> dict[str, Any]:
    """The system text and what is said: one list, for a breakpoint that `instructions` cannot have."""
    ends = breakpoints(request, ROLES)
    first = 0 if any(at < len(request.leading) for at in ends) else len(request.leading)
    items = [item for entry in request.entries[first:] for item in _items(entry)]
    for at, each in ends.items():
        items[at - first]["content"] = in_parts(request.entries[at].content, each, "input_text")
    if not first and request.system:
        request.note("the system text is in `input`: `instructions` can have no breakpoint")
    return {"instructions": request.system, "input": items} if first and request.system else {"input": items}


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
    longest_result=10_485_760,
    caches=True,
)
