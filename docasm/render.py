"""What a render gives: messages at once; Markdown, places and payload when they are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from docasm import providers
from docasm.atoms import Text
from docasm.compiler import Drafted, EmptySlots, holes
from docasm.document import Document, DocumentMessage, Origin, places, stable_prefix
from docasm.draft import HistoryMessages
from docasm.errors import Problem, did_you_mean
from docasm.fill import Values
from docasm.markers import Message, join
from docasm.plan import Planned
from docasm.tell import Cut, Told
from docasm.tools import Tool


@dataclass(frozen=True)
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
    told: Told = field(repr=False, compare=False)
    drafted: Drafted = field(repr=False, compare=False)
    empty: EmptySlots = field(repr=False, compare=False)
    values: Values = field(repr=False, compare=False)
    given: Mapping[str, Any] | None = field(repr=False, compare=False)
    """The variables that the caller set."""
    warnings: tuple[Problem, ...] = field(repr=False, compare=False)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """What limits took away."""
        return self.told.cuts

    @property
    def left_out(self) -> int:
        """How many messages of the history hold no words, only tool calls or results."""
        return self.told.left_out

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
        return self._document(self.empty)

    @cached_property
    def places(self) -> tuple[Origin, ...]:
        """For each line of the Markdown, the Place that wrote its first character, or its slot's name."""
        return places(self.document)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Warnings and notes about this render."""
        return (*self.warnings, *self.drafted.notes, *self._unused_variables())

    def payload(self, provider: str = "openai") -> dict[str, Any]:
        """The request as a provider's API takes it; raises DocasmError if it cannot take it."""
        return providers.payload(provider, self.messages, self.tools, self.params)

    def stable_prefix(self, *changes: str) -> int:
        """How many code points of the Markdown stay, from its start, whatever becomes of what is named.

        `changes` are of "history", "now", "skills" (which are selected), "tools", "trigger", "variables".
        """
        history, tools = self.empty
        document = self._document((history and "history" not in changes, tools and "tools" not in changes))
        return stable_prefix(document, frozenset(changes))

    def _document(self, empty: EmptySlots) -> Document:
        return Document(tuple(self._messages(self.drafted.plan(empty))))

    def _messages(self, planned: Sequence[Planned]) -> "list[DocumentMessage]":
        messages, values = [], self.values.anew()
        for each in planned:
            if isinstance(each, HistoryMessages):
                messages += self._history_messages()
                continue
            texts: list[Text] = []
            for part in each.parts:
                texts += [part] if isinstance(part, Text) else part.texts(values)
            messages.append(DocumentMessage(each.role, each.marker, tuple(texts)))
        return messages

    def _history_messages(self) -> "list[DocumentMessage]":
        depends = frozenset({"history"})
        marker = Text("", "", 0, slot="history", depends=depends)
        return [
            DocumentMessage(turn.role, marker, (Text(turn.content, "", 0, slot="history", depends=depends),))
            for turn in self.told.messages
        ]

    def _unused_variables(self) -> Sequence[Problem]:
        given = frozenset(self.given or ())
        used = {name for hole in holes(self.drafted.plan(self.empty)) for name in hole.hole.tag.names}
        known = used | self.values.names.keys() - given
        problems = []
        for name in sorted(given - used):
            message = f"no text of this document uses the variable `{name}`"
            hint = did_you_mean(name, known, kind="variables in use")
            problems.append(Problem("unused-variable", message, hint=hint, severity="warning"))
        return problems
