"""Gemini's generateContent: the body of the REST API, in which the model has no place."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from docasm.providers.request import Item, Request, Rules
from docasm.providers.schema import cleaned
from docasm.tools import Tool

NO_SIGNATURE = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""What the API takes in place of a signature for a call that another model made."""
DROPPED = ("$schema", "$id", "title", "examples", "discriminator", "exclusiveMinimum", "exclusiveMaximum")
"""Keywords of a schema that the API refuses."""
_KEYS = {"max_tokens": "maxOutputTokens"}
_ROLES = {"assistant": "model", "tool": "user", "user": "user"}


def write(request: Request) -> dict[str, Any]:
    """The body; the model's name goes into the address that it is sent to."""
    made: dict[str, Any] = {}
    if request.system:
        made["systemInstruction"] = {"parts": [{"text": request.system}]}
    made["contents"] = list(_contents(request))
    if request.tools:
        made["tools"] = [{"functionDeclarations": [_tool(tool, request) for tool in request.tools]}]
    config = {_KEYS.get(key, key): value for key, value in request.params.items() if key != "model"}
    return {**made, "generationConfig": config} if config else made


def _contents(request: Request) -> Iterator[dict[str, Any]]:
    """The messages; neighbours of one role are one. Results stand apart from what the user says."""
    called = request.called
    for role, group in groupby(request.rest, key=lambda entry: entry.role):
        entries = list(group)
        if role != "tool" and len(entries) > 1:
            request.note(f"the {len(entries)} messages from {entries[0].index} on, all {role}, became one")
        parts = [part for entry in entries for part in _parts(entry, request, called)]
        yield {"role": _ROLES[role], "parts": parts}


def _parts(entry: Item, request: Request, called: Mapping[str, str]) -> Sequence[dict[str, Any]]:
    if entry.role == "tool":
        response = {"output": entry.content}
        found = {"id": entry.call_id, "name": called[entry.call_id], "response": response}
        return [{"functionResponse": found}]
    parts: list[dict[str, Any]] = []
    if entry.content or not entry.calls:
        parts.append({"text": entry.content})
    for number, call in enumerate(entry.calls):
        part: dict[str, Any] = {"functionCall": {"id": call.id, "name": call.name, "args": call.parsed()}}
        if request.facts.thought_signature and number == 0:
            part["thoughtSignature"] = NO_SIGNATURE
        parts.append(part)
    return parts


def _tool(tool: Tool, request: Request) -> Mapping[str, Any]:
    schema, changes = cleaned(tool.parameters, DROPPED, formats=False)
    if changes:
        request.note(f"the schema of the tool `{tool.name}` is without {', '.join(changes)}")
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": schema}


RULES = Rules(
    write=write,
    tool_name=re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}"),
    longest_name=64,
    call_id=re.compile(r"(?s).+"),
    make_id=str,
    params=("temperature", "max_tokens", "seed"),
    system_apart=True,
    system_inline=False,
    highest_temperature=2,
    never_blank=("system", "user", "assistant"),
    user_first=True,
    takes_objects=True,
)
