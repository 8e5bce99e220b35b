"""Finding everything that is wrong with the skills and layouts of a bundle, by compiling all of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from docasm.compiler import RENDER_NAMES, Compiler, holes
from docasm.compose import Composer
from docasm.draft import Chosen, draft
from docasm.errors import DocasmError, Problem, did_you_mean
from docasm.fragment import MESSAGE, Fragment, compile_fragment
from docasm.layout import AS_LIST, Layout
from docasm.plan import Planned, plan
from docasm.skill import Skill
from docasm.source import Source
from docasm.tools import Tool

BARE_LAYOUT = Layout("bare", Source("bare", "system:\n<<skills>>\n\nuser:\n<<input>>"), {}, AS_LIST, None)
"""What a skill is checked in."""
NOTHING: frozenset[str] = frozenset()


def check_each(compiler: Compiler, tools: Sequence[Tool]) -> Iterator[tuple[Problem, ...]]:
    """The problems of each skill and each layout that could be read, one tuple for each file."""
    for name, skill in compiler.skills.found.items():
        compiled = _found(partial(_check_skill, compiler, name))
        yield (*compiled, *_unknown_tools(skill, tools))
    for name in compiler.layouts.found:
        yield _found(partial(_check_layout, compiler, name))


def _found(check: Callable[[], Iterator[Problem]]) -> tuple[Problem, ...]:
    """The problems that a check finds, those that it raises included."""
    problems: list[Problem] = []
    try:
        problems.extend(check())
    except DocasmError as error:
        problems.extend(error.problems)
    return tuple(problems)


def _check_skill(compiler: Compiler, name: str) -> Iterator[Problem]:
    fragment = compiler.skill(name, NOTHING)
    yield from fragment.problems
    composer = Composer(lambda each: compiler.skill(each, NOTHING), compiler.skills.names)
    written = draft(BARE_LAYOUT, _bare_fragment(), [Chosen(name, fragment)], composer)
    planned = plan(tuple(written), NOTHING)
    yield from composer.notes
    yield from _unknown_variables(compiler, planned, compiler.skills.found[name].variables)


@cache
def _bare_fragment() -> Fragment:
    return compile_fragment(BARE_LAYOUT.body, template=True, constants={})


def _check_layout(compiler: Compiler, name: str) -> Iterator[Problem]:
    yield from compiler.layout(name, NOTHING).problems
    drafted = compiler.draft(name, (), ())
    for empty in ((False, False), (True, True)):
        yield from _unknown_variables(compiler, drafted.plan(empty), compiler.layouts.found[name].variables)


def _unknown_variables(
    compiler: Compiler, planned: Sequence[Planned], declared: Mapping[str, Any]
) -> Iterator[Problem]:
    known = RENDER_NAMES | declared.keys() | compiler.variables.keys() | {MESSAGE}
    for placed in holes(planned):
        for name in sorted(placed.hole.tag.names - known - placed.hole.known.keys()):
            message = f"nothing gives the variable `{name}` a value"
            hint = did_you_mean(name, known, kind="variables")
            hint += "; declare it under `variables` in the front matter (`null` if a render must set it)"
            offset, source = placed.hole.offset, placed.hole.source
            yield source.problem_at("unknown-variable", message, offset, hint=hint)


def _unknown_tools(skill: Skill, tools: Sequence[Tool]) -> Iterator[Problem]:
    """Of a bundle without tools nothing is said: its renders bring them."""
    names = [tool.name for tool in tools]
    for setting in skill.tools if names and not isinstance(skill.tools, str) else ():
        if setting.value not in names:
            message = f"there is no tool `{setting.value}`"
            hint = did_you_mean(setting.value, names, kind="tools")
            yield setting.problem("unknown-tool", message, hint=hint)
