"""Ollama's own chat API."""

import re
from typing import Any

from ollama import Message, Tool

from tests.loopback import chat
from tests.loopback.api import Api, Asked, Body, Reply, known, need, right_tools

_OPTIONS = ("temperature", "num_predict", "seed")
_KEYS = {"system": (), "user": (), "assistant": ("tool_calls",), "tool": ("tool_name",)}


def check(body: Body) -> None:
    known(body, ["model", "messages", "stream"], ["tools", "options"])
    need(body["stream"] is False, "the tests read no streams")
    need(isinstance(body["messages"], list) and body["messages"], "messages must be a list")
    for at, message in enumerate(body["messages"]):
        _message(at, message)
    _in_order(body["messages"])
    known(body.get("options", {}), [], _OPTIONS)
    if body.get("tools"):
        for tool in body["tools"]:
            known(tool, ["type", "function"])
            known(tool["function"], ["name", "parameters"], ["description", "strict"])
            Tool.model_validate(tool)
        right_tools(
            [(each["function"]["name"], each["function"]["parameters"]) for each in body["tools"]], ".+"
        )


def _message(at: int, message: Body) -> None:
    Message.model_validate(message)
    need(message["role"] in _KEYS, f"unknown role: {message['role']}")
    known(message, ["role"], ["content", *_KEYS[message["role"]]])
    need(isinstance(message.get("content", ""), str), "cannot unmarshal into messages.content of type string")
    need(message["role"] != "system" or at == 0, "System message must be at the beginning.")
    for call in message.get("tool_calls") or ():
        known(call, ["function"])
        known(call["function"], ["name", "arguments"])
        need(isinstance(call["function"]["arguments"], dict), "cannot unmarshal string into arguments")


def _in_order(messages: list[Body]) -> None:
    """Refuses results that are not those of the calls before them, in their order: they have no ids."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            need(
                waiting[:1] == [message.get("tool_name")],
                f"a result of {message.get('tool_name')}: {waiting}",
            )
            waiting.pop(0)
            continue
        need(not waiting, f"calls without results: {waiting}")
        waiting = [call["function"]["name"] for call in message.get("tool_calls") or ()]
    need(not waiting, f"calls without results: {waiting}")


def _asked(body: Body) -> Asked:
    messages = [{"content": "", **message} for message in body["messages"]]
    return chat.asked({**body, "messages": messages})


def _answer(body: Body, reply: Reply) -> Body:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        message["tool_calls"] = [
            {"function": {"name": call.name, "arguments": dict(call.arguments)}} for call in reply.calls
        ]
    time = "2026-01-01T00:00:00Z"
    return {
        "model": body["model"],
        "created_at": time,
        "message": message,
        "done": True,
        "done_reason": "stop",
    }


def _error(_: int, message: str) -> Body:
    return {"error": message}


API = Api(re.compile(r"/api/chat"), check, _asked, _answer, _error)
