"""Which skills a trigger selects, and what they decide together."""

from itertools import islice

from docasm.contents import Adopted, ChosenTools, Contents, Selection
from docasm.errors import DocasmError, failure
from docasm.relevance import Index, Ranked, Relevance, choose, skill_words, words
from docasm.tools import Tool, summary
from docasm.tools import choose as choose_by_name
from docasm.trigger import Rule, Trigger

MAX_SHOWN = 20
"""How many rules a message lists."""


def match(contents: Contents, trigger: Trigger, layout: str) -> tuple[int, ...]:
    """The rules that hold, as indexes; raises DocasmError if there are none and the layout needs some."""
    matching = contents.rules.matching(trigger)
    if not matching and _needs_skills(contents, layout):
        pairs = ((each.name, rule) for each in contents.adopted for rule in each.rules)
        shown = [f"`{name}` ({rule.describe()})" for name, rule in islice(pairs, MAX_SHOWN + 1)]
        rules = ", ".join([*shown[:MAX_SHOWN], *["..."] * (len(shown) > MAX_SHOWN)])
        hint = f"what would match: {rules or 'nothing; no adopted skill has triggers'}"
        if broken := contents.compiler.skills.broken:
            hint += (
                f"; what could not be read: {', '.join(f'`{name}`' for name in islice(broken, MAX_SHOWN))}"
            )
        raise failure("no-match", f"no adopted skill answers to {trigger.describe()}", hint=hint)
    return matching


def _needs_skills(contents: Contents, layout: str) -> bool:
    found = contents.compiler.layouts.found.get(layout)
    return found is None or found.needs_skills


def select(contents: Contents, matching: tuple[int, ...]) -> Selection:
    """The selection of the rules that hold, made once."""
    found = contents.selections.get(matching)
    if found is None:
        found = contents.selections[matching] = _select(contents, matching)
    return found


def _select(contents: Contents, matching: tuple[int, ...]) -> Selection:
    """Of each skill the first rule that holds counts; what it sets goes before adoption and skill."""
    rules: dict[int, Rule] = {}
    for index in matching:
        number, rule = contents.rules.rules[index]
        rules.setdefault(number, rule)
    params = []
    for number, rule in rules.items():
        adopted = contents.adopted[number]
        own = contents.compiler.skills.get(adopted.name).params
        params.append((adopted.name, {**own, **adopted.params, **(rule.params or {})}))
    skills = tuple(name for name, _ in params)
    params = [(name, own) for name, own in params if own]
    return Selection(skills, tuple(params), matching)


def relevant(
    contents: Contents, selection: Selection, relevance: Relevance, text: str
) -> tuple[Selection, tuple[Ranked, ...]]:
    """The skills of a selection that a text is about, and those that are left out with their scores."""
    index = contents.indexes.get(None)
    if index is None:
        index = contents.indexes[None] = Index.of([_words(contents, each) for each in contents.adopted])
    found = index.scores(words(text))
    scores = {contents.adopted[number].name: score for number, score in found.items()}
    kept, left_out = choose(selection.skills, scores, relevance)
    if not left_out:
        return selection, ()
    names = set(kept)
    rules, adopted = contents.rules.rules, contents.adopted
    matching = tuple(index for index in selection.matching if adopted[rules[index][0]].name in names)
    return _select(contents, matching), left_out


def _words(contents: Contents, adopted: Adopted) -> list[str]:
    description = contents.compiler.skills.get(adopted.name).description
    return skill_words(adopted.name, description, adopted.rules)


def choose_tools(contents: Contents, skills: tuple[str, ...], given: tuple[Tool, ...] | None) -> ChosenTools:
    """The tools that skills ask for, in their order, from those given or the bundle's; raises DocasmError."""
    if given is not None:
        return _chosen(contents, skills, given)
    found = contents.chosen_tools.get(skills)
    if found is None:
        found = contents.chosen_tools[skills] = _chosen(contents, skills, contents.tools)
    return found


def _chosen(contents: Contents, skills: tuple[str, ...], tools: tuple[Tool, ...]) -> ChosenTools:
    known = {tool.name: tool for tool in tools}
    problems = [problem for name in skills for problem in contents.compiler.unknown_tools(name, known)]
    if problems:
        raise DocasmError(problems)
    chosen = choose_by_name(tools, [contents.compiler.tools_of(name) for name in skills])
    return ChosenTools(chosen, summary(chosen))
