"""What an API would refuse, mended where the caller asks for it; each repair is noted."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from docasm.dialogue import ToolCall
from docasm.errors import DocasmError, did_you_mean, failure
from docasm.providers.call_ids import with_own_ids
from docasm.providers.check import ends_with_assistant, is_blank, not_taken, starts_wrong, unbridged
from docasm.providers.request import REPAIRED, Item, Request, Rules, joined

NO_RESULT = "(There is no result.)"
START = "(The conversation starts here.)"
BRIDGE = "OK"
CONTINUE = "Continue."


def wanted(repairs: Iterable[str]) -> frozenset[str]:
    """The names of repairs; raises DocasmError for one that there is not."""
    names = (repairs,) if isinstance(repairs, str) else tuple(repairs)
    for name in names:
        if name not in REPAIRS:
            hint = did_you_mean(name, REPAIRS, kind="repairs")
            raise failure("unknown-repair", f"there is no repair `{name}`", hint=hint)
    return frozenset(names)


def repaired(request: Request, names: Iterable[str], rules: Rules) -> Request:
    """The request with the named repairs, in the order of REPAIRS."""
    for name, repair in REPAIRS.items():
        if name in names:
            request = repair(request, rules)
    return request


def _paired(request: Request, _: Rules) -> Request:
    """A result for each call that has none, and none for a call that there is not."""
    kept: list[Item] = []
    pending: dict[str, int] = {}
    for entry in (*request.entries, Item("end", "")):
        if entry.role == "tool":
            if pending.pop(entry.call_id, None) is not None:
                kept.append(entry)
            else:
                told = f"message {entry.index}, the result of no open call `{entry.call_id}`, is left out"
                request.note(told, REPAIRED)
            continue
        for id_, index in pending.items():
            request.note(f"the call `{id_}` of message {index} got the result {NO_RESULT!r}", REPAIRED)
            kept.append(Item("tool", NO_RESULT, (), id_, index))
        pending = {call.id: entry.index for call in entry.calls}
        kept.append(entry)
    return replace(request, entries=tuple(kept[:-1]))


def _with_objects(request: Request, rules: Rules) -> Request:
    """Arguments that are no JSON object as the text of one, where the API wants objects."""
    if not rules.takes_objects:
        return request
    entries = [
        replace(entry, calls=tuple(_as_object(call, entry, request) for call in entry.calls))
        for entry in request.entries
    ]
    return replace(request, entries=tuple(entries))


def _as_object(call: ToolCall, entry: Item, request: Request) -> ToolCall:
    try:
        call.parsed()
    except DocasmError:
        told = f"the arguments of the call `{call.id}` of message {entry.index} are the text of `arguments`"
        request.note(told, REPAIRED)
        return replace(call, arguments=json.dumps({"arguments": call.arguments}))
    return call


def _without_empty(request: Request, _: Rules) -> Request:
    kept = []
    for entry in request.entries:
        if is_blank(entry):
            request.note(f"message {entry.index} ({entry.role}) is blank and is left out", REPAIRED)
        else:
            kept.append(entry)
    return replace(request, entries=tuple(kept))


def _merged(request: Request, _: Rules) -> Request:
    """Neighbours of one role in one message, if the first makes no calls."""
    kept: list[Item] = []
    for entry in request.entries:
        last = kept[-1] if kept else None
        if last and last.role == entry.role in ("user", "assistant", "system") and not last.calls:
            kept[-1] = entry.saying(*joined((last, entry)))
            request.note(f"message {entry.index} ({entry.role}) is joined to message {last.index}", REPAIRED)
        else:
            kept.append(entry)
    return replace(request, entries=tuple(kept))


def _started(request: Request, rules: Rules) -> Request:
    if not starts_wrong(request, rules):
        return request
    index = request.rest[0].index
    request.note(f"before message {index} the user says {START!r}", REPAIRED)
    entries = (*request.leading, Item("user", START, index=index), *request.rest)
    return replace(request, entries=entries)


def _bridged(request: Request, rules: Rules) -> Request:
    kept, places = [], set(unbridged(request.entries, rules))
    for at, entry in enumerate(request.entries):
        if at in places:
            request.note(f"before message {entry.index} the assistant says {BRIDGE!r}", REPAIRED)
            kept.append(Item("assistant", BRIDGE, index=entry.index))
        kept.append(entry)
    return replace(request, entries=tuple(kept))


def _continued(request: Request, _: Rules) -> Request:
    if not ends_with_assistant(request) or request.facts.prefill:
        return request
    request.note(f"after the last message the user says {CONTINUE!r}", REPAIRED)
    end = Item("user", CONTINUE, index=request.entries[-1].index)
    return replace(request, entries=(*request.entries, end))


def _trimmed(request: Request, _: Rules) -> Request:
    if not ends_with_assistant(request):
        return request
    *entries, last = request.entries
    if last.content != last.content.rstrip():
        request.note("white space at the end of the last message is left out", REPAIRED)
        last = last.saying(last.content.rstrip())
    return replace(request, entries=(*entries, last))


def _without_params(request: Request, rules: Rules) -> Request:
    wrong = not_taken(request, rules)
    for name, why in wrong.items():
        request.note(f"`{name}` is left out: {why}", REPAIRED)
    return replace(request, params={key: each for key, each in request.params.items() if key not in wrong})


REPAIRS: Mapping[str, Callable[[Request, Rules], Request]] = MappingProxyType(
    {
        "ids": with_own_ids,
        "pair": _paired,
        "arguments": _with_objects,
        "empty": _without_empty,
        "merge": _merged,
        "start": _started,
        "bridge": _bridged,
        "prefill": _continued,
        "trailing": _trimmed,
        "params": _without_params,
    }
)
"""What a caller can ask for, in the order in which it is done."""
BEFORE_PLACING = ("ids", "pair", "empty")
"""Done before system text is put in its places, which depend on what is said."""
