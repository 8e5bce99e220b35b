"""Which parts of Jinja2 a template may use, and the account that its expressions keep."""

from collections.abc import Iterator

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from docasm.contain import CONTAINERS
from docasm.errors import DocasmError, Problem, did_you_mean
from docasm.sandbox import FILTERS, METHODS
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
_OWN_FILTERS = frozenset(("concatenate", "weigh"))
_FILTER_NAMES = (FILTERS.keys() - _OWN_FILTERS) | CONTAINERS.keys()
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
_INSTEAD: dict[type[nodes.Node], str] = {
    nodes.Include: "include a skill with `<<NAME>>`",
    nodes.Extends: "include a skill with `<<NAME>>`",
    nodes.Import: "include a skill with `<<NAME>>`",
    nodes.FromImport: "include a skill with `<<NAME>>`",
    nodes.Macro: "put the text in a skill of its own and include it with `<<NAME>>`",
    nodes.Block: "include a skill with `<<NAME>>`",
}


def check(tree: nodes.Template, source: Source) -> None:
    """Raises DocasmError with everything in a template that docasm's templates do not have."""
    problems = [_problem(source, node, *found) for node in _nodes(tree) for found in _faults(node)]
    ends = {id(child) for output in tree.find_all(nodes.Output) for child in output.nodes}
    for each in tree.find_all(nodes.Filter):
        if each.name in CONTAINERS and id(each) not in ends:
            message = f"`| {each.name}` must be the last thing in its `{{{{ }}}}`"
            problems.append(_problem(source, each, "template-syntax", message, "move it to the end"))
    if problems:
        raise DocasmError(problems)


def _nodes(tree: nodes.Node) -> Iterator[nodes.Node]:
    yield tree
    yield from tree.find_all(nodes.Node)


def _faults(node: nodes.Node) -> Iterator[tuple[str, str, str]]:
    """The code, message and hint of each thing wrong with one node."""
    if not isinstance(node, _STATEMENTS + _EXPRESSIONS) or isinstance(node, nodes.NSRef):
        name = type(node).__name__.lower()
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


def _may_be_called(call: nodes.Call) -> bool:
    callee = call.node
    if call.dyn_args is not None or call.dyn_kwargs is not None:
        return False
    if isinstance(callee, nodes.Name):
        return callee.name == "range"
    return isinstance(callee, nodes.Getattr) and callee.attr in METHODS


def _problem(source: Source, node: nodes.Node, code: str, message: str, hint: str) -> Problem:
    line = source.first_line + node.lineno - 1
    text = source.text.split("\n")[node.lineno - 1]
    columns = [text.find(mark) for mark in ("{{", "{%") if mark in text]
    return source.problem(code, message, line, min(columns, default=0) + 1, hint=hint)


class _Account(NodeTransformer):
    """Puts a price on what Jinja2 does by itself: `~`, slices, and comparisons of long texts."""

    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:  # noqa: N802
        parts = nodes.List([self.visit(part) for part in node.nodes], lineno=node.lineno)
        return _filter(parts, "concatenate")

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Expr:  # noqa: N802
        self.generic_visit(node)
        return _filter(node, "weigh") if isinstance(node.arg, nodes.Slice) else node

    def visit_Operand(self, node: nodes.Operand) -> nodes.Operand:  # noqa: N802
        self.generic_visit(node)
        node.expr = _filter(node.expr, "weigh")
        return node


def _filter(node: nodes.Expr, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def instrument(expression: nodes.Expr) -> nodes.Expr:
    """The same expression, paying for what it does."""
    instrumented = _Account().visit(expression)
    assert isinstance(instrumented, nodes.Expr)
    return instrumented
