"""System text put where an API wants it."""

from collections.abc import Sequence
from dataclasses import replace

from docasm.dialogue import Entry
from docasm.providers.request import Request, Rules


def placed(request: Request, rules: Rules) -> Request:
    """The request with its system text in places that the API and the model take; changes are noted."""
    leading = list(request.leading)
    if len(leading) > 1 and (rules.system == "apart" or not request.facts.many_systems):
        request.note(f"the {len(leading)} system messages in front became one, a blank line between them")
        leading = [Entry("system", request.system)]
    rest = list(request.rest)
    if any(entry.role == "system" for entry in rest):
        rest = _inline(request, rules, rest)
    return replace(request, entries=(*leading, *rest))


def _inline(request: Request, rules: Rules, rest: Sequence[Entry]) -> list[Entry]:
    """Later system text: left where the model takes it, else put into the next words of the user."""
    if request.facts.inline_system:
        return _after_users(request, rest) if rules.system == "apart" else list(rest)
    kept: list[Entry] = []
    waiting: list[str] = []
    for entry in rest:
        if entry.role == "system":
            waiting.append(f"<system>\n{entry.content}\n</system>")
        elif entry.role == "user" and waiting:
            request.note("a later system message went into the next words of the user, in <system> tags")
            kept.append(replace(entry, content="\n\n".join([*waiting, entry.content])))
            waiting = []
        else:
            kept.append(entry)
    if waiting:
        request.note("a later system message became words of the user, in <system> tags")
        kept.append(Entry("user", "\n\n".join(waiting)))
    return kept


def _after_users(request: Request, rest: Sequence[Entry]) -> list[Entry]:
    """Such text may stand right after the user only, so it waits for the next words of the user."""
    kept: list[Entry] = []
    waiting: list[Entry] = []
    for entry in rest:
        if entry.role == "system":
            waiting.append(entry)
            continue
        kept.append(entry)
        if entry.role == "user" and waiting:
            request.note("a later system message stands after the next words of the user")
            kept += waiting
            waiting = []
    return [*kept, *waiting]
