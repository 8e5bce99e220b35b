"""Messages as JSON: a list of `{"role": ..., "content": ...}`."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from docasm.errors import DocasmError, Problem, did_you_mean, failure
from docasm.markers import ROLES, Message

KEYS = ("role", "content")


def as_json(value: object) -> str:
    """JSON as docasm prints it: an indent of two, not ASCII-escaped, a line end after it."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def plain(messages: Iterable[Message]) -> list[dict[str, str]]:
    """The messages as the mappings that SDKs take."""
    return [{"role": message.role, "content": message.content} for message in messages]


def read_messages(value: Any) -> tuple[Message, ...]:
    """The messages of a list, or of a mapping that holds one as `messages`; raises DocasmError with all
    that is wrong, each message named by its index."""
    listed = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(listed, list):
        hint = 'write `[{"role": "user", "content": "..."}]`, or put the list under `messages`'
        raise failure("bad-message", "expected a list of messages", hint=hint)
    problems = [
        problem for index, each in enumerate(listed) for problem in _wrong(each, f"messages[{index}]")
    ]
    if problems:
        raise DocasmError(problems)
    return tuple(Message(each["role"], each["content"]) for each in listed)


def unwritten(value: Any) -> tuple[Problem, ...]:
    """The warning that messages hold more than a document can, if they do."""
    listed: Sequence[Any] = value["messages"] if isinstance(value, dict) else value
    keys = sorted({key for each in listed for key in each if key not in KEYS})
    if not keys:
        return ()
    message = f"not in the document, which has no place for it: {', '.join(f'`{key}`' for key in keys)}"
    return (Problem("unknown-key", message, severity="warning"),)


def _wrong(message: Any, where: str) -> Iterable[Problem]:
    if not isinstance(message, dict):
        yield Problem("bad-message", f"{where} must be an object with `role` and `content`")
        return
    for key in KEYS:
        if not isinstance(message.get(key), str):
            yield Problem(
                "bad-message", f"{where}: `{key}` must be text{'' if key in message else '; it is missing'}"
            )
    role = message.get("role")
    if isinstance(role, str) and role not in ROLES:
        hint = did_you_mean(role, ROLES, kind="roles")
        yield Problem("unknown-role", f"{where} has the unknown role `{role[:40]}`", hint=hint)
