"""System text put where an API wants it."""

from collections.abc import Sequence
from dataclasses import replace

from docasm.providers.request import Item, Request, Rules, joined


def placed(request: Request, rules: Rules) -> Request:
    """The request with its system text in places that the API and the model take; changes are noted."""
    request = _without_blank(request, rules)
    leading = list(request.leading)
    if len(leading) > 1 and (rules.system_apart or not request.facts.many_systems):
        request.note(f"the {len(leading)} system messages in front became one, a blank line between them")
        leading = [leading[0].saying(*joined(leading))]
    rest = list(request.rest)
    if any(entry.role == "system" for entry in rest):
        rest = _inline(request, rules, rest)
    return replace(request, entries=(*leading, *rest))


def _without_blank(request: Request, rules: Rules) -> Request:
    """Without blank system texts where the API takes none; they say nothing."""
    if "system" not in rules.never_blank:
        return request
    blank = [entry for entry in request.entries if entry.role == "system" and not entry.content.strip()]
    for entry in blank:
        request.note(f"message {entry.index} (system) is blank and is not sent")
    return replace(request, entries=tuple(entry for entry in request.entries if entry not in blank))


def _inline(request: Request, rules: Rules, rest: Sequence[Item]) -> list[Item]:
    """Later system text: left where the API and the model take it, else words of the user."""
    if not (rules.system_inline and request.facts.inline_system):
        return _told_by_user(request, rest)
    return _after_users(request, rest) if rules.system_after_user else list(rest)


def _told_by_user(request: Request, rest: Sequence[Item]) -> list[Item]:
    """In the next words of the user; where the user says no more, in words of their own."""
    kept: list[Item] = []
    waiting: list[Item] = []
    for at, entry in enumerate(rest):
        if entry.role == "system":
            if any(each.role == "user" for each in rest[at:]):
                waiting.append(entry)
            else:
                request.note(f"message {entry.index} (system) became the user's, in <system> tags")
                kept.append(replace(entry, role="user", content=_tagged(entry), stable=0))
        elif entry.role == "user" and waiting:
            kept.append(_with_systems(request, entry, waiting))
            waiting = []
        else:
            kept.append(entry)
    return kept


def _with_systems(request: Request, entry: Item, systems: Sequence[Item]) -> Item:
    for each in systems:
        request.note(f"message {each.index} (system) is in message {entry.index} (user), in <system> tags")
    return entry.saying("\n\n".join([*map(_tagged, systems), entry.content]))


def _tagged(entry: Item) -> str:
    return f"<system>\n{entry.content}\n</system>"


def _after_users(request: Request, rest: Sequence[Item]) -> list[Item]:
    """After the user, if the assistant or nothing follows: where it is, else after the user's next words."""
    kept: list[Item] = []
    waiting: list[Item] = []
    for at, entry in enumerate(rest):
        if entry.role == "system":
            waiting.append(entry)
            continue
        if waiting and entry.role == "assistant" and kept[-1].role != "assistant":
            kept += waiting
            waiting = []
        kept.append(entry)
        followed = next((each.role for each in rest[at + 1 :] if each.role != "system"), "assistant")
        if waiting and entry.role == "user" and followed == "assistant":
            for each in waiting:
                request.note(f"message {each.index} (system) stands after message {entry.index} (user)")
            kept += waiting
            waiting = []
    if waiting and kept[-1].role == "assistant":
        return [*kept, *_told_by_user(request, waiting)]
    return [*kept, *waiting]
