"""Mending what is mechanical: each mend gives exact edits, and all are in MENDS, in their order."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from docasm.fragment import Part
from docasm.ignores import ignores
from docasm.lints.reach import included
from docasm.lints.subject import AGENT_SKILL, MARKDOWN_KINDS, SKILL_KINDS, BundleFile, Subject, words
from docasm.mends import encoding, markdown, settings
from docasm.mends.edit import Edit, applied
from docasm.mends.patient import Patient
from docasm.severities import OFF, Severities

_LEVEL = re.compile(r"#+")

Mend = Callable[[Patient], Iterable[Edit]]

MENDS: Mapping[str, Mend] = MappingProxyType(
    {
        "byte-order-mark": encoding.byte_order_mark,
        "line-ends": encoding.line_ends,
        "yaml-syntax": settings.quotes,
        "name-differs": settings.folder_name,
        "left-open": markdown.closers,
        "heading-jump": markdown.levels,
    }
)
"""By the code of what is mended. The first two make places in a file those of its text."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A file that mends change."""

    path: Path
    label: str
    """What problems call it."""
    before: str
    after: str
    counts: Mapping[str, int]
    """How many places were mended, by code."""


def mended(subject: Subject, severities: Severities) -> Iterator[Mended]:
    """Each skill and layout of a bundle that changes; what is off or ignored in a file stays as it is.

    All are mended until nothing changes any more, so that mending what comes of it changes nothing.
    """
    wards = [_Ward.of(file, subject) for file in subject.files if file.kind in MARKDOWN_KINDS]
    named = _named(subject)
    names = Counter(ward.name for ward in wards)
    while sum(_round(ward, names, named, severities) for ward in wards):
        pass
    for ward in wards:
        if ward.counts:
            yield Mended(ward.file.path, ward.file.label, ward.file.raw, ward.patient.text, ward.counts)


@dataclass(slots=True)
class _Ward:
    """A file with what is done to it."""

    file: BundleFile
    patient: Patient
    counts: Counter[str]

    @classmethod
    def of(cls, file: BundleFile, subject: Subject) -> "_Ward":
        constants = subject.contents.compiler.variables
        name = file.path.parent.name if file.kind == AGENT_SKILL else file.path.stem
        return cls(file, Patient(file.raw, file.kind, name, constants), Counter())

    @property
    def name(self) -> str:
        """What the skill is called, as far as it is known; "" for a layout."""
        if self.patient.kind not in SKILL_KINDS:
            return ""
        return self.patient.skill.name if self.patient.skill else self.patient.default_name


def _round(ward: _Ward, names: Counter[str], named: frozenset[str], severities: Severities) -> bool:
    """Mends one file; whether that changes it."""
    front_matter = ward.patient.halves.settings if ward.patient.halves else ward.patient.source
    silent = {each.code for each in ignores(front_matter)}
    wanted = (code for code in MENDS if severities.of(code, ward.file.relative) != OFF)
    names[ward.name] -= 1
    wished = ward.patient.default_name
    patient = replace(ward.patient, taken=named | {wished} if names[wished] else named)
    ward.patient, counts = mend(patient, [code for code in wanted if code not in silent])
    names[ward.name] += 1
    ward.counts.update(counts)
    return bool(counts)


def mend(patient: Patient, codes: Iterable[str]) -> tuple[Patient, Mapping[str, int]]:
    """A file with all mends made one after the other, and how many places each changed.

    A mend that would not be done after it, or would change what the file says, is left.
    """
    counts: dict[str, int] = {}
    for code in codes:
        edits = tuple(MENDS[code](patient))
        after = patient.with_text(applied(patient.text, edits)) if edits else patient
        is_done = edits and not tuple(MENDS[code](after))
        if is_done and _says_the_same(patient, after):
            patient, counts[code] = after, len(edits)
    return patient, counts


def _says_the_same(before: Patient, after: Patient) -> bool:
    """Whether a file makes the same messages, levels of headings and closing lines aside.

    What closes a fence can change where parts begin, and which backslashes before markers are text.
    """
    if before.fragment is None:
        return True
    return after.fragment is not None and list(map(_told, before.fragment.parts)) == list(
        map(_told, after.fragment.parts)
    )


def _told(part: Part) -> tuple[str, str]:
    closer = part.closer.text if part.closer else ""
    return part.role, _LEVEL.sub("#", markdown.without_closers(part.source.text) + closer)


def _named(subject: Subject) -> frozenset[str]:
    """The names that includes, layouts and `docasm.yaml` use for skills, with other words of these."""
    included_names = included(file.source for file in subject.files)
    settings = [file.settings.source for file in subject.files if file.kind in ("layout", "settings")]
    return frozenset((*included_names, *(word for each in settings for word in words(each.text))))
