"""A `context_pipeline`: slots in order, each a system message, and the limits of each and of all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from docasm.errors import Problem, did_you_mean
from docasm.fields import Fields
from docasm.formats.excerpt import beside
from docasm.formats.making import ADOPTED_SKILLS, SYSTEM, Making, literal_slots, unused
from docasm.formats.pipeline_slot import (
    ADOPTED,
    CUSTOM,
    DM_HISTORY,
    IDENTITY,
    NAMES,
    SLOT,
    SOUL,
    TYPES,
    VARIABLES,
    PipelineSlot,
    read_slots,
)
from docasm.formats.wording import wording
from docasm.layout import Body, Layout
from docasm.limits import AS_MESSAGES, SLOTS
from docasm.settings import Setting
from docasm.shapes import Shape, given, keys, list_of, mapping, texts, whole
from docasm.source import Source

PIPELINE_KEYS = keys(
    max_total_chars=whole("How large the document may be, in code points.", least=1),
    drop=texts("The types of slots that give way to `max_total_chars`, in order."),
    slots=given(list_of("The messages, in order; the input comes last.", SLOT)),
)
PIPELINE_SHAPE: Shape = mapping("A context.", PIPELINE_KEYS, required=["slots"])
DROP = ("admin_notes", "admin_context", "startup_events", DM_HISTORY, ADOPTED)
"""What gives way to `max_total_chars`, in order, where `drop` does not say."""


@dataclass(slots=True)
class Pipe:
    """A pipeline that is being made into a layout."""

    making: Making
    skills: frozenset[str]
    """Those of the bundle."""
    soul: Source | None
    """The personality of a soul document."""
    names: dict[str, list[str]] = field(default_factory=dict)
    """The slots of the layout that each type has."""


def pipeline_layout(
    setting: Setting,
    name: str,
    soul: Source | None,
    skills: frozenset[str],
    nameable: Mapping[str, str],
    problems: list[Problem],
) -> Layout:
    """The layout of a pipeline; what is wrong with it goes into `problems`."""
    fields = Fields(setting, problems, "a pipeline")
    fields.only(PIPELINE_KEYS)
    pipe = Pipe(Making(setting, nameable, problems), skills, soul)
    for slot in read_slots(fields):
        pipe.making.bodies.append(_body(slot, pipe))
    pipe.making.with_input()
    return pipe.making.layout(name, _whole(fields, pipe))


def _whole(fields: Fields, pipe: Pipe) -> Mapping[str, Setting]:
    """The limits of the document."""
    most = fields.get("max_total_chars")
    if most is None:
        fields.texts("drop")
        why, hint = "the pipeline has no `max_total_chars`", "add it, or remove this"
        unused(fields.problems, fields.values, "drop", why, hint)
    if most is None or fields.whole("max_total_chars", least=1) is None:
        return {}
    dropped = _dropped(fields, pipe)
    for slot in dropped:
        pipe.making.set_up(slot, {})
    drop = [pipe.making.constant(slot) for slot in dropped]
    return {"max_chars": most, "drop": pipe.making.constant(drop)}


def _dropped(fields: Fields, pipe: Pipe) -> Sequence[str]:
    """The slots that give way, in order."""
    if fields.get("drop") is None:
        return [slot for kind in DROP for slot in pipe.names.get(kind, ())]
    found: list[str] = []
    for each in fields.texts("drop"):
        if each.value not in TYPES:
            hint = did_you_mean(each.value, TYPES, kind="types")
            message = f"there is no type of slot `{each.value}` to drop from"
            fields.problems.append(each.problem("unknown-slot", message, hint=hint))
        elif each.value not in pipe.names:
            message = f"the pipeline has no slot `{each.value}` to drop from"
            hint = did_you_mean(each.value, pipe.names, kind="slots with limits")
            fields.problems.append(each.problem("unknown-slot", message, hint=hint))
        found += pipe.names.get(each.value, ())
    return found


def _body(slot: PipelineSlot, pipe: Pipe) -> Body:
    """The message of a slot."""
    if slot.kind == CUSTOM:
        return _custom(slot, pipe)
    name = NAMES[slot.kind]
    pipe.names[slot.kind] = [name]
    pipe.making.taken.add(name)
    pipe.making.set_up(name, slot.limits)
    if slot.kind == SOUL and pipe.soul is not None:
        pipe.making.set_up(name, {"preface": slot.content})
        return Body(pipe.soul, SOUL, SYSTEM, template=False, slot=name)
    return Body(_source(slot, name, pipe), slot.kind, SYSTEM)


def _custom(slot: PipelineSlot, pipe: Pipe) -> Body:
    """A text of its author's, which is a slot itself unless it holds slots."""
    assert slot.content is not None
    source = pipe.making.text(slot.content, lambda variable, _: _skills_in(variable, pipe))
    number = sum(body.name.startswith(CUSTOM) for body in pipe.making.bodies) + 1
    body_name = CUSTOM if number == 1 else f"{CUSTOM}_{number}"
    if not literal_slots(source.text).isdisjoint(SLOTS) and slot.limits["max_chars"] is None:
        return Body(source, body_name, SYSTEM)
    name = pipe.making.new_slot(body_name, slot.limits)
    pipe.names.setdefault(CUSTOM, []).append(name)
    return Body(source, body_name, SYSTEM, slot=name)


def _skills_in(variable: str, pipe: Pipe) -> str | None:
    return pipe.making.show_skills() if variable == ADOPTED_SKILLS else None


def _source(slot: PipelineSlot, name: str, pipe: Pipe) -> Source:
    """The slot alone, or with its author's words around it."""
    making = pipe.making
    if slot.kind == DM_HISTORY:
        making.set_up(name, {"as": making.constant(AS_MESSAGES)})
        why, hint = (
            "the history stands as messages, with nothing around",
            f"use a slot of the type `{CUSTOM}`",
        )
        unused(making.problems, slot.setting.value, "content", why, hint)
        return beside(slot.type_setting, f"<<{name}>>")
    if slot.kind in VARIABLES:
        making.set_up(name, {"from": making.constant(slot.kind)})
    elif slot.kind in (SOUL, IDENTITY) and name not in pipe.skills:
        making.problems.append(_no_skill(slot))
    if slot.content is None:
        making.set_up(name, {"preface": wording("directive" if slot.kind == ADOPTED else slot.kind)})
        return beside(slot.type_setting, f"<<{name}>>")
    return _around(slot, slot.content, name, making)


def _around(slot: PipelineSlot, content: Setting, name: str, making: Making) -> Source:
    """The author's words; what the slot brings stands after them if they do not say where."""
    variables = (slot.kind, ADOPTED_SKILLS) if slot.kind == ADOPTED else (slot.kind,)
    source = making.text(content, lambda variable, _: name if variable in variables else None)
    if name in literal_slots(source.text):
        return source
    text = source.text.rstrip(" \t\n")
    return Source(
        source.path, f"{text}\n\n<<{name}>>", source.first_line, source.indent, source.whole, source.one_line
    )


def _no_skill(slot: PipelineSlot) -> Problem:
    message = f"the bundle has no skill `{slot.kind}` for this slot"
    hint = f"write `skills/{slot.kind}.md`"
    hint += ", or name a soul document with `soul`" if slot.kind == SOUL else ""
    return slot.type_setting.problem("unknown-skill", message, hint=hint)
