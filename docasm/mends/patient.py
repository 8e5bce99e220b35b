"""A file to be mended, as it is at one step of its mending."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from docasm.errors import DocasmError
from docasm.fragment import Fragment, compile_fragment
from docasm.layout_file import read_layout
from docasm.lints.subject import AGENT_SKILL, BOM, SKILL_KINDS
from docasm.skill import Skill, read_skill
from docasm.source import FrontMatter, Source, split_front_matter, with_line_feeds
from docasm.sources import ToolSource


@dataclass(frozen=True)
class Patient:
    """The text of a file that is a skill or a layout."""

    text: str
    """With its BOM and its line ends."""
    kind: str
    default_name: str
    """What a skill is called that gives no name: as its folder or its file."""
    constants: Mapping[str, Any]
    """The variables of the bundle."""
    taken: frozenset[str] = frozenset()
    """The names that a skill may not get, or that others use for one."""

    def with_text(self, text: str) -> Self:
        return replace(self, text=text)

    @property
    def is_plain(self) -> bool:
        """Whether its text is what is read: places in the one are places in the other."""
        return not self.text.startswith(BOM) and "\r" not in self.text

    @cached_property
    def source(self) -> Source:
        return Source("", with_line_feeds(self.text.removeprefix(BOM)))

    @cached_property
    def halves(self) -> FrontMatter | None:
        """Its front matter and its body; None where the front matter is not closed."""
        try:
            return split_front_matter(self.source)
        except DocasmError:
            return None

    @cached_property
    def skill(self) -> Skill | None:
        """The skill that it is; None for a layout, and for one that has errors."""
        if self.kind not in SKILL_KINDS:
            return None
        try:
            skill, problems = read_skill(self.source, self.default_name, agent_skill=self.kind == AGENT_SKILL)
        except DocasmError:
            return None
        return None if any(each.severity == "error" for each in problems) else skill

    @cached_property
    def fragment(self) -> Fragment | None:
        """It, compiled; None where it has errors."""
        try:
            if self.kind in SKILL_KINDS:
                skill = self.skill
                return self._compiled(skill.body, skill.template, skill.variables) if skill else None
            layout, problems = read_layout(self.source, "")
            return None if problems else self._compiled(layout.source, True, layout.variables)
        except DocasmError:
            return None

    def _compiled(self, body: Source, template: bool, variables: Mapping[str, Any]) -> Fragment:
        values = {**variables, **self.constants}
        constants = {
            name: value
            for name, value in values.items()
            if value is not None and not isinstance(value, ToolSource)
        }
        return compile_fragment(body, template=template, constants=constants)
