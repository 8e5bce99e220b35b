"""How large each section of a document is, and what is missing in it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import ceil
from operator import itemgetter

from docasm.atoms import Region, Text
from docasm.document import Document, DocumentMessage, regions
from docasm.markers import escapes
from docasm.relevance import Ranked
from docasm.tell import Cut
from docasm.tokens import Measure

_NO_SEAM = re.compile(r"[\s/]|\Z")
"""Where text starts with one of these after a line end, its tokens are not those of the two apart."""
_LINE_ENDS = re.compile(r"\n*")
_FAR = 1000
"""Further back than so many code points no text is counted again for what follows it."""


@dataclass(frozen=True, slots=True)
class SectionReport:
    """One section of a document: what a slot, a skill in it, or the layout itself wrote in one message."""

    message: int
    """The number of its message, from 0."""
    role: str
    name: str
    """What the layout calls it, else its slot."""
    slot: str
    """The slot that brings it; "layout" for what the layout itself wrote."""
    skill: str
    """Whose text it is, where a slot holds that of skills; else ""."""
    sources: tuple[str, ...]
    """The files that wrote it, in the order in which they come up."""
    chars: int
    """Code points of the Markdown; markers and blank lines between sections belong to one beside them."""
    tokens: int
    cuts: tuple[Cut, ...]
    """What limits took from it; the first section of a slot has those of all."""


@dataclass(frozen=True, slots=True)
class Report:
    """A document in figures."""

    sections: tuple[SectionReport, ...]
    """In the order of the document; their sizes add up to its size."""
    chars: int
    """Code points of the Markdown."""
    tokens: int
    tokenizer: str
    """What counted, in words that say so if it is an estimate."""
    exact: bool
    """Whether the tokens are those of the model's own tokenizer."""
    prefix_chars: int
    """How much of the Markdown, from its start, does not depend on the trigger."""
    prefix_tokens: int
    cuts: tuple[Cut, ...]
    """All that limits took away."""
    left_out_messages: int
    """How many messages of the history hold no words, only tool calls or results."""
    ranked: tuple[Ranked, ...]
    """The skills that others were preferred to, with their scores."""


def report(
    document: Document,
    measure: Measure,
    prefix: str,
    cuts: tuple[Cut, ...],
    left_out: int,
    ranked: tuple[Ranked, ...],
) -> Report:
    """The report of a document; `prefix` is the part of its Markdown that the trigger does not change."""
    pieces = list(_pieces(document))
    texts = [piece.text for piece in pieces]
    tokens = list(count_parts(texts, measure))
    own = _by_region(cuts)
    sections = tuple(
        _section(piece, count, own.pop((piece.slot, piece.skill), ()))
        for piece, count in zip(pieces, tokens, strict=True)
    )
    return Report(
        sections=sections,
        chars=sum(map(len, texts)),
        tokens=sum(tokens),
        tokenizer=measure.label,
        exact=measure.exact,
        prefix_chars=len(prefix),
        prefix_tokens=measure.count(prefix),
        cuts=cuts,
        left_out_messages=left_out,
        ranked=ranked,
    )


@dataclass(slots=True)
class _Piece:
    """The Markdown of one section."""

    message: int
    role: str
    name: str
    slot: str
    skill: str
    sources: tuple[str, ...]
    text: str


def _by_region(cuts: Sequence[Cut]) -> dict[Region, tuple[Cut, ...]]:
    found: dict[Region, tuple[Cut, ...]] = {}
    for cut in cuts:
        region = cut.slot, cut.skill
        found[region] = (*found.get(region, ()), cut)
    return found


def _section(piece: _Piece, tokens: int, cuts: tuple[Cut, ...]) -> SectionReport:
    return SectionReport(
        piece.message,
        piece.role,
        piece.name,
        piece.slot,
        piece.skill,
        piece.sources,
        len(piece.text),
        tokens,
        cuts,
    )


def _pieces(document: Document) -> Iterator[_Piece]:
    """The sections of all messages; together their texts are the document's Markdown."""
    last = len(document.messages) - 1
    for number, message in enumerate(document.messages):
        pieces = list(_message_pieces(number, message)) or [_empty(number, message)]
        for before, piece in pairwise(pieces):
            _move_line_ends(piece, before)
        pieces = [piece for piece in pieces if piece.text] or pieces[:1]
        pieces[0].text = f"{message.role}:\n{pieces[0].text}"
        pieces[-1].text += "\n" if number == last else "\n\n"
        yield from pieces


def _empty(number: int, message: DocumentMessage) -> _Piece:
    return _Piece(number, message.role, message.name or "layout", "layout", "", (), "")


def _move_line_ends(piece: _Piece, before: _Piece) -> None:
    """The blank lines between two sections end the first: tokens can be counted apart there."""
    found = _LINE_ENDS.match(piece.text)
    end = found.end() if found else 0
    before.text += piece.text[:end]
    piece.text = piece.text[end:]


def _message_pieces(number: int, message: DocumentMessage) -> Iterator[_Piece]:
    texts = list(_escaped(message))
    for (slot, skill), group in groupby(zip(regions(texts), texts, strict=True), key=itemgetter(0)):
        some = [text for _, text in group]
        sources = tuple(dict.fromkeys(text.path for text in some if text.path))
        content = "".join(text.text for text in some)
        yield _Piece(number, message.role, message.name or slot, slot, skill, sources, content)


def _escaped(message: DocumentMessage) -> Iterator[Text]:
    """The texts of a message's content, trimmed, with the backslashes that the Markdown has."""
    texts = list(message.trimmed)
    offsets = list(escapes("".join(text.text for text in texts)))[::-1]
    position = 0
    for text in texts:
        written, start, end = [], 0, len(text.text)
        while offsets and offsets[-1] < position + end:
            at = offsets.pop() - position
            written += [text.text[start:at], "\\"]
            start = at
        yield text if not written else text.with_text("".join([*written, text.text[start:]]))
        position += end


def count_parts(texts: Sequence[str], measure: Measure) -> Iterator[int]:
    """The tokens of each text where they follow one another; those of an exact measure add up.

    Where a text ends in LF and the next starts with neither white space nor `/`, tokens never reach across.
    """
    before, counted, told = "", 0, 0
    for text in texts:
        if before.endswith("\n") and not _NO_SEAM.match(text):
            before = ""
        counted += measure.function(before + text) - measure.function(before) if text else 0
        total = counted if measure.factor == 1 else ceil(round(counted * measure.factor, 6))
        yield total - told
        told = total
        before = _after_last_seam(before + text)


def _after_last_seam(text: str) -> str:
    """The end of a text that tokens of what follows could reach into, as far as anybody has seen."""
    end = len(text)
    while (end := text.rfind("\n", 0, end)) >= 0:
        if not _NO_SEAM.match(text, end + 1):
            return text[end + 1 :]
    return text[-_FAR:]
