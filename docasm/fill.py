"""Writing what a render brings into its places."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from docasm.account import Budget
from docasm.atoms import NO_REGION, Region, Text
from docasm.contain import one_line
from docasm.template import Literal, Output
from docasm.template_run import Hole


class Values(NamedTuple):
    """What one render brings."""

    names: Mapping[str, Any]
    """The variables of templates."""
    slots: Mapping[str, str]
    """The text of each slot."""
    budget: Budget
    """What templates may still spend, all of them together."""

    def anew(self) -> Self:
        """The same for another pass."""
        return self._replace(budget=Budget(self.names))


@dataclass(frozen=True, slots=True)
class SlotText:
    """A slot that a render fills."""

    name: str
    depends: frozenset[str]
    region: Region = NO_REGION

    def write(self, values: Values) -> str:
        return values.slots[self.name]

    def texts(self, values: Values) -> Iterator[Text]:
        yield Text(values.slots[self.name], "", 0, slot=self.name, depends=self.depends, region=self.region)


@dataclass(frozen=True, slots=True)
class PlacedHole:
    """A hole, and what keeps its values in their place."""

    hole: Hole
    variable: str | None
    """The one that it writes, if it does no more than that."""
    contain: Callable[[str], str]
    depends: frozenset[str]
    lines: bool
    """Whether it is a statement that writes whole lines."""
    region: Region = NO_REGION
    before: Text | None = None
    after: Text | None = None
    """The blank lines that go with its lines if it writes none."""
    last: bool = False
    """Whether its file ends with it, so that the end of its last line is not its to write."""

    def write(self, values: Values) -> str:
        """The text for the values of a render; raises DocasmError with the tag's place."""
        if self.variable is not None:
            value = values.names.get(self.variable)
            if isinstance(value, str) and len(value) < values.budget.text:
                values.budget.text -= len(value)
                return self.contain(value)
        written = self._contained(self._raw(values))
        if not written and self.lines:
            return ""
        before, after = (text.text if text else "" for text in (self.before, self.after))
        return f"{before}{written}{after}"

    def texts(self, values: Values) -> Iterator[Text]:
        """The same, a Text for each line, with the tag or the text that wrote its start."""
        raw = list(_by_line(self._raw(values)))
        written = self._contained(raw)
        if not written and self.lines:
            yield replace(self._text("", self.hole.offset, copied=False), depends=self.depends)
            return
        if self.before:
            yield self.before
        yield from self._with_origins(written.split("\n"), raw)
        if self.after:
            yield self.after

    def _contained(self, raw: Sequence[Text]) -> str:
        written = self.contain("".join(text.text for text in raw))
        return written.removesuffix("\n") if self.last else written

    def _with_origins(self, lines: Sequence[str], raw: Sequence[Text]) -> Iterator[Text]:
        for index, line in enumerate(lines):
            origin = raw[min(index, len(raw) - 1)] if raw else self._text("", self.hole.offset, copied=False)
            end = "\n" if index < len(lines) - 1 else ""
            yield replace(origin, text=line + end, copied=False, depends=self.depends)

    def _raw(self, values: Values) -> list[Text]:
        """What the tag writes, an output in a statement on one line unless it has the line to itself."""
        pieces = self.hole.pieces(values.names, values.budget)
        written = [piece.text for piece in pieces]
        alone_allowed = not isinstance(self.hole.tag, Output)
        texts = []
        for index, piece in enumerate(pieces):
            text, is_literal = piece.text, isinstance(piece, Literal)
            if alone_allowed and not is_literal and not _alone(written, index):
                text = one_line(text)
            texts.append(self._text(text, piece.offset, copied=is_literal))
        return texts

    def _text(self, text: str, offset: int, *, copied: bool) -> Text:
        source = self.hole.source
        return Text(text, source.path, source.position(offset)[0], copied and not source.one_line)


def _alone(texts: Sequence[str], index: int) -> bool:
    """Whether a text has its lines to itself."""
    before = index == 0 or texts[index - 1].endswith("\n")
    return before and (index + 1 == len(texts) or texts[index + 1].startswith("\n"))


def _by_line(texts: Sequence[Text]) -> Iterator[Text]:
    """One Text for each line, with the origin of its start."""
    line: list[str] = []
    origin: Text | None = None
    for text in texts:
        for number, piece in enumerate(text.text.split("\n")):
            if number:
                yield replace(origin or _line_of(text, number - 1), text="".join([*line, "\n"]))
                line, origin = [], None
            if piece:
                origin = origin or _line_of(text, number)
                line.append(piece)
    if origin:
        yield replace(origin, text="".join(line))


def _line_of(text: Text, number: int) -> Text:
    return replace(text, line=text.line + number) if text.copied else text
