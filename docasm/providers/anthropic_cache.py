"""The marks of Anthropic's prompt cache.

A request may have four, none on blank text; what they cover goes tools, system, messages. Two are for the
prefix: the end of what every request has alike, and that of the system text. Two follow the conversation: the
end of what is said last, and of what was last in the request before, for which the API looks back no further
than 20 blocks.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from docasm.providers.cache import note_short, pieces, prefix_ends, stable_end
from docasm.providers.request import Request

ROLES = ("user", "assistant")
"""Whose messages can be marked."""
_TURNS = 2
_Block = dict[str, Any]


def marked(body: Mapping[str, Any], request: Request) -> dict[str, Any]:
    """The body with marks; all text is in blocks, so that only marks change from request to request."""
    made, ends, leading = dict(body), prefix_ends(request, ROLES), len(request.leading)
    if "system" in made:
        made["system"] = list(_blocks(made["system"], ends.get(leading - 1, ())))
    made["messages"] = [
        _in_blocks(message, ends.get(at + leading, ())) for at, message in enumerate(made["messages"])
    ]
    if "tools" in made and not stable_end(request, ROLES):
        made["tools"] = [*made["tools"][:-1], _with_mark(made["tools"][-1])]
    if "cache_control" not in made:  # else the API marks what is said last
        made["messages"] = _with_turns(made["messages"])
    note_short(request, ROLES)
    return made


def _blocks(text: str, ends: Sequence[int]) -> Iterator[_Block]:
    for piece, has_mark in pieces(text, ends):
        block = {"type": "text", "text": piece}
        yield _with_mark(block) if has_mark else block


def _in_blocks(message: Mapping[str, Any], ends: Sequence[int]) -> dict[str, Any]:
    """The message with its text as a list; system text among the messages stays text."""
    if isinstance(message["content"], str) and message["role"] != "system":
        return {**message, "content": list(_blocks(message["content"], ends))}
    return dict(message)


def _with_mark(block: Mapping[str, Any]) -> _Block:
    return {**block, "cache_control": {"type": "ephemeral"}}


def _with_turns(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """With marks where the user, or a tool, has the last word before the assistant or the end."""
    roles = [*(message["role"] for message in messages), ""]
    last = [at for at, (role, after) in enumerate(pairwise(roles)) if role == "user" != after][-_TURNS:]
    return [
        {**message, "content": _last_marked(message["content"])} if at in last else dict(message)
        for at, message in enumerate(messages)
    ]


def _last_marked(blocks: Sequence[_Block]) -> list[_Block]:
    """The blocks of a message, the last that can have one with a mark."""
    said = [at for at, block in enumerate(blocks) if _words(block).strip()]
    return [_with_mark(block) if at in said[-1:] else block for at, block in enumerate(blocks)]


def _words(block: Mapping[str, Any]) -> str:
    return str(block.get("text", "") or block.get("content", ""))
