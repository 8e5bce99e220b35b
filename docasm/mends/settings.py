"""Mending front matter: text that lacks quotes, a name that is not the folder's."""

import re
from collections.abc import Iterator, Sequence

from docasm.errors import DocasmError
from docasm.lints.subject import AGENT_SKILL
from docasm.mends.edit import Edit
from docasm.mends.patient import Patient
from docasm.settings import Setting, parse_settings
from docasm.skill import is_name
from docasm.source import Source

_VALUE = re.compile(r"(?P<key>[A-Za-z_][\w-]*:[ \t]+)(?P<value>[^\s\"'|>\[{#&!].*?)[ \t]*")
_TEXT_KEYS = ("name", "description")
"""Keys of a skill whose value is always text."""


def quotes(patient: Patient) -> Sequence[Edit]:
    """Quotes around the values of one line that are no YAML without, if with them all of it is YAML."""
    settings = patient.halves.settings if patient.halves else None
    if settings is None or not patient.is_plain:
        return ()
    lines = settings.text.split("\n")
    changed: dict[int, str] = {}
    while (number := _unquoted(settings, lines, patient)) is not None:
        line = _quoted(lines, number)
        if line is None or number in changed:
            return ()
        lines[number] = changed[number] = line
    return [_line_edit(patient, settings.first_line + number, changed[number]) for number in sorted(changed)]


def _unquoted(settings: Source, lines: Sequence[str], patient: Patient) -> int | None:
    """The line that needs quotes next, None where none does; one past the end for what quotes do not mend."""
    try:
        read = parse_settings(Source(settings.path, "\n".join(lines), settings.first_line))
    except DocasmError as error:
        problem = error.problems[0]
        mendable = problem.code == "yaml-syntax" and problem.place
        return problem.place.line - settings.first_line if mendable and problem.place else len(lines)
    values = read.value if isinstance(read.value, dict) and patient.kind != "layout" else {}
    wrong = (each for key, each in values.items() if key in _TEXT_KEYS and _is_no_text(each))
    return next((each.line - settings.first_line for each in wrong), None)


def _is_no_text(setting: Setting) -> bool:
    return isinstance(setting.value, bool | int | float)


def _quoted(lines: Sequence[str], number: int) -> str | None:
    """The line with its value in quotes; None where it is not a key and a value on this line alone."""
    found = _VALUE.fullmatch(lines[number]) if number < len(lines) else None
    goes_on = number + 1 < len(lines) and lines[number + 1][:1] in (" ", "\t")
    if found is None or goes_on or " #" in found["value"] or "\t#" in found["value"]:
        return None
    if any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in found["value"]):
        return None
    value = found["value"].replace("\\", "\\\\").replace('"', '\\"')
    return f'{found["key"]}"{value}"'


def folder_name(patient: Patient) -> Iterator[Edit]:
    """The folder's name for an Agent Skill that has another one, which nothing uses."""
    wanted = patient.default_name
    name = patient.skill.name if patient.skill else wanted
    if patient.kind != AGENT_SKILL or name == wanted or not is_name(wanted) or not patient.is_plain:
        return
    if patient.taken & {name, wanted} or patient.halves is None:
        return
    values = parse_settings(patient.halves.settings).value
    start = patient.source.lines.start(values["name"].line - 1) + values["name"].column - 1
    written = re.compile(rf"([\"']?){re.escape(name)}\1(?=[ \t]*$)", re.M).match(patient.text, start)
    if written:
        yield Edit(start, written.end(), f"{written[1]}{wanted}{written[1]}")


def _line_edit(patient: Patient, line: int, text: str) -> Edit:
    start = patient.source.lines.start(line - 1)
    return Edit(start, patient.source.lines.start(line) - 1, text)
