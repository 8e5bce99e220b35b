"""Finding everything that is wrong with the skills and layouts of a bundle, by compiling all of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from typing import Any

from docasm.atoms import Atom, Heading
from docasm.chosen_layout import RENDER_NAMES, Known, known_of
from docasm.compiler import Compiler
from docasm.compose import Composer
from docasm.contents import Contents
from docasm.draft import Chosen, draft
from docasm.errors import DocasmError, Problem, did_you_mean
from docasm.fields import Fields
from docasm.fragment import INPUT, MESSAGE, Fragment, compile_fragment
from docasm.layout import Layout
from docasm.layout_file import read_layout
from docasm.limits import SKILLS
from docasm.plan import plan
from docasm.source import Source
from docasm.template_run import Hole
from docasm.tools import Tool
from docasm.trigger import KINDS

BARE_LAYOUT: Layout = read_layout(Source("bare", "system:\n<<skills>>\n\nuser:\n<<input>>"), "bare")[0]
"""What a skill is checked in."""
Check = Callable[[], tuple[Problem, ...]]
"""Finds some of what is wrong."""
NOTHING = Known()
SPAN = 100
"""How many skills of very many are checked together."""
PROVIDER = "openai"


def checks(contents: Contents) -> Iterator[tuple[Check, ...]]:
    """All that there is to check in a bundle, in batches that compile the same skills."""
    each = list(_checks_of_each(contents))
    together = list(_checks_together(contents))
    for number in range(0, max(len(each), len(together) * SPAN), SPAN):
        yield (*together[number // SPAN : number // SPAN + 1], *each[number : number + SPAN])


def check_each(contents: Contents) -> Iterator[tuple[Problem, ...]]:
    """The problems of each skill and each layout that could be read, one tuple for each file."""
    return (check() for check in _checks_of_each(contents))


def _checks_of_each(contents: Contents) -> Iterator[Check]:
    compiler = contents.compiler
    known = None if contents.has_unknown_tools else {tool.name: tool for tool in contents.tools}
    for name in compiler.skills.found:
        yield partial(check_skill, compiler, name, known)
    for name in compiler.layouts.found:
        yield partial(check_layout, compiler, name)


def check_layout(compiler: Compiler, name: str) -> tuple[Problem, ...]:
    """The problems of one layout that could be read, for each model that it treats differently."""
    found = [_found(partial(_check_layout, compiler, name, model)) for model in compiler.models(name)]
    return tuple(dict.fromkeys(chain.from_iterable(found)))


def check_skill(compiler: Compiler, name: str, known: Mapping[str, Tool] | None) -> tuple[Problem, ...]:
    """The problems of one skill that could be read, in a bundle with these tools; None: nobody knows them."""
    compiled = _found(partial(_check_skill, compiler, name))
    return compiled if known is None else (*compiled, *_tools(compiler, name, known))


def _tools(compiler: Compiler, name: str, known: Mapping[str, Tool]) -> Iterator[Problem]:
    """The tools that a skill asks for and the bundle lacks; one without any may get them from renders."""
    for problem in compiler.unknown_tools(name, known):
        hint = "list it under `tools` in `docasm.yaml`, or give it to each render"
        yield problem if known else replace(problem, hint=hint, severity="warning")


def check_together(contents: Contents) -> Iterator[tuple[Problem, ...]]:
    """For each kind of trigger, the problems of skills that could answer to it in one document."""
    return (check() for check in _checks_together(contents))


def _checks_together(contents: Contents) -> Iterator[Check]:
    """A value can stand too near to the next skill, so each span ends with the skill that starts the next."""
    for kind in KINDS:
        able = [each.name for each in contents.adopted if any(rule.kind == kind for rule in each.rules)]
        layout = contents.layout_of[kind]
        for first in range(0, len(able), SPAN):
            names = tuple(able[first : first + SPAN + 1])
            yield partial(_found, partial(_check_document, contents.compiler, layout, names))


def _check_document(compiler: Compiler, layout: str, names: tuple[str, ...]) -> Iterator[Problem]:
    """What is wrong only when skills stand together: a value can stand too near to the next skill."""
    for model in _models(compiler.layouts.found.get(layout)):
        drafted = compiler.draft(compiler.choose(layout, model, PROVIDER), names, ())
        for empty in (frozenset[str](), drafted.slots - {INPUT}):
            drafted.plan(empty)
    yield from ()


def _models(layout: Layout | None) -> Iterable[str | None]:
    """The models that a layout is checked for: any, or where it is for some only each of them."""
    return layout.profiles if layout and layout.needs_profile else (None,)


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
    yield from _unknown_variables(compiler, fragment, compiler.skills.found[name].variables)
    composer = Composer(lambda each: compiler.skill(each, NOTHING), compiler.skills.names)
    drafts = tuple(draft(BARE_LAYOUT, _bare_fragment(), [Chosen(name, fragment)], composer))
    yield from (note for note in composer.notes if note.severity != "note")
    yield from dict.fromkeys(composer.errors)
    plan(drafts, frozenset())


@cache
def _bare_fragment() -> Fragment:
    return compile_fragment(BARE_LAYOUT.source, template=True, constants={})


def _check_layout(compiler: Compiler, name: str, model: str | None) -> Iterator[Problem]:
    layout = compiler.layouts.found[name]
    if layout.needs_profile and model is None:
        return  # the layouts of its profiles are checked, and it has no text of its own
    for provider in {PROVIDER: None, **{each: None for body in layout.bodies for each in body.by_provider}}:
        yield from _check_text(compiler, name, model, provider)


def _check_text(compiler: Compiler, name: str, model: str | None, provider: str) -> Iterator[Problem]:
    """The problems of a layout's text for a model and a provider."""
    chosen = compiler.choose(name, model, provider)
    fragment = compiler.layout(chosen, known_of(chosen))
    yield from fragment.problems
    yield from _unknown_variables(compiler, fragment, {**chosen.layout.variables, **chosen.wording})
    yield from _unknown_pinned(compiler, chosen.layout)
    drafted = compiler.draft(chosen, (), ())
    for empty in (frozenset[str](), drafted.slots - {INPUT}):
        drafted.plan(empty)


def _unknown_pinned(compiler: Compiler, layout: Layout) -> Iterator[Problem]:
    """The skills that a layout's relevance pins and that there are not."""
    slots = Fields(layout.settings, [], "").mapping("slots")
    for each in slots.mapping(SKILLS).mapping("relevance").texts("pinned"):
        if each.value not in compiler.skills.names():
            hint = did_you_mean(each.value, compiler.skills.names(), kind="skills")
            message = f"there is no skill `{each.value}` to pin"
            yield each.problem("unknown-skill", message, hint=hint, severity="warning")


def _unknown_variables(
    compiler: Compiler, fragment: Fragment, declared: Mapping[str, Any]
) -> Iterator[Problem]:
    """The variables of a file's own tags that nothing is sure to set."""
    known = RENDER_NAMES | declared.keys() | compiler.variables.keys() | {MESSAGE}
    for hole in _holes(atom for part in fragment.parts for atom in part.atoms):
        for name in sorted(hole.needs - known):
            message = f"nothing gives the variable `{name}` a value"
            declare = "declare it under `variables` in the front matter (`null` if a render must set it)"
            hint = f"{did_you_mean(name, known, kind='variables')} or {declare}"
            yield hole.source.problem_at("unknown-variable", message, hole.offset, hint=hint)


def _holes(atoms: Iterable[Atom]) -> Iterator[Hole]:
    for atom in atoms:
        if isinstance(atom, Hole):
            yield atom
        elif isinstance(atom, Heading) and atom.setext:
            yield from _holes(atom.setext)
