"""A conversation: the document of a render, and everything that is said after it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from docasm import providers
from docasm.dialogue import (
    Entry,
    ToolCall,
    check_pairs,
    entries_of,
    open_calls,
    read_calls,
    read_entries,
    to_messages,
)
from docasm.errors import DocasmError, Problem, did_you_mean, failure
from docasm.json_values import finite, not_json
from docasm.params import check_params
from docasm.providers.facts import Models
from docasm.render import OUTSIDE, Render
from docasm.rounds import NO_WINDOW, Shown, Window, shown
from docasm.tokens import Count, measure
from docasm.tools import Tool, read_tools

VERSION = 1
"""Of what `to_json` writes."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A document and what follows it: messages, tool calls, results. Each method gives a new conversation."""

    entries: tuple[Entry, ...]
    """Everything said, oldest first; limits decide only what a payload holds of it."""
    pinned: int = 0
    """How many entries at the start never leave: the document up to its history, or to its input."""
    tools: tuple[Tool, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    window: Window = NO_WINDOW
    tokenizers: Mapping[str, Count] = field(default_factory=dict, repr=False, compare=False)
    """Functions that count tokens, by name; they are not saved."""
    models: Models = field(default_factory=dict, repr=False, compare=False)
    """What differs by model, before what docasm knows; not saved."""
    stable: tuple[int, ...] = ()
    """Of the first entries, up to one that does not stay whole: how many code points at the start of their
    content are the same in every such conversation."""

    @classmethod
    def start(cls, render: Render) -> Self:
        """The conversation that a render begins; the limits of its layout apply to what follows."""
        making = render.making
        window, tokenizers = Window.of(making.drafted.layout), making.contents.tokenizers
        entries = entries_of(render.messages)
        start, models = render.history_start, making.contents.models
        stable = render.stable_contents(*OUTSIDE)
        return cls(entries, start, render.tools, render.params, window, tokenizers, models, stable)

    @classmethod
    def from_messages(
        cls,
        messages: Iterable[object],
        *,
        tools: Iterable[object] = (),
        params: Mapping[str, Any] | None = None,
    ) -> Self:
        """The conversation of an OpenAI message list; raises DocasmError with a message's index."""
        given = dict(params or {})
        check_params(given)
        entries = read_entries(messages)
        leading = next((at for at, entry in enumerate(entries) if entry.role != "system"), len(entries))
        stable = tuple([len(entry.content) for entry in entries[:leading]])
        return cls(entries, leading, read_tools(tools), given, stable=stable)

    def to_messages(self) -> list[dict[str, Any]]:
        """All of it as an OpenAI message list."""
        return to_messages(self.entries)

    def user(self, text: str) -> Self:
        """With words of the user; raises DocasmError while a call has no result."""
        self._closed("the user speaks")
        return self._with(Entry("user", _text(text)))

    def assistant(self, text: str | None = None, tool_calls: Iterable[object] = ()) -> Self:
        """With an answer of the model: words, tool calls as OpenAI has them or ToolCalls, or both.

        Raises DocasmError for calls that cannot be read, or with an id that another has.
        """
        self._closed("the assistant speaks")
        calls = read_calls(tool_calls, len(self.entries))
        if not calls and text is None:
            raise failure("bad-message", "an answer needs words or tool calls")
        known = {call.id for entry in self.entries for call in entry.calls}
        for call in calls:
            if call.id in known:
                raise failure("unpaired-call", f"there is a call `{call.id}` already")
            known.add(call.id)
        return self._with(Entry("assistant", _text(text or ""), calls))

    def tool(self, call_id: str, content: object) -> Self:
        """With a tool's result: text, or anything that is JSON.

        Results may come in any order; they are kept in that of their calls. Raises DocasmError if no open
        call has the id.
        """
        waiting = self.open_calls
        if all(call.id != call_id for call in waiting):
            hint = did_you_mean(str(call_id), [call.id for call in waiting], kind="open calls")
            raise failure("unpaired-call", f"no open call has the id `{call_id}`", hint=hint)
        entry = Entry("tool", content if isinstance(content, str) else _json(content), (), call_id)
        at = next(at for at in range(len(self.entries) - 1, -1, -1) if self.entries[at].role != "tool")
        order = {call.id: number for number, call in enumerate(self.entries[at].calls)}
        results = sorted((*self.entries[at + 1 :], entry), key=lambda each: order.get(each.call_id, -1))
        return replace(self, entries=(*self.entries[: at + 1], *results))

    @property
    def open_calls(self) -> tuple[ToolCall, ...]:
        """The calls that wait for their results."""
        return open_calls(self.entries)

    @property
    def shown(self) -> Shown:
        """What a payload holds, and what limits take away; raises DocasmError if what stays does not fit."""
        window, model = self.window, self.params.get("model")
        counts = window.counts_tokens
        count = (
            measure(window.tokenizer, model, window.token_factor, self.tokenizers).count if counts else None
        )
        return shown(self.entries, self.pinned, window, count)

    def _with(self, entry: Entry) -> Self:
        return replace(self, entries=(*self.entries, entry))

    def _closed(self, what: str) -> None:
        """Raises DocasmError while a call has no result."""
        waiting = self.open_calls
        if waiting:
            named = ", ".join(f"`{call.id}`" for call in waiting)
            message = f"before {what}, these calls need their results: {named}"
            raise failure("unpaired-call", message, hint="add them with `.tool(id, content)`")

    def payload(self, provider: str, *, repair: Iterable[str] = (), cache: bool = False) -> providers.Payload:
        """The request as a provider's API takes it, old rounds left out as the layout's limits want it.

        Raises DocasmError for what the API would refuse, such as a call without a result, which it names;
        `repair` names what may be mended instead. With `cache` the request says how far its prompt can be
        cached, where the API lets it.
        """
        kept = self.shown
        made = providers.payload(
            provider,
            kept.entries,
            self.tools,
            self.params,
            repair=repair,
            models=self.models,
            cache=cache,
            stable=self.stable[: self.pinned] if kept.cuts else self.stable,
        )
        cuts = [f"{cut.missing} earlier messages are not in it ({cut.limit})" for cut in kept.cuts]
        made.notes = (*made.notes, *(Problem("request-translated", cut, severity="note") for cut in cuts))
        return made

    def checked(self) -> tuple[Entry, ...]:
        """The entries of a payload; raises DocasmError where a call has no result, by its id."""
        check_pairs(self.entries)
        return self.shown.entries

    def to_json(self) -> str:
        """All of it as JSON, for `from_json`."""
        return json.dumps(
            {
                "version": VERSION,
                "messages": self.to_messages(),
                "pinned": self.pinned,
                "stable": list(self.stable),
                "tools": [_tool(tool) for tool in self.tools],
                "params": dict(self.params),
                "window": self.window.plain(),
            },
            ensure_ascii=False,
            indent=2,
        )

    @classmethod
    def from_json(cls, text: str, *, tokenizers: Mapping[str, Count] | None = None) -> Self:
        """What `to_json` wrote; keys that it does not write are left out. Raises DocasmError."""
        try:
            value = json.loads(text, parse_float=finite, parse_constant=not_json)
            window = Window.read(value["window"])
            made = cls.from_messages(value["messages"], tools=value["tools"], params=value["params"])
            stable = tuple(value.get("stable", ()))  # which earlier versions did not write
            known = value["version"] == VERSION and {*map(type, (value["pinned"], *stable))} == {int}
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise failure("bad-conversation", f"this is no saved conversation: {error}") from None
        if not known or not 0 <= value["pinned"] <= len(made.entries):
            raise failure("bad-conversation", "this is no conversation that this version can read")
        made = replace(made, pinned=value["pinned"], stable=stable)
        return replace(made, window=window, tokenizers=tokenizers or {})


def _text(text: object) -> str:
    if not isinstance(text, str):
        raise DocasmError([Problem("bad-message", "what is said must be text")])
    return text


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise failure("bad-message", f"a tool's result must be text or JSON: {error}") from None


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "strict": tool.strict,
        "type": "function",
    }
