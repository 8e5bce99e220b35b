"""OpenAI Chat Completions, and the many servers that speak it."""

import re
from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from typing import Any

from docasm.dialogue import Entry, ToolCall
from docasm.params import PARAMS
from docasm.providers.names import shortened
from docasm.providers.openai_cache import breakpoints, in_parts, with_key
from docasm.providers.request import Item, Request, Rules
from docasm.tools import Tool

LONGEST_ID = 40
ROLES = ("system", "user", "assistant")
"""Whose messages can have a breakpoint."""


def write(request: Request) -> dict[str, Any]:
    """The keyword arguments of `client.chat.completions.create`."""
    params = request.params
    others = [key for key in (*PARAMS, *(key for key in params if key not in PARAMS)) if key in params]
    made: dict[str, Any] = {"model": params["model"]}
    made["messages"] = [_message(entry, request) for entry in request.entries]
    for at, ends in breakpoints(request, ROLES).items():
        made["messages"][at]["content"] = in_parts(request.entries[at].content, ends, "text")
    if request.tools:  # the API refuses an empty list
        made["tools"] = [function_tool(tool) for tool in request.tools]
    for key in others:
        made.setdefault(_key(key, request), params[key])
    return with_key(made, request)


def _key(key: str, request: Request) -> str:
    return request.facts.max_tokens_key if key == "max_tokens" else key


def _message(entry: Item, request: Request) -> dict[str, Any]:
    made = message(entry)
    if entry.role != "system":
        return made
    if request.facts.system_role == "user":
        request.note(f"message {entry.index} (system) is the user's: the model takes no system text")
    return {**made, "role": request.facts.system_role}


def message(entry: Entry) -> dict[str, Any]:
    """One message."""
    if entry.role == "tool":
        return {"role": "tool", "tool_call_id": entry.call_id, "content": entry.content}
    if not entry.calls:
        return {"role": entry.role, "content": entry.content}
    calls = [_call(call) for call in entry.calls]
    return {"role": entry.role, "content": entry.content or None, "tool_calls": calls}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments or "{}"}
    return {"id": call.id, "type": "function", "function": function}


def function_tool(tool: Tool) -> dict[str, Any]:
    """One tool, as several APIs have it."""
    function: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": schema(tool.parameters),
    }
    if tool.strict is not None:
        function["strict"] = tool.strict
    return {"type": "function", "function": function}


def schema(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a tool's arguments, the caller's to edit."""
    return deepcopy(dict(parameters))


RULES = Rules(
    write=write,
    tool_name=re.compile(r"[A-Za-z0-9_-]{1,64}"),
    longest_name=64,
    call_id=re.compile(r"(?s).{1,40}"),
    make_id=partial(shortened, longest=LONGEST_ID),
    params=("temperature", "max_tokens", "seed"),
    highest_temperature=2,
    caches=True,
    needs_turn=False,
)
