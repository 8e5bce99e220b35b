"""The turns before this one: read from what SDKs keep, and a Markdown list that can be read back exactly.

A turn is one item of the list. A one-line turn is `- **You**: text`, an empty one `- **You**:`; any other is
the label alone, a blank line, and the text with every line that is not empty indented by two. So column 0
belongs to the items, and what a turn opens (a fence, a comment, a quote) ends with its item.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from docasm.errors import DocasmError, did_you_mean, failure
from docasm.tools import dumped

ROLES = ("user", "assistant")
"""The roles a turn can have."""
DEFAULT_LABELS: Mapping[str, str] = MappingProxyType({"assistant": "You", "user": "User"})
"""What the list calls each role where no other label is given."""

_ITEM = "- **"
_LINE = re.compile(r"[^\r\n]+")
_INDENTED = re.compile(r"  ([^\r\n]*)")

_TOOL_ROLES = ("tool", "function")
_TEXT_PARTS = ("text", "input_text", "output_text")
_UNSPOKEN = re.compile(r"tool|_call|thinking|reasoning")
"""Parts and items that are no one's words: tool calls, their results, a model's reasoning."""
_JOINTS: Mapping[str, str] = MappingProxyType({"user": "\n", "assistant": ""})
"""Between the parts of a message. A user's are separate things; an answer is one text that APIs cut at a
citation, in the middle of a sentence, and that their SDKs put together with nothing in between."""


@dataclass(frozen=True, slots=True, init=False)
class Turn:
    """What one side of a conversation said, once."""

    role: str
    """One of ROLES."""
    content: str
    """The words, exactly."""
    name: str | None
    """Who said it, where that is not plain from the role."""

    def __init__(self, role: str, content: str, *, name: str | None = None) -> None:
        """Raises DocasmError for another role, and for values that are not text."""
        if role != "user" and role != "assistant":
            raise _unknown_role("a turn", role)
        if not isinstance(content, str) or not (name is None or isinstance(name, str)):
            raise failure("bad-message", "the content and the name of a turn must be text")
        _set_role(self, role)
        _set_content(self, content)
        _set_name(self, name)


# A turn is made for every message of every render, and `object.__setattr__` takes a third longer.
_set_role = Turn.__dict__["role"].__set__
_set_content = Turn.__dict__["content"].__set__
_set_name = Turn.__dict__["name"].__set__


_ONLY_TURNS = {Turn}


@dataclass(frozen=True, slots=True)
class History:
    """The turns of a conversation that a document is to show."""

    turns: tuple[Turn, ...]
    """Oldest first."""
    left_out: int
    """How many messages after the first of `turns` hold no words: tool calls and their results."""
    cut: int
    """How many messages before that were not looked at."""


def turns(history: Iterable[object], max_turns: int | None = None) -> History:
    """The last `max_turns` turns of a conversation (None: all) among Turns and the messages of SDKs.

    A message is a mapping, or an object with `model_dump`, with `role`, `content` and perhaps `name`; a part
    of it that is not text stands as its kind, `[image]`. Of a Sequence only the messages used are looked at.
    Raises DocasmError that names the message by its index.
    """
    messages = history if isinstance(history, Sequence) else tuple(history)
    if isinstance(messages, list | tuple):
        cut = 0 if max_turns is None else max(0, len(messages) - max_turns)
        last: tuple[Any, ...] = tuple(messages[cut:])
        if set(map(type, last)) <= _ONLY_TURNS:
            return History(last, 0, cut)
    found: list[Turn] = []
    index = len(messages)
    wanted = index if max_turns is None else max_turns
    while index > 0 and len(found) < wanted:
        index -= 1
        message = messages[index]
        turn = message if isinstance(message, Turn) else _read(message, index)
        if turn is not None:
            found.append(turn)
    found.reverse()
    return History(tuple(found), len(messages) - index - len(found), index)


def to_markdown(turns: Iterable[Turn], labels: Mapping[str, str]) -> str:
    """A Markdown list of the turns, without a line end after the last; "" for no turns.

    `labels` says what to call each role. A label is the turn's name if it has one, as one line without `*`.
    """
    starts = _starts(labels.get("user", ""), labels.get("assistant", ""))
    items = []
    for turn in turns:
        text = turn.content
        if turn.name is not None or not text or "\n" in text or "\r" in text or text.strip() != text:
            items.append(_item(turn, starts))
        else:
            items.append(starts[turn.role] + text)
    return "\n".join(items)


@lru_cache(maxsize=64)
def _starts(user: str, assistant: str) -> Mapping[str, str]:
    """How the item of a role starts, for the roles' labels."""
    labels = {"user": user, "assistant": assistant}
    return {role: f"- **{_label(labels[role], DEFAULT_LABELS[role])}**: " for role in ROLES}


def _item(turn: Turn, starts: Mapping[str, str]) -> str:
    """A turn that has a name, or is not just one line of text.

    A name comes from outside: one that is the label of the other role does not count.
    """
    labels = {role: start[len(_ITEM) : -len("**: ")] for role, start in starts.items()}
    text, label = turn.content, labels[turn.role]
    if turn.name is not None and _label(turn.name, label) not in labels.values():
        label = _label(turn.name, label)
    if text and "\n" not in text and "\r" not in text and text == text.strip():
        return f"- **{label}**: {text}"
    return f"- **{label}**:{_block(text)}"


def parse(text: str) -> tuple[tuple[str, str], ...]:
    """The label and the content of each turn that `to_markdown` wrote, exactly.

    Raises DocasmError for a text that is not such a list.
    """
    if not text:
        return ()
    if not text.startswith(_ITEM):
        raise _not_a_list(text)
    return tuple(_parse_item(item) for item in text[len(_ITEM) :].split("\n" + _ITEM))


@lru_cache(maxsize=256)
def _label(text: str, instead: str) -> str:
    """The text as one line without `*`; another label where that leaves nothing."""
    return " ".join(text.replace("*", "").split()) or instead


def _block(content: str) -> str:
    return "\n\n" + _LINE.sub(r"  \g<0>", content) if content else ""


def _parse_item(item: str) -> tuple[str, str]:
    label, separator, rest = item.partition("**:")
    if rest.startswith("\n\n"):
        content = _INDENTED.sub(r"\1", rest[2:])
        is_written_so = _block(content) == rest
    else:
        content = rest[1:]
        is_written_so = _LINE.fullmatch(item) is not None and rest[:1] in ("", " ")
    if not separator or not is_written_so:
        raise _not_a_list(item)
    return label, content


def _not_a_list(text: str) -> DocasmError:
    return failure("bad-history", f"this is no turn of a history list: {text[:80]!r}")


def _unknown_role(where: str, role: object) -> DocasmError:
    hint = did_you_mean(role, ROLES, kind="roles of a turn") if isinstance(role, str) else ""
    known = " or ".join(f"`{each}`" for each in ROLES)
    shown = repr(role[:40] if isinstance(role, str) else role)
    return failure("unknown-role", f"{where} has the role {shown}; expected {known}", hint=hint)


def _read(value: object, index: int) -> Turn | None:
    """The turn of an SDK's message; None where it holds no words."""
    message = value if isinstance(value, dict) else dumped(value)
    if not isinstance(message, Mapping):
        raise _bad(index, "this is neither a Turn nor a mapping with `role` and `content`")
    role = message.get("role")
    if role in _TOOL_ROLES or (role is None and _is_unspoken(message.get("type"))):
        return None
    if role not in ROLES:
        raise _unknown_role(f"message {index} of the history", role)
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
