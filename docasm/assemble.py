"""The pipeline: match, select, draft, ask tools, tell the history, plan, fill, fit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from docasm.account import Budget
from docasm.asked import Request
from docasm.chosen_layout import ChosenLayout
from docasm.contents import Contents, Selection
from docasm.counting import measure_of
from docasm.draft import HistoryMessages
from docasm.drafted import Drafted, EmptySlots
from docasm.errors import DocasmError, Problem, failure
from docasm.fill import Values
from docasm.fitting import Fit, tell_within
from docasm.fragment import INPUT, MESSAGE
from docasm.limited import within_limits
from docasm.limits import HISTORY, TOOLS
from docasm.making import Making
from docasm.markers import Message, trim
from docasm.outside import calls_of_holes, calls_of_slots, show_slots, tools_asked
from docasm.params import merge_params
from docasm.plan import Planned
from docasm.relevance import Ranked
from docasm.render import Render
from docasm.resolve import Steps, run
from docasm.select import choose_tools, match, relevant, select
from docasm.shown import Shown
from docasm.size import MOST_KEPT, Ruler
from docasm.sources import ToolSource
from docasm.tell import Telling, Told, no_history_slot, tell
from docasm.trigger import input_text, to_json
from docasm.turns import turns

PROVIDER = "openai"
"""What a render is for where nothing else is said."""


_Chosen = tuple[ChosenLayout, Selection, Mapping[str, Any], tuple[Problem, ...], tuple[Ranked, ...]]


def assemble(contents: Contents, asked: Request) -> Steps[Render]:
    """The document for a trigger; asks for what tools return. Raises DocasmError with all that is wrong."""
    provider = asked.provider or contents.provider or PROVIDER
    chosen, selection, params, conflicts, ranked = _chosen(contents, asked, provider)
    names = _names(asked, params.get("model"), provider)
    drafted = contents.compiler.draft(chosen, selection.skills, tuple(names))
    sources = NO_SOURCES
    if drafted.sources or asked.variables:
        sources = tools_asked(drafted, names)
        if calls := calls_of_slots(drafted, names, sources):
            names |= yield calls

    budget = Budget(names)
    ruler = _ruler(contents, drafted, params) if drafted.layout.limited else None
    telling, told = _told(contents, asked, drafted, ruler)
    tools = choose_tools(contents, drafted.contributors, asked.tools)
    slots = {INPUT: input_text(asked.trigger), HISTORY: told.text, TOOLS: tools.listed}
    shown, empty = NOTHING_SHOWN, _EMPTY[not told.text, not tools.listed]
    if drafted.own_slots:
        shown = show_slots(drafted, names, budget)
        slots |= {name: each.text for name, each in shown.items()}
        empty |= {name for name, each in shown.items() if not each.text}
    planned = drafted.plan(empty)
    if sources and (calls := calls_of_holes(planned, sources)):
        names |= yield calls

    values = Values(names, slots, budget)
    fit: Fit | None = None
    if telling is None:
        messages = _fill(planned, values, told.messages)
    else:
        lists = {**shown, TOOLS: Shown(tools.listed, tuple(tools.listed.split("\n")))}
        messages, fit, empty, values = within_limits(drafted, empty, values, telling, told, lists)
    for message in messages:
        if not message.content.isascii():
            _check_encodable(message)
    warnings = (*contents.left_out, *conflicts)
    making = Making(contents, asked, told, drafted, empty, values, warnings, shown, fit, ranked, _again)
    return Render(messages, tools.tools, params, selection.skills, provider, making)


def _chosen(contents: Contents, asked: Request, provider: str) -> _Chosen:
    """The layout and the skills, which are chosen for each other, and the parameters of these skills."""
    layout_name = asked.layout or contents.layout_of[asked.trigger.kind]
    selection = select(contents, match(contents, asked.trigger, layout_name))
    params, conflicts = merge_params(selection.params, contents.params, asked.model)
    chosen = contents.compiler.choose(layout_name, params.get("model"), provider)
    relevance = chosen.layout.relevance
    if relevance is None:
        return chosen, selection, params, conflicts, ()
    text = asked.trigger.text or to_json(asked.trigger.payload)
    selection, ranked = relevant(contents, selection, relevance, text)
    params, conflicts = merge_params(selection.params, contents.params, asked.model)
    # A model that only a skill set that is left out leaves its profile behind.
    chosen = contents.compiler.choose(layout_name, params.get("model"), provider)
    return chosen, selection, params, conflicts, ranked


def _told(
    contents: Contents, asked: Request, drafted: Drafted, ruler: Ruler | None
) -> tuple[Telling | None, Told]:
    """The history, within its own limits; and how it can be cut further, if the layout has limits."""
    layout = drafted.layout
    history = turns(asked.history, layout.history.max_turns, layout.history.step)
    telling = None
    if ruler is None:
        told = tell(history, layout, contents.labels)
    else:
        telling = Telling(history, layout, contents.labels, ruler)
        told = tell_within(telling)
    if HISTORY not in drafted.slots and (told.text or told.messages):
        raise no_history_slot(layout)
    return telling, told


def _again(contents: Contents, asked: Request, provider: str) -> Render:
    """The same for another provider."""
    return run(assemble(contents, replace(asked, provider=provider)), asked.resolvers, asked.found)


_EMPTY: Mapping[tuple[bool, bool], EmptySlots] = {
    (False, False): frozenset(),
    (False, True): frozenset({TOOLS}),
    (True, False): frozenset({HISTORY}),
    (True, True): frozenset({HISTORY, TOOLS}),
}
"""By whether the history and whether the tools bring nothing."""
NOTHING_SHOWN: Mapping[str, Shown] = {}
NO_SOURCES: Mapping[str, ToolSource] = {}


def _ruler(contents: Contents, drafted: Drafted, params: Mapping[str, Any]) -> Ruler:
    """What measures the document of a model; made once."""
    model = params.get("model")
    found = drafted.rulers.get(model)
    if found is None:
        layout, own = drafted.layout, contents.tokenizers
        counts = measure_of(layout, model, own) if layout.counts_tokens else None
        if len(drafted.rulers) >= MOST_KEPT:
            drafted.rulers.clear()
        found = drafted.rulers[model] = Ruler(counts)
    return found


def _names(asked: Request, model: str | None, provider: str) -> dict[str, Any]:
    """The variables that the render brings, those of the caller last."""
    names: dict[str, Any] = {"event": asked.trigger.payload, "provider": provider}
    if asked.trigger.sender is not None:
        names["sender"] = asked.trigger.sender
    if model is not None:
        if not isinstance(model, str):
            raise failure("wrong-type", "`model` must be text")
        names["model"] = model
    now = asked.now
    if now is not None:
        names["now"] = now if isinstance(now, str) else now.isoformat().replace("+00:00", "Z")
    if asked.variables:
        "".join(asked.variables)  # a name that is not text is a TypeError
        if MESSAGE in asked.variables:
            hint = "a template reads the input as `{{ message }}`; choose another name"
            raise failure("bad-name", f"no variable may be called `{MESSAGE}`", hint=hint)
        names.update(asked.variables)
    return names


def _fill(planned: Sequence[Planned], values: Values, history: tuple[Message, ...]) -> tuple[Message, ...]:
    messages: list[Message] = []
    for each in planned:
        if isinstance(each, HistoryMessages):
            messages += history
        else:
            written = [part if isinstance(part, str) else part.write(values) for part in each.merged]
            messages.append(Message(each.role, trim("".join(written))))
    return tuple(messages)


def _check_encodable(message: Message) -> None:
    try:
        message.content.encode()
    except UnicodeEncodeError as error:
        code_point = ord(message.content[error.start])
        text = f"the {message.role} message holds a lone surrogate, U+{code_point:04X}, which is no text"
        hint = "decode what came in with errors='replace', or mend where it was cut"
        raise DocasmError([Problem("lone-surrogate", text, hint=hint)]) from None
