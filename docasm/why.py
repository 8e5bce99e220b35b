"""Why each skill of a bundle is in a document, or is not."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docasm.contents import Adopted, Contents
from docasm.document import Document
from docasm.drafted import Drafted
from docasm.relevance import Ranked
from docasm.rules import as_written
from docasm.tell import Cut
from docasm.trigger import Trigger


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one skill's text is in a document, or is not."""

    skill: str
    is_there: bool
    """Whether any of its text is in the document."""
    why: str
    """In a few words."""


def reasons(
    contents: Contents,
    trigger: Trigger,
    selected: tuple[str, ...],
    drafted: Drafted,
    document: Document,
    cuts: tuple[Cut, ...],
    ranked: tuple[Ranked, ...],
) -> tuple[Reason, ...]:
    """A reason for each skill: the adopted ones in their order, then the others by name."""
    adopted = {each.name: each for each in contents.adopted}
    library = contents.compiler.skills
    scores = {each.name: each.score for each in ranked}
    origins = _Origins(adopted, frozenset(selected), _rules_that_hold(contents, trigger), scores)
    lost = defaultdict(list)
    for cut in cuts:
        lost[cut.skill].append(cut)
    written = {text.path for message in document.messages for text in message.texts if text.text}
    found = []
    for name in dict.fromkeys([*adopted, *library.names()]):
        skill = library.found.get(name)
        is_there = skill is not None and skill.body.path in written
        origin = "it cannot be read; `docasm check` says why" if skill is None else origins.of(name, drafted)
        is_meant = name in drafted.included_by
        found.append(Reason(name, is_there, "; ".join([origin, *_losses(is_meant, is_there, lost[name])])))
    return tuple(found)


def _rules_that_hold(contents: Contents, trigger: Trigger) -> Mapping[str, str]:
    """Of each skill that the trigger selects the rule that holds first, as it is written."""
    found: dict[str, str] = {}
    for index in contents.rules.matching(trigger):
        number, rule = contents.rules.rules[index]
        found.setdefault(contents.adopted[number].name, rule.describe())
    return found


@dataclass(frozen=True, slots=True)
class _Origins:
    """What decides which skills come into a document, limits apart."""

    adopted: Mapping[str, Adopted]
    selected: frozenset[str]
    matching: Mapping[str, str]
    scores: Mapping[str, float]

    def of(self, name: str, drafted: Drafted) -> str:
        """How a skill came into the document, or why it did not."""
        includer = drafted.included_by.get(name)
        if name in self.selected:
            also = f", and included by {includer}" if includer else ""
            return f"selected by its trigger `{self.matching[name]}`{also}"
        if includer:
            return f"included by {includer}"
        if name in self.scores:
            return f"less relevant than others: score {self.scores[name]:g}"
        if name not in self.adopted:
            return "not adopted, and nothing includes it"
        rules = self.adopted[name].rules
        return (
            f"its triggers do not fit: {as_written(rules)}"
            if rules
            else "it has no triggers, and nothing includes it"
        )


def _losses(is_meant: bool, is_there: bool, cuts: Sequence[Cut]) -> Sequence[str]:
    """What limits took from a skill, or that nothing of it is there."""
    losses = [
        f"`{cut.limit}` leaves no room for it"
        if cut.whole
        else f"`{cut.limit}` cuts {cut.missing:,} {cut.what}{'' if cut.missing == 1 else 's'}"
        for cut in cuts
    ]
    return losses or (["no text of it is in the document"] if is_meant and not is_there else [])
