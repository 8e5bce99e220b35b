"""OpenAI's Chat Completions, as a server with a strict chat template takes it."""

import json
import re
from typing import Any

from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

from tests.loopback.api import Api, Asked, Body, Reply, Step, grouped, need, paired, right_tools, typed

_TYPED = typed(CompletionCreateParamsNonStreaming)


def check(body: Body) -> None:
    _TYPED(body)
    need(body["messages"], "[] is too short - 'messages'")
    for at, message in enumerate(body["messages"]):
        _message(at, message, body["model"])
    paired(steps(body))
    if "tools" in body:
        functions = [tool["function"] for tool in body["tools"]]
        right_tools([(each["name"], each["parameters"]) for each in functions], "[A-Za-z0-9_-]{1,64}")
    need(0 <= body.get("temperature", 0) <= 2, "temperature must be from 0 to 2")
    newer = re.match(r"gpt-[5-9]|o\d", body["model"])
    need(not (newer and "max_tokens" in body), "Unsupported parameter: 'max_tokens'")


def _message(at: int, message: Body, model: str) -> None:
    role, calls = message["role"], message.get("tool_calls")
    need(calls or message.get("content") is not None, f"messages[{at}]: content is required")
    need(calls is None or calls, "[] is too short - 'tool_calls'")
    if not re.match(r"gpt-|chatgpt-|o\d", model):
        need(role != "developer", "unknown role: developer")
        need(role != "system" or at == 0, "System message must be at the beginning.")
    for call in calls or ():
        need(0 < len(call["id"]) <= 40, "string too long: tool_calls[].id")


def steps(body: Body) -> list[Step]:
    """The messages, the results of a message's calls as one."""
    return grouped(
        (
            Step(
                message["role"],
                tuple(call["id"] for call in message.get("tool_calls") or ()),
                (message["tool_call_id"],) if message["role"] == "tool" else (),
            )
            for message in body["messages"]
        ),
        "tool",
    )


def asked(body: Body) -> Asked:
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in body.get("tools") or ()}
    return Asked(tools, last_results(body["messages"]))


def last_results(messages: list[Body]) -> tuple[str, ...]:
    """The results that a list of messages ends with."""
    found = []
    for message in reversed(messages):
        if message["role"] != "tool":
            break
        found.append(message["content"])
    return tuple(found[::-1])


def answer(body: Body, reply: Reply) -> Body:
    count = len(body["messages"])
    return completion(body, reply, [f"call_{count}_{at}" for at in range(len(reply.calls))])


def completion(body: Body, reply: Reply, ids: list[str]) -> Body:
    """An answer with calls of these ids."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": id_,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for id_, call in zip(ids, reply.calls, strict=True)
        ]
    reason = "tool_calls" if reply.calls else "stop"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def error(status: int, message: str) -> Body:
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": str(status)}}


API = Api(re.compile(r"/v1/chat/completions"), check, asked, answer, error, ("authorization",))
