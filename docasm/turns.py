"""Turns from what SDKs keep: message mappings and objects of several shapes, and Turns themselves."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from docasm.errors import DocasmError, failure
from docasm.history import ROLES, Turn, unknown_role
from docasm.json_values import dumped
from docasm.markers import Message

_TOOL_ROLES = ("tool", "function")
_TEXT_PARTS = ("text", "input_text", "output_text")
_UNSPOKEN = re.compile(r"tool|_call|thinking|reasoning")
"""Parts and items that are no one's words: tool calls, their results, a model's reasoning."""
_JOINTS: Mapping[str, str] = MappingProxyType({"user": "\n", "assistant": ""})
"""Between the parts of a message. A user's are separate things; an answer is one text that APIs cut at a
citation, in the middle of a sentence, and that their SDKs put together with nothing in between."""
_ONLY_TURNS = {Turn}
_LISTS = (list, tuple)


@dataclass(slots=True)  # one is made for every render, and frozen ones take twice as long; nobody changes it
class History:
    """The turns of a conversation that a document is to show."""

    turns: tuple[Turn, ...]
    """Oldest first."""
    left_out: int
    """How many messages after the first of `turns` hold no words: tool calls and their results."""
    cut: int
    """How many messages before that were not looked at."""
    indexes: Sequence[int] = field(default=(), compare=False)
    """Which message of the conversation each turn is."""


def turns(history: Iterable[object], max_turns: int | None = None, step: int = 1) -> History:
    """The last `max_turns` turns of a conversation (None: all) among Turns and the messages of SDKs.

    What is cut is a multiple of `step` messages, so that it stays the same while the conversation grows by
    less than that.

    A message is a mapping, or an object with `model_dump`, with `role`, `content` and perhaps `name`; a part
    of it that is not text stands as its kind, `[image]`. Of a Sequence only the messages used are looked at.
    Raises DocasmError that names the message by its index.
    """
    if isinstance(history, _LISTS):
        messages: Sequence[Any] = history
        cut = 0 if max_turns is None else stepped(max(0, len(messages) - max_turns), step, len(messages))
        last: tuple[Any, ...] = tuple(messages[cut:])
        if set(map(type, last)) <= _ONLY_TURNS:
            return History(last, 0, cut, range(cut, len(messages)))
    else:
        messages = history if isinstance(history, Sequence) else tuple(history)
    found, cut = _last_turns(messages, max_turns)
    cut = stepped(cut, step, len(messages))
    kept = [(index, turn) for index, turn in reversed(found) if index >= cut]
    left_out = len(messages) - cut - len(kept)
    return History(tuple([turn for _, turn in kept]), left_out, cut, [index for index, _ in kept])


def stepped(count: int, step: int, most: int) -> int:
    """The least multiple of `step` that is not below a count; all, if it is more than there are."""
    return min(-(-count // step) * step, most) if count else 0


def _last_turns(messages: Sequence[object], wanted: int | None) -> tuple[list[tuple[int, Turn]], int]:
    """The last turns, newest first, with their indexes; and how many messages are before them."""
    found: list[tuple[int, Turn]] = []
    index = len(messages)
    while index > 0 and (wanted is None or len(found) < wanted):
        index -= 1
        turn = _turn(messages[index], index)
        if turn is not None:
            found.append((index, turn))
    while found and index > 0 and not isinstance(messages[index - 1], Turn):
        if _read(messages[index - 1], index - 1) is not None:
            break
        index -= 1
    return found, index


def _turn(message: object, index: int) -> Turn | None:
    return message if isinstance(message, Turn) else _read(message, index)


def _read(value: object, index: int) -> Turn | None:
    """The turn of an SDK's message; None where it holds no words."""
    if isinstance(value, Message):
        value = {"role": value.role, "content": value.content}
    message = value if isinstance(value, dict) else dumped(value)
    if not isinstance(message, Mapping):
        raise _bad(index, "this is no Turn, and no message with `role` and `content`")
    role = message.get("role")
    if role in _TOOL_ROLES or (role is None and _is_unspoken(message.get("type"))):
        return None
    if role not in ROLES:
        raise unknown_role(f"message {index} of the history", role)
    pieces, has_unspoken = _pieces(message, index)
    text = _JOINTS[role].join(pieces)
    if not pieces or (has_unspoken and not text.strip()):
        return None
    return Turn(role, text, name=message.get("name"))


def _pieces(message: Mapping[str, Any], index: int) -> tuple[list[str], bool]:
    """The texts of a message, and whether it holds more than words."""
    content = message.get("content")
    if content is None:
        content = message.get("refusal")
    has_calls = bool(message.get("tool_calls") or message.get("function_call"))
    if content is None or isinstance(content, str):
        return [] if content is None else [content], has_calls
    if not isinstance(content, list | tuple):
        raise _bad(index, "`content` must be text or a list of parts")
    found = [_piece(dumped(part), index) for part in content]
    return [piece for piece in found if piece is not None], has_calls or None in found


def _piece(part: object, index: int) -> str | None:
    """The words of one part of a message, a stand-in for what is not text, or None for what nobody said."""
    kind = part.get("type") if isinstance(part, Mapping) else None
    if not isinstance(part, Mapping) or not isinstance(kind, str):
        raise _bad(index, "a part of `content` must be a mapping with a `type`")
    if _is_unspoken(kind):
        return None
    if kind not in _TEXT_PARTS and kind != "refusal":
        return f"[{kind.removeprefix('input_').removesuffix('_url')}]"
    text = part.get("refusal" if kind == "refusal" else "text")
    if not isinstance(text, str):
        raise _bad(index, f"a part of the type `{kind}` must hold text")
    return text


def _is_unspoken(kind: object) -> bool:
    return isinstance(kind, str) and _UNSPOKEN.search(kind) is not None


def _bad(index: int, message: str) -> DocasmError:
    return failure("bad-message", f"message {index} of the history: {message}")
