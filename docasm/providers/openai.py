"""OpenAI Chat Completions, and the many servers that speak it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from docasm.errors import DocasmError, Problem, failure
from docasm.markers import Message
from docasm.params import PARAMS
from docasm.tools import Tool

_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def payload(messages: Sequence[Message], tools: Sequence[Tool], params: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments of `client.chat.completions.create`.

    They are `model`, `messages`, `tools` if there are any, then the other params, those of PARAMS first.
    Raises DocasmError without a model, and for every tool name that the API would refuse.
    """
    if not params.get("model"):
        hint = "set `params.model` in docasm.yaml or pass --model"
        raise failure("model-missing", "OpenAI requests need a model, and no params name one", hint=hint)
    _check_names(tools)
    others = [key for key in (*PARAMS, *(key for key in params if key not in PARAMS)) if key in params]
    request: dict[str, Any] = {"model": params["model"]}
    request["messages"] = [{"role": message.role, "content": message.content} for message in messages]
    if tools:  # the API refuses an empty list
        request["tools"] = [_tool(tool) for tool in tools]
    for key in others:
        request.setdefault(key, deepcopy(params[key]))
    return request


def _tool(tool: Tool) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": deepcopy(dict(tool.parameters)),
    }
    return {
        "type": "function",
        "function": function if tool.strict is None else {**function, "strict": tool.strict},
    }


def _check_names(tools: Iterable[Tool]) -> None:
    hint = "rename it: 1-64 of A-Z a-z 0-9 `_` `-`"
    problems = [
        Problem("bad-tool-name", f"OpenAI does not take the tool name `{tool.name}`", hint=hint)
        for tool in tools
        if not _TOOL_NAME.fullmatch(tool.name)
    ]
    if problems:
        raise DocasmError(problems)
