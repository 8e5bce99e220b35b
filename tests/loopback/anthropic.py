"""Anthropic's Messages."""

import re
from collections.abc import Mapping
from typing import Any

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

from tests.loopback.api import Api, Asked, Body, Reply, Step, need, paired, right_tools, typed

_TYPED = typed(MessageCreateParamsNonStreaming)
_TAKES_SYSTEM = re.compile(r".*claude-(opus-4-8|opus-5|fable-5|mythos-5)")
_TAKES_NO_TEMPERATURE = re.compile(r".*claude-(opus-4-[78]|opus-5|sonnet-5|fable-5|mythos-5)")
_TAKES_PREFILL = re.compile(r".*claude-(3|\w+-4[-.][015]|\w+-4-20)")


def check(body: Body) -> None:
    _TYPED({key: value for key, value in body.items() if key != "temperature"})  # it is not in the SDK
    for block in _blocks(body.get("system", "-")):
        need(block["text"], "system: text content blocks must be non-empty")
    _messages(body)
    paired([_step(message) for message in body["messages"]])
    if "tools" in body:
        tools = [(tool["name"], tool["input_schema"]) for tool in body["tools"]]
        right_tools(tools, "[a-zA-Z0-9_-]{1,128}")
    need(str(body).count("'cache_control'") <= 4, "A maximum of 4 blocks with cache_control may be provided.")
    if "temperature" in body:
        need(not _TAKES_NO_TEMPERATURE.match(body["model"]), "temperature is deprecated for this model")
        need(0 <= body["temperature"] <= 1, "temperature: must be from 0 to 1")


def _messages(body: Body) -> None:
    messages = body["messages"]
    need(messages and messages[0]["role"] == "user", "messages: first message must use the user role")
    for at, message in enumerate(messages):
        _message(message)
        if message["role"] == "system":
            need(_TAKES_SYSTEM.match(body["model"]), "role 'system' is not supported on this model")
            need(messages[at - 1]["role"] in ("user", "system"), "a system message must follow the user's")
            need(all(each["role"] != "user" for each in messages[at + 1 : at + 2]), "system before user")
    if messages[-1]["role"] == "assistant":
        need(_TAKES_PREFILL.match(body["model"]), "This model does not support assistant message prefill.")
        text = _blocks(messages[-1]["content"])[-1].get("text", "")
        need(text == text.rstrip(), "final assistant content cannot end with trailing whitespace")


def _message(message: Body) -> None:
    blocks = _blocks(message["content"])
    need(blocks, "a message needs content")
    for block in blocks:
        if block["type"] == "text":
            need(block["text"], "text content blocks must be non-empty")
        if block["type"] == "tool_use":
            need(message["role"] == "assistant", "tool_use blocks are the assistant's")
            need(re.fullmatch("[a-zA-Z0-9_-]+", block["id"]), "tool_use.id: String should match pattern")
            need(isinstance(block["input"], dict), "tool_use.input: Input should be a valid dictionary")
    if len(blocks) == 1:
        need(blocks[0].get("text", "-").strip(), "text content blocks must contain non-whitespace text")
    kinds = [block["type"] == "tool_result" for block in blocks]
    need(not any(kinds) or message["role"] == "user", "tool_result blocks are the user's")
    need(kinds == sorted(kinds, reverse=True), "tool_result blocks must come before text")


def _blocks(content: Any) -> list[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _step(message: Body) -> Step:
    blocks = _blocks(message["content"])
    calls = tuple(block["id"] for block in blocks if block["type"] == "tool_use")
    results = tuple(block["tool_use_id"] for block in blocks if block["type"] == "tool_result")
    return Step(message["role"], calls, results)


def _asked(body: Body) -> Asked:
    blocks = _blocks(body["messages"][-1]["content"])
    results = tuple(str(block.get("content", "")) for block in blocks if block["type"] == "tool_result")
    return Asked({tool["name"]: tool["input_schema"] for tool in body.get("tools", ())}, results)


def _answer(body: Body, reply: Reply) -> Body:
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for at, call in enumerate(reply.calls):
        id_ = f"toolu_{len(body['messages'])}_{at}"
        content.append({"type": "tool_use", "id": id_, "name": call.name, "input": dict(call.arguments)})
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _error(status: int, message: str) -> Body:
    kind = {401: "authentication_error", 404: "not_found_error"}.get(status, "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


API = Api(re.compile(r"/v1/messages"), check, _asked, _answer, _error, ("authorization", "anthropic-version"))
