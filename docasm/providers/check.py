"""What an API would refuse, told by index and id before it is sent."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from docasm.dialogue import check_pairs
from docasm.errors import DocasmError, Problem
from docasm.json_values import is_text
from docasm.providers.how_much import too_many
from docasm.providers.request import Item, Request, Rules


def check(request: Request, rules: Rules) -> None:
    """Raises DocasmError with all that the API would refuse."""
    problems = [
        *_pairs(request),
        *_no_text(request),
        *_arguments(request, rules),
        *_blank(request, rules),
        *_first(request, rules),
        *_unbridged(request, rules),
        *_last(request, rules),
        *_params(request, rules),
        *too_many(request, rules),
    ]
    if problems:
        raise DocasmError(problems)


def _refused(message: str, repair: str) -> Problem:
    return Problem("not-accepted", message, hint=f"change it, or ask for the repair `{repair}`")


def _pairs(request: Request) -> Iterable[Problem]:
    try:
        check_pairs(request.entries, [entry.index for entry in request.entries])
    except DocasmError as error:
        yield from error.problems


def _no_text(request: Request) -> Iterable[Problem]:
    for entry in request.entries:
        calls = (text for call in entry.calls for text in (call.id, call.name, call.arguments))
        for text in (entry.content, entry.call_id, *calls):
            if not (text.isascii() or is_text(text)):
                message = f"message {entry.index} ({entry.role}) holds a lone surrogate, which is no text"
                hint = "decode what came in with errors='replace', or mend where it was cut"
                yield Problem("lone-surrogate", message, hint=hint)


def _arguments(request: Request, rules: Rules) -> Iterable[Problem]:
    for entry in request.entries if rules.takes_objects else ():
        for call in entry.calls:
            try:
                call.parsed()
            except DocasmError as error:
                (problem,) = error.problems
                yield Problem(problem.code, f"message {entry.index}: {problem.message}", hint=problem.hint)


def is_blank(entry: Item) -> bool:
    return entry.role != "tool" and not entry.calls and not entry.content.strip()


def _blank(request: Request, rules: Rules) -> Iterable[Problem]:
    for entry in request.entries:
        if entry.role in rules.never_blank and is_blank(entry):
            message = f"message {entry.index} ({entry.role}) is blank; the API takes no blank text"
            yield _refused(message, "empty")


def starts_wrong(request: Request, rules: Rules) -> bool:
    """Whether another than the user speaks first, where the user must."""
    return rules.user_first and bool(request.rest) and request.rest[0].role != "user"


def _first(request: Request, rules: Rules) -> Iterable[Problem]:
    if not request.entries or (rules.needs_turn and not request.rest):
        message = "a request needs a message" + " that is not the system's" * rules.needs_turn
        yield Problem("not-accepted", message, hint="add a message of the user")
    if starts_wrong(request, rules):
        first = request.rest[0]
        message = f"message {first.index} ({first.role}) is the first; the API wants the user to begin"
        yield _refused(message, "start")


def unbridged(entries: Sequence[Item], rules: Rules) -> Sequence[int]:
    """The positions of users who speak right after a tool's result, where they may not."""
    if not rules.needs_bridge:
        return ()
    pairs = enumerate(pairwise(entries), 1)
    return [at for at, (before, entry) in pairs if before.role == "tool" and entry.role == "user"]


def _unbridged(request: Request, rules: Rules) -> Iterable[Problem]:
    for at in unbridged(request.entries, rules):
        index = request.entries[at].index
        message = f"message {index} (user) follows a tool's result; the API wants an answer between"
        yield _refused(message, "bridge")


def ends_with_assistant(request: Request) -> bool:
    """Whether the last words are the assistant's."""
    last = request.entries[-1] if request.entries else None
    return last is not None and last.role == "assistant" and not last.calls


def _last(request: Request, rules: Rules) -> Iterable[Problem]:
    if not ends_with_assistant(request):
        return
    last = request.entries[-1]
    if not request.facts.prefill:
        message = f"message {last.index}, the last, is the assistant's, and the model does not go on with one"
        yield _refused(message, "prefill")
    elif not rules.keeps_last_space and last.content != last.content.rstrip():
        yield _refused(f"message {last.index}, the last, ends with white space", "trailing")


def _params(request: Request, rules: Rules) -> Iterable[Problem]:
    for why in not_taken(request, rules).values():
        yield _refused(why, "params")


def not_taken(request: Request, rules: Rules) -> dict[str, str]:
    """The parameters that the API or the model refuses, each with what is wrong."""
    model, wrong = request.params["model"], {}
    for name in ("temperature", "max_tokens", "seed"):
        if name in request.params and name not in rules.params:
            wrong[name] = f"the API has no `{name}`"
    temperature, highest = request.params.get("temperature"), rules.highest_temperature
    if temperature is not None and not request.facts.temperature:
        wrong["temperature"] = f"the model `{model}` takes no `temperature`"
    elif isinstance(temperature, int | float) and highest is not None and temperature > highest:
        wrong["temperature"] = (
            f"the API takes no `temperature` above {highest:g}, and this is {temperature:g}"
        )
    return wrong
