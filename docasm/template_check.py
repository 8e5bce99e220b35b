"""Which parts of Jinja2 a template may use, and the account that its expressions keep."""

import re
from collections.abc import Iterator

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from docasm.contain import CONTAINERS
from docasm.errors import DocasmError, did_you_mean
from docasm.filters import FILTERS
from docasm.sandbox import METHODS
from docasm.settings import MAX_NESTING
from docasm.source import Source

TESTS = frozenset(
    (
        "boolean",
        "defined",
        "divisibleby",
        "even",
        "false",
        "float",
        "integer",
        "iterable",
        "mapping",
        "none",
        "number",
        "odd",
        "sequence",
        "string",
        "true",
        "undefined",
    )
)
_FILTER_NAMES = FILTERS.keys() | CONTAINERS.keys()
_STATEMENTS = (nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.Assign)
_EXPRESSIONS = (
    nodes.Name,
    nodes.NSRef,
    nodes.Literal,
    nodes.Pair,
    nodes.Keyword,
    nodes.CondExpr,
    nodes.Filter,
    nodes.Test,
    nodes.Call,
    nodes.Getattr,
    nodes.Getitem,
    nodes.Slice,
    nodes.Concat,
    nodes.Compare,
    nodes.Operand,
    nodes.BinExpr,
    nodes.UnaryExpr,
)
_SILENT = (nodes.Scope,)
"""What Jinja2 puts around a statement that is refused itself."""
_INSTEAD: dict[type[nodes.Node], str] = {
    nodes.Include: "include a skill with `<<NAME>>`",
    nodes.Extends: "include a skill with `<<NAME>>`",
    nodes.Import: "include a skill with `<<NAME>>`",
    nodes.FromImport: "include a skill with `<<NAME>>`",
    nodes.Macro: "put the text in a skill of its own and include it with `<<NAME>>`",
    nodes.Block: "include a skill with `<<NAME>>`",
}


_WORD = re.compile(r"\w+")


def check(tree: nodes.Template, source: Source) -> None:
    """Raises DocasmError with everything in a template that docasm's templates do not have."""
    found = list(_nodes(tree, source))
    ends = {id(child) for node in found if isinstance(node, nodes.Output) for child in node.nodes}
    problems = [
        source.problem_at(code, message, _offset(node), hint=hint)
        for node in found
        for code, message, hint in (*_faults(node, source), *_misplaced(node, ends))
    ]
    if problems:
        raise DocasmError(problems)


def _offset(node: nodes.Node) -> int:
    """Where a node stands in the text; an attribute is behind its dot."""
    return (node.lineno or 0) + isinstance(node, nodes.Getattr)


def _nodes(tree: nodes.Node, source: Source) -> Iterator[nodes.Node]:
    """All nodes, in the order of the file; raises DocasmError where they nest too deep to be carried out."""
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_NESTING:
            message = f"this template nests more than {MAX_NESTING} deep here"
            raise DocasmError([source.problem_at("nested-too-deep", message, node.lineno or 0, hint=_SPLIT)])
        yield node
        depth += len(node.elif_) if isinstance(node, nodes.If) else 0
        waiting += [(child, depth + 1) for child in reversed(list(node.iter_child_nodes()))]


_SPLIT = "give parts of it names with `{% set %}`, or put them into skills of their own"


def _misplaced(node: nodes.Node, ends: set[int]) -> Iterator[tuple[str, str, str]]:
    if isinstance(node, nodes.Filter) and node.name in CONTAINERS:
        if id(node) not in ends:
            message = f"`| {node.name}` must be the last thing in its `{{{{ }}}}`"
            yield "template-syntax", message, "move it to the end"
        elif not _may_take(node):
            hint = 'only `fence` takes something: a text of one line without backticks, as in `fence("json")`'
            yield "template-syntax", f"`| {node.name}` cannot take this", hint


def _faults(node: nodes.Node, source: Source) -> Iterator[tuple[str, str, str]]:
    """The code, message and hint of each thing wrong with one node."""
    if not isinstance(node, _STATEMENTS + _EXPRESSIONS + _SILENT) or isinstance(node, nodes.NSRef):
        name = type(node).__name__.lower()
        if isinstance(node, nodes.Stmt) and (word := _WORD.match(source.text, node.lineno or 0)):
            name = word[0]
        if isinstance(node, nodes.NSRef):
            name = f"{node.name}.{node.attr}"
        hint = _INSTEAD.get(type(node), "a template has `if`, `for`, `set` and `{{ }}`")
        yield "template-not-allowed", f"`{name}` is not part of a template here", hint
    elif isinstance(node, nodes.For) and node.recursive:
        yield "template-not-allowed", "a recursive loop is not part of a template here", ""
    elif isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
        yield (
            "forbidden-attribute",
            f"the attribute `{node.attr}` is forbidden",
            "use names without `_` in front",
        )
    elif isinstance(node, nodes.Filter) and node.name not in _FILTER_NAMES:
        hint = did_you_mean(node.name, _FILTER_NAMES, kind="filters")
        yield "unknown-filter", f"there is no filter `{node.name}`", hint
    elif isinstance(node, nodes.Test) and node.name not in TESTS:
        yield (
            "unknown-filter",
            f"there is no test `{node.name}`",
            did_you_mean(node.name, TESTS, kind="tests"),
        )
    elif isinstance(node, nodes.Call) and not _may_be_called(node):
        methods = ", ".join(f"`{name}`" for name in sorted(METHODS))
        yield (
            "template-not-allowed",
            "this cannot be called from a template",
            f"`range`, or a method: {methods}",
        )


def _may_take(each: nodes.Filter) -> bool:
    """Only `fence` takes an argument: an info string, which must not keep its line from opening a fence."""
    if each.kwargs or each.dyn_args is not None or each.dyn_kwargs is not None:
        return False
    info = [arg.value if isinstance(arg, nodes.Const) else None for arg in each.args]
    return not info or (each.name == "fence" and len(info) == 1 and _is_info(info[0]))


def _is_info(value: object) -> bool:
    return isinstance(value, str) and not any(character in value for character in "`\n\r")


def _may_be_called(call: nodes.Call) -> bool:
    callee = call.node
    if call.dyn_args is not None or call.dyn_kwargs is not None:
        return False
    if isinstance(callee, nodes.Name):
        return callee.name == "range"
    return isinstance(callee, nodes.Getattr) and callee.attr in METHODS


class _Account(NodeTransformer):
    """Puts a price on what Jinja2 does by itself: `~`, slices, and comparisons of long texts."""

    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:  # noqa: N802
        parts = nodes.List([self.visit(part) for part in node.nodes], lineno=node.lineno)
        return _filter(parts, "concatenate")

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        return _filter(node, "weigh") if isinstance(node.arg, nodes.Slice) else node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Compare:  # noqa: N802
        self.generic_visit(node)
        node.expr = _filter(node.expr, "weigh_items")
        return node

    def visit_Operand(self, node: nodes.Operand) -> nodes.Operand:  # noqa: N802
        self.generic_visit(node)
        node.expr = _filter(node.expr, "weigh_items")
        return node


def _filter(node: nodes.Expr, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def instrument(expression: nodes.Expr) -> nodes.Expr:
    """The same expression, paying for what it does."""
    instrumented = _Account().visit(expression)
    assert isinstance(instrumented, nodes.Expr)
    return instrumented
