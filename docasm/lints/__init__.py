"""What is not wrong with a bundle and yet seldom meant: each lint is a function, and all are in LINTS."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

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


LINTS: Mapping[str, Lint] = MappingProxyType(
    {
        "byte-order-mark": Lint("note", encoding.byte_order_marks),
        "conflicting-reference": Lint("warning", markdown.conflicts),
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
        "unused-layout": Lint("note", unused.layouts),
        "unused-skill": Lint("note", unused.skills),
        "unused-tool": Lint("note", unused.tools),
        "unused-variable": Lint("warning", unused.variables),
        "volatile-prefix": Lint("note", values.volatile),
    }
)
"""By the code of what is found."""


def lint(subject: Subject) -> Iterator[Problem]:
    """Everything that the lints find in a bundle."""
    for code, each in LINTS.items():
        for found in each.find(subject):
            yield found.problem(code, each.severity)
