"""What a provider would refuse: refused here, by index and id, or repaired where the caller asks for it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

from docasm.dialogue import Entry, check_pairs
from docasm.errors import DocasmError, Problem, did_you_mean, failure
from docasm.providers.request import Request, Rules

NO_RESULT = "(There is no result.)"
BRIDGE = "OK"

Note = Callable[[str], None]


def repaired(request: Request, repairs: Iterable[str], rules: Rules) -> Request:
    """The request with what the caller asked to have repaired, each repair noted; raises DocasmError."""
    wanted = tuple(repairs)
    for name in wanted:
        if name not in REPAIRS:
            hint = did_you_mean(name, REPAIRS, kind="repairs")
            raise failure("unknown-repair", f"there is no repair `{name}`", hint=hint)
    for name, repair in REPAIRS.items():
        if name in wanted:
            request = repair(request, rules)
    return request


def check(request: Request, rules: Rules) -> None:
    """Raises DocasmError with all that the API would refuse."""
    problems = [
        *_blank(request, rules),
        *_unaccepted(request, rules),
        *_unbridged(request, rules),
        *_last(request),
    ]
    try:
        check_pairs(request.entries)
    except DocasmError as error:
        problems += error.problems
    if all(entry.role == "system" for entry in request.entries):
        problems.append(Problem("bad-message", "a request needs a message that is not the system's"))
    if problems:
        raise DocasmError(problems)


def _problem(message: str, repair: str) -> Problem:
    return Problem("not-accepted", message, hint=f'change it, or ask for `repair=("{repair}",)`')


def _is_blank(entry: Entry) -> bool:
    return entry.role != "tool" and not entry.calls and not entry.content.strip()


def _blank(request: Request, rules: Rules) -> Iterable[Problem]:
    for index, entry in enumerate(request.entries):
        if _is_blank(entry) and not rules.takes_empty and entry.role != "system":
            yield _problem(f"message {index} ({entry.role}) is blank; the API takes no blank text", "empty")


def _without_empty(request: Request, _: Rules) -> Request:
    kept = []
    for index, entry in enumerate(request.entries):
        if _is_blank(entry):
            request.note(f"message {index} ({entry.role}) is blank and was left out", "request-repaired")
        else:
            kept.append(entry)
    return replace(request, entries=tuple(kept))


def _merged(request: Request, _: Rules) -> Request:
    """Neighbours of one role, without calls, in one message."""
    kept: list[Entry] = []
    for index, entry in enumerate(request.entries):
        last = kept[-1] if kept else None
        if last and last.role == entry.role in ("user", "assistant", "system") and not last.calls:
            content = "\n\n".join(text for text in (last.content, entry.content) if text)
            kept[-1] = replace(entry, content=content)
            request.note(
                f"message {index} ({entry.role}) was joined to the one before it", "request-repaired"
            )
        else:
            kept.append(entry)
    return replace(request, entries=tuple(kept))


def _paired(request: Request, _: Rules) -> Request:
    """A result for each call that has none, and none for a call that there is not."""
    kept: list[Entry] = []
    pending: dict[str, None] = {}
    for index, entry in enumerate((*request.entries, None)):
        if entry is not None and entry.role == "tool":
            if entry.call_id in pending:
                del pending[entry.call_id]
                kept.append(entry)
            else:
                told = f"message {index}, the result of no call `{entry.call_id}`, was left out"
                request.note(told, "request-repaired")
            continue
        for id_ in pending:
            request.note(f"the call `{id_}` got the result {NO_RESULT!r}", "request-repaired")
            kept.append(Entry("tool", NO_RESULT, (), id_))
        pending = dict.fromkeys(call.id for call in entry.calls) if entry else {}
        kept += [entry] if entry else []
    return replace(request, entries=tuple(kept))


def _trimmed(request: Request, _: Rules) -> Request:
    *entries, last = request.entries
    if last.role == "assistant" and last.content != last.content.rstrip():
        request.note("white space at the end of the last message was left out", "request-repaired")
        last = replace(last, content=last.content.rstrip())
    return replace(request, entries=(*entries, last))


def _bridged(request: Request, rules: Rules) -> Request:
    kept: list[Entry] = []
    for index, entry in enumerate(request.entries):
        if not rules.takes_bridge and entry.role == "user" and kept and kept[-1].role == "tool":
            request.note(f"before message {index} the assistant says {BRIDGE!r}", "request-repaired")
            kept.append(Entry("assistant", BRIDGE))
        kept.append(entry)
    return replace(request, entries=tuple(kept))


def _unbridged(request: Request, rules: Rules) -> Iterable[Problem]:
    pairs = pairwise(request.entries)
    for index, (before, entry) in enumerate(pairs, 1):
        if not rules.takes_bridge and before.role == "tool" and entry.role == "user":
            message = f"message {index} (user) follows a tool's result; the API wants an answer between"
            yield _problem(message, "bridge")


def _last(request: Request) -> Iterable[Problem]:
    last = request.entries[-1] if request.entries else None
    if last is None or last.role != "assistant" or last.calls:
        return
    index = len(request.entries) - 1
    if not request.facts.prefill:
        message = f"message {index}, the last, is the assistant's, and the model does not go on with one"
        yield Problem("not-accepted", message, hint="end with a message of the user or a tool's result")
    elif last.content != last.content.rstrip():
        yield _problem(f"message {index}, the last, ends with white space", "trailing")


def _unaccepted(request: Request, rules: Rules) -> Iterable[Problem]:
    model = request.params.get("model")
    for name in _not_taken(request, rules):
        yield _problem(f"the API does not take `{name}` for the model `{model}`", "params")


def _not_taken(request: Request, rules: Rules) -> Sequence[str]:
    known = ("temperature", "max_tokens", "seed")
    wrong = [name for name in known if name in request.params and name not in rules.params]
    if "temperature" in request.params and not request.facts.temperature:
        wrong.append("temperature")
    return list(dict.fromkeys(wrong))


def _without_params(request: Request, rules: Rules) -> Request:
    wrong = _not_taken(request, rules)
    for name in wrong:
        request.note(f"`{name}` was left out, which the model does not take", "request-repaired")
    return replace(request, params={key: each for key, each in request.params.items() if key not in wrong})


REPAIRS: Mapping[str, Callable[[Request, Rules], Request]] = MappingProxyType(
    {
        "pair": _paired,
        "empty": _without_empty,
        "merge": _merged,
        "trailing": _trimmed,
        "bridge": _bridged,
        "params": _without_params,
    }
)
"""What a caller can ask for, in the order in which it is done."""
