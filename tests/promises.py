"""Bundles made in memory, and templates and values that try to break what docasm promises."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from docasm.bundle import Bundle
from docasm.compiler import Compiler
from docasm.config import Config
from docasm.contents import Adopted, Contents
from docasm.disk import Disk, Origin
from docasm.edits import Edits
from docasm.errors import DocasmError, Problem
from docasm.history import Turn
from docasm.layout import Layout
from docasm.layout_file import read_layout
from docasm.library import Library
from docasm.render import Render
from docasm.skill import Skill, read_skill
from docasm.source import Source
from docasm.state import State
from docasm.trigger import KINDS, Rule, Rules, Trigger
from tests.strategies import BLOCKS, FENCES, PROSE, TEMPLATES
from tests.templates import CONSTANTS, HOLES, LINES, PREFIXES, SLOTS, STARTS

PLAIN_LAYOUT = "system:\n<<skills>>\n\nuser:\n<<input>>\n"
NOTHING = Config((), Path(), {}, None, None, {}, {}, {})
"""What no `docasm.yaml` says."""
_ANY_TRIGGER = tuple(Rule(kind) for kind in KINDS)


def bundle(
    skills: Mapping[str, str],
    layout: str = PLAIN_LAYOUT,
    *,
    adopted: tuple[str, ...] | None = None,
    variables: Mapping[str, Any] | None = None,
) -> Bundle:
    """A bundle of these texts, front matter included; each adopted skill (all) answers every trigger."""
    found = {name: _skill(name, text) for name, text in skills.items()}
    chosen = tuple(found) if adopted is None else adopted
    compiler = Compiler(Library(found), Library({"layout": _layout(layout)}), variables or {})
    contents = Contents(
        adopted=tuple(Adopted(name, _ANY_TRIGGER, MappingProxyType({})) for name in chosen),
        rules=Rules.of((index, rule) for index in range(len(chosen)) for rule in _ANY_TRIGGER),
        layout_of=dict.fromkeys(KINDS, "layout"),
        tools=(),
        labels={},
        params={},
        compiler=compiler,
    )
    disk = Disk(Origin("", Path()), NOTHING, compiler.skills, compiler.layouts, (), (), {})
    return Bundle(State(disk, Edits(), contents, ()))


def _skill(name: str, text: str) -> Skill:
    skill, problems = read_skill(Source(f"{name}.md", text), name, agent_skill=False)
    assert not problems, problems
    return skill


def _layout(text: str) -> Layout:
    layout, problems = read_layout(Source("layout.md", text), "layout")
    assert not problems, problems
    return layout


WORD = re.compile(r"w\d+q")
"""The author's words: no value holds one."""

Choose = Callable[[Sequence[Any]], Any]
"""Picks one of some things."""


@dataclass(slots=True)
class Author:
    """Writes templates: picks lines, and puts a hole for each H and a new word for each W."""

    choose: Choose
    words: int = 0

    def bundle(self) -> "Draft":
        """One to three skills one after another, two that lines include, and a layout, often with slots."""
        skills = {f"s{index}": self.template(6) for index in range(self.choose((1, 1, 1, 2, 3)))}
        inner = {"inner": self.template(2), "other": self.template(3)}
        inner = {name: re.sub(r"<<\w+>>", "a", text) for name, text in inner.items()}
        layout = PLAIN_LAYOUT
        if self.choose((True, False)):
            between = ("\n", "\n\n")
            system = f"{self.template(4, slots=True)}{self.choose(between)}<<skills>>{self.choose(between)}"
            system = _each_slot_once(system + self.template(4, slots=True))
            layout = PLAIN_LAYOUT.replace("<<skills>>", system)
        return Draft(skills, inner, layout, self.choose(("", "", "slots: {history: {max_turns: 1}}")))

    def template(self, most: int, *, slots: bool = False) -> str:
        """Up to `most` lines, with blank lines between some of them."""
        lines = (self._line(slots) for _ in range(self.choose(range(1, most + 1))))
        text = "".join(lines).removesuffix("\n")
        return f"\n{text}" if text.startswith("---") else text

    def _line(self, slots: bool) -> str:
        end = self.choose(("\n", "\n", "\n\n"))
        if slots and self.choose((True, False, False)):
            return f"{self._filled(self.choose(SLOTS))}{end}"
        prefix = self.choose(("", self.choose(PREFIXES)))
        return f"{prefix}{self._filled(self.choose(LINES))}{end}"

    def _filled(self, line: str) -> str:
        return re.sub(r"[HW]", self._piece, line)

    def _piece(self, found: re.Match[str]) -> str:
        if found[0] == "H":
            return str(self.choose(("{{ x }}", "{{ y }}", self.choose(HOLES), self.choose(HOLES))))
        self.words += 1
        return f"w{self.words}q"


def _each_slot_once(text: str) -> str:
    for slot in ("<<history>>", "<<tools>>"):
        first, *rest = text.split(slot)
        text = slot.join([first, "".join(rest)]) if rest else first
    return text


@dataclass(frozen=True, slots=True)
class Draft:
    """The texts of a bundle."""

    skills: Mapping[str, str]
    """What every trigger selects."""
    inner: Mapping[str, str]
    """What is only included."""
    layout: str
    settings: str
    """The layout's front matter."""

    def bundle(self) -> Bundle:
        skills = {name: f"---\ntools: all\n---\n{text}" for name, text in self.skills.items()}
        layout = f"---\n{self.settings}\n---\n{self.layout}"
        return bundle({**skills, **self.inner}, layout, adopted=tuple(skills), variables=CONSTANTS)

    def without(self, problems: Sequence[Problem]) -> Self:
        """The same with words for the holes that cannot be where they are."""
        refused = {(each.place.path.removesuffix(".md"), each.place.line) for each in problems if each.place}
        return replace(
            self,
            skills={name: _without(text, name, refused, 3) for name, text in self.skills.items()},
            inner={name: _without(text, name, refused, 0) for name, text in self.inner.items()},
            layout=_without(self.layout, "layout", refused, 3),
        )


def _without(text: str, name: str, refused: Collection[tuple[str, int]], before: int) -> str:
    """The text with no hole on the refused lines, which a front matter of `before` lines precedes."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if (name, index + 1 + before) in refused:
            if "{%" in line:
                return re.sub(r"{%.*?%}|{{.*?}}", "", text)
            lines[index] = re.sub(r"{{.*?}}|<<(?:history|tools)>>", "w0q", line)
    return "\n".join(lines)


OTHERS: tuple[Any, ...] = (0, 1, -5, 1.5, None, True, [], ["# a"], {"a": "\n# a"}, [["-"]], {}, False)
"""Values that are no texts."""


def line(choose: Choose) -> str:
    """One line of a value, perhaps with two meanings."""
    start = str(choose(STARTS))
    return start + str(choose(choose((("",), STARTS, BLOCKS, PROSE, FENCES, TEMPLATES))))


def text(choose: Choose) -> str:
    """A value of up to five lines."""
    ends = ("\n", "\n", "\n\n", "\r\n", "\r", "", "\x85")
    return "".join(line(choose) + str(choose(ends)) for _ in range(choose((0, 1, 1, 1, 2, 3, 5))))


def value(choose: Choose) -> Any:
    """A text most often."""
    return choose(OTHERS) if choose(range(12)) == 0 else text(choose)


@dataclass(frozen=True, slots=True)
class Outside:
    """All that one render gets from outside."""

    sender: str
    told: str
    """What a member of the event says."""
    turns: tuple[Turn, ...]
    tools: tuple[str, ...]
    """The description of each tool."""
    variables: Mapping[str, Any]
    model: str = "x"
    now: str = "x"
    message: str = "Hi"

    @classmethod
    def drawn(cls, choose: Choose, turns: int, tools: int) -> Self:
        """Anything, but so many turns and tools."""
        items = [value(choose) for _ in range(choose(range(4)))] if choose(range(20)) else value(choose)
        return cls(
            sender=text(choose),
            told=text(choose),
            turns=tuple(_turn(choose) for _ in range(turns)),
            tools=tuple(text(choose) for _ in range(tools)),
            variables={"x": value(choose), "y": value(choose), "xs": items, "n": choose((0, -1, 2.5))},
            model=text(choose),
            now=text(choose),
            message=f"Hi {text(choose)}",
        )

    @classmethod
    def same(cls, text: str, turns: int = 0, tools: int = 0) -> Self:
        """The same text everywhere."""
        told = (Turn("user", text, name=text),) * turns
        variables = {"x": text, "y": text, "xs": [text, text], "n": 1}
        return cls(text, text, told, (text,) * tools, variables, text, text)


def _turn(choose: Choose) -> Turn:
    return Turn(choose(("user", "assistant")), text(choose), name=choose((None, text(choose))))


HARMLESS = "x"


def rendered(made: Bundle, outside: Outside) -> Render:
    """The document for a message and what comes with it."""
    payload = {"type": "dm", "sender": outside.sender, "text": outside.told}
    return made.render(
        Trigger("dm", payload, outside.sender, outside.message),
        history=outside.turns,
        tools=[
            {"name": f"tool_{index}", "description": each, "inputSchema": {}}
            for index, each in enumerate(outside.tools)
        ],
        variables=outside.variables,
        model=outside.model,
        now=outside.now,
    )


def accepted(draft: Draft, turns: int, tools: int) -> Bundle | None:
    """The bundle without the holes and slots that are refused; None if something else is wrong with it."""
    for _ in range(8):
        made = draft.bundle()
        try:
            rendered(made, Outside.same(HARMLESS, turns, tools))
        except DocasmError as error:
            if {each.code for each in error.problems} - {"uncontained-value", "slot-misplaced"}:
                return None
            draft = draft.without(error.problems)
        else:
            return made
    return None


def roles(render: Render) -> list[str]:
    """The role of each message."""
    return [each.role for each in render.messages]
