"""How a document was made, from which it can be made again as a tree that knows its sources."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from docasm.asked import Request
from docasm.atoms import NO_REGION, Text
from docasm.contents import Contents
from docasm.document import LIMIT, Document, DocumentMessage, cut_texts
from docasm.draft import HistoryMessages
from docasm.drafted import Drafted, EmptySlots
from docasm.errors import Problem
from docasm.fill import Values
from docasm.fitting import Fit
from docasm.limits import HISTORY
from docasm.plan import Planned, Stretch
from docasm.relevance import Ranked
from docasm.shown import Shown
from docasm.tell import Told


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
    again: Callable[[Contents, Request, str], Any]
    """The pipeline, which gives a Render for another provider."""

    @property
    def shown_history(self) -> Told:
        """The history as it is in the document."""
        return self.fit.told if self.fit else self.told

    def document(self, empty: EmptySlots) -> Document:
        """The document as a tree that knows its sources, made again with these slots empty."""
        return Document(tuple(self._messages(self.drafted.plan(empty))))

    def _messages(self, planned: Sequence[Planned]) -> "list[DocumentMessage]":
        messages, values, limited = [], self.values.anew(), self._limited(planned)
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
        kept = self.fit.kept.get(stretch.region) if self.fit else None
        return cut_texts(texts, kept, limited.get(stretch.region[0], frozenset()))

    def _limited(self, planned: Sequence[Planned]) -> Mapping[str, frozenset[str]]:
        """What decides how much of a slot is there, for those that a limit may cut: all that is in them."""
        layout = self.drafted.layout
        found: dict[str, frozenset[str]] = {}
        for message in planned if layout.limited else ():
            for stretch in () if isinstance(message, HistoryMessages) else message.stretches:
                slot = stretch.region[0]
                if slot in layout.drop or layout.slot(slot).limited:
                    depends = (part.depends for part in stretch.parts)
                    found[slot] = found.get(slot, frozenset()).union(*depends)
        return {name: each | {LIMIT} if name in layout.drop else each for name, each in found.items()}

    def _history_messages(self, name: str) -> "list[DocumentMessage]":
        limited = HISTORY in self.drafted.layout.drop
        depends = frozenset({HISTORY, LIMIT} if limited else {HISTORY})
        marker = Text("", "", 0, slot=HISTORY, depends=depends)
        return [
            DocumentMessage(
                turn.role,
                marker,
                (Text(turn.content, "", 0, slot=HISTORY, depends=depends, region=(HISTORY, "")),),
                name,
            )
            for turn in self.shown_history.messages
        ]
