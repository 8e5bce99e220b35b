"""What a layout says of its slots and of the whole document: how much there may be, and of what."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from docasm.errors import did_you_mean
from docasm.fields import Fields
from docasm.fragment import INPUT
from docasm.relevance import Relevance
from docasm.settings import Setting
from docasm.shapes import (
    Keys,
    Shape,
    choice,
    keys,
    mapping,
    mapping_of,
    number,
    text,
    texts,
    whole,
    whole_of,
)
from docasm.skill import VARIABLE

SKILLS, TOOLS, HISTORY = "skills", "tools", "history"
SLOTS = (SKILLS, TOOLS, HISTORY, INPUT)
"""The slots that every layout may have; others have a name in its `slots`."""
AS_LIST, AS_MESSAGES = "list", "messages"

MOST_FACTOR = 100
LEAST_PER_SKILL = 120
"""What the line takes at most that says how much of a skill is missing."""

SIZE_KEYS = keys(
    max_chars=whole("How large it may be, in code points.", least=1),
    max_tokens=whole("How large it may be, in tokens.", least=1),
)
_COMMON = {**SIZE_KEYS, "preface": text("A text before what the slot brings, if it brings something.")}
_RELEVANCE_KEYS = keys(
    top=whole("How many skills stay; all by default.", least=1),
    min_score=number("What a skill must score to stay; 0 by default.", exclusiveMinimum=-1e9, maximum=1e9),
    pinned=texts("The skills that stay whatever they score."),
)
_KEYS: Mapping[str, Keys] = MappingProxyType(
    {
        SKILLS: {
            **_COMMON,
            "max_per_skill": whole("How many code points of each skill.", least=LEAST_PER_SKILL),
            "relevance": mapping("Keeps the skills that the trigger's text is about.", _RELEVANCE_KEYS),
        },
        TOOLS: _COMMON,
        HISTORY: {
            **_COMMON,
            "as": choice("Whether it is a list in the document, or messages.", (AS_LIST, AS_MESSAGES)),
            "max_turns": whole("How many turns are shown; all by default.", least=0),
            "step": whole("How many turns go at a time; 1 by default.", least=1),
        },
        INPUT: _COMMON,
    }
)
_OWN_KEYS: Keys = {
    **_COMMON,
    "from": text("The variable that the slot shows.", pattern=whole_of(VARIABLE.pattern)),
    "max_items": whole("How many items of a list are shown.", least=1),
}
SLOTS_SHAPE: Shape = mapping_of(
    "What slots bring, and how much of it.",
    mapping("A slot of the layout's own: a variable, or the skill of its name.", _OWN_KEYS),
    known={name: mapping(f"The slot `<<{name}>>`.", known) for name, known in _KEYS.items()},
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How large something may be; None for as large as it is."""

    max_chars: int | None = None
    """In code points."""
    max_tokens: int | None = None

    def __bool__(self) -> bool:
        return self.max_chars is not None or self.max_tokens is not None


@dataclass(frozen=True, slots=True)
class SlotSettings:
    """What a layout says of one slot."""

    limits: Limits = Limits()
    preface: Setting | None = None
    """A text that stands before what the slot brings, if it brings something."""
    shown_as: str = AS_LIST
    """Of the history: AS_LIST writes it into the document, AS_MESSAGES makes it messages of its own."""
    max_turns: int | None = None
    step: int = 1
    """The history loses its oldest messages so many at a time."""
    max_per_skill: int | None = None
    """In code points."""
    relevance: Relevance | None = None
    variable: str | None = None
    """What a slot of the layout's own shows; without one it shows the skill of its name."""
    max_items: int | None = None
    """How many items of a list are shown, from the first."""

    @property
    def limited(self) -> bool:
        """Whether fitting has something to do with it."""
        return bool(self.limits) or self.max_per_skill is not None


NO_SETTINGS = SlotSettings()


def read_limits(fields: Fields) -> Limits:
    """The limits of a mapping."""
    return Limits(fields.whole("max_chars", least=1), fields.whole("max_tokens", least=1))


def read_slots(slots: Fields, is_known: Callable[[str], bool]) -> Mapping[str, SlotSettings]:
    """The settings of each slot that `slots` names, those that are not known left out."""
    read = {name: _read_slot(name, slots.mapping(name)) for name in slots.values if is_known(name)}
    return MappingProxyType(read)


def _read_slot(name: str, fields: Fields) -> SlotSettings:
    fields.only(_KEYS.get(name, _OWN_KEYS))
    fields.text("preface")
    return SlotSettings(
        limits=read_limits(fields),
        preface=fields.get("preface"),
        shown_as=_shown_as(fields),
        max_turns=fields.whole("max_turns", least=0),
        step=fields.whole("step", least=1) or 1,
        max_per_skill=fields.whole("max_per_skill", least=LEAST_PER_SKILL),
        relevance=_relevance(fields.mapping("relevance")) if fields.get("relevance") else None,
        variable=_variable(fields),
        max_items=fields.whole("max_items", least=1),
    )


def _shown_as(fields: Fields) -> str:
    value = fields.text("as", AS_LIST)
    setting = fields.get("as")
    if setting is not None and value not in (AS_LIST, AS_MESSAGES):
        hint = did_you_mean(value, (AS_LIST, AS_MESSAGES), kind="ways")
        fields.wrong(setting, f"`as` must be `{AS_LIST}` or `{AS_MESSAGES}`", hint=hint)
    return value


def _relevance(fields: Fields) -> Relevance:
    fields.only(_RELEVANCE_KEYS)
    pinned = frozenset(each.value for each in fields.texts("pinned"))
    return Relevance(fields.whole("top", least=1), fields.number("min_score", 0.0), pinned)


def _variable(fields: Fields) -> str | None:
    name, setting = fields.text("from"), fields.get("from")
    if setting is not None and VARIABLE.fullmatch(name) is None:
        fields.wrong(setting, "`from` must be the name of a variable")
        return None
    return name or None
