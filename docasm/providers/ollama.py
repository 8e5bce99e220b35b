"""Ollama's own chat API."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from docasm.providers.openai import function_tool
from docasm.providers.request import Item, Request, Rules

_OPTIONS = {"temperature": "temperature", "max_tokens": "num_predict", "seed": "seed"}


def write(request: Request) -> dict[str, Any]:
    """The keyword arguments of `client.chat`."""
    made: dict[str, Any] = {"model": request.params["model"]}
    called = request.called
    made["messages"] = [_message(entry, called) for entry in _in_order(request)]
    if request.tools:
        made["tools"] = [function_tool(tool) for tool in request.tools]
    options = {_OPTIONS[key]: value for key, value in request.params.items() if key in _OPTIONS}
    if options:
        made["options"] = options
    for key, value in request.params.items():
        if key not in _OPTIONS:
            made.setdefault(key, value)
    made.setdefault("stream", False)
    return made


def _in_order(request: Request) -> Sequence[Item]:
    """The entries with the results in the order of their calls: nothing else says whose a result is."""
    kept: list[Item] = []
    order: dict[str, int] = {}
    for is_result, group in groupby(request.entries, key=lambda entry: entry.role == "tool"):
        entries = list(group)
        if is_result:
            entries.sort(key=lambda entry: order[entry.call_id])
            if entries != sorted(entries, key=lambda entry: entry.index):
                shown = ", ".join(str(entry.index) for entry in entries)
                request.note(f"results are in the order of their calls: messages {shown}")
        order = {call.id: number for number, call in enumerate(entries[-1].calls)}
        kept += entries
    return kept


def _message(entry: Item, called: Mapping[str, str]) -> dict[str, Any]:
    """Calls have no ids: results name their tool."""
    if entry.role == "tool":
        return {"role": "tool", "tool_name": called[entry.call_id], "content": entry.content}
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
    params=("temperature", "max_tokens", "seed"),
    needs_turn=False,
    takes_objects=True,
)
