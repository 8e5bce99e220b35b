"""Why each skill of a bundle is in a document, or is not."""

from collections.abc import Mapping
from dataclasses import dataclass

from docasm.compiler import Drafted
from docasm.contents import Contents
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
    cuts: tuple[Cut, ...],
    ranked: tuple[Ranked, ...],
) -> tuple[Reason, ...]:
    """A reason for each skill: the adopted ones in their order, then the others by name."""
    adopted = [each.name for each in contents.adopted]
    library = contents.compiler.skills
    others = [name for name in library.names() if name not in set(adopted)]
    matching = _rules_that_hold(contents, trigger)
    lost = {cut.skill: cut for cut in cuts if cut.skill}
    scores = {each.name: each.score for each in ranked}
    found = []
    for name in [*adopted, *others]:
        is_there, why = _origin(contents, name, selected, drafted, matching, scores)
        found.append(_with_cut(name, is_there, why, lost.get(name)))
    return tuple(found)


def _rules_that_hold(contents: Contents, trigger: Trigger) -> Mapping[str, str]:
    """Of each skill that the trigger selects the rule that holds first, as it is written."""
    found: dict[str, str] = {}
    for index in contents.rules.matching(trigger):
        number, rule = contents.rules.rules[index]
        found.setdefault(contents.adopted[number].name, rule.describe())
    return found


def _origin(
    contents: Contents,
    name: str,
    selected: tuple[str, ...],
    drafted: Drafted,
    matching: Mapping[str, str],
    scores: Mapping[str, float],
) -> tuple[bool, str]:
    """Whether a skill came into the document, before limits, and how or why not."""
    includer = drafted.included_by.get(name)
    if name in selected:
        also = f", and included by {includer}" if includer else ""
        return name in drafted.texts, f"selected by its trigger `{matching.get(name, '')}`{also}"
    if includer is not None:
        return name in drafted.texts, f"included by {includer}"
    if name in contents.compiler.skills.broken:
        return False, "it cannot be read; `docasm check` says why"
    if name in scores:
        return False, f"less relevant than others: score {scores[name]:g}"
    adopted = next((each for each in contents.adopted if each.name == name), None)
    if adopted is None:
        return False, "not adopted, and nothing includes it"
    if not adopted.rules:
        return False, "it has no triggers, and nothing includes it"
    return False, f"its triggers do not fit: {as_written(adopted.rules)}"


def _with_cut(name: str, is_there: bool, why: str, cut: Cut | None) -> Reason:
    if cut is None:
        return Reason(name, is_there, why)
    if cut.whole:
        return Reason(name, False, f"{why}; but `{cut.limit}` leaves no room for it")
    return Reason(name, is_there, f"{why}; `{cut.limit}` cuts {cut.missing:,} characters")
