"""One slot of a pipeline, as its file gives it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from docasm.errors import Problem, did_you_mean
from docasm.fields import Fields
from docasm.limits import HISTORY, LEAST_PER_SKILL, SKILLS
from docasm.settings import Setting
from docasm.shapes import NOT_BLANK, Keys, Shape, given, keys, mapping, text, whole

SOUL, IDENTITY, CUSTOM = "soul", "identity", "custom"
ADOPTED, DM_HISTORY = "adopted_skills", "dm_history"
VARIABLES = ("startup_events", "admin_notes", "admin_context")
"""The types that show the variable of their name."""

_KEYS = keys(
    type=given(text("What the slot brings.")),
    max_chars=whole("How large it may be, in code points.", least=1),
    content=text("The wording around what the slot brings."),
)
_SKILL_KEYS = {**_KEYS, "max_per_skill": whole("How large each skill may be.", least=LEAST_PER_SKILL)}
_CUSTOM_KEYS = {**_KEYS, "content": given(text("The text.", pattern=NOT_BLANK))}
SLOT_KEYS: Mapping[str, Keys] = MappingProxyType(
    {
        SOUL: _KEYS,
        IDENTITY: _KEYS,
        "startup_events": _KEYS,
        ADOPTED: _SKILL_KEYS,
        DM_HISTORY: {**_KEYS, "max_turns": whole("How many messages are shown.", least=0)},
        "admin_notes": _KEYS,
        "admin_context": _KEYS,
        CUSTOM: _CUSTOM_KEYS,
    }
)
"""What a slot of each type may say."""
TYPES = tuple(SLOT_KEYS)
SLOT: Shape = {
    "description": "A message of the context.",
    "type": ["object", "null"],
    "properties": {"type": {"description": "What the slot brings.", "enum": [*TYPES]}},
    "required": ["type"],
    "allOf": [
        {
            "if": {"properties": {"type": {"const": kind}}, "required": ["type"]},
            "then": mapping("", known, required=["content"] if kind == CUSTOM else []),
        }
        for kind, known in SLOT_KEYS.items()
    ],
}
NAMES: Mapping[str, str] = MappingProxyType(
    {**{kind: kind.replace("_", "-") for kind in TYPES}, ADOPTED: SKILLS, DM_HISTORY: HISTORY}
)
"""What the slots of a layout are called that the types stand for."""


@dataclass(frozen=True, slots=True)
class PipelineSlot:
    """A slot of a pipeline."""

    kind: str
    """One of TYPES."""
    setting: Setting
    content: Setting | None
    limits: Mapping[str, Setting | None]
    """What it says of limits, by the names that layouts use."""

    @property
    def type_setting(self) -> Setting:
        found: Setting = self.setting.value["type"]
        return found


def read_slots(pipeline: Fields) -> list[PipelineSlot]:
    """The slots of a pipeline, those that are wrong left out; problems go where those of `pipeline` do."""
    setting = pipeline.get("slots")
    if setting is None or not isinstance(setting.value, list):
        if isinstance(pipeline.setting.value, dict | None):
            hint = "write `slots: [{type: soul}, {type: dm_history, max_turns: 12}]`"
            at = setting or pipeline.setting
            pipeline.problems.append(
                at.problem("wrong-type", "a pipeline needs a list of `slots`", hint=hint)
            )
        return []
    found = [_slot(each, pipeline.problems) for each in setting.value]
    slots = [each for each in found if each is not None]
    pipeline.problems.extend(_twice(slots))
    return slots


def _slot(setting: Setting, problems: list[Problem]) -> PipelineSlot | None:
    known = len(problems)
    fields = Fields(setting, problems, "a slot of a pipeline")
    kind, given = fields.text("type"), fields.get("type")
    if kind not in TYPES:
        if given is not None and isinstance(given.value, str):
            hint = did_you_mean(kind, TYPES, kind="types")
            problems.append(given.problem("unknown-slot", f"unknown type of slot `{kind}`", hint=hint))
        elif given is None and isinstance(setting.value, dict):
            hint = did_you_mean("", TYPES, kind="types")
            problems.append(setting.problem("wrong-type", "a slot needs its `type`", hint=hint))
        return None
    fields.only(SLOT_KEYS[kind])
    fields.whole("max_chars", least=1)
    fields.whole("max_per_skill", least=LEAST_PER_SKILL)
    fields.whole("max_turns", least=0)
    if kind == CUSTOM and not fields.text("content").strip() and len(problems) == known:
        hint = "write `content: TEXT`"
        problems.append(
            setting.problem("wrong-type", "a slot of the type `custom` needs `content`", hint=hint)
        )
    fields.text("content")
    limits = {key: fields.get(key) for key in ("max_chars", "max_per_skill", "max_turns")}
    return PipelineSlot(kind, setting, fields.get("content"), limits) if len(problems) == known else None


def _twice(slots: Sequence[PipelineSlot]) -> list[Problem]:
    """A problem for each type that is there again, of those that a document has once."""
    seen: dict[str, int] = {}
    problems = []
    for each in slots:
        if each.kind in seen and each.kind != CUSTOM:
            message = f"the slot `{each.kind}` is there twice; the first is on line {seen[each.kind]}"
            hint = f"keep one of them; only `{CUSTOM}` may be there again"
            problems.append(each.type_setting.problem("slot-twice", message, hint=hint))
        seen.setdefault(each.kind, each.type_setting.line)
    return problems
