"""Ids of calls that were used before: some servers begin to count anew with every answer."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from docasm.dialogue import ToolCall
from docasm.providers.request import REPAIRED, Item, Request, Rules


def with_own_ids(request: Request, _: Rules) -> Request:
    """The request with another id for each call whose id an earlier one has, and for its result.

    What an id becomes depends on what was said before alone, so it stays as a conversation grows.
    """
    given: dict[str, str] = {}
    entries = tuple(_renamed(request, given))
    return replace(request, entries=entries, given_ids=given)


def _renamed(request: Request, given: dict[str, str]) -> Iterator[Item]:
    taken: dict[str, int] = {}
    waiting: dict[str, list[str]] = {}
    for entry in request.entries:
        if entry.role == "tool":
            ids = waiting.get(entry.call_id)
            yield replace(entry, call_id=ids.pop(0)) if ids else entry
            continue
        ids_now = list(_own(entry, taken))
        waiting = {}
        for call, id_ in zip(entry.calls, ids_now, strict=True):
            waiting.setdefault(call.id, []).append(id_)
            if id_ != call.id:
                given[id_] = call.id
                told = f"the second call `{call.id}`, of message {entry.index}, and its result are `{id_}`"
                request.note(told, REPAIRED)
        yield replace(entry, calls=_with(entry, ids_now))


def _own(entry: Item, taken: dict[str, int]) -> Iterator[str]:
    """The ids of an entry's calls; `taken` counts how often each was wanted before."""
    for call in entry.calls:
        made = call.id
        while made in taken:
            taken[call.id] += 1
            made = f"{call.id}_{taken[call.id]}"
        taken[made] = 1
        yield made


def _with(entry: Item, ids: Sequence[str]) -> tuple[ToolCall, ...]:
    return tuple(replace(call, id=id_) for call, id_ in zip(entry.calls, ids, strict=True))
