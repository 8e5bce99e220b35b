"""Mistral's chat API."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from docasm.providers.names import digest
from docasm.providers.openai import function_tool, message
from docasm.providers.request import Item, Request, Rules
from docasm.providers.schema import cleaned
from docasm.tools import Tool

DROPPED = ("$id", "$schema")
"""Keywords that trip the API."""
_KEYS = {"seed": "random_seed"}
_ID = 9
"""How many letters and digits an id has."""


def write(request: Request) -> dict[str, Any]:
    """The keyword arguments of `client.chat.complete`."""
    made: dict[str, Any] = {"model": request.params["model"]}
    called = request.called
    made["messages"] = [_message(entry, called) for entry in request.entries]
    if request.entries[-1].role == "assistant":
        made["messages"][-1]["prefix"] = True
    if request.tools:
        made["tools"] = [_tool(tool, request) for tool in request.tools]
    for key, value in request.params.items():
        made.setdefault(_KEYS.get(key, key), value)
    return made


def _message(entry: Item, called: Mapping[str, str]) -> dict[str, Any]:
    made = message(entry)
    if entry.role == "tool":
        return {
            "role": "tool",
            "tool_call_id": entry.call_id,
            "name": called[entry.call_id],
            "content": entry.content,
        }
    return {**made, "content": entry.content}


def _tool(tool: Tool, request: Request) -> dict[str, Any]:
    schema, changes = cleaned(tool.parameters, DROPPED)
    if changes:
        request.note(f"the schema of the tool `{tool.name}` is without {', '.join(changes)}")
    return function_tool(replace(tool, parameters=schema))


def _nine(id_: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9]", "", id_)
    return plain.rjust(_ID, "A") if 0 < len(plain) <= _ID else digest(id_)[:_ID]


RULES = Rules(
    write=write,
    tool_name=re.compile(r"[A-Za-z0-9_-]{1,64}"),
    longest_name=64,
    call_id=re.compile(r"[A-Za-z0-9]{9}"),
    make_id=_nine,
    params=("temperature", "max_tokens", "seed"),
    never_blank=("assistant",),
    user_first=True,
    needs_bridge=True,
)
