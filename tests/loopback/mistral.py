"""Mistral's chat API."""

import re
from itertools import pairwise

from mistral_common.exceptions import MistralCommonException
from mistral_common.protocol.instruct.request import ChatCompletionRequest as StrictRequest
from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
from mistral_common.tokens.tokenizers.base import TokenizerVersion
from mistralai.client.models import ChatCompletionRequest

from tests.loopback import chat
from tests.loopback.api import Api, Body, RefusedError, Reply, known, need, paired, right_tools

_KEYS = ("tools", "temperature", "max_tokens", "random_seed", "stream")
_MESSAGE_KEYS = {
    "system": (),
    "user": (),
    "assistant": ("tool_calls", "prefix"),
    "tool": ("tool_call_id", "name"),
}


def check(body: Body) -> None:
    known(body, ["model", "messages"], _KEYS)
    need(not body.get("stream"), "the tests read no streams")
    ChatCompletionRequest.model_validate(body)
    need(body["messages"], "messages must not be empty")
    for at, message in enumerate(body["messages"]):
        _message(message)
        need(message["role"] != "system" or at == 0, "System message must be at the beginning.")
    paired(chat.steps(body))
    roles = [message["role"] for message in body["messages"]]
    need(("tool", "user") not in pairwise(roles), "Unexpected role 'user' after role 'tool'")
    if body.get("tools") is not None:
        functions = [tool["function"] for tool in body["tools"]]
        right_tools([(each["name"], each["parameters"]) for each in functions], "[a-zA-Z0-9_-]{1,64}")
    _known_to_the_tokenizers(body)


def _message(message: Body) -> None:
    role = message.get("role")
    need(role in _MESSAGE_KEYS, f"unknown role: {role}")
    known(message, ["role", "content"], _MESSAGE_KEYS[str(role)])
    blank = role == "assistant" and not str(message["content"]).strip()
    need(not blank or message.get("tool_calls"), "Assistant message must have either content or tool_calls")
    for call in message.get("tool_calls") or ():
        known(call, ["id", "function"], ["type", "index"])
        known(call["function"], ["name", "arguments"])
    ids = [call["id"] for call in message.get("tool_calls") or ()]
    for id_ in (*ids, message.get("tool_call_id", "a" * 9)):
        need(re.fullmatch("[a-zA-Z0-9]{9}", id_), f"Tool call id was {id_} but must be a-z, A-Z, 0-9, of 9")


def _known_to_the_tokenizers(body: Body) -> None:
    """Refuses what the validators of two generations of models refuse."""
    plain = [{key: value for key, value in each.items() if key != "prefix"} for each in body["messages"]]
    request = StrictRequest.from_openai(messages=plain, tools=body.get("tools"), model=body["model"])
    if body["messages"][-1].get("prefix"):  # which the reader of that package overlooks
        request.messages[-1].prefix = True
    for version in (TokenizerVersion.v7, TokenizerVersion.v13):
        try:
            get_validator(version, ValidationMode.serving).validate_request(request)
        except MistralCommonException as error:
            raise RefusedError(str(error)) from None


def _answer(body: Body, reply: Reply) -> Body:
    first = len(body["messages"]) * 100
    return chat.completion(body, reply, [f"call{first + at:05}" for at in range(len(reply.calls))])


def _error(status: int, message: str) -> Body:
    return {"object": "error", "message": message, "type": "invalid_request_error", "code": str(status)}


API = Api(re.compile(r"/v1/chat/completions"), check, chat.asked, _answer, _error, ("authorization",))
