"""How much an API takes: of tools, messages and text."""

from collections import Counter
from collections.abc import Iterator

from docasm.errors import Problem
from docasm.providers.request import Request, Rules


def too_many(request: Request, rules: Rules) -> Iterator[Problem]:
    """What is more than the API takes."""
    yield from _tools(request)
    yield from _names(request)
    yield from _messages(request, rules)
    yield from _results(request, rules)


def note_long(request: Request) -> None:
    """Notes descriptions of tools that are longer than is surely taken: some users had them refused."""
    most, model = request.facts.max_description, request.params["model"]
    for tool in request.tools if most else ():
        if len(tool.description) > most:
            size = f"{len(tool.description):,} characters; `{model}` may refuse more than {most:,}"
            request.note(f"the description of the tool `{tool.name}` has {size}")


def _tools(request: Request) -> Iterator[Problem]:
    most, number, model = request.facts.max_tools, len(request.tools), request.params["model"]
    if most and number > most:
        message = f"{number:,} tools are too many: the API takes {most:,} for `{model}`"
        yield Problem("not-accepted", message, hint="let skills name the `tools` that they need")


def _names(request: Request) -> Iterator[Problem]:
    for name, number in Counter(tool.name for tool in request.tools).items():
        if number > 1:
            message = f"{number:,} tools are called `{name}`; the API wants a name of its own for each"
            yield Problem("not-accepted", message, hint="rename or leave out all but one")


def _messages(request: Request, rules: Rules) -> Iterator[Problem]:
    most = rules.most_messages
    if most is not None and len(request.entries) > most:
        message = f"{len(request.entries):,} messages are too many: the API takes {most:,}"
        yield Problem("not-accepted", message, hint="limit the history, as with `max_turns`")


def _results(request: Request, rules: Rules) -> Iterator[Problem]:
    longest = rules.longest_result
    for entry in request.entries:
        if longest is not None and entry.role == "tool" and len(entry.content) > longest:
            size = f"{len(entry.content):,} characters, and the API takes {longest:,}"
            message = f"message {entry.index}, the result of the call `{entry.call_id}`, has {size}"
            yield Problem("not-accepted", message, hint="shorten the result")
