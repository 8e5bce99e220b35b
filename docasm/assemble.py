"""The pipeline: match, select, draft, tell the history, plan, fill."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from docasm.account import Budget
from docasm.contents import Contents
from docasm.draft import HistoryMessages
from docasm.errors import DocasmError, Problem, failure
from docasm.fill import Values
from docasm.fragment import INPUT, MESSAGE
from docasm.layout import HISTORY, TOOLS
from docasm.markers import Message, trim
from docasm.params import merge_params
from docasm.plan import Planned
from docasm.render import Render
from docasm.select import choose_tools, match, select
from docasm.tell import no_history_slot, tell
from docasm.tools import Tool
from docasm.trigger import Trigger, input_text
from docasm.turns import turns

PROVIDER = "openai"
"""What templates see as `provider`."""


def assemble(
    contents: Contents,
    trigger: Trigger,
    history: Iterable[object],
    variables: Mapping[str, Any] | None,
    tools: tuple[Tool, ...] | None,
    model: str | None,
    layout_name: str | None,
    now: datetime | str | None,
) -> Render:
    """The document for a trigger; raises DocasmError with everything that is wrong."""
    selection = select(contents, match(contents, trigger))
    params, conflicts = merge_params(selection.params, contents.params, model)
    warnings = (*contents.left_out, *conflicts)
    names = _names(trigger, variables, params.get("model"), now)
    layout_name = layout_name or contents.layout_of[trigger.kind]
    drafted = contents.compiler.draft(layout_name, selection.skills, tuple(names))

    told = tell(turns(history, drafted.layout.max_turns), drafted.layout, contents.labels)
    if HISTORY not in drafted.slots and (told.text or told.messages):
        raise no_history_slot(drafted.layout)
    chosen = choose_tools(contents, drafted.contributors, tools)

    slots = {INPUT: input_text(trigger), HISTORY: told.text, TOOLS: chosen.listed}
    values = Values(names, slots, Budget(names))
    empty = (not told.text, not chosen.listed)
    messages = _fill(drafted.plan(empty), values, told.messages)
    return Render(
        messages, chosen.tools, params, selection.skills, told, drafted, empty, values, variables, warnings
    )


def _names(
    trigger: Trigger, variables: Mapping[str, Any] | None, model: str | None, now: datetime | str | None
) -> dict[str, Any]:
    """The variables that the render brings, those of the caller last."""
    names: dict[str, Any] = {"event": trigger.payload, "provider": PROVIDER}
    if trigger.sender is not None:
        names["sender"] = trigger.sender
    if model is not None:
        if not isinstance(model, str):
            raise failure("wrong-type", "`model` must be text")
        names["model"] = model
    if now is not None:
        names["now"] = now if isinstance(now, str) else now.isoformat().replace("+00:00", "Z")
    if variables:
        if MESSAGE in variables:
            hint = "a template reads the input as `{{ message }}`; choose another name"
            raise failure("bad-name", f"no variable may be called `{MESSAGE}`", hint=hint)
        names.update(variables)
    return names


def _fill(planned: Sequence[Planned], values: Values, history: tuple[Message, ...]) -> tuple[Message, ...]:
    messages: list[Message] = []
    for each in planned:
        if isinstance(each, HistoryMessages):
            messages += history
        else:
            written = [part if isinstance(part, str) else part.write(values) for part in each.merged]
            messages.append(Message(each.role, trim("".join(written))))
    for message in messages:
        if not message.content.isascii():
            _check_encodable(message)
    return tuple(messages)


def _check_encodable(message: Message) -> None:
    try:
        message.content.encode()
    except UnicodeEncodeError as error:
        code_point = ord(message.content[error.start])
        text = f"the {message.role} message holds a lone surrogate, U+{code_point:04X}, which is no text"
        hint = "decode what came in with errors='replace', or mend where it was cut"
        raise DocasmError([Problem("lone-surrogate", text, hint=hint)]) from None
