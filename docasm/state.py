"""Everything that a bundle is at one time: a change makes another one, and leaves this one as it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from docasm.check import check_skill
from docasm.compiler import Compiler, FragmentKey
from docasm.config import Adoption, Config, unknown_skill
from docasm.contents import Adopted, Contents
from docasm.disk import Disk
from docasm.edits import Edits, Step
from docasm.errors import DocasmError, Problem, did_you_mean
from docasm.library import Library
from docasm.skill import Skill
from docasm.tool_servers import NOT_ASKED
from docasm.trigger import KINDS, Rules


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What the files of a bundle hold, with what was changed in memory."""

    disk: Disk = field(repr=False)
    edits: Edits
    contents: Contents = field(repr=False)
    noticed: tuple[Problem, ...]
    """What is wrong with single skills and layouts."""

    def check(self, name: str) -> None:
        """Raises DocasmError if a skill has errors, the tools that it asks for and its includes included."""
        tools = {tool.name: tool for tool in self.contents.tools}
        problems = check_skill(self.contents.compiler, name, tools)
        if any(problem.severity == "error" for problem in problems):
            raise DocasmError(dict.fromkeys(problems))

    def knows(self, name: str) -> bool:
        """Whether there is a skill of that name, one that cannot be read included."""
        return _holds(self.contents.compiler.skills, name)

    def is_in_files(self, name: str) -> bool:
        """Whether the files hold a skill of that name, or adopt one."""
        return _holds(self.disk.skills, name) or name in {
            each.skill for each in self.disk.config.adopted or ()
        }

    def unknown(self, name: str, what: str) -> DocasmError:
        """That there is no skill of a name to do something with."""
        hint = did_you_mean(name, self.contents.compiler.skills.names(), kind="skills")
        return DocasmError([Problem("unknown-skill", f"there is no skill `{name}` to {what}", hint=hint)])


def _holds(library: Library[Skill], name: str) -> bool:
    return name in library.found or name in library.broken


def make_state(disk: Disk, edits: Edits, before: State | None = None) -> tuple[State, tuple[Problem, ...]]:
    """The state of a bundle, and what is wrong with its configuration and tools.

    What `before` has compiled is taken over as far as nothing changed that it depends on.
    """
    skills = _with_created(disk.skills, edits)
    order = edits.order(_start(disk.config, skills))
    layout_of, layout_problems = _layout_of(disk)
    adopted = tuple(_adopted(skills.found[each.skill], each) for each in order if each.skill in skills.found)
    gone = tuple(_gone(each) for each in order if isinstance(each, Step) and not _holds(skills, each.skill))
    contents = Contents(
        adopted=adopted,
        rules=Rules.of((index, rule) for index, each in enumerate(adopted) for rule in each.rules),
        layout_of=layout_of,
        tools=disk.tools,
        labels=disk.config.labels,
        params=disk.config.params,
        compiler=Compiler(skills, disk.layouts, disk.config.variables, disk.config.profiles),
        provider=disk.config.provider,
        tokenizers=disk.origin.tokenizers,
        models=disk.config.models,
        resolvers=disk.origin.resolvers,
        answers=disk.answers,
        has_unknown_tools=bool(disk.config.servers) and disk.origin.servers is NOT_ASKED,
        left_out=(*_left_out(order, skills), *gone),
    )
    if before is not None:
        carry_over(before.contents.compiler, contents.compiler)
    noticed = (*skills.problems, *disk.layouts.problems, *gone)
    errors = (*disk.problems, *_unknown(order, skills), *layout_problems)
    return State(disk, edits, contents, noticed), errors


def _with_created(skills: Library[Skill], edits: Edits) -> Library[Skill]:
    """The skills of the files, those made in memory before them."""
    if not edits.created:
        return skills
    created = {name: each.skill for name, each in edits.created.items()}
    broken = {name: problems for name, problems in skills.broken.items() if name not in created}
    problems = [problem for each in edits.created.values() for problem in each.problems]
    return Library({**skills.found, **created}, broken, [*skills.problems, *problems])


def _start(config: Config, skills: Library[Skill]) -> Sequence[Adoption | Step]:
    """The adoption order that the files give; without one, all skills by name."""
    if config.adopted is not None:
        return config.adopted
    return [Step(name, adopts=True) for name in skills.names()]


def _adopted(skill: Skill, adoption: Adoption | Step) -> Adopted:
    rules = skill.triggers if adoption.rules is None else adoption.rules
    return Adopted(skill.name, rules, adoption.params)


def _gone(step: Step) -> Problem:
    message = f"the skill `{step.skill}`, which was adopted in memory, is no longer there"
    hint = f'bring it back, or take it out with `bundle.remove("{step.skill}")`'
    return Problem("unknown-skill", message, hint=hint, severity="warning")


def _left_out(order: Sequence[Adoption | Step], skills: Library[Skill]) -> Iterator[Problem]:
    """A warning for each adopted skill that cannot be read, for every render that goes without it."""
    for name in sorted(each.skill for each in order if each.skill in skills.broken):
        message = f"the skill `{name}` cannot be read, so no trigger selects it"
        hint = "`docasm check` tells what is wrong with it"
        yield Problem("broken-skill", message, hint=hint, severity="warning")


def _unknown(order: Sequence[Adoption | Step], skills: Library[Skill]) -> Iterator[Problem]:
    """What `docasm.yaml` adopts and is not there."""
    unknown = [each for each in order if isinstance(each, Adoption) and not _holds(skills, each.skill)]
    known = dict.fromkeys(skills.names()) if unknown else {}
    return (unknown_skill(each, known) for each in unknown)


def _layout_of(disk: Disk) -> tuple[Mapping[str, str], list[Problem]]:
    config, layouts, problems = disk.config, disk.layouts, []
    for setting in config.layouts.values():
        if setting.value not in layouts.names():
            message = f"there is no layout `{setting.value}`"
            hint = did_you_mean(setting.value, layouts.names(), kind="layouts")
            problems.append(setting.problem("unknown-layout", message, hint=hint))
    given = {kind: each.value for kind, each in config.layouts.items()}
    names = {kind: disk.layout or given.get(kind, kind) for kind in KINDS}
    return MappingProxyType(names), problems


def carry_over(before: Compiler, after: Compiler) -> None:
    """Takes over what was compiled, as far as what it came of is the same.

    A file that did not change is the same object. A document depends on the skills that have a say in it, on
    the layouts, for a profile may lead to any, and on variables and profiles; an include of a skill that is
    not there is an error, and never kept.
    """
    if _constants(before) != _constants(after):
        return
    same = {name for name, each in after.skills.found.items() if before.skills.found.get(name) is each}
    layouts, known = before.layouts.found, after.layouts.found
    same_layouts = layouts.keys() == known.keys() and all(layouts[name] is known[name] for name in known)

    def is_same_file(key: FragmentKey) -> bool:
        kind, name, _ = key[0]
        return name in same if kind == "skill" else same_layouts

    # copied at once, for other threads add to them
    fragments, drafted = before.fragments.copy(), before.drafted.copy()
    after.fragments.update((key, each) for key, each in fragments.items() if is_same_file(key))
    if same_layouts:
        after.drafted.update(
            (key, each) for key, each in drafted.items() if same.issuperset(each.contributors)
        )


def _constants(compiler: Compiler) -> str:
    """What decides, beside the files, what a file compiles to; as text, for 1 == True."""
    return repr((compiler.variables, compiler.profiles))
