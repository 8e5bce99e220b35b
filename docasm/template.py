"""A template as a tree: literal text, outputs and statements, each with its offset."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import nodes

from docasm.account import Budget

Names = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Literal:
    """Text of the file itself."""

    text: str
    offset: int
    """The code point of the source at which it stands."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A Jinja2 expression, ready to be evaluated."""

    evaluate: Callable[[Names, Budget], Any]
    names: frozenset[str]
    """The variables it asks for."""
    needs: frozenset[str]
    """Those of them without which it fails."""
    tested: frozenset[str]
    """Those of which it asks whether they are defined."""
    cost: int
    """The steps one evaluation takes."""


@dataclass(frozen=True, slots=True)
class Output:
    """One `{{ expression }}`."""

    expression: Expression
    offset: int
    container: str | None
    """The containment filter that ends the expression: one of CONTAINERS."""
    info: str = ""
    """The argument of `fence`."""
    is_name: bool = False
    """Whether the expression is a variable and nothing else."""

    @property
    def decided_by(self) -> Expression:
        return self.expression

    @property
    def names(self) -> frozenset[str]:
        return self.expression.names


@dataclass(frozen=True, slots=True)
class Branch:
    """One `{% if %}`; `elif` is a Branch in `otherwise`."""

    decided_by: Expression
    then: "tuple[Node, ...]"
    otherwise: "tuple[Node, ...]"
    offset: int

    @property
    def names(self) -> frozenset[str]:
        return self.decided_by.names | free_names(self.then) | free_names(self.otherwise)


@dataclass(frozen=True, slots=True)
class Loop:
    """One `{% for %}`."""

    target: nodes.Node
    decided_by: Expression
    """What it goes through."""
    condition: Expression | None
    body: "tuple[Node, ...]"
    otherwise: "tuple[Node, ...]"
    offset: int

    @property
    def names(self) -> frozenset[str]:
        bound = names_in(self.target) | {"loop"}
        inner = free_names(self.body) | (self.condition.names if self.condition else frozenset())
        return self.decided_by.names | (inner - bound) | free_names(self.otherwise)


@dataclass(frozen=True, slots=True)
class Assignment:
    """One `{% set name = expression %}`."""

    target: nodes.Node
    binds: frozenset[str]
    """The names that it sets."""
    expression: Expression
    offset: int

    @property
    def names(self) -> frozenset[str]:
        return self.expression.names


Tag = Output | Branch | Loop
Node = Literal | Tag | Assignment


def free_names(template: Sequence[Node]) -> frozenset[str]:
    """The variables a template asks for, those that it sets itself left out."""
    free: set[str] = set()
    bound: set[str] = set()
    for node in template:
        if not isinstance(node, Literal):
            free |= node.names - bound
        if isinstance(node, Assignment):
            bound |= node.binds
    return frozenset(free)


def inner_nodes(tag: Tag) -> Iterator[Literal | Output]:
    """The texts and outputs that a statement may write, in the order of the file."""
    for body in bodies(tag):
        for node in body:
            if isinstance(node, Literal | Output):
                yield node
            elif not isinstance(node, Assignment):
                yield from inner_nodes(node)


def writes_lines(tag: Tag) -> bool:
    """Whether a statement writes whole lines only, whatever its values are."""
    written = [body for body in bodies(tag) if body]
    return bool(written) and all(_is_whole_lines(body) for body in written)


def bodies(tag: Tag) -> tuple[tuple[Node, ...], ...]:
    """What a statement may carry out."""
    if isinstance(tag, Branch):
        return tag.then, tag.otherwise
    return (tag.body, tag.otherwise) if isinstance(tag, Loop) else ()


def _is_whole_lines(body: Sequence[Node]) -> bool:
    """A statement in it may write nothing, so the line before it must have ended too."""
    ended: bool | None = None
    for node in body:
        if isinstance(node, Literal):
            ended = node.text.endswith("\n")
        elif not isinstance(node, Assignment):
            ended = ended is not False and writes_lines(node)
    return ended is True


def names_in(expression: nodes.Node) -> frozenset[str]:
    found = {name.name for name in expression.find_all(nodes.Name)}
    return frozenset(found | {expression.name} if isinstance(expression, nodes.Name) else found)
