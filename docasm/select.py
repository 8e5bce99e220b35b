"""Which skills a trigger selects, and what they decide together."""

from docasm.contents import Contents, Selection
from docasm.errors import DocasmError, failure
from docasm.tools import Tool, choose, summary
from docasm.trigger import Rule, Trigger


def match(contents: Contents, trigger: Trigger) -> tuple[int, ...]:
    """The rules that hold, as indexes; raises DocasmError if there are none."""
    matching = contents.rules.matching(trigger)
    if not matching:
        rules = (f"`{each.name}` ({rule.describe()})" for each in contents.adopted for rule in each.rules)
        hint = f"what would match: {', '.join(rules) or 'nothing; no adopted skill has triggers'}"
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
    try:
        tools = choose(contents.tools, [contents.compiler.tools_of(name) for name in skills])
    except DocasmError:
        return Selection(skills, tuple(params), None, "")
    return Selection(skills, tuple(params), tools, summary(tools))


def choose_tools(
    contents: Contents, selection: Selection, given: tuple[Tool, ...] | None
) -> tuple[Tool, ...]:
    """The tools of the selected skills, from those given or the bundle's own; raises DocasmError."""
    if given is None and selection.tools is not None:
        return selection.tools
    wanted = [contents.compiler.tools_of(name) for name in selection.skills]
    return choose(contents.tools if given is None else given, wanted)
