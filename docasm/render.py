"""What a render gives: messages at once; Markdown, places and payload when they are asked for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from docasm import providers
from docasm.context_log import context_log
from docasm.counting import report_measure_of
from docasm.document import LIMIT, Document, Origin, places, stable_contents, stable_prefix
from docasm.draft import HistoryMessages
from docasm.drafted import holes
from docasm.errors import Problem, did_you_mean
from docasm.limits import HISTORY, SKILLS
from docasm.making import Making
from docasm.markers import Message, join
from docasm.plan import depends_on
from docasm.providers import Payload
from docasm.report import Report, report
from docasm.tell import Cut
from docasm.tokens import Measure
from docasm.tools import Tool
from docasm.units import ITEM
from docasm.why import Reason, reasons

OUTSIDE = ("trigger", "history", "now", "variables")
"""What comes from outside with every render; where it does not reach, renders are alike."""


@dataclass(frozen=True, init=False)
class Render:
    """One assembled document."""

    messages: tuple[Message, ...]
    """Ready for an API; no blank lines at their ends."""
    tools: tuple[Tool, ...]
    """The tools of the selected skills."""
    params: Mapping[str, Any]
    """Request parameters: model, temperature, max_tokens, seed."""
    skills: tuple[str, ...]
    """The selected skills, in order."""
    provider: str
    """Whom the document is for."""
    making: Making = field(repr=False, compare=False)

    def __init__(
        self,
        messages: tuple[Message, ...],
        tools: tuple[Tool, ...],
        params: Mapping[str, Any],
        skills: tuple[str, ...],
        provider: str,
        making: Making,
    ) -> None:
        # One by one, as a frozen dataclass sets them, they take three times as long.
        vars(self).update(
            messages=messages, tools=tools, params=params, skills=skills, provider=provider, making=making
        )

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """What limits took away."""
        shown, fit = self.making.shown, self.making.fit
        items = [Cut(name, "max_items", each.left_out, ITEM) for name, each in shown.items() if each.left_out]
        return (*self.making.shown_history.cuts, *items, *(fit.cuts if fit else ()))

    @property
    def left_out(self) -> int:
        """How many messages of the history hold no words, only tool calls or results."""
        return self.making.shown_history.left_out

    @property
    def history_start(self) -> int:
        """The index of the first message that is a turn of the history, or the input."""
        start = 0
        for each in self.making.drafted.plan(self.making.empty):
            if isinstance(each, HistoryMessages):
                break
            start += 1
        return min(start, len(self.messages) - 1)

    @cached_property
    def markdown(self) -> str:
        """The document as text; `docasm.split` reads it as `messages`."""
        return join(self.messages)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the Markdown in UTF-8, in hexadecimal."""
        return sha256(self.markdown.encode()).hexdigest()

    @cached_property
    def document(self) -> Document:
        """The document as a tree that knows its sources."""
        return self.making.document(self.making.empty)

    @cached_property
    def places(self) -> tuple[Origin, ...]:
        """For each line of the Markdown, the Place that wrote its first character, or its slot's name."""
        return places(self.document)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Warnings and notes about this render."""
        return (*self.making.warnings, *self.making.drafted.notes, *self._unused_variables())

    @cached_property
    def report(self) -> Report:
        """The document in figures: its sections, their sizes, what is missing."""
        prefix = self.markdown[: self.stable_prefix("trigger")]
        return report(self.document, self._measure, prefix, self.cuts, self.left_out, self.making.ranked)

    def count(self, text: str) -> int:
        """The tokens of a text, as the report counts them."""
        return self._measure.count(text)

    @cached_property
    def _measure(self) -> Measure:
        layout, tokenizers = self.making.drafted.layout, self.making.contents.tokenizers
        return report_measure_of(layout, self.params.get("model"), tokenizers)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why each skill of the bundle is in the document, or is not."""
        making = self.making
        return reasons(
            making.contents,
            making.asked.trigger,
            self.skills,
            making.drafted,
            self.document,
            self.cuts,
            making.ranked,
        )

    def log(self) -> str:
        """The context log: each section of the document between rules, with its name and role."""
        return context_log(self.document, self.making.asked)

    def payload(
        self, provider: str | None = None, *, repair: Iterable[str] = (), cache: bool = False
    ) -> Payload:
        """The request as a provider's API takes it, the render's own if none is named.

        Raises DocasmError for what the API would refuse; `repair` names what may be mended instead. With
        `cache` the request says how far its prompt can be cached, where the API lets it.
        """
        render = self if provider is None else self.for_provider(provider)
        models = self.making.contents.models
        return providers.payload(
            render.provider,
            render.messages,
            render.tools,
            render.params,
            repair=repair,
            models=models,
            cache=cache,
            stable=render.stable_contents(*OUTSIDE) if cache else (),
        )

    def for_provider(self, provider: str) -> "Render":
        """The same render for another provider; itself where its text is the same for all."""
        if provider == self.provider:
            return self
        has_text = any(body.by_provider for body in self.making.drafted.layout.bodies)
        asks = any(
            "provider" in hole.hole.asks for hole in holes(self.making.drafted.plan(self.making.empty))
        )
        if has_text or asks:
            again: Render = self.making.again(self.making.contents, self.making.asked, provider)
            return again
        return replace(self, provider=provider)

    def stable_prefix(self, *changes: str) -> int:
        """How many code points of the Markdown stay, from its start, whatever becomes of what is named.

        `changes` are of "history", "now", "skills" (which are selected), "tools", "trigger", "variables".
        """
        also = {*changes, *self._also_changes(frozenset(changes))}
        return stable_prefix(self.making.document(self.making.empty - also), frozenset(also))

    def stable_contents(self, *changes: str) -> tuple[int, ...]:
        """The same for the content of each message, up to the first that does not stay whole."""
        also = {*changes, *self._also_changes(frozenset(changes))}
        return stable_contents(self.making.document(self.making.empty - also), frozenset(also))

    def _also_changes(self, changes: frozenset[str]) -> Iterator[str]:
        """What changes with what is named: what a slot shows, what is relevant, what has to give way."""
        drafted = self.making.drafted
        for slot, variable, _ in drafted.own_slots:
            if changes & depends_on(frozenset({variable})):
                yield slot
        if "trigger" in changes and drafted.layout.relevance is not None:
            yield SKILLS
        if changes and drafted.layout.limits:
            yield LIMIT
            if drafted.layout.history_is_messages and HISTORY in drafted.layout.drop:
                yield HISTORY  # a line for what is missing comes, and a heading with it

    def _unused_variables(self) -> Sequence[Problem]:
        given = frozenset(self.making.asked.variables or ())
        used = {
            name
            for hole in holes(self.making.drafted.plan(self.making.empty))
            for name in hole.hole.tag.names
        }
        used |= {variable for _, variable, _ in self.making.drafted.own_slots}
        known = used | self.making.values.names.keys() - given
        problems = []
        for name in sorted(given - used):
            message = f"no text of this document uses the variable `{name}`"
            hint = did_you_mean(name, known, kind="variables in use")
            problems.append(Problem("unused-variable", message, hint=hint, severity="warning"))
        return problems
