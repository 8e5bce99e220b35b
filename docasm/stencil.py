"""A file's text with stand-ins for its holes, so that a Markdown parser can say what it is."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from docasm.atoms import Atom, Heading, Include, Text
from docasm.markdown import Block, Structure
from docasm.source import Lines, Source
from docasm.template import Literal
from docasm.template_run import Hole, Piece

# Repeats are possessive and start where their run starts: no run is read over and over.
_INCLUDE = re.compile(r"(?<!\\)(?P<escape>\\*+)(?<!<)<<(?P<name>[a-z0-9]++(?:-[a-z0-9]++)*+)>>(?!>)")
_BACKTICKS = re.compile(r"(?<!\\)(?P<escape>\\*+)(?P<run>`++)")
_SPACES = re.compile(r"[ \t]*+")
_REST_IS_BLANK = re.compile(r"[ \t]*+(?:\n|\Z)")
_START = itemgetter(0)
STAND_INS = "\ue000\uf8ff\U000f0000"
"""Characters that Markdown takes for letter-like ones."""


Cut = tuple[int, int, Atom]
"""A stretch of the stencil that an atom stands for."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece and where in the stencil it stands."""

    start: int
    end: int
    piece: Piece


@dataclass(frozen=True, slots=True)
class Code:
    """The stretches of code in a block, in order."""

    spans: tuple[tuple[int, int], ...]

    def holds(self, offset: int) -> bool:
        index = bisect_right(self.spans, offset, key=_START) - 1
        return index >= 0 and offset < self.spans[index][1]


@dataclass(frozen=True, slots=True)
class Stencil:
    """The text that is parsed, and what it was made of."""

    text: str
    """Holes are one character each; an include on a line of its own is an HTML line of its length."""
    spans: tuple[Span, ...]
    includes: tuple[tuple[int, int, Include], ...]
    """What could be includes, if they are not in code."""
    source: Source
    lines: Lines
    """The lines of `text`."""
    source_lines: Lines

    def line_of(self, line: int) -> int:
        """The line of the file that wrote a line (0-based) of the stencil."""
        offset = self.lines.start(line)
        return self._origin(self.spans[self._span_at(offset)], offset)

    def _span_at(self, offset: int) -> int:
        return max(0, bisect_right(self.spans, offset, key=lambda span: span.start) - 1)

    def atoms(self, found: Structure) -> Iterator[Atom]:
        """The file's atoms, given what its text is."""
        included = list(self._included(found))
        cuts: list[Cut] = [*included, *self._headings(found, included)]
        cuts.sort(key=lambda cut: cut[:2])
        return self._between(0, len(self.text), cuts)

    def _between(self, start: int, end: int, cuts: Sequence[Cut]) -> Iterator[Atom]:
        position = start
        for cut_start, cut_end, atom in cuts:
            if cut_start >= position and cut_end <= end:
                yield from self._texts(position, cut_start)
                yield atom
                position = cut_end
        yield from self._texts(position, end)

    def _texts(self, start: int, end: int) -> Iterator[Atom]:
        """What the spans wrote between two offsets."""
        for index in range(self._span_at(start), len(self.spans)):
            span = self.spans[index]
            if span.start >= end:
                return
            low, high = max(start, span.start), min(end, span.end)
            if isinstance(span.piece, Hole):
                if low == span.start:
                    yield span.piece
            elif low < high:
                text = span.piece.text[low - span.start : high - span.start]
                copied = isinstance(span.piece, Literal) and not self.source.one_line
                yield Text(text, self.source.path, self._origin(span, low), copied)

    def _origin(self, span: Span, offset: int) -> int:
        at = offset - span.start if isinstance(span.piece, Literal) else 0
        return self.source.line_of(self.source_lines.number(span.piece.offset + at))

    def _included(self, found: Structure) -> Iterator[tuple[int, int, Include]]:
        """The includes that are not in code."""
        at, code = -1, Code(())
        for start, end, include in self.includes:
            index = bisect_right(found.blocks, self.lines.number(start), key=lambda block: block.first) - 1
            if index != at:
                at, code = index, self._code(found.blocks[index]) if index >= 0 else Code(())
            if not code.holds(start):
                yield start, end, include

    def _code(self, block: Block) -> Code:
        """Where code is in a block."""
        start, end = self.lines.start(block.first), self.lines.start(block.last)
        if block.kind in ("fence", "code"):
            return Code(((start, end),))
        if block.kind == "html":
            return Code(())
        return Code(tuple((start + low, start + high) for low, high in _code_spans(self.text[start:end])))

    def _headings(
        self, found: Structure, included: Sequence[tuple[int, int, Include]]
    ) -> Iterator[tuple[int, int, Heading]]:
        for block in found.headings:
            line = self.line_of(block.first)
            heading = Heading(block.level, block.nested, self.source.path, line)
            if block.kind == "heading":
                yield block.offset, block.offset + block.level, heading
            else:
                end = self.lines.start(block.last) - 1
                low, high = (bisect_left(included, at, key=_START) for at in (block.offset, end))
                inner = tuple(self._between(block.offset, end, included[low:high]))
                yield block.offset, end, replace(heading, setext=inner)


def stencil(pieces: Sequence[Piece], source: Source, *, includes: bool) -> Stencil:
    """The stencil of a template's pieces; without `includes` no `<<NAME>>` is looked for."""
    stand_in = stand_in_for("".join(piece.text for piece in pieces if not isinstance(piece, Hole)))
    texts: list[str] = []
    spans: list[Span] = []
    position = 0
    for piece in pieces:
        text = _stand_in(piece, stand_in, texts) if isinstance(piece, Hole) else piece.text
        texts.append(text)
        spans.append(Span(position, position + len(text), piece))
        position += len(text)
    text = "".join(texts)
    found = tuple(_find_includes(text, spans, source)) if includes else ()
    drawn = _with_includes_alone(text, found)
    return Stencil(drawn, tuple(spans), found, source, Lines.of(drawn), Lines.of(source.text))


def _stand_in(hole: Hole, stand_in: str, texts: Sequence[str]) -> str:
    """A statement on lines of its own writes lines, and takes the end of its last line with it."""
    at_line_start = not texts or texts[-1].endswith("\n")
    return f"{stand_in}\n" if at_line_start and hole.writes_lines else stand_in


def stand_in_for(text: str) -> str:
    """A character that Markdown takes for a letter-like one and that the text does not hold."""
    return next(character for character in STAND_INS if character not in text)


def _find_includes(text: str, spans: Sequence[Span], source: Source) -> Iterator[tuple[int, int, Include]]:
    lines = Lines.of(text)
    line_start, first = -1, 0
    for span in spans:
        if not isinstance(span.piece, Literal):
            continue
        for found in _INCLUDE.finditer(text, span.start, span.end):
            if len(found["escape"]) % 2:
                continue
            start, end = found.end("escape"), found.end()
            if (line := lines.start(lines.number(start))) != line_start:
                line_start, first = line, _after_spaces(text, line)
            ends = _REST_IS_BLANK.match(text, end) is not None
            alone = ends and first == start
            indent = text[line_start:start] if alone else ""
            offset = span.piece.offset + start - span.start
            include = Include(found["name"], alone, indent, ends and not alone, source, offset)
            yield (line_start if alone else start), end, include


def _after_spaces(text: str, offset: int) -> int:
    spaces = _SPACES.match(text, offset)
    return spaces.end() if spaces else offset


def _with_includes_alone(text: str, includes: Sequence[tuple[int, int, Include]]) -> str:
    """An include's line is neither part of the paragraph before it nor the title of an underline below."""
    pieces, position = [], 0
    for start, end, include in includes:
        if include.alone:
            width = end - start - len(include.indent)
            pieces += [text[position:start], include.indent, f"<?{'x' * (width - 4)}?>"]
            position = end
    return "".join([*pieces, text[position:]])


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the code spans of a paragraph are (CommonMark 6.1): between runs of backticks of one length."""
    runs = list(_BACKTICKS.finditer(text))
    closers: dict[int, list[int]] = {}
    for run in runs:
        closers.setdefault(len(run["run"]), []).append(run.start("run"))
    position = 0
    for run in runs:
        start = run.start("run") + len(run["escape"]) % 2
        later = closers.get(run.end() - start, [])
        index = bisect_right(later, start)
        if start >= position and start < run.end() and index < len(later):
            position = later[index] + run.end() - start
            yield start, position
