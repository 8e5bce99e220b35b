"""Gemini's generateContent."""

import re
from itertools import pairwise
from typing import Any

from google.genai import types

from tests.loopback.api import Api, Asked, Body, Reply, Step, known, need, paired, right_tools

_KEYS = ("systemInstruction", "tools", "generationConfig")
_SCHEMA = ("parametersJsonSchema", "parameters_json_schema")
"""How the API spells the schema of a tool, and how the SDK does; its JSON takes both."""
_REFUSED = {"$schema", "$id", "title", "examples", "discriminator", "exclusiveMinimum", "exclusiveMaximum"}


def check(body: Body) -> None:
    known(body, ["contents"], _KEYS)
    need(body["contents"], "contents is not specified")
    for content in body["contents"]:
        _content(content)
    if "systemInstruction" in body:
        types.Content.model_validate(body["systemInstruction"])
        parts = body["systemInstruction"].get("parts")
        need(parts and all("text" in part for part in parts), "systemInstruction must have text")
    types.GenerationConfig.model_validate(body.get("generationConfig", {}))
    roles = [content["role"] for content in body["contents"]]
    need(roles[0] == "user", "the first content must be the user's")
    need(roles[-1] == "user", "the last content must be the user's")
    need(("model", "model") not in pairwise(roles), "the model spoke twice")
    paired([_step(content) for content in body["contents"]])
    if "tools" in body:
        _tools(body)


def _content(content: Body) -> None:
    types.Content.model_validate(content)
    need(content.get("role") in ("user", "model"), "Please use a valid role: user, model.")
    need(content.get("parts"), "contents.parts must not be empty")
    kinds = {"text", "functionCall", "functionResponse"}
    for part in content["parts"]:
        need(len(part.keys() & kinds) == 1, "required oneof field 'data' must have one initialized field")
        of_model = content["role"] == "model"
        need("functionCall" not in part or of_model, "a functionCall is the model's")
        need("functionResponse" not in part or not of_model, "a functionResponse is the user's")
        response = part.get("functionResponse", {"name": "-", "response": {}})
        need(response.get("name"), "function_response.name: Name cannot be empty.")
        need(isinstance(response.get("response"), dict), "function_response.response must be an object")
    replies = ["functionResponse" in part for part in content["parts"]]
    need(all(replies) or not any(replies), "function responses stand apart from text")


def _step(content: Body) -> Step:
    return Step(
        content["role"],
        tuple(_key(part["functionCall"]) for part in content["parts"] if "functionCall" in part),
        tuple(_key(part["functionResponse"]) for part in content["parts"] if "functionResponse" in part),
    )


def _key(value: Body) -> str:
    return f"{value.get('id')} {value['name']}"


def _tools(body: Body) -> None:
    for tool in body["tools"]:
        types.Tool.model_validate(tool)
    schemas = _schemas(body)
    right_tools(schemas, "[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
    for _, schema in schemas:
        _keywords(schema)


def _keywords(schema: Any) -> None:
    need(isinstance(schema, dict), "a schema must be an object")
    need(not _REFUSED & schema.keys(), f"Unknown names: {sorted(_REFUSED & schema.keys())}")
    for each in schema.get("properties", {}).values():
        _keywords(each)


def _schemas(body: Body) -> list[tuple[str, Any]]:
    declared = (each for tool in body.get("tools", ()) for each in tool["functionDeclarations"])
    return [(each["name"], next((each[key] for key in _SCHEMA if key in each), None)) for each in declared]


def _asked(body: Body) -> Asked:
    parts = body["contents"][-1]["parts"]
    results = tuple(str(part["functionResponse"]["response"]) for part in parts if "functionResponse" in part)
    return Asked(dict(_schemas(body)), results)


def _answer(_: Body, reply: Reply) -> Body:
    """An answer whose calls have no ids, as this API's often have none."""
    parts: list[dict[str, Any]] = [{"text": reply.text}] if reply.text else []
    parts += [{"functionCall": {"name": call.name, "args": dict(call.arguments)}} for call in reply.calls]
    content = {"role": "model", "parts": parts}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}


def _error(status: int, message: str) -> Body:
    return {"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}}


API = Api(
    re.compile(r"/v1(beta)?/models/[^/:]+:generateContent"),
    check,
    _asked,
    _answer,
    _error,
    ("x-goog-api-key",),
)
