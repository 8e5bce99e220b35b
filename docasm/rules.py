"""Reading a skill's `triggers`, from its front matter or from an entry of `adopted`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from docasm.errors import Problem, did_you_mean
from docasm.fields import Fields
from docasm.params import PARAMS_SHAPE, read_params
from docasm.settings import Setting
from docasm.shapes import Shape, either, given, keys, mapping, mapping_of, texts
from docasm.trigger import KINDS, Condition, Rule

_EVENT_VALUE = {"type": ["string", "number", "boolean", "null"]}
_KIND_SHAPES = keys(
    dm=mapping("Direct messages.", keys(sender=texts("Of these senders only."))),
    cron=texts("Cron jobs with this expression, compared as text."),
    event=mapping_of(
        "Events in which each dotted path holds the value, or one of the list.",
        either("The value, or a list of values.", _EVENT_VALUE, {"type": "array", "items": _EVENT_VALUE}),
    ),
)
_TRIGGER: Shape = either(
    "A kind of trigger, perhaps with conditions.",
    {"enum": [*KINDS, None]},
    given(
        mapping(
            "A kind of trigger with its conditions, and `params` that go before the skill's own.",
            {**_KIND_SHAPES, "params": PARAMS_SHAPE},
            oneOf=[{"required": [kind]} for kind in KINDS],
        )
    ),
)
TRIGGERS: Shape = either(
    "What selects the skill.",
    {"enum": [*KINDS]},
    mapping("One trigger for each key.", _KIND_SHAPES),
    {"type": "array", "items": _TRIGGER},
)
"""The value of `triggers`."""


def read_rules(setting: Setting | None, problems: list[Problem]) -> tuple[Rule, ...]:
    """The rules that a `triggers` value holds; what cannot be read is reported and left out."""
    if setting is None:
        return ()
    if isinstance(setting.value, dict):
        entries = [
            Setting({key: value}, setting.source, *setting.keys[key], {key: setting.keys[key]})
            for key, value in setting.value.items()
        ]
    else:
        entries = setting.value if isinstance(setting.value, list) else [setting]
    rules = (_rule(entry, problems) for entry in entries)
    return tuple(rule for rule in rules if rule is not None)


def _rule(entry: Setting, problems: list[Problem]) -> Rule | None:
    if isinstance(entry.value, str):
        return Rule(entry.value) if _known(entry.value, entry, problems) else None
    fields = Fields(entry, problems, "a trigger")
    kinds = [key for key in fields.values if key != "params"]
    if len(kinds) != 1:
        if isinstance(entry.value, dict):
            message = f"a trigger is one of {', '.join(KINDS)}, with `params` beside it if need be"
            problems.append(entry.problem("bad-trigger", message))
        return None
    if not _known(kinds[0], entry, problems):
        return None
    conditions = _CONDITIONS[kinds[0]](fields)
    params = read_params(fields.mapping("params"), severity="error") if fields.get("params") else None
    return Rule(kinds[0], conditions, params)


def _known(kind: str, entry: Setting, problems: list[Problem]) -> bool:
    if kind in KINDS:
        return True
    hint = did_you_mean(kind, KINDS, kind="known kinds")
    problems.append(entry.problem("unknown-trigger", f"unknown kind of trigger `{kind}`", hint=hint))
    return False


def _dm_conditions(fields: Fields) -> tuple[Condition, ...]:
    wanted = fields.mapping("dm")
    wanted.only(["sender"])
    senders = tuple(item.value for item in wanted.texts("sender"))
    return (Condition("sender", senders),) if senders else ()


def _cron_conditions(fields: Fields) -> tuple[Condition, ...]:
    expressions = tuple(item.value for item in fields.texts("cron"))
    return (Condition("filter", expressions),) if expressions else ()


def _event_conditions(fields: Fields) -> tuple[Condition, ...]:
    conditions = []
    for path, setting in fields.mapping("event").values.items():
        values = setting.plain() if isinstance(setting.value, list) else [setting.plain()]
        if any(isinstance(value, list | dict) for value in values):
            fields.problems.append(
                setting.problem("wrong-type", f"`{path}` must be a value or a list of values")
            )
        else:
            conditions.append(Condition(path, tuple(values)))
    return tuple(conditions)


_CONDITIONS: Mapping[str, Callable[[Fields], tuple[Condition, ...]]] = MappingProxyType(
    {"dm": _dm_conditions, "cron": _cron_conditions, "event": _event_conditions}
)


def as_written(rules: tuple[Rule, ...]) -> str:
    """The rules in a few words, for messages."""
    return ", ".join(rule.describe() for rule in rules)
