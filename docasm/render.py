"""What a render gives: messages at once; Markdown, places and payload when they are asked for."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from docasm import providers
from docasm.asked import Request
from docasm.atoms import NO_REGION, Text
from docasm.compiler import Drafted, EmptySlots, holes
from docasm.contents import Contents
from docasm.context_log import context_log
from docasm.document import LIMIT, Document, DocumentMessage, Origin, cut_texts, places, stable_prefix
from docasm.draft import HistoryMessages
from docasm.errors import Problem, did_you_mean
from docasm.fill import Values
from docasm.fitting import Fit
from docasm.limits import HISTORY, SKILLS
from docasm.markers import Message, join
from docasm.plan import Planned, Stretch, depends_on
from docasm.providers import Payload
from docasm.relevance import Ranked
from docasm.report import Report, report
from docasm.shown import Shown
from docasm.tell import Cut, Told
from docasm.tokens import Measure, report_measure
from docasm.tools import Tool
from docasm.units import ITEM
from docasm.why import Reason, reasons


@dataclass(slots=True)
class Making:
    """How a document was made, for those who ask for more than its messages."""

    contents: Contents
    asked: Request
    told: Told
    drafted: Drafted
    empty: EmptySlots
    values: Values
    warnings: tuple[Problem, ...]
    shown: Mapping[str, Shown]
    """What the slots that are lists show."""
    fit: Fit | None
    """How limits left it, if the layout has some."""
    ranked: tuple[Ranked, ...]
    """The skills that others were preferred to, with their scores."""
    again: Callable[[Contents, Request, str], "Render"]
    """The pipeline, for another provider."""


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
        return (*self._told.cuts, *items, *(fit.cuts if fit else ()))

    @property
    def _told(self) -> Told:
        """The history as it is in the document."""
        return self.making.fit.told if self.making.fit else self.making.told

    @property
    def left_out(self) -> int:
        """How many messages of the history hold no words, only tool calls or results."""
        return self._told.left_out

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
        return self._document(self.making.empty)

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
        return report_measure(layout.tokenizer, self.params.get("model"), layout.token_factor, tokenizers)

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

    def payload(self, provider: str | None = None, *, repair: Iterable[str] = ()) -> Payload:
        """The request as a provider's API takes it, the render's own if none is named.

        Raises DocasmError for what the API would refuse; `repair` names what may be mended instead.
        """
        render = self if provider is None else self.for_provider(provider)
        models = self.making.contents.models
        return providers.payload(
            render.provider, render.messages, render.tools, render.params, repair=repair, models=models
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
            return self.making.again(self.making.contents, self.making.asked, provider)
        return replace(self, provider=provider)

    def stable_prefix(self, *changes: str) -> int:
        """How many code points of the Markdown stay, from its start, whatever becomes of what is named.

        `changes` are of "history", "now", "skills" (which are selected), "tools", "trigger", "variables".
        """
        also = {*changes, *self._also_changes(frozenset(changes))}
        return stable_prefix(self._document(self.making.empty - also), frozenset(also))

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

    def _document(self, empty: EmptySlots) -> Document:
        return Document(tuple(self._messages(self.making.drafted.plan(empty))))

    def _messages(self, planned: Sequence[Planned]) -> "list[DocumentMessage]":
        messages, values, limited = [], self.making.values.anew(), self._limited(planned)
        for each in planned:
            if isinstance(each, HistoryMessages):
                messages += self._history_messages(each.name)
                continue
            texts: list[Text] = []
            for stretch in each.stretches:
                texts += self._texts(stretch, values, limited)
            messages.append(DocumentMessage(each.role, each.marker, tuple(texts), each.name))
        return messages

    def _texts(
        self, stretch: Stretch, values: Values, limited: Mapping[str, frozenset[str]]
    ) -> Iterable[Text]:
        texts: list[Text] = []
        for part in stretch.parts:
            texts += [part] if isinstance(part, Text) else part.texts(values)
        if stretch.region == NO_REGION:
            return texts
        texts = [replace(text, region=stretch.region) for text in texts]
        kept = self.making.fit.kept.get(stretch.region) if self.making.fit else None
        return cut_texts(texts, kept, limited.get(stretch.region[0], frozenset()))

    def _limited(self, planned: Sequence[Planned]) -> Mapping[str, frozenset[str]]:
        """What decides how much of a slot is there, for those that a limit may cut: all that is in them."""
        layout = self.making.drafted.layout
        found: dict[str, frozenset[str]] = {}
        for message in planned if layout.limited else ():
            for stretch in () if isinstance(message, HistoryMessages) else message.stretches:
                slot = stretch.region[0]
                if slot in layout.drop or layout.slot(slot).limited:
                    depends = (part.depends for part in stretch.parts)
                    found[slot] = found.get(slot, frozenset()).union(*depends)
        return {name: each | {LIMIT} if name in layout.drop else each for name, each in found.items()}

    def _history_messages(self, name: str) -> "list[DocumentMessage]":
        limited = HISTORY in self.making.drafted.layout.drop
        depends = frozenset({HISTORY, LIMIT} if limited else {HISTORY})
        marker = Text("", "", 0, slot=HISTORY, depends=depends)
        return [
            DocumentMessage(
                turn.role,
                marker,
                (Text(turn.content, "", 0, slot=HISTORY, depends=depends, region=(HISTORY, "")),),
                name,
            )
            for turn in self._told.messages
        ]

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
