"""`--history FILE`: the turns of a scenario, or the messages that an SDK keeps."""

from typing import Any

from docasm.cli.streams import read_source
from docasm.errors import failure
from docasm.history import ROLES
from docasm.json_text import parse_json
from docasm.settings import parse_settings


def read_history_file(name: str) -> tuple[object, ...]:
    """What `Bundle.render` takes as `history`; raises DocasmError.

    JSON is read as JSON, not as the YAML that it nearly is: SDKs write emoji as pairs of escapes.
    """
    source = read_source(name)
    value = parse_json(source) if name.endswith(".json") else parse_settings(source).plain()
    listed = value["messages"] if isinstance(value, dict) and "messages" in value else value
    if listed is not None and not isinstance(listed, list):
        hint = "write `- user: text`, or a list of messages with `role` and `content`"
        raise failure("bad-history", f"`{source.path}` must hold a list of turns", hint=hint)
    return tuple(_message(item) for item in listed or ())


def _message(item: Any) -> Any:
    """`{user: text}` written out; anything else as it is."""
    if isinstance(item, dict) and len(item) == 1 and (role := next(iter(item))) in ROLES:
        return {"role": role, "content": item[role]}
    return item
