"""Which skills a trigger selects, and what they decide together."""

from itertools import islice

from docasm.contents import ChosenTools, Contents, Selection
from docasm.errors import DocasmError, failure
from docasm.tools import Tool, choose, summary
from docasm.trigger import Rule, Trigger

MAX_SHOWN = 20
"""How many rules a message lists."""


def match(contents: Contents, trigger: Trigger) -> tuple[int, ...]:
    """The rules that hold, as indexes; raises DocasmError if there are none."""
    matching = contents.rules.matching(trigger)
    if not matching:
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
    return Selection(skills, tuple(params))


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
    chosen = choose(tools, [contents.compiler.tools_of(name) for name in skills])
    return ChosenTools(chosen, summary(chosen))
