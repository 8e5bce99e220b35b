"""A rendered document as a tree that knows its sources: Document > Message > Section."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from docasm.atoms import NO_REGION, Region, Text, cut_at
from docasm.elastic import Kept
from docasm.errors import Place
from docasm.markers import escape, trim

LAYOUT = "layout"
"""The section of what the layout itself wrote."""
LIMIT = "limit"
"""What everything depends on that gives way to a limit of the whole document."""

Origin = Place | str
"""The file and line that wrote something, or the name of the slot that generated it."""


@dataclass(frozen=True, slots=True)
class Section:
    """Neighbouring text of one slot, or of the layout itself."""

    name: str
    """A slot's name or LAYOUT."""
    texts: tuple[Text, ...]

    @property
    def text(self) -> str:
        return "".join(text.text for text in self.texts)


@dataclass(frozen=True, slots=True)
class DocumentMessage:
    """One message, before the blank lines at its ends are taken off."""

    role: str
    marker: Text
    texts: tuple[Text, ...]
    name: str = ""
    """What the layout calls it."""

    @property
    def sections(self) -> tuple[Section, ...]:
        return tuple(Section(name, tuple(texts)) for name, texts in groupby(self.texts, key=section_name))

    @property
    def content(self) -> str:
        return trim("".join(text.text for text in self.texts))

    @property
    def trimmed(self) -> Sequence[Text]:
        """The texts without the blank lines at the message's ends; together they are its content."""
        raw, content = "".join(text.text for text in self.texts), self.content
        start = raw.index(content)
        return list(_between(self.texts, start, start + len(content)))


@dataclass(frozen=True, slots=True)
class Document:
    """All messages of a document."""

    messages: tuple[DocumentMessage, ...]


def section_name(text: Text) -> str:
    """The slot that wrote a text, or that it goes with; else LAYOUT."""
    return text.slot or next(iter(sorted(text.depends)), LAYOUT)


def regions(texts: Sequence[Text]) -> Sequence[Region]:
    """The slot that each text of a message goes with, and whose it is there; LAYOUT for none.

    What the layout wrote goes with the slot beside it that decides whether it is there at all.
    """
    before = list(_slots_beside(texts))
    after = list(_slots_beside(texts[::-1]))[::-1]
    found = []
    for text, beside in zip(texts, zip(after, before, strict=True), strict=True):
        if text.region != NO_REGION:
            found.append(text.region)
        else:
            slot = text.slot or next((each for each in beside if each in text.depends), LAYOUT)
            found.append((slot, ""))
    return found


def _slots_beside(texts: Sequence[Text]) -> Iterator[str]:
    """For each text the slot of the last one that is in a slot."""
    slot = ""
    for text in texts:
        slot = text.region[0] or slot
        yield slot


def cut_texts(texts: Sequence[Text], kept: Kept | None, depends: frozenset[str]) -> Sequence[Text]:
    """The texts of a stretch as a limit leaves them, which depends on what all of them depend on."""
    found = list(texts) if kept is None else list(_between(texts, kept.start, kept.end))
    if kept is not None and kept.tail:
        found.append(Text(kept.tail, "", 0, slot=texts[0].region[0], region=texts[0].region))
    return [replace(text, depends=text.depends | depends) for text in found] if depends else found


def _between(texts: Sequence[Text], start: int, end: int) -> Iterator[Text]:
    position = 0
    for text in texts:
        low, high = max(start - position, 0), min(end - position, len(text.text))
        if low < high:
            yield cut_at(cut_at(text, low)[1], high - low)[0]
        position += len(text.text)


def places(document: Document) -> tuple[Origin, ...]:
    """For each line of the document's Markdown, what wrote its first character."""
    origins: list[Origin] = []
    for message in document.messages:
        if origins:
            origins.append(_origin(message.marker, 0))
        origins.append(_origin(message.marker, 0))
        origins += _content_places(message)
    return tuple(origins)


def _content_places(message: DocumentMessage) -> Sequence[Origin]:
    raw = "".join(text.text for text in message.texts)
    content = trim(raw)
    if not content:
        return [_origin(message.marker, 0)]
    first = raw.count("\n", 0, len(raw) - len(raw.lstrip(" \t\r\n")))
    return list(_line_origins(message.texts))[first : first + content.count("\n") + 1]


def _line_origins(texts: Sequence[Text]) -> Iterator[Origin]:
    """What wrote the first character of each line; an empty line was written by its end."""
    at_start = True
    for text in texts:
        lines = text.text.split("\n")
        for index, line in enumerate(lines):
            is_last = index == len(lines) - 1
            if at_start and (line or not is_last):
                yield _origin(text, index)
                at_start = False
            at_start = at_start or not is_last


def _origin(text: Text, line: int) -> Origin:
    if text.slot and not text.path:
        return text.slot
    return Place(text.path, text.line + (line if text.copied else 0))


def stable_prefix(document: Document, changes: frozenset[str]) -> int:
    """How many code points of the Markdown stay the same when what is in `changes` does.

    `document` is drafted with nothing left out that a change could bring back.
    """
    length = 0
    for message in document.messages:
        if message.marker.depends & changes:
            return length
        length += len(message.role) + 2
        stable = _until_change(message.texts, changes)
        whole = len(stable) == len(message.texts)
        text = "".join(text.text for text in stable)
        if not whole:
            return length + _surely_escaped(trim(text))
        length += len(escape(trim(text))) + 2
    return length - 1


def stable_contents(document: Document, changes: frozenset[str]) -> tuple[int, ...]:
    """How many code points at the start of each message's content stay, up to the first that does not whole.

    `document` is as for `stable_prefix`.
    """
    lengths: list[int] = []
    for message in document.messages:
        if message.marker.depends & changes:
            break
        stable = _until_change(message.texts, changes)
        lengths.append(len(trim("".join(text.text for text in stable))))
        if len(stable) < len(message.texts):
            break
    return tuple(lengths)


def _until_change(texts: Sequence[Text], changes: frozenset[str]) -> Sequence[Text]:
    for index, text in enumerate(texts):
        if text.depends & changes:
            return texts[:index]
    return texts


def _surely_escaped(content: str) -> int:
    """How much of a content's start is escaped alike whatever follows it.

    A closer could close a fence in it, and its last line could become a marker or a fence, or cease to be.
    """
    written = escape(content)
    closers = [f"\n{character * (len(content) + 3)}" for character in "`~"]
    others = (escape(content + more) for more in (*closers, "x", ":", "```", "~~~"))
    return min(_shared(written, each) for each in others)


def _shared(one: str, other: str) -> int:
    """How many code points two texts start with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))
