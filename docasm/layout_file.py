"""Reading what the front matter of a layout says, and what profiles say in its place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from docasm.errors import Problem, did_you_mean
from docasm.fields import Fields
from docasm.layout import Body, Layout
from docasm.limits import (
    AS_MESSAGES,
    HISTORY,
    MOST_FACTOR,
    NO_SETTINGS,
    SIZE_KEYS,
    SKILLS,
    SLOTS,
    SLOTS_SHAPE,
    Limits,
    SlotSettings,
    read_limits,
    read_slots,
)
from docasm.settings import Setting, parse_settings
from docasm.shapes import Keys, Shape, mapping, mapping_of, number, text, texts
from docasm.size import DOCUMENT, NO_LIMIT, SLOT, Names, Size, least_of, limit_of, smaller
from docasm.skill import METADATA, VARIABLES, read_variables
from docasm.source import Source, split_front_matter

PROFILE_KEYS: Keys = {
    "slots": SLOTS_SHAPE,
    **SIZE_KEYS,
    "drop": texts("The slots that give way to these two, in this order."),
    "tokenizer": text("What counts tokens; by default what the model's name says."),
    "token_factor": number("What each count is multiplied by.", exclusiveMinimum=0, maximum=MOST_FACTOR),
    "variables": VARIABLES,
}
"""What a layout says and a profile may say otherwise."""
_NAMED_KEYS: Keys = {"layout": text("Another layout, in place of this one."), **PROFILE_KEYS}
PROFILES: Shape = mapping_of(
    "What is different for a model, by its name or a pattern with `*`.",
    mapping("Goes before what the layout says; null takes a setting back.", _NAMED_KEYS),
)
"""The value of `profiles`."""
LAYOUT_KEYS: Keys = {
    "description": text("For people."),
    **PROFILE_KEYS,
    "profiles": PROFILES,
    "metadata": METADATA,
}


def read_layout(source: Source, name: str) -> tuple[Layout, tuple[Problem, ...]]:
    """The layout of a file and what is wrong with its front matter; raises DocasmError if it is not YAML."""
    parts = split_front_matter(source)
    return make_layout(name, (Body(parts.body),), parse_settings(parts.settings))


def make_layout(name: str, bodies: Sequence[Body], settings: Setting) -> tuple[Layout, tuple[Problem, ...]]:
    """The layout of some bodies and settings, and what is wrong with the settings."""
    problems: list[Problem] = []
    fields = Fields(settings, problems, "the layout's front matter")
    fields.only(LAYOUT_KEYS)
    fields.text("description")
    fields.mapping("metadata")
    layout = _read(name, tuple(bodies), fields)
    for profile in layout.profiles.values():
        problems += _profile_problems(layout, profile)
    return layout, tuple(problems)


def _read(name: str, bodies: tuple[Body, ...], fields: Fields) -> Layout:
    known = partial(_is_slot, bodies)
    slots = read_slots(fields.mapping("slots"), known)
    _check_names(fields.mapping("slots"), known)
    limits, drop = read_limits(fields), _drop(fields, slots)
    history = slots.get(HISTORY, NO_SETTINGS)
    return Layout(
        name=name,
        bodies=bodies,
        variables=read_variables(fields),
        slots=slots,
        limits=limits,
        drop=drop,
        tokenizer=fields.text("tokenizer") or None,
        token_factor=fields.number("token_factor", 1.0, above=0, most=MOST_FACTOR),
        profiles=read_profiles(fields),
        settings=fields.setting,
        history=history,
        history_limit=_history_limit(history, limits, drop),
        limited=bool(limits) or any(slot.limited for slot in slots.values()),
        elastic=frozenset({*drop, *(name for name, slot in slots.items() if slot.limited)}),
        counts_tokens=any(each.max_tokens for each in (limits, *(slot.limits for slot in slots.values()))),
        relevance=slots.get(SKILLS, NO_SETTINGS).relevance,
        history_is_messages=history.shown_as == AS_MESSAGES,
        least=_least(limits, slots),
    )


def _is_slot(bodies: Sequence[Body], name: str) -> bool:
    """Whether some text has a slot; a layout that has no text yet could have any."""
    if name in SLOTS or not bodies or any(body.slot == name for body in bodies):
        return True
    return any(f"<<{name}>>" in source.text for body in bodies for source in body.texts)


def _check_names(slots: Fields, is_known: Callable[[str], bool]) -> None:
    """A problem for each slot that the text does not have."""
    for name in slots.values:
        if not is_known(name):
            hint = did_you_mean(name, SLOTS, kind="slots")
            message = f"there is no slot `{name}`"
            if "did you mean" not in hint:
                hint = f"put `<<{name}>>` into the text for a slot of your own; {hint}"
            slots.problems.append(slots.setting.key_problem("unknown-slot", message, name, hint=hint))


def _least(limits: Limits, slots: Mapping[str, SlotSettings]) -> Size:
    sizes = [limit_of(limits), *(limit_of(slot.limits) for name, slot in slots.items() if name != HISTORY)]
    return least_of(sizes, slots.get(SKILLS, NO_SETTINGS).max_per_skill)


def _history_limit(history: SlotSettings, limits: Limits, drop: Sequence[str]) -> tuple[Size, Names]:
    own, whole = limit_of(history.limits), limit_of(limits)
    return smaller(own, whole if drop[:1] == (HISTORY,) else NO_LIMIT, (SLOT, DOCUMENT))


def _drop(fields: Fields, slots: Mapping[str, SlotSettings]) -> tuple[str, ...]:
    known = (*SLOTS, *(name for name in slots if name not in SLOTS))
    settings = fields.texts("drop")
    for each in settings:
        if each.value not in known:
            hint = did_you_mean(each.value, known, kind="slots")
            fields.problems.append(
                each.problem("unknown-slot", f"there is no slot `{each.value}` to drop from", hint=hint)
            )
    return tuple(dict.fromkeys(each.value for each in settings))


def read_profiles(fields: Fields) -> Mapping[str, Setting]:
    """The value of `profiles`: mappings of what a layout says, by the model that they are for."""
    profiles = fields.mapping("profiles")
    for name in profiles.values:
        profile = profiles.mapping(name)
        profile.only(_NAMED_KEYS)
        profile.text("layout")
    return MappingProxyType(
        {name: each for name, each in profiles.values.items() if isinstance(each.value, dict)}
    )


def merged_profiles(own: Mapping[str, Setting], general: Mapping[str, Setting]) -> Mapping[str, Setting]:
    """A layout's own profiles before the bundle's; of one name what the layout says goes before."""
    both = {name: _merged(general[name], each) if name in general else each for name, each in own.items()}
    return {**both, **{name: each for name, each in general.items() if name not in own}}


def _profile_problems(layout: Layout, profile: Setting) -> Sequence[Problem]:
    """What a profile adds to what is wrong; one that names another layout may speak of that one's slots."""
    bodies = () if Fields(profile, [], "").get("layout") else layout.bodies
    problems: list[Problem] = []
    known: list[Problem] = []
    _read(layout.name, layout.bodies, Fields(layout.settings, known, ""))
    _read(layout.name, bodies, Fields(_merged(layout.settings, profile), problems, ""))
    return [problem for problem in problems if problem not in known]


def with_profile(layout: Layout, profile: Setting) -> Layout:
    """The layout with what a profile, checked when it was read, says otherwise.

    A profile may be for several layouts, so a slot that this one lacks is none of its faults.
    """
    merged = _merged(layout.settings, profile)
    read = _read(layout.name, layout.bodies, Fields(merged, [], ""))
    return replace(read, needs_skills=layout.needs_skills, needs_profile=layout.needs_profile)


def check_profile(profile: Setting) -> Sequence[Problem]:
    """What is wrong with a profile of a whole bundle."""
    problems: list[Problem] = []
    _read("", (), Fields(profile, problems, "a profile"))
    return problems


def _merged(settings: Setting, profile: Setting) -> Setting:
    """Mappings key by key; of anything else what the profile says."""
    if not isinstance(settings.value, dict) or not isinstance(profile.value, dict):
        return profile
    values = dict(settings.value)
    for key, value in profile.value.items():
        values[key] = _merged(values[key], value) if key in values else value
    return replace(settings, value=values, keys={**settings.keys, **profile.keys})
