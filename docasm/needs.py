"""The variables that a template fails without, which are not all that it asks for."""

from collections.abc import Iterator, Sequence

from jinja2 import nodes

from docasm.template import Assignment, Branch, Literal, Loop, Node, Tag, names_in

_TESTS = ("defined", "undefined")


def tested(expression: nodes.Node) -> frozenset[str]:
    """The names of which an expression asks whether they are defined."""
    tests = [each for each in _nodes(expression) if isinstance(each, nodes.Test) and each.name in _TESTS]
    return frozenset(test.node.name for test in tests if isinstance(test.node, nodes.Name))


def needed(expression: nodes.Node) -> frozenset[str]:
    """The names without which an expression fails: not those it tests, or has a default for."""
    names = {each.name for each in _nodes(expression) if isinstance(each, nodes.Name)}
    return frozenset(names) - tested(expression)


def needed_names(template: Sequence[Node]) -> frozenset[str]:
    """The names without which a template fails; what a `{% set %}` makes counts where it is used."""
    found: frozenset[str] = frozenset()
    for node in reversed(template):
        if isinstance(node, Assignment):
            if node.binds & found:
                found = (found - node.binds) | node.expression.needs
        elif not isinstance(node, Literal):
            found |= _needed_by(node)
    return found


def _needed_by(tag: Tag) -> frozenset[str]:
    test = tag.decided_by
    if isinstance(tag, Branch):
        return test.needs | (needed_names(tag.then) | needed_names(tag.otherwise)) - test.tested
    if isinstance(tag, Loop):
        inner = needed_names(tag.body) | (tag.condition.needs if tag.condition else frozenset())
        return test.needs | (inner - names_in(tag.target) - {"loop"}) | needed_names(tag.otherwise)
    return test.needs


def _nodes(expression: nodes.Node) -> Iterator[nodes.Node]:
    """An expression and all in it, but for a name that stands before `| default`."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        yield node
        left_out = node.node if isinstance(node, nodes.Filter) and node.name == "default" else None
        inner = node.iter_child_nodes()
        waiting += [each for each in inner if each is not left_out or not isinstance(each, nodes.Name)]
