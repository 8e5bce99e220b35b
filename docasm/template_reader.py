"""Reading a template: Jinja2 parses it, and its tree becomes ours."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2.lexer import TOKEN_BLOCK_BEGIN, TOKEN_NAME, TOKEN_VARIABLE_BEGIN, TOKEN_WHITESPACE
from jinja2.parser import Parser

from docasm.account import Budget, OverBudgetError
from docasm.contain import CONTAINERS
from docasm.errors import DocasmError, Problem, did_you_mean
from docasm.needs import needed, tested
from docasm.sandbox import SANDBOX, evaluator
from docasm.source import Source
from docasm.template import Assignment, Branch, Expression, Literal, Loop, Names, Node, Output, names_in
from docasm.template_check import check, instrument

MAX_COMPILED = 8_000
"""How many nodes the expressions of a file may hold, those that are only a name not counted."""
_COMPILING = 4
"""What compiling costs beside the nodes."""


def parse(source: Source) -> tuple[Node, ...]:
    """The template in a source; raises DocasmError for what is not Jinja2 or not allowed here."""
    if "{" not in source.text:
        return (Literal(source.text, 0),) if source.text else ()
    try:
        tree = Parser(SANDBOX, source.text).parse()
        check(tree, source)
        return _Reader(source, tuple(_tags(source.text))).body(tree.body)
    except TemplateSyntaxError as error:
        raise DocasmError([_syntax_problem(source, error)]) from None
    except OverBudgetError as error:
        raise DocasmError([source.problem_at("over-budget", str(error), 0, hint=_SHARE)]) from None
    except (RecursionError, MemoryError, SyntaxError):
        message = "the tags of this template nest too deep"
        raise DocasmError([source.problem("nested-too-deep", message, source.first_line)]) from None


_SHARE = "put parts of it into skills of their own"


def _tags(text: str) -> Iterator[int]:
    """The offset of each `{{` and `{%` that begins a tag."""
    before = ""
    for offset, kind, value in SANDBOX.lexer.tokeniter(text, None):
        if kind in (TOKEN_VARIABLE_BEGIN, TOKEN_BLOCK_BEGIN):
            yield offset
        if before == TOKEN_BLOCK_BEGIN and value == "print":
            raise TemplateSyntaxError("`print` is not part of a template here; write `{{ }}`", offset)
        before = before if kind == TOKEN_WHITESPACE else kind


def _look_up(name: str) -> Callable[[Names, Budget], Any]:
    def evaluate(names: Names, _: Budget) -> Any:
        return names[name] if name in names else StrictUndefined(name=name)

    return evaluate


def _syntax_problem(source: Source, error: TemplateSyntaxError) -> Problem:
    opening = _left_open(source.text) if (error.message or "").startswith(_NOT_CLOSED) else None
    if opening:
        offset, name = opening
        message, hint = f"`{{% {name} %}}` is not closed", f"close it with `{{% end{name} %}}`"
        return source.problem_at("template-syntax", message, offset, hint=hint)
    message = _AT_OFFSET.sub("", error.message or "not a template").partition(". ")[0].rstrip(".")
    unknown = _UNKNOWN_TAG.search(message)
    hint = did_you_mean(unknown[1], _TAGS, kind="tags") if unknown else _VERBATIM
    return source.problem_at("template-syntax", message, error.lineno, hint=hint)


_TAGS = ("elif", "else", "endfor", "endif", "for", "if", "raw", "set")
_UNKNOWN_TAG = re.compile(r"unknown tag '(\w+)'")
_NOT_CLOSED = "Unexpected end of template. Jinja was looking for"
_AT_OFFSET = re.compile(r" at \d+$")
_VERBATIM = "text in braces is a template here; `template: false` in the front matter inserts it as it is"


def _left_open(text: str) -> tuple[int, str] | None:
    """The innermost `if` or `for` that nothing ends."""
    opening: list[tuple[int, str]] = []
    start = 0
    before = ""
    for offset, kind, value in SANDBOX.lexer.tokeniter(text, None):
        if kind == TOKEN_WHITESPACE:
            continue
        if kind == TOKEN_NAME and before == TOKEN_BLOCK_BEGIN:
            if value in ("if", "for"):
                opening.append((start, value))
            elif value in ("endif", "endfor") and opening:
                opening.pop()
        start, before = offset, kind
    return opening[-1] if opening else None


@dataclass(slots=True)
class _Reader:
    """Turns Jinja2's tree into Nodes."""

    source: Source
    tags: Sequence[int]
    """Where the tags of the template begin, in order."""
    compiled: int = 0
    """What the expressions so far have cost."""

    def body(self, body: Sequence[nodes.Node]) -> tuple[Node, ...]:
        return tuple(node for each in body for node in self.read(each))

    def read(self, node: nodes.Node) -> Iterator[Node]:
        if isinstance(node, nodes.Output):
            for child in node.nodes:
                yield self.output(child)
        elif isinstance(node, nodes.If):
            yield self.branch([node, *node.elif_], node.else_)
        elif isinstance(node, nodes.For):
            yield self.loop(node)
        elif isinstance(node, nodes.Assign):
            yield Assignment(node.target, names_in(node.target), self.expression(node.node), self.tag(node))

    def output(self, child: nodes.Expr) -> Literal | Output:
        if isinstance(child, nodes.TemplateData):
            return Literal(child.data, child.lineno)
        offset, container, info = self.tag(child), None, ""
        if isinstance(child, nodes.Filter) and child.name in CONTAINERS and child.node is not None:
            container = child.name
            info = str(child.args[0].as_const()) if child.args else ""
            child = child.node
        return Output(self.expression(child), offset, container, info, isinstance(child, nodes.Name))

    def branch(self, tests: Sequence[nodes.If], otherwise: Sequence[nodes.Node]) -> Branch:
        first, *rest = tests
        then = self.body(first.body)
        other = (self.branch(rest, otherwise),) if rest else self.body(otherwise)
        return Branch(self.expression(first.test), then, other, self.tag(first))

    def loop(self, node: nodes.For) -> Loop:
        condition = self.expression(node.test) if node.test else None
        body, otherwise = self.body(node.body), self.body(node.else_)
        return Loop(node.target, self.expression(node.iter), condition, body, otherwise, self.tag(node))

    def expression(self, node: nodes.Node) -> Expression:
        assert isinstance(node, nodes.Expr)
        names = names_in(node) - SANDBOX.globals.keys()
        if isinstance(node, nodes.Name):
            return Expression(_look_up(node.name), names, names, frozenset(), 2)
        cost = 1 + sum(1 for _ in node.find_all(nodes.Node))
        self.compiled += _COMPILING + cost
        if self.compiled > MAX_COMPILED:
            message = "the expressions of this file are too many, or too long, to be compiled"
            raise DocasmError([self.source.problem_at("over-budget", message, self.tag(node), hint=_SHARE)])
        needs = needed(node) & names
        return Expression(evaluator(instrument(node), names), names, needs, tested(node), cost)

    def tag(self, node: nodes.Node) -> int:
        """The offset of the tag in which a node stands."""
        return self.tags[bisect_right(self.tags, node.lineno) - 1]
