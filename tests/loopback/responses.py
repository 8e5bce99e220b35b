"""OpenAI's Responses."""

import json
import re
from typing import Any

from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

from tests.loopback import chat
from tests.loopback.api import Api, Asked, Body, Reply, Step, grouped, need, paired, right_tools, typed

_TYPED = typed(ResponseCreateParamsNonStreaming)


def check(body: Body) -> None:
    _TYPED(body)
    need(isinstance(body["input"], list) and body["input"], "input needs an item")
    for item in body["input"]:
        need("type" in item, "Cannot determine type of 'item'")
        need(0 < len(item.get("call_id", "-")) <= 64, "string too long: call_id")
    paired(_steps(body))
    if "tools" in body:
        right_tools([(tool["name"], tool["parameters"]) for tool in body["tools"]], "[A-Za-z0-9_-]{1,128}")
    need(0 <= body.get("temperature", 0) <= 2, "temperature must be from 0 to 2")


def _steps(body: Body) -> list[Step]:
    kinds = {"function_call": "assistant calls", "function_call_output": "tool"}
    return grouped(
        (
            Step(
                kinds.get(item["type"], "message"),
                (item["call_id"],) if item["type"] == "function_call" else (),
                (item["call_id"],) if item["type"] == "function_call_output" else (),
            )
            for item in body["input"]
        ),
        "tool",
        "assistant calls",
    )


def _asked(body: Body) -> Asked:
    found = []
    for item in reversed(body["input"]):
        if item["type"] != "function_call_output":
            break
        found.append(item["output"])
    return Asked({tool["name"]: tool["parameters"] for tool in body.get("tools", ())}, tuple(found[::-1]))


def _answer(body: Body, reply: Reply) -> Body:
    output: list[dict[str, Any]] = []
    if reply.text:
        text = {"type": "output_text", "text": reply.text, "annotations": []}
        output.append(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
        )
    for at, call in enumerate(reply.calls):
        made = {"type": "function_call", "id": f"fc_{at}", "call_id": f"call_{len(body['input'])}_{at}"}
        output.append(
            {**made, "name": call.name, "arguments": json.dumps(call.arguments), "status": "completed"}
        )
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": body["model"],
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": body.get("tools", []),
    }


API = Api(re.compile(r"/v1/responses"), check, _asked, _answer, chat.error, ("authorization",))
