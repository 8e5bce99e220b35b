"""What is not wrong with a bundle and yet seldom meant: each lint is a function, and all are in LINTS."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from docasm.check import Check
from docasm.errors import Problem
from docasm.lints import encoding, markdown, skills, unused, values
from docasm.lints.subject import Found, Subject

SECOND_PARSER_CODE = "parsed-differently"
"""The lint that needs a second parser of Markdown."""


@dataclass(frozen=True, slots=True)
class Lint:
    """One thing that is looked for."""

    severity: str
    """Where `docasm.yaml` says nothing."""
    find: Callable[[Subject], Iterator[Found]]
    by_file: bool = True
    """Whether what it finds in a file does not depend on other files."""

    def problems(self, code: str, subject: Subject) -> tuple[Problem, ...]:
        return tuple(found.problem(code, self.severity) for found in self.find(subject))


LINTS: Mapping[str, Lint] = MappingProxyType(
    {
        "byte-order-mark": Lint("note", encoding.byte_order_marks),
        "conflicting-reference": Lint("warning", markdown.conflicts, by_file=False),
        "description-shape": Lint("note", skills.description_shapes),
        "heading-jump": Lint("note", markdown.jumps),
        "heading-too-deep": Lint("warning", markdown.too_deep),
        "left-open": Lint("warning", markdown.left_open),
        "line-ends": Lint("note", encoding.line_ends),
        "long-description": Lint("warning", skills.long_descriptions),
        "long-skill": Lint("note", skills.long_bodies),
        "missing-description": Lint("warning", skills.missing_descriptions),
        "name-differs": Lint("warning", skills.names),
        SECOND_PARSER_CODE: Lint("note", markdown.two_readings),
        "trusted-value": Lint("warning", values.trusted),
        "unused-layout": Lint("note", unused.layouts, by_file=False),
        "unused-skill": Lint("note", unused.skills, by_file=False),
        "unused-tool": Lint("note", unused.tools, by_file=False),
        "unused-variable": Lint("warning", unused.variables, by_file=False),
        "volatile-prefix": Lint("note", values.volatile, by_file=False),
    }
)
"""By the code of what is found."""


SPAN = 100
"""How many files of very many are looked at together."""


def lint(subject: Subject) -> Iterator[Problem]:
    """Everything that the lints find in a bundle."""
    return (problem for batch in lint_checks(subject) for check in batch for problem in check())


def lint_checks(subject: Subject) -> Iterator[tuple[Check, ...]]:
    """All that the lints look for, in batches that look at the same files."""
    yield tuple(partial(each.problems, code, subject) for code, each in LINTS.items() if not each.by_file)
    for first in range(0, len(subject.files), SPAN):
        some = replace(subject, files=subject.files[first : first + SPAN])
        yield tuple(partial(each.problems, code, some) for code, each in LINTS.items() if each.by_file)
