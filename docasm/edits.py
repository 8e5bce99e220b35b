"""What was changed in memory, so that it can be done again over what the files hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self

from docasm.config import Adoption
from docasm.errors import DocasmError, Problem, failure
from docasm.fields import Fields
from docasm.json_values import nesting_exceeds
from docasm.params import read_params
from docasm.rules import read_rules
from docasm.settings import MAX_NESTING, Setting, parse_settings
from docasm.skill import Skill, read_skill
from docasm.source import Source, decode, split_front_matter, with_line_feeds
from docasm.trigger import Rule


@dataclass(frozen=True, slots=True)
class Created:
    """A skill that was made in memory."""

    skill: Skill
    problems: tuple[Problem, ...]
    """Warnings about its front matter."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the adoption order."""

    skill: str
    adopts: bool
    """False takes the skill out of it."""
    rules: tuple[Rule, ...] | None = None
    """Triggers that replace the skill's own; None leaves those."""
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edits:
    """The skills made in memory, and what was done to the adoption order; at most two steps a skill."""

    created: Mapping[str, Created] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()

    def order(self, start: Iterable[Adoption | Step]) -> tuple[Adoption | Step, ...]:
        """The adoption order that comes of one that the files give."""
        entries = {each.skill: each for each in start}
        for step in self.steps:
            if step.adopts:
                entries[step.skill] = step  # one that is there keeps its place
            else:
                entries.pop(step.skill, None)
        return tuple(entries.values())

    def creating(self, created: Created, *, adopted: bool) -> Self:
        """With a skill more; `adopted` says that a skill is adopted as soon as it is there."""
        name = created.skill.name
        last = next((each for each in reversed(self.steps) if each.skill == name), None)
        taken_out = last is not None and not last.adopts
        steps = self._without(name) if adopted and taken_out else self.steps
        return replace(self, created=MappingProxyType({**self.created, name: created}), steps=steps)

    def adopting(self, step: Step) -> Self:
        """With a skill adopted, in its place if it was adopted in memory before."""
        steps = tuple(step if each.adopts and each.skill == step.skill else each for each in self.steps)
        return replace(self, steps=steps if step in steps else (*steps, step))

    def removing(self, name: str, *, lasting: bool) -> Self:
        """Without a skill; `lasting` says that the files may adopt it."""
        created = MappingProxyType({key: each for key, each in self.created.items() if key != name})
        steps = self._without(name) + ((Step(name, adopts=False),) if lasting else ())
        return replace(self, created=created, steps=steps)

    def _without(self, name: str) -> tuple[Step, ...]:
        return tuple(each for each in self.steps if each.skill != name)


def read_created(name: object, text: object) -> Created:
    """The skill of the text of a `NAME.md`; raises DocasmError for what is wrong with its front matter."""
    if not isinstance(name, str) or not isinstance(text, str):
        raise failure("wrong-type", "the name and the text of a skill must be text")
    source = _source(f"{name}.md", text)
    skill, problems = read_skill(source, name, agent_skill=False)
    if skill.name != name:
        setting = parse_settings(split_front_matter(source).settings).value["name"]
        hint = f"write `name: {name}`, or leave it out"
        message = f"the front matter calls this skill `{skill.name}`, not `{name}`"
        problems = (*problems, setting.problem("bad-name", message, hint=hint))
    if any(problem.severity == "error" for problem in problems):
        raise DocasmError(problems)
    return Created(skill, problems)


def _source(label: str, text: str) -> Source:
    label = label.encode(errors="backslashreplace").decode()
    try:
        return decode(text.encode(), label)
    except UnicodeEncodeError as error:
        message = f"this is a lone surrogate, U+{ord(text[error.start]):04X}, which is no text"
        hint = "decode what came in with errors='replace', or mend where it was cut"
        source, offset = Source(label, with_line_feeds(text)), len(with_line_feeds(text[: error.start]))
        raise DocasmError([source.problem_at("lone-surrogate", message, offset, hint=hint)]) from None


def read_step(name: object, triggers: object, params: object) -> Step:
    """The adoption of a skill with plain values in the shape of `docasm.yaml`; raises DocasmError."""
    if not isinstance(name, str):
        raise failure("wrong-type", "the name of a skill must be text")
    problems: list[Problem] = []
    rules = None if triggers is None else read_rules(_setting(triggers, "`triggers`"), problems)
    fields = Fields(_setting(params, "`params`"), problems, "`params`")
    step = Step(name, True, rules, read_params(fields, severity="error"))
    if problems:
        raise DocasmError(replace(each, place=None, source_line="") for each in problems)
    return step


def _setting(value: object, what: str) -> Setting:
    """Plain values as if a file held them; raises DocasmError for what no file could hold."""
    if nesting_exceeds(value, MAX_NESTING):
        raise failure("nested-too-deep", f"{what} nest more than {MAX_NESTING} deep")
    return _plain(value, what, Source("", ""))


def _plain(value: object, what: str, source: Source) -> Setting:
    if isinstance(value, list | tuple):
        return Setting([_plain(each, what, source) for each in value], source, 1, 1)
    if isinstance(value, Mapping):
        keys = [key for key in value if isinstance(key, str)]
        if len(keys) == len(value):
            values = {key: _plain(value[key], what, source) for key in keys}
            return Setting(values, source, 1, 1, dict.fromkeys(keys, (1, 1)))
    elif value is None or isinstance(value, bool | int | float | str):
        return Setting(value, source, 1, 1)
    message = f"{what} must be made of lists, mappings with texts as keys, texts and numbers"
    raise failure("wrong-type", message, hint="give what `docasm.yaml` would hold")
