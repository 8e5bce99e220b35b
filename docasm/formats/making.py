"""A layout in the making: what soul documents and pipelines have in common."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from docasm.atoms import Include
from docasm.chosen_layout import RENDER_NAMES
from docasm.errors import DocasmError, Problem
from docasm.formats.excerpt import beside, excerpt
from docasm.formats.wording import wording
from docasm.fragment import INPUT, compile_fragment
from docasm.layout import Body, Layout
from docasm.layout_file import make_layout
from docasm.limits import SKILLS, SLOTS
from docasm.settings import Setting
from docasm.source import Source

SYSTEM, USER = "system", "user"
ADOPTED_SKILLS = "adopted_skills_content"
"""What the seeds call the text of the adopted skills."""

_TAG = re.compile(r"(?P<gap>(?<=[^ \t\n])[ \t]+)?\{\{[ \t]*(?P<name>[A-Za-z][A-Za-z0-9_]*)[ \t]*\}\}")
_INCLUDE = re.compile(r"<<([a-z0-9-]+)>>")
_NOT_IN_SLOTS = re.compile(r"[^a-z0-9]+")
_REST_IS_BLANK = re.compile(r"[ \t]*(?:\n|\Z)")

SlotOf = Callable[[str, bool], str | None]
"""The slot that a variable stands for, if it does; from its name and whether its tag ends its line."""


@dataclass(slots=True)
class Making:
    """A layout in the making."""

    start: Setting
    """What has no place of its own is told to stand here."""
    nameable: Mapping[str, str]
    """The skills of the bundle, by the variables that name them."""
    problems: list[Problem]
    bodies: list[Body] = field(default_factory=list)
    slots: dict[str, dict[str, Setting]] = field(default_factory=dict)
    variables: dict[str, Setting] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    """What no further slot may be called."""

    def __post_init__(self) -> None:
        self.taken |= {*SLOTS, *self.nameable.values()}

    def new_slot(self, wanted: str, settings: Mapping[str, Setting | None]) -> str:
        """Adds a slot of the layout's own; the name that it gets."""
        base = _NOT_IN_SLOTS.sub("-", wanted.lower()).strip("-") or "section"
        name, number = base, 1
        while name in self.taken:
            number += 1
            name = f"{base}-{number}"
        self.taken.add(name)
        self.set_up(name, settings)
        return name

    def set_up(self, slot: str, settings: Mapping[str, Setting | None]) -> None:
        """Says something of a slot, as far as there is something to say."""
        given = {key: each for key, each in settings.items() if each is not None}
        self.slots.setdefault(slot, {}).update(given)

    def show_skills(self, *, framed: bool = True) -> str:
        """The slot of the skills; `framed` if the directive to follow them stands before them."""
        self.set_up(SKILLS, {"preface": wording("directive") if framed else None})
        return SKILLS

    def text(self, setting: Setting, slot_of: SlotOf) -> Source:
        """A text whose variables stand for slots and skills where they do."""
        source = excerpt(setting)
        slots: dict[str, int] = {}

        def written(found: re.Match[str]) -> str:
            ends = _REST_IS_BLANK.match(source.text, found.end()) is not None
            name, gap = found["name"], found["gap"] or ""
            slot = None if name in RENDER_NAMES else slot_of(name, ends)
            if slot is not None:
                slots.setdefault(slot, found.start() + len(gap))
                return f"<<{slot}>>"  # at the end of a line what it brings stands below
            skill = self.nameable.get(name)
            return f"{gap}<<{skill}>>" if skill else found[0]

        rewritten = replace(source, text=_TAG.sub(written, source.text))
        self.problems += _hidden(source, rewritten, slots)
        return rewritten

    def with_input(self) -> None:
        """Adds a message for the input, unless there is one."""
        if not any(f"<<{INPUT}>>" in body.source.text for body in self.bodies):
            source = beside(self.start, f"<<{INPUT}>>")
            self.bodies.append(Body(source, name=INPUT, role=USER))

    def layout(self, name: str, settings: Mapping[str, Setting]) -> Layout:
        """The layout; problems of its settings are added to the others."""
        slots = {slot: self.mapping(each) for slot, each in self.slots.items()}
        own = {"slots": self.mapping(slots), "variables": self.mapping(self.variables)}
        layout, problems = make_layout(name, self.bodies, self.mapping({**own, **settings}))
        self.problems += problems
        return replace(layout, needs_skills=False)

    def mapping(self, values: Mapping[str, Setting]) -> Setting:
        """A mapping that no file holds, of settings that files hold."""
        keys = {key: (each.line, each.column) for key, each in values.items()}
        return replace(self.start, value=dict(values), keys=keys)

    def constant(self, value: object) -> Setting:
        """A value that no file holds."""
        return replace(self.start, value=value, keys={})


def _hidden(source: Source, rewritten: Source, slots: Mapping[str, int]) -> Iterator[Problem]:
    """A problem for each slot that stands in code or in a statement, where it would stay as it is."""
    if not slots:
        return
    try:
        fragment = compile_fragment(rewritten, template=True, constants={}, role=SYSTEM)
    except DocasmError:
        return  # that is told when the layout is compiled
    atoms = [atom for part in fragment.parts for atom in part.atoms]
    found = {atom.name for atom in atoms if isinstance(atom, Include)}
    for name in sorted(slots.keys() - found):
        message = f"the slot `{name}` cannot be filled in code, in a heading or in a statement"
        hint = "give the variable a line of its own, with blank lines around"
        yield source.problem_at("slot-misplaced", message, slots[name], hint=hint)


def literal_slots(text: str) -> frozenset[str]:
    """The names that a text includes as slots or skills."""
    return frozenset(_INCLUDE.findall(text))


def unused(problems: list[Problem], settings: Mapping[str, Setting], key: str, why: str, hint: str) -> None:
    """A warning if a key is given that has no effect."""
    setting = settings.get(key)
    if setting is not None and setting.value is not None:
        message = f"`{key}` has no effect here: {why}"
        problems.append(setting.problem("unused-setting", message, hint=hint, severity="warning"))
