"""The pipeline: match, choose, draft, plan, fill."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from docasm.contents import Contents
from docasm.draft import HistoryMessages
from docasm.errors import DocasmError, Problem, failure
from docasm.fragment import INPUT, MESSAGE
from docasm.history import History, to_markdown, turns
from docasm.layout import AS_MESSAGES, HISTORY, TOOLS, Layout
from docasm.markers import Message, trim
from docasm.params import merge_params
from docasm.plan import Planned, Values
from docasm.render import Cut, Render
from docasm.tools import Tool, choose, summary
from docasm.trigger import Rule, Trigger, input_text

PROVIDER = "openai"
"""What templates see as `provider`."""


@dataclass(frozen=True, slots=True)
class Request:
    """All that one render is given."""

    trigger: Trigger
    history: Iterable[object] = ()
    variables: Mapping[str, Any] | None = None
    tools: tuple[Tool, ...] | None = None
    model: str | None = None
    layout: str | None = None
    now: datetime | str | None = None


def assemble(contents: Contents, request: Request) -> Render:
    """The document of a request; raises DocasmError with everything that is wrong."""
    matching = match(contents, request.trigger)
    selected = tuple(contents.adopted[index].name for index in matching)
    params, conflicts = _params(contents, matching, request.model)
    names = _names(request, params)
    layout_name = request.layout or contents.layout_of[request.trigger.kind]
    drafted = contents.compiler.draft(layout_name, selected, frozenset(names))
    layout = contents.compiler.layouts.get(layout_name)

    tools = choose_tools(contents, selected, request.tools)
    history = turns(request.history, layout.max_turns)
    if history.turns and HISTORY not in drafted.slots:
        raise _no_history_slot(layout, len(history.turns))
    told = _tell(layout, history, contents.labels)
    slots = {INPUT: input_text(request.trigger), HISTORY: told.text, TOOLS: summary(tools)}

    values = Values(names, slots)
    empty = frozenset([name for name, text in slots.items() if not text])
    messages = _fill(drafted.plan(empty), values, told.messages)
    given = frozenset(request.variables or ())
    return Render(
        messages, tools, params, told.cuts, history.left_out, selected,
        drafted, empty, values, told.messages, given, conflicts,
    )  # fmt: skip


def match(contents: Contents, trigger: Trigger) -> Mapping[int, Rule]:
    """The adopted skills, by index, that a trigger selects; raises DocasmError if there are none."""
    matching = contents.rules.matching(trigger)
    if not matching:
        rules = (f"`{each.name}` ({rule.describe()})" for each in contents.adopted for rule in each.rules)
        hint = f"what would match: {', '.join(rules) or 'nothing; no adopted skill has triggers'}"
        raise failure("no-match", f"no adopted skill answers to {trigger.describe()}", hint=hint)
    return matching


def choose_tools(
    contents: Contents, selected: Sequence[str], given: tuple[Tool, ...] | None
) -> tuple[Tool, ...]:
    """The tools of the selected skills, in their order, from those given or the bundle's own."""
    if given is not None:
        return choose(given, [contents.compiler.tools_of(name) for name in selected])
    if selected not in contents.chosen_tools:
        wanted = [contents.compiler.tools_of(name) for name in selected]
        contents.chosen_tools[tuple(selected)] = choose(contents.tools, wanted)
    return contents.chosen_tools[tuple(selected)]


@dataclass(frozen=True, slots=True)
class _Told:
    """A history as the layout shows it."""

    text: str
    messages: tuple[Message, ...]
    cuts: tuple[Cut, ...]


def _tell(layout: Layout, history: History, labels: Mapping[str, str]) -> _Told:
    kept, cut = history.turns, history.cut
    if layout.history_as == AS_MESSAGES:
        while cut and kept and kept[0].role == "assistant":
            kept, cut = kept[1:], cut + 1
        text, messages = "", tuple([Message(turn.role, trim(turn.content)) for turn in kept])
    else:
        text, messages = to_markdown(kept, labels), ()
    if not cut:
        return _Told(text, messages, ())
    note = f"({cut} earlier {'message is' if cut == 1 else 'messages are'} not shown.)"
    return _Told(f"{note}\n\n{text}" if text else note, messages, (Cut(HISTORY, "max_turns", cut),))


def _names(request: Request, params: Mapping[str, Any]) -> dict[str, Any]:
    """The variables that the render brings, those of the caller last."""
    names: dict[str, Any] = {"event": request.trigger.payload, "provider": PROVIDER}
    if request.trigger.sender is not None:
        names["sender"] = request.trigger.sender
    if request.now is not None:
        names["now"] = request.now if isinstance(request.now, str) else request.now.isoformat()
    if "model" in params:
        names["model"] = params["model"]
    if request.variables:
        if MESSAGE in request.variables:
            hint = "a template reads the input as `{{ message }}`; choose another name"
            raise failure("bad-name", f"no variable may be called `{MESSAGE}`", hint=hint)
        names.update(request.variables)
    return names


def _params(
    contents: Contents, matching: Mapping[int, Rule], model: str | None
) -> tuple[Mapping[str, Any], tuple[Problem, ...]]:
    """The render's model goes first, then rule, adoption and skill in adoption order, then the bundle."""
    sources = [("the render", {"model": model})] if model is not None else []
    for index, rule in matching.items():
        adopted = contents.adopted[index]
        own = {**contents.compiler.skills.get(adopted.name).params, **adopted.params, **(rule.params or {})}
        if own:
            sources.append((adopted.name, own))
    return merge_params(sources, contents.params) if sources else (contents.params, ())


def _fill(planned: Sequence[Planned], values: Values, history: tuple[Message, ...]) -> tuple[Message, ...]:
    messages: list[Message] = []
    for each in planned:
        if isinstance(each, HistoryMessages):
            messages += history
        else:
            written = [part if isinstance(part, str) else part.write(values) for part in each.merged]
            messages.append(Message(each.role, trim("".join(written))))
    for message in messages:
        _check_encodable(message)
    return tuple(messages)


def _check_encodable(message: Message) -> None:
    try:
        message.content.isascii() or message.content.encode()
    except UnicodeEncodeError as error:
        code_point = ord(message.content[error.start])
        text = f"the {message.role} message holds a lone surrogate, U+{code_point:04X}, which is no text"
        hint = "decode what came in with errors='replace', or mend where it was cut"
        raise DocasmError([Problem("lone-surrogate", text, hint=hint)]) from None


def _no_history_slot(layout: Layout, count: int) -> DocasmError:
    message = f"the layout `{layout.name}` has no slot `<<history>>` for the {count} turns given"
    hint = "add the slot, choose another layout, or give no history"
    return DocasmError([layout.body.problem("slot-missing", message, layout.body.first_line, hint=hint)])
