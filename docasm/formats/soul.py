"""A soul document: a personality, and below a marker the sections of the context, in order."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from docasm.errors import Problem
from docasm.formats.excerpt import beside
from docasm.formats.making import ADOPTED_SKILLS, SYSTEM, Making, literal_slots, unused
from docasm.formats.section import PERSONALITY, Section, read_sections
from docasm.formats.wording import known_variables, packaged
from docasm.layout import Body, Layout
from docasm.limits import AS_MESSAGES, HISTORY
from docasm.settings import Setting, parse_settings
from docasm.source import Source

MARKER = "---template---"
_NEARLY = re.compile(r"[ \t]*[-\u2010-\u2015]+[ \t]*templates?[ \t]*[-\u2010-\u2015]+[ \t]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Soul:
    """A soul document in two."""

    personality: Source
    """Above the marker."""
    sections: Setting | None
    """Below the marker; None without one."""
    marker: Setting
    """The marker; without one, the start of the document."""
    problems: tuple[Problem, ...]
    built: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was made of it, by what else decides that."""


def parse_soul(source: Source) -> Soul:
    """The two parts; raises DocasmError if what is below the marker is not YAML."""
    lines = source.text.split("\n")
    at = next((number for number, line in enumerate(lines) if line.rstrip(" \t") == MARKER), None)
    if at is None:
        return Soul(source, None, Setting(None, source, source.first_line, 1), _nearly(source, lines))
    above = Source(source.path, "\n".join(lines[:at]), source.first_line)
    below = Source(source.path, "\n".join(lines[at + 1 :]), source.first_line + at + 1)
    marker = Setting(None, source, source.first_line + at, 1)
    sections = parse_settings(below)
    if sections.value is None:
        sections = marker
    return Soul(above, sections, marker, ())


def _nearly(source: Source, lines: list[str]) -> tuple[Problem, ...]:
    """A warning for each line that its author may have meant as the marker."""
    hint = f"write `{MARKER}`, alone on its line from the first column on"
    return tuple(
        source.problem(
            "nearly-a-marker",
            "this line is text, so the document has no template",
            source.first_line + number,
            hint=hint,
            severity="warning",
        )
        for number, line in enumerate(lines)
        if _NEARLY.fullmatch(line)
    )


def soul_layout(soul: Soul, name: str, nameable: Mapping[str, str], problems: list[Problem]) -> Layout:
    """The layout of a soul document; what is wrong with it goes into `problems`."""
    problems += soul.problems
    making = Making(soul.marker, nameable, problems)
    making.variables |= known_variables()
    making.bodies.append(Body(soul.personality, PERSONALITY, SYSTEM, template=False))
    is_default = soul.sections is None
    sections = read_sections(packaged("default.yaml") if soul.sections is None else soul.sections, problems)
    for section in sections:
        making.taken |= literal_slots(section.texts)
    for section in sections:
        making.bodies.append(_body(section, making, may_be_absent=is_default))
    making.with_input()
    return making.layout(name, {})


def _body(section: Section, making: Making, *, may_be_absent: bool) -> Body:
    if section.is_history:
        making.set_up(HISTORY, {"as": making.constant(AS_MESSAGES), "max_turns": section.limit})
        return Body(beside(section.setting, f"<<{HISTORY}>>"), section.name, SYSTEM)
    slot_of = _Slots(section, making, shows=may_be_absent or section.limit is not None)
    source = _own_text(section, making, slot_of)
    by_provider = {name: making.text(each, slot_of.asked) for name, each in section.providers.items()}
    if section.limit is not None and not section.tool and not slot_of.found:
        why = "no `{{ variable }}` of the section ends its line"
        unused(making.problems, section.setting.value, "limit", why, "end a line with the list, or remove it")
    return Body(source, section.name, section.role, by_provider)


def _own_text(section: Section, making: Making, slot_of: "_Slots") -> Source:
    """What stands there for a provider that has no text of its own."""
    if section.tool:
        return beside(section.tool["tool"], f"<<{_tool_slot(section, making)}>>")
    if section.content is None:
        return beside(section.setting, "")
    return making.text(section.content, slot_of.asked)


def _tool_slot(section: Section, making: Making) -> str:
    """A slot of what a tool returns, through a variable that is called after it."""
    slot = making.new_slot(section.name, {"max_items": section.limit})
    variable = f"tool_{slot.replace('-', '_')}"
    making.variables[variable] = making.mapping(section.tool)
    making.set_up(slot, {"from": making.constant(variable)})
    return slot


@dataclass(slots=True)
class _Slots:
    """The slots of one section that show variables."""

    section: Section
    making: Making
    shows: bool
    """Whether variables stand for slots at all."""
    found: dict[str, str] = field(default_factory=dict)
    """By variable."""

    def asked(self, variable: str, ends: bool) -> str | None:
        """The slot that a variable stands for: the skills, or one of the section's own at a line's end."""
        if variable == ADOPTED_SKILLS:
            return self.making.show_skills()
        if not self.shows or not ends or variable in self.making.nameable:
            return None
        if variable not in self.found:
            wanted = f"{self.section.name}-{variable}" if self.found else self.section.name
            settings = {"from": self.making.constant(variable), "max_items": self.section.limit}
            self.found[variable] = self.making.new_slot(wanted, settings)
        return self.found[variable]
