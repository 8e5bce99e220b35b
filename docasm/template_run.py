"""Carrying out a template: what constants decide when a file is compiled, the rest when it is rendered.

Jinja2 evaluates the expressions. The statements are carried out here, as far as the names they use are
known, so that what only a render knows stays a hole with literal text around it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any

from jinja2 import nodes
from jinja2.exceptions import SecurityError, UndefinedError

from docasm.account import PIECE_WEIGHT, Budget, OverBudgetError, weight
from docasm.contain import CONTAINERS
from docasm.errors import DocasmError, did_you_mean
from docasm.filters import to_text
from docasm.needs import needed_names
from docasm.source import Source
from docasm.template import (
    Assignment,
    Branch,
    Expression,
    Literal,
    Loop,
    Names,
    Node,
    Output,
    Tag,
    writes_lines,
)


@dataclass(frozen=True, slots=True)
class Constant:
    """Text that a tag wrote from names known when the file was compiled."""

    text: str
    offset: int
    """The code point of the source at which the tag stands."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A place that a render fills: a tag that only a render's values decide."""

    tag: Tag
    known: Names
    """The constants in force there."""
    assignments: tuple[Assignment, ...]
    """What `{% set %}` makes of the render's values before it."""
    asks: frozenset[str]
    """The names that it needs, those that are known left in."""
    constants: Names
    """Everything that was known when the file was compiled, for hints."""
    source: Source

    @property
    def offset(self) -> int:
        return self.tag.offset

    @property
    def assigned(self) -> frozenset[str]:
        """The names that `{% set %}` gives a value before it."""
        return frozenset().union(*(each.binds for each in self.assignments))

    @property
    def needs(self) -> frozenset[str]:
        """The names that a render must bring."""
        return needed_names((*self.assignments, self.tag)) - self.known.keys()

    @property
    def container(self) -> str | None:
        """The containment filter that its author wrote."""
        return self.tag.container if isinstance(self.tag, Output) else None

    @property
    def variable(self) -> str | None:
        """The variable that the tag is, if it is nothing else."""
        tag = self.tag
        is_name = isinstance(tag, Output) and tag.is_name and not (tag.container or self.assignments)
        return next(iter(tag.names)) if is_name else None

    @property
    def writes_lines(self) -> bool:
        return writes_lines(self.tag)

    def pieces(self, names: Names, budget: Budget) -> "list[Literal | Constant]":
        """What the hole writes for the names of a render; raises DocasmError with the tag's place."""
        run = _Run(self.source, budget, final=True, offered=(names, self.constants))
        scope = _Scope({**{name: names[name] for name in self.asks if name in names}, **self.known})
        for assignment in self.assignments:
            run.assign(assignment, scope)
        return [piece for piece in run.carry_out([self.tag], scope) if not isinstance(piece, Hole)]


Piece = Literal | Constant | Hole
_NO_ATTRIBUTE = re.compile(r"has no attribute '(\w+)'")
_LOOKED_AT = 16
"""How many waiting `{% set %}`s are looked through in the time of a step."""
_NONE: Names = MappingProxyType({})


def fold(template: Sequence[Node], source: Source, constants: Names, budget: Budget) -> tuple[Piece, ...]:
    """The template with everything carried out that the constants decide; raises DocasmError."""
    run = _Run(source, budget, final=False, offered=(constants,))
    return tuple(run.carry_out(template, _Scope(dict(constants))))


@dataclass(slots=True)
class _Scope:
    """The names known at a point of a template, and the `{% set %}`s that wait for a render."""

    known: dict[str, Any]
    assignments: tuple[Assignment, ...] = ()

    def inner(self, names: Names) -> "_Scope":
        return _Scope({**self.known, **names}, self.assignments)


@dataclass(slots=True)
class _Run:
    """One carrying-out of a template's statements."""

    source: Source
    budget: Budget
    final: bool
    """Whether all names are known that ever will be."""
    offered: tuple[Names, ...]
    """What a render gives, for hints."""

    def carry_out(self, template: Sequence[Node], scope: _Scope) -> Iterator[Piece]:
        for node in template:
            if isinstance(node, Literal):
                yield node
            elif isinstance(node, Assignment):
                self.assign(node, scope)
            elif self.final or node.decided_by.names <= scope.known.keys():
                yield from self.decided(node, scope)
            else:
                self.refuse_assignments(node)
                yield self.hole(node, scope)

    def hole(self, node: Tag, scope: _Scope) -> Hole:
        """What a render carries out, with what it needs to know and no more."""
        needed, assignments = node.names, []
        self.guarded(node, partial(self.budget.step, len(scope.assignments) // _LOOKED_AT))
        for each in reversed(scope.assignments):
            if not each.binds.isdisjoint(needed):
                assignments.append(each)
                needed |= each.names
        known = {name: scope.known[name] for name in needed if name in scope.known}
        return Hole(node, known, tuple(reversed(assignments)), needed, self.offered[-1], self.source)

    def decided(self, node: Tag, scope: _Scope) -> Iterator[Piece]:
        value = self.value(node.decided_by, node, scope)
        if isinstance(node, Output):
            yield Constant(self.text(node, value, scope), node.offset)
        elif isinstance(node, Branch):
            chosen = node.then if self.guarded(node, lambda: bool(value)) else node.otherwise
            yield from self.carry_out(chosen, scope)
        else:
            yield from self.loop(node, value, scope)

    def loop(self, node: Loop, value: Any, scope: _Scope) -> Iterator[Piece]:
        items = list(self.items(node, value, scope))
        copied = 8 * len(scope.known)
        for index, names in enumerate(items):
            loop = {
                "index": index + 1,
                "index0": index,
                "first": index == 0,
                "last": index + 1 == len(items),
                "length": len(items),
            }
            self.guarded(node, partial(self.budget.pay, copied))
            for piece in self.carry_out(node.body, scope.inner({**names, "loop": loop})):
                cost = PIECE_WEIGHT + (weight(piece.text) if isinstance(piece, Literal) else 0)
                self.guarded(node, partial(self.budget.pay, cost))
                yield piece
        if not items:
            yield from self.carry_out(node.otherwise, scope)

    def items(self, node: Loop, value: Any, scope: _Scope) -> Iterator[Names]:
        """The names that each turn of a loop binds."""
        for item in self.guarded(node, lambda: iter(value)):
            self.guarded(node, self.budget.step)
            names = self.guarded(node, partial(_bound, node.target, item))
            if node.condition is None or self.value(node.condition, node, scope.inner(names)):
                yield names

    def assign(self, node: Assignment, scope: _Scope) -> None:
        if self.final or node.names <= scope.known.keys():
            value = self.value(node.expression, node, scope)
            scope.known.update(self.guarded(node, partial(_bound, node.target, value)))
        else:
            scope.assignments += (node,)
            for name in node.binds:
                scope.known.pop(name, None)

    def refuse_assignments(self, node: Tag) -> None:
        """A name set where only a render knows whether it is set could not be followed."""
        bodies = (node.then, node.otherwise) if isinstance(node, Branch) else ()
        for each in (each for body in bodies for each in body):
            if isinstance(each, Assignment):
                hint = "write `{% set name = a if test else b %}`"
                message = "`set` may not stand in an `if` that only a render decides"
                raise self.error(each, "template-not-allowed", message, hint)
            if isinstance(each, Branch):
                self.refuse_assignments(each)

    def value(self, expression: Expression, node: Tag | Assignment, scope: _Scope) -> Any:
        def evaluate() -> Any:
            self.budget.step(expression.cost)
            return expression.evaluate(scope.known, self.budget)

        return self.guarded(node, evaluate, scope.known)

    def text(self, node: Output, value: Any, scope: _Scope) -> str:
        """What an output writes."""
        written: str = self.guarded(node, lambda: contained(node, to_text(value, self.budget)), scope.known)
        return written

    def guarded(self, node: Tag | Assignment, action: Callable[[], Any], known: Names = _NONE) -> Any:
        """The action's result; whatever a template can make Python raise is a problem at its tag."""
        try:
            return action()
        except (OverBudgetError, MemoryError) as error:
            message = str(error) or "the template makes more than fits into memory"
            raise self.error(node, "over-budget", message, "loop over less, or write less") from None
        except SecurityError as error:
            hint = "use names without `_` in front"
            raise self.error(node, "forbidden-attribute", str(error).rstrip("."), hint) from None
        except UndefinedError as error:
            raise self.undefined(node, error, known) from None
        except Exception as error:  # a render's values can be of any type, and raise anything
            message = f"this cannot be worked out: {error or type(error).__name__}"
            raise self.error(node, "template-error", message, "") from None

    def undefined(self, node: Tag | Assignment, error: UndefinedError, known: Names) -> DocasmError:
        asked = node.expression.names if isinstance(node, Assignment) else node.decided_by.names
        missing = sorted(asked - known.keys())
        otherwise = "or write `{{ name | default('...') }}`"
        if not missing:
            found = _NO_ATTRIBUTE.search(str(error.message))
            message = f"the value has no `{found[1]}`" if found else str(error.message)
            return self.error(
                node, "unknown-variable", message, f"see what the render was given, {otherwise}"
            )
        message = f"nothing gives the variable `{missing[0]}` a value"
        meant = did_you_mean(missing[0], {*known, *chain(*self.offered)}, kind="variables")
        hint = f"{meant} or set it under `variables` or in the render (`--var`, `--now`), {otherwise}"
        return self.error(node, "unknown-variable", message, hint)

    def error(self, node: Tag | Assignment, code: str, message: str, hint: str) -> DocasmError:
        return DocasmError([self.source.problem_at(code, message, node.offset, hint=hint)])


def contained(node: Output, text: str) -> str:
    """A text that is known when a file is compiled, as the containment filter of its tag writes it."""
    return CONTAINERS[node.container](text, node.info) if node.container else text


def _bound(target: nodes.Node, value: Any) -> dict[str, Any]:
    return dict(_bind(target, value))


def _bind(target: nodes.Node, value: Any) -> Iterator[tuple[str, Any]]:
    """The names that a loop or `{% set %}` gives to a value, unpacked as the target is."""
    if isinstance(target, nodes.Name):
        yield target.name, value
    elif isinstance(target, nodes.Tuple):
        for each, item in zip(target.items, list(value), strict=True):
            yield from _bind(each, item)
