"""Values from outside: those that nothing contains, and those that spoil a prompt cache."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from docasm.atoms import Atom, Heading, Text
from docasm.contents import Contents
from docasm.draft import HistoryMessages
from docasm.drafted import Drafted
from docasm.errors import DocasmError
from docasm.fill import PlacedHole, SlotText
from docasm.fragment import INPUT
from docasm.limits import HISTORY
from docasm.lints.subject import Found, Subject, at
from docasm.plan import Planned
from docasm.source import Source
from docasm.template_run import Hole
from docasm.trigger import KINDS

LEAST_SPOILED = 1_000
"""How many code points must stand behind a value for it to be worth moving; no cache keeps less."""
MOST_SKILLS = 500
"""How many skills are put into one document to see what spoils it."""
_SET_BY_THE_AGENT = frozenset(("model", "now", "provider"))
_VOLATILE = frozenset(("now", "trigger"))


def trusted(subject: Subject) -> Iterator[Found]:
    """Values that a render brings and that stand as they are because of `| trusted`."""
    for file in subject.files:
        fragment = subject.fragment(file)
        for hole in _holes(atom for part in fragment.parts for atom in part.atoms) if fragment else ():
            names = sorted(hole.tag.names - hole.known.keys() - _SET_BY_THE_AGENT)
            if hole.container == "trusted" and names:
                message = f"`{names[0]}` comes from outside, and `| trusted` lets it change the document"
                hint = "leave `| trusted` away, or write `| fence`, `| quote` or `| oneline` in its place"
                yield at(hole.source, hole.offset, message, hint)


def _holes(atoms: "Iterator[Atom] | Sequence[Atom]") -> Iterator[Hole]:
    for atom in atoms:
        if isinstance(atom, Hole):
            yield atom
        elif isinstance(atom, Heading) and atom.setext:
            yield from _holes(atom.setext)


@dataclass(frozen=True, slots=True)
class _Volatile:
    """Text that each render writes anew."""

    source: Source
    offset: int
    what: str


def volatile(subject: Subject) -> Iterator[Found]:
    """Text that changes from render to render before at least LEAST_SPOILED code points that do not.

    The first of a file is told, with the most that it spoils in the documents of any kind of trigger.
    """
    worst: dict[str, tuple[int, _Volatile]] = {}
    for each, spoiled in (pair for kind in KINDS for pair in _spoilers(subject.contents, kind)):
        if spoiled >= max(LEAST_SPOILED, worst.get(each.source.path, (0,))[0] + 1):
            worst[each.source.path] = spoiled, each
    for spoiled, each in worst.values():
        message = f"{each.what} changes from render to render, and {spoiled:,} characters that stay follow it"
        hint = "put it behind them: a prompt cache ends at the first character that differs"
        yield at(each.source, each.offset, message, hint)


def _spoilers(contents: Contents, kind: str) -> Iterator[tuple[_Volatile, int]]:
    """What changes in the documents of a kind, with how many constant code points follow it."""
    able = (each.name for each in contents.adopted if any(rule.kind == kind for rule in each.rules))
    names = tuple(islice(able, MOST_SKILLS))
    for drafted in _documents(contents, kind, names) if names else ():
        follows = 0
        for part in reversed(list(_parts(drafted.plan(frozenset())))):
            if isinstance(part, Text):
                follows += len(part.text)
            elif (found := _volatile(part, drafted)) is not None:
                yield found, follows


def _documents(contents: Contents, kind: str, names: tuple[str, ...]) -> Iterator[Drafted]:
    compiler = contents.compiler
    layout = compiler.layouts.found.get(contents.layout_of[kind])
    for model in layout.profiles if layout and layout.needs_profile else (None,):
        try:
            drafted = compiler.draft(compiler.choose(contents.layout_of[kind], model, "openai"), names, ())
            drafted.plan(frozenset())
        except DocasmError:
            continue
        yield drafted


def _parts(planned: Sequence[Planned]) -> Iterator[Text | SlotText | PlacedHole | HistoryMessages]:
    for message in planned:
        if isinstance(message, HistoryMessages):
            yield message
        else:
            yield from message.parts


def _volatile(part: SlotText | PlacedHole | HistoryMessages, drafted: Drafted) -> _Volatile | None:
    if isinstance(part, PlacedHole):
        asked = sorted(part.hole.asks & drafted.sources.keys())
        names = sorted(part.hole.tag.names)
        if part.depends & _VOLATILE or asked:
            return _Volatile(part.hole.source, part.hole.offset, f"`{(asked or names or ['this'])[0]}`")
        return None
    name = HISTORY if isinstance(part, HistoryMessages) else part.name
    shown = next((variable for slot, variable, _ in drafted.own_slots if slot == name), None)
    if name not in (HISTORY, INPUT) and shown not in drafted.sources:
        return None
    tag = drafted.tags.get(name)
    source, offset = (tag.source, tag.offset) if tag else (drafted.layout.source, 0)
    return _Volatile(source, offset, f"the slot `{name}`")
