"""Messages with tool calls and their results: what a conversation holds, whoever the provider is."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docasm.errors import DocasmError, Problem, did_you_mean, failure
from docasm.json_values import check_json, dumped, finite, nesting_exceeds, not_json
from docasm.markers import Message
from docasm.settings import MAX_NESTING

ENTRY_ROLES = ("system", "user", "assistant", "tool")
"""The roles of a conversation: those of a document, and the results of tools."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to have a tool called."""

    id: str
    """What its result names; unique in a conversation."""
    name: str
    arguments: str
    """JSON, exactly as the model wrote it."""

    def parsed(self) -> dict[str, Any]:
        """The arguments as an object, none as an empty one; raises DocasmError for what is no JSON object."""
        if not self.arguments.strip():
            return {}
        try:
            value = json.loads(self.arguments, parse_float=finite, parse_constant=not_json)
        except (ValueError, RecursionError):
            value = ()
        if value is None:
            return {}
        check_json(value, f"the call `{self.id}` of `{self.name}`", "bad-tool-call")
        if not isinstance(value, dict) or nesting_exceeds(value, MAX_NESTING):
            message = f"the arguments of the call `{self.id}` of `{self.name}` are no JSON object"
            raise failure("bad-tool-call", message, hint="they start with `{` and end with `}`")
        return value


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of a conversation."""

    role: str
    """One of ENTRY_ROLES."""
    content: str
    """The words; "" for none. Of a tool's result, the result."""
    calls: tuple[ToolCall, ...] = ()
    """What the assistant wants to be called."""
    call_id: str = ""
    """Of a tool's result, the call that it answers."""


def entries_of(messages: Iterable[Message]) -> tuple[Entry, ...]:
    """The messages of a document as entries."""
    return tuple([Entry(message.role, message.content) for message in messages])


def read_entries(messages: Iterable[object]) -> tuple[Entry, ...]:
    """Entries from messages as OpenAI's Chat Completions have them: mappings, or objects of an SDK.

    Unknown keys are left out; they never reach a payload. Raises DocasmError that names the message by its
    index.
    """
    return tuple([_read(message, index) for index, message in enumerate(messages)])


def _read(value: object, index: int) -> Entry:
    message = value if isinstance(value, Mapping) else dumped(value)
    if not isinstance(message, Mapping):
        raise _bad(index, "this is no message with `role` and `content`")
    role = message.get("role")
    role = "system" if role == "developer" else role
    if role not in ENTRY_ROLES:
        hint = did_you_mean(role, ENTRY_ROLES, kind="roles") if isinstance(role, str) else ""
        raise failure("unknown-role", f"message {index} has the role {role!r:.60}", hint=hint)
    content = _text(message.get("content"), index)
    if role == "tool":
        call_id = message.get("tool_call_id")
        if not isinstance(call_id, str) or not call_id:
            raise _bad(index, "the result of a tool needs the `tool_call_id` that it answers")
        return Entry(role, content, (), call_id)
    calls = message.get("tool_calls") or ()
    if calls and role != "assistant":
        raise _bad(index, f"a message of the role `{role}` cannot call tools")
    return Entry(role, content, read_calls(calls, index))


def _text(content: object, index: int) -> str:
    """A text, or the text parts of a list together; a part that is no text is an error, not lost."""
    if content is None or isinstance(content, str):
        return content or ""
    pieces = []
    for part in content if isinstance(content, Sequence) else (None,):
        part = part if isinstance(part, Mapping) else dumped(part)
        if not isinstance(part, Mapping) or not isinstance(part.get("text"), str):
            raise _bad(index, "`content` must be text, or a list of parts with `text`")
        pieces.append(part["text"])
    return "".join(pieces)


def read_calls(values: Iterable[object], index: int) -> tuple[ToolCall, ...]:
    """The calls of the message of an index: ToolCalls, or as OpenAI has them. Raises DocasmError."""
    return tuple([value if isinstance(value, ToolCall) else _call(value, index) for value in values])


def _call(value: object, index: int) -> ToolCall:
    call = value if isinstance(value, Mapping) else dumped(value)
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping):
        raise _bad(index, "a tool call must be a mapping of `id` and `function`")
    id_, name, arguments = call.get("id"), function.get("name"), function.get("arguments")
    if not isinstance(id_, str) or not id_ or not isinstance(name, str) or not name:
        raise _bad(index, "a tool call needs an `id`, and a `function` with a `name`")
    if isinstance(arguments, Mapping):
        arguments = json.dumps(arguments, ensure_ascii=False)
    if not isinstance(arguments, str | None):
        raise _bad(index, f"the arguments of the call `{id_}` must be JSON text")
    return ToolCall(id_, name, arguments or "")


def to_messages(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """The entries as OpenAI's Chat Completions have them, the caller's to edit."""
    return [_message(entry) for entry in entries]


def _message(entry: Entry) -> dict[str, Any]:
    if entry.role == "tool":
        return {"role": "tool", "tool_call_id": entry.call_id, "content": entry.content}
    message: dict[str, Any] = {"role": entry.role, "content": entry.content}
    if entry.calls:
        message["content"] = entry.content or None
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in entry.calls
        ]
    return message


def open_calls(entries: Sequence[Entry]) -> tuple[ToolCall, ...]:
    """The calls of the last assistant message that no result answers yet."""
    for index in range(len(entries) - 1, -1, -1):
        if entries[index].role != "tool":
            answered = {entry.call_id for entry in entries[index + 1 :]}
            return tuple(call for call in entries[index].calls if call.id not in answered)
    return ()


def check_pairs(entries: Sequence[Entry], indexes: Sequence[int] = ()) -> None:
    """Raises DocasmError, by index and id, unless each call has one result right after its message.

    `indexes` are what the entries are called, if not by their own positions.
    """
    problems: list[Problem] = []
    pending: dict[str, int] = {}
    seen: set[str] = set()
    for index, entry in zip(indexes or range(len(entries)), entries, strict=True):
        if entry.role == "tool":
            if pending.pop(entry.call_id, None) is None:
                problems.append(_unexpected(index, entry.call_id, again=entry.call_id in seen))
            continue
        problems += [_unanswered(at, id_) for id_, at in pending.items()]
        pending = {}
        for call in entry.calls:
            if call.id in seen:
                message = f"message {index} has a second call with the id `{call.id}`"
                problems.append(
                    Problem(
                        "unpaired-call",
                        message,
                        hint="give each call an id of its own, or ask for the repair `ids`",
                    )
                )
            seen.add(call.id)
            pending[call.id] = index
    problems += [_unanswered(at, id_) for id_, at in pending.items()]
    if problems:
        raise DocasmError(problems)


def _unanswered(index: int, id_: str) -> Problem:
    message = f"the call `{id_}` of message {index} has no result right after it"
    return Problem("unpaired-call", message, hint="add its result before anything else is said")


def _unexpected(index: int, id_: str, *, again: bool) -> Problem:
    why = "that is answered already, or too late" if again else "that the message before it does not make"
    message = f"message {index} is the result of a call `{id_}` {why}"
    return Problem("unpaired-call", message, hint="results follow the message that made their calls")


def _bad(index: int, message: str) -> DocasmError:
    return failure("bad-message", f"message {index}: {message}")
