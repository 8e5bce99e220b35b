"""Markdown that does not say what its author meant, or not to everybody."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from docasm.atoms import Heading
from docasm.contents import Contents
from docasm.fragment import Part
from docasm.lints.reach import included, reached
from docasm.lints.subject import BundleFile, Found, Outline, Subject, at
from docasm.markdown import Block, Definition, beginning, definitions, opening_of, structure
from docasm.trigger import KINDS

_LF = "\n"
MOST_COMPARED = 100_000
"""A longer text is not given to a second parser, whose time nothing bounds."""
_SEVEN = "#######"
NESTED = re.compile(r"^[ \t>*+\d-][^\n]*?(?:```|~~~|<)", re.M)
"""Parsing is what takes time, and few texts have anything of the kind."""
_structure = lru_cache(maxsize=256)(structure)
"""More texts than lints look at together, each with several of them."""
_TOO_MANY = re.compile(r" {0,3}#{7,}(?:[ \t]|\Z)")


def jumps(subject: Subject) -> Iterator[Found]:
    """Headings more than one level below the heading before them."""
    for file in subject.files:
        fragment = subject.fragment(file)
        for part in fragment.parts if fragment else ():
            for before, heading in jumping(part):
                message = f"this heading jumps from level {before} to {heading.level}"
                hint = f"write it with {'#' * (before + 1)}, or put a heading of level {before + 1} before it"
                yield Found(file.source, heading.line, 1, message, hint)


def jumping(part: Part) -> Iterator[tuple[int, Heading]]:
    """The headings of an outline that jump, with the level of the one before."""
    before = 0
    for heading in outline(part):
        if before and heading.level > before + 1:
            yield before, heading
        before = heading.level


def outline(part: Part) -> Sequence[Heading]:
    """The headings of a part, those in lists and quotes left out."""
    return [atom for atom in part.atoms if isinstance(atom, Heading) and not atom.nested]


def too_deep(subject: Subject) -> Iterator[Found]:
    """Lines with seven `#` or more, which are text."""
    for file in (each for each in _texts(subject) if _SEVEN in each.body.text):
        lines = file.body.text.split("\n")
        for block in _structure(file.body.text).blocks:
            for number in range(block.first, block.last) if block.kind == "paragraph" else ():
                if _TOO_MANY.match(lines[number]):
                    message = "a heading has at most six `#`, so this line is text"
                    hint = "write six, or put `\\` before the first"
                    yield Found(file.source, file.body.line_of(number), 1, message, hint)


def left_open(subject: Subject) -> Iterator[Found]:
    """Fences and HTML blocks in lists and quotes that only the end of these ends."""
    for file in (each for each in _texts(subject) if NESTED.search(each.body.text)):
        lines = file.body.text.split("\n")
        for block in _structure(file.body.text).blocks:
            opening = opening_of(block) if block.nested else None
            if opening is not None:
                message = "this block is not closed; the end of its list item or quote closes it"
                hint = f"close it with {opening.closer}, as deep as it is opened"
                offset = file.body.lines.start(block.first) + beginning(lines[block.first], block)
                yield Found(file.source, *file.body.position(offset), message, hint)


def _texts(subject: Subject) -> Iterator[BundleFile]:
    return (file for file in subject.files if file.skill or file.layout)


def conflicts(subject: Subject) -> Iterator[Found]:
    """Link definitions that two files of one document give differently; the first one counts."""
    files = {file.label: file for file in _texts(subject)}
    defined = {label: definitions(file.body.text) for label, file in files.items()}
    defined = {label: found for label, found in defined.items() if found}
    told: set[tuple[str, str]] = set()
    for labels in _together(subject.contents) if len(defined) > 1 else ():
        first: dict[str, tuple[str, Definition]] = {}
        for path in (each for each in labels if each in defined):
            for name, definition in defined[path].items():
                other, known = first.setdefault(name, (path, definition))
                if not known.is_same(definition) and (path, name) not in told:
                    told.add((path, name))
                    yield _conflict(files[path], definition, name, files[other], known)


def _together(contents: Contents) -> Iterator[Sequence[str]]:
    """The files that can stand in one document, for each kind of trigger, in the order of the document."""
    compiler = contents.compiler
    for kind in KINDS:
        layout = compiler.layouts.found.get(contents.layout_of[kind])
        own = [layout.source.path] if layout else []
        texts = [text for body in (layout.bodies if layout else ()) for text in body.texts]
        able = (each.name for each in contents.adopted if any(rule.kind == kind for rule in each.rules))
        skills = reached(compiler, (*included(texts), *able))
        yield (*own, *(compiler.skills.found[name].body.path for name in skills))


def _conflict(
    file: BundleFile, definition: Definition, name: str, other: BundleFile, known: Definition
) -> Found:
    place = f"{other.label}:{other.body.line_of(known.line)}"
    message = f"`[{name.lower()}]` is defined otherwise at {place}, and in one document the first one counts"
    line = file.body.line_of(definition.line)
    return Found(file.source, line, 1, message, "give one of the two another label")


def two_readings(subject: Subject) -> Iterator[Found]:
    """Texts whose headings and code blocks two parsers see differently."""
    second = subject.second_parser
    for file in _texts(subject) if second else ():
        text = file.body.text
        if second is None or len(text) > MOST_COMPARED:
            continue
        blocks = [
            block for block in _structure(text).blocks if block.level or block.kind in ("fence", "code")
        ]
        here, there = [_plain(*_seen(block)) for block in blocks], [_plain(*each) for each in second(text)]
        if here != there:
            yield _two_readings(file, blocks, here, there)


def _seen(block: Block) -> tuple[str, str]:
    return ("heading", str(block.level)) if block.level else ("code", block.content)


def _plain(kind: str, what: str) -> tuple[str, str]:
    """Code without the white space at the ends of its lines, which parsers treat as they like."""
    return kind, "\n".join(line.rstrip() for line in what.rstrip().split("\n"))


def _two_readings(file: BundleFile, blocks: Sequence[Block], here: Outline, there: Outline) -> Found:
    index = next((i for i, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), None)
    index = min(len(here), len(there)) if index is None else index
    block = blocks[min(index, len(blocks) - 1)] if blocks else None
    message = (
        f"parsers differ here: CommonMark reads {_told(here, index)}, mistune reads {_told(there, index)}"
    )
    hint = "put blank lines around blocks, and indent what belongs to a list item by as much as its text"
    if block is None:
        return at(file.body, 0, message, hint)
    return Found(file.source, file.body.line_of(block.first), 1, message, hint)


def _told(outline: Outline, index: int) -> str:
    if index >= len(outline):
        return "no further heading or code"
    kind, what = outline[index]
    return f"a heading of level {what}" if kind == "heading" else f"code of {what.count(_LF) + 1} lines"
