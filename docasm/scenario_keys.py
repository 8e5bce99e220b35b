"""The keys of a scenario, with their shapes."""

from collections.abc import Mapping

from docasm.history import ROLES
from docasm.shapes import NOT_BLANK, Keys, Shape, either, free, given, keys, list_of, mapping, text, whole
from docasm.skill import VARIABLES
from docasm.tool_list import TOOLS
from docasm.trigger import KINDS

_TYPE = {"description": "What happened.", "enum": [*KINDS]}
TRIGGER_KEYS: Mapping[str, Keys] = {
    "dm": keys(
        type=_TYPE,
        sender=text("Who sent the message; `admin` by default."),
        text=given(text("The message.", pattern=NOT_BLANK)),
    ),
    "cron": keys(
        type=_TYPE,
        filter=given(text("The cron expression.", pattern=NOT_BLANK)),
        created_at=given(whole("When the job fired, in UNIX seconds.", least=0)),
    ),
    "event": keys(type=_TYPE, payload={"description": "Any value but null.", "not": {"type": "null"}}),
}
_NEEDED = {"dm": ("text",), "cron": ("filter", "created_at"), "event": ("payload",)}
_TRIGGER: Shape = {
    "description": "What happened.",
    "type": "object",
    "properties": {"type": _TYPE},
    "required": ["type"],
    "allOf": [
        {
            "if": {"properties": {"type": {"const": kind}}, "required": ["type"]},
            "then": mapping("", known, required=_NEEDED[kind]),
        }
        for kind, known in TRIGGER_KEYS.items()
    ],
}
TURN_KEYS = keys(
    role={"description": "Whose turn it is.", "enum": [*ROLES]},
    content=text("The words."),
    name=text("Who said it, where that is not plain from the role."),
)
_HISTORY = list_of(
    "The turns so far, oldest first.",
    either(
        "`user: TEXT`, `assistant: TEXT`, or `role`, `content` and perhaps `name`.",
        {"type": "null"},
        *(given(mapping("A turn.", {role: text("The words.")}, required=[role])) for role in ROLES),
        given(mapping("A turn.", TURN_KEYS, required=["role"])),
    ),
)
SCENARIO_KEYS = keys(
    bundle=text("The bundle's folder; by default the nearest one upwards with a `docasm.yaml`."),
    description=text("For people."),
    trigger=_TRIGGER,
    history=_HISTORY,
    variables=VARIABLES,
    model=text("The model, before any that the bundle names."),
    layout=text("A layout other than the bundle's choice."),
    tools=TOOLS,
    now=text("What templates see as `now`: a time in ISO 8601."),
    provider=text("Whom the document is for."),
    soul=text("A soul document, relative to this file."),
    pipeline=text("A context pipeline, relative to this file."),
    results=free("What tools return, by their names, in place of a call."),
)
