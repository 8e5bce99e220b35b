"""Putting files together: includes written out, and the headings of all of them in one outline."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from docasm.atoms import Atom, Heading, Include, Nothing, Text, trimmed, without_emptied_lines
from docasm.errors import DocasmError, Problem, did_you_mean
from docasm.fragment import MESSAGE_TAG, Fragment, Part
from docasm.limits import SLOTS
from docasm.settings import MAX_NESTING
from docasm.template_run import Hole

DEEPEST = 6
"""The deepest level of a heading (CommonMark 4.2)."""
TITLE = 1

MAX_SIZE = 32_000_000
"""How much includes may write, in code points."""

_INCLUDE_SIZE = 1_000
_CLOSING_RUN = re.compile(r"(?:(?<=[ \t])|\A)(#+)[ \t]*\Z")
_SOFT_BREAK = re.compile(r"[ \t]*\\?\n[ \t>]*")

Written = Text | Hole | Include
"""An atom whose headings have their level. The includes left stand for the input."""


@dataclass(slots=True)
class Composer:
    """One document in the making: what stands in it already decides what comes next."""

    load: Callable[[str], Fragment]
    """A skill's fragment by name; raises KeyError where there is none, DocasmError where it is broken."""
    names: Callable[[], Sequence[str]]
    """All names that `load` knows."""
    present: set[str] = field(default_factory=set)
    """The skills whose system text stands in the document."""
    contributors: dict[str, str] = field(default_factory=dict)
    """The skills that have a say in the document, in the order in which they came up; who includes them."""
    titled: bool = False
    """Whether a file has kept its title."""
    notes: list[Problem] = field(default_factory=list)
    errors: list[Problem] = field(default_factory=list)
    """What is wrong with includes; whoever composes raises them all together."""
    size: int = 0
    """How much the includes have written, about, in code points."""

    def check(self) -> None:
        """Raises DocasmError if an include went wrong."""
        if self.errors:
            raise DocasmError(dict.fromkeys(self.errors))

    def skill(self, name: str, base: int) -> tuple[Written, ...]:
        """A triggered skill's system text, under a heading of level `base` (0 for none)."""
        self.contributors.setdefault(name, "")
        if name in self.present:
            message = f"`{name}` stands in the document already, included by a skill before it"
            self.notes.append(Problem("already-included", message, severity="note"))
            return ()
        self.present.add(name)
        part = system_part(self.load(name))
        return self.part(part, base, (name,)) if part else ()

    def part(self, part: Part, base: int, chain: tuple[str, ...]) -> tuple[Written, ...]:
        """A file's part with its includes, without blank lines at its ends, and closed."""
        written = trimmed(without_emptied_lines(list(self._written(part, base, chain))))
        return (*written, part.closer) if part.closer else written

    def _written(self, part: Part, base: int, chain: tuple[str, ...]) -> Iterator[Written | Nothing]:
        """`base` is the level of the heading that the file stands under."""
        shift: int | None = None
        level = base
        for atom in part.atoms:
            if isinstance(atom, Heading):
                shift = self._shift(part, base) if shift is None else shift
                here = self._level(atom, shift, part)
                level = level if atom.nested else here
                yield from self.heading(atom, here, chain)
            elif isinstance(atom, Include) and atom.name != MESSAGE_TAG:
                yield from self.included(atom, level, chain)
            else:
                yield atom

    def heading(self, heading: Heading, level: int, chain: tuple[str, ...]) -> Iterator[Written | Nothing]:
        """A heading's start at a level: a run of `#`, or all of an underlined one with its includes."""
        if heading.setext is None:
            yield Text("#" * level, heading.path, heading.line)
            return
        yield from _underlined(heading, tuple(self._title(heading.setext, chain)), level)

    def _title(self, atoms: Sequence[Atom], chain: tuple[str, ...]) -> Iterator[Written]:
        """An underlined heading's text, its includes written out."""
        for atom in atoms:
            if isinstance(atom, Include) and atom.name != MESSAGE_TAG:
                yield from (each for each in self.included(atom, 0, chain) if not isinstance(each, Nothing))
            elif not isinstance(atom, Heading):
                yield atom

    def included(self, include: Include, base: int, chain: tuple[str, ...]) -> Iterator[Written | Nothing]:
        """What an include is replaced by: nothing, if it has its own line and its skill stands already."""
        try:
            part = self._included_part(include, chain)
        except DocasmError as error:
            self.errors.extend(error.problems)
            return
        self.contributors[include.name] = self.contributors.get(include.name) or _includer(chain)
        chain = (*chain, include.name)
        self._account(include, part)
        if not include.alone:
            yield from self.part(_plain(part), 0, chain) if part else ()
            return
        if include.name in self.present:
            message = f"`{include.name}` stands in the document already, so this include adds nothing"
            note = include.source.problem_at("already-included", message, include.offset, severity="note")
            self.notes.append(note)
        atoms = self.part(part, base, chain) if part and include.name not in self.present else ()
        self.present.add(include.name)
        if atoms and include.indent:
            line = include.source.position(include.offset)[0]
            yield Text(include.indent, include.source.path, line)
        yield from atoms or (Nothing(),)

    def _account(self, include: Include, part: Part | None) -> None:
        """Files that include each other twice write out to far more than they hold."""
        self.size += _INCLUDE_SIZE + (len(part.source.text) if part else 0)
        if self.size > MAX_SIZE:
            message = f"with this include the document has more than {MAX_SIZE:,} characters"
            raise _error(include, "over-budget", message, "include less")

    def _included_part(self, include: Include, chain: tuple[str, ...]) -> Part | None:
        if include.name in chain:
            path = " -> ".join((*chain[chain.index(include.name) :], include.name))
            raise _error(include, "include-cycle", f"this include never ends: {path}", "remove one of them")
        if len(chain) > MAX_NESTING:
            message = f"includes nest over {MAX_NESTING} deep here"
            raise _error(include, "nested-too-deep", message, "include less deep")
        try:
            return system_part(self.load(include.name))
        except KeyError:
            raise self._unknown(include, in_layout=not chain) from None

    def _unknown(self, include: Include, *, in_layout: bool) -> DocasmError:
        what, known = "skill", self.names()
        if in_layout:
            what, known = "skill or slot", (*known, *SLOTS)
        hint = did_you_mean(include.name, known, kind="names")
        if include.name in SLOTS:
            hint = "slots stand in layouts; here a name is a skill's"
        return _error(include, "unknown-skill", f"there is no {what} `{include.name}` to include", hint)

    def _shift(self, part: Part, base: int) -> int:
        """How far the headings of a file move, all of them together."""
        if part.titled and not base and not self.titled:
            self.titled = True
            return 0
        return (base or TITLE) + 1 - part.shallowest

    def _level(self, heading: Heading, shift: int, part: Part) -> int:
        level = heading.level + shift
        if level > DEEPEST:
            message = f"this heading would have level {level}; it stays at {DEEPEST}"
            hint = "headings go as deep as the headings of the file that includes them, and one deeper"
            self.notes.append(
                part.source.problem("heading-too-deep", message, heading.line, hint=hint, severity="warning")
            )
        return max(1, min(level, DEEPEST))


def _includer(chain: tuple[str, ...]) -> str:
    return f"`{chain[-1]}`" if chain else "the layout"


def system_part(fragment: Fragment) -> Part | None:
    """The part of a skill that others include."""
    return next((part for part in fragment.parts if part.role == "system"), None)


def _underlined(heading: Heading, atoms: Sequence[Written], level: int) -> Iterator[Written]:
    """An underlined heading with an underline of the same length, or from level 3 on without one."""
    *atoms, last = atoms
    assert isinstance(last, Text)
    start = last.text.rfind("\n") + 1
    if level > 2:
        yield Text("#" * level + " ", heading.path, heading.line)
        yield from _on_one_line([*atoms, replace(last, text=last.text[: start - 1])])
    else:
        underline = re.sub("[=-]", "=-"[level - 1], last.text[start:])
        yield from atoms
        yield replace(last, text=last.text[:start] + underline)


def _on_one_line(atoms: Sequence[Written]) -> Iterator[Written]:
    """The lines of a heading as one; a run of `#` at its end is text, not a closing sequence."""
    for index, atom in enumerate(atoms):
        if isinstance(atom, Text):
            text = _SOFT_BREAK.sub(" ", atom.text)
            if index == len(atoms) - 1:
                text = _CLOSING_RUN.sub(r"\\\1", text.rstrip(" \t\\"))
            atom = replace(atom, text=text, copied=False)
        yield atom


def _plain(part: Part) -> Part:
    """The part for the middle of a line: its headings stay as they are, and nothing is closed."""
    return replace(part, titled=False, shallowest=TITLE + 1, closer=None)


def _error(include: Include, code: str, message: str, hint: str) -> DocasmError:
    return DocasmError([include.source.problem_at(code, message, include.offset, hint=hint)])
