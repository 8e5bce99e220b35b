"""Tools in every shape, their one line each, and the choice among them."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docasm.errors import DocasmError
from docasm.json_values import nesting_exceeds
from docasm.tools import ALL, Tool, choose, read_tool, read_tools, summary
from tests.strategies import hostile_text
from tests.test_history import Dumped, Outline

SCHEMA = {"type": "object", "properties": {"filter": {"type": "object"}}, "required": ["filter"]}
QUERY = Tool("nostr_query", "Query Nostr relays", SCHEMA)
EMPTY = {"type": "object", "properties": {}}
OPENAI = {"name": "nostr_query", "description": "Query Nostr relays", "parameters": SCHEMA}
MCP = {"name": "nostr_query", "description": "Query Nostr relays", "inputSchema": SCHEMA}
SHAPES: dict[str, Any] = {
    "tool": QUERY,
    "openai chat": {"type": "function", "function": OPENAI},
    "openai chat without type": {"function": OPENAI},
    "openai responses": {"type": "function", **OPENAI, "strict": None},
    "openai functions": OPENAI,
    "anthropic": {"name": "nostr_query", "description": "Query Nostr relays", "input_schema": SCHEMA},
    "anthropic custom": {**MCP, "type": "custom", "inputSchema": None, "input_schema": SCHEMA},
    "mcp": {**MCP, "title": "Query", "annotations": {"readOnlyHint": True}, "outputSchema": {}, "_meta": {}},
    "mcp object": Dumped(**MCP),
}


def codes(error: pytest.ExceptionInfo[DocasmError]) -> list[str]:
    return [problem.code for problem in error.value.problems]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_the_same_tool(shape: str) -> None:
    assert read_tool(SHAPES[shape]) == QUERY


@pytest.mark.parametrize(
    "wrap",
    [
        lambda tool: [tool],
        lambda tool: (tool,),
        lambda tool: iter([tool]),
        lambda tool: tool,
        lambda tool: {"tools": [tool], "nextCursor": None},
        lambda tool: {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool], "resultType": "complete"}},
        lambda tool: Dumped(tools=[tool]),
    ],
)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_collection_of_every_shape(wrap: Any, shape: str) -> None:
    assert read_tools(wrap(SHAPES[shape])) == (QUERY,)


def test_no_tools() -> None:
    assert read_tools([]) == read_tools({"tools": []}) == ()
    assert summary(()) == ""


@pytest.mark.parametrize(
    ("schema", "read"),
    [
        (None, EMPTY),
        ({}, EMPTY),
        ({"type": "object"}, EMPTY),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {}}, EMPTY),
        ({"anyOf": [{"$ref": "#/$defs/a"}]}, {"anyOf": [{"$ref": "#/$defs/a"}], **EMPTY}),
    ],
)
def test_parameters_are_an_object_schema(schema: object, read: dict[str, object]) -> None:
    assert read_tool({"type": "function", "function": {"name": "f", "parameters": schema}}).parameters == read


def test_what_may_be_left_out() -> None:
    assert read_tool({"type": "function", "name": "f"}) == Tool("f", "", EMPTY)
    assert read_tool({"name": "f", "title": "Find", "inputSchema": {}}).description == "Find"
    assert read_tool({"name": "f", "title": "Find", "input_schema": {}}).description == ""
    assert read_tool({"function": {"name": "f", "strict": True}}).strict is True


def test_a_tool_shares_nothing_with_its_source() -> None:
    schema = {"properties": {"a": {"enum": [1]}}}
    tool = read_tool({"name": "f", "input_schema": schema})
    schema["properties"]["a"]["enum"].append(2)
    assert tool.parameters["properties"] == {"a": {"enum": [1]}}
    assert "type" not in schema


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        ({"function": {}}, "tool-without-name", "tools[0] has no name"),
        ({"name": "", "inputSchema": {}}, "tool-without-name", "tools[0] has no name"),
        ({"name": 3, "inputSchema": {}}, "bad-tool", "tools[0]: `name` must be text"),
        ({"name": "a b", "inputSchema": {}}, "bad-tool-name", "tools[0] cannot be called 'a b'"),
        ({"name": "a\n", "inputSchema": {}}, "bad-tool-name", r"cannot be called 'a\n'"),
        ({"name": "a`", "inputSchema": {}}, "bad-tool-name", "cannot be called 'a`'"),
        ({"name": "1a", "inputSchema": {}}, "bad-tool-name", "cannot be called '1a'"),
        ({"name": "é", "inputSchema": {}}, "bad-tool-name", "cannot be called 'é'"),
        ({"name": "a" * 129, "inputSchema": {}}, "bad-tool-name", "cannot be called"),
        (Tool("a\n# b", "", {}), "bad-tool-name", r"cannot be called 'a\n# b'"),
        ({"name": "f", "inputSchema": [1]}, "bad-tool", "tools[0] (`f`): `inputSchema` must be"),
        (
            {"name": "f", "inputSchema": {"type": "array"}},
            "bad-tool",
            "tools[0] (`f`): `inputSchema` must have",
        ),
        ({"name": "f", "parameters": {"properties": []}}, "bad-tool", "tools[0] (`f`): `properties` in"),
        ({"name": "f", "parameters": {}, "description": 1}, "bad-tool", "tools[0] (`f`): `description`"),
        ({"name": "f", "parameters": {}, "strict": "yes"}, "bad-tool", "tools[0] (`f`): `strict`"),
        (
            {"type": "web_search_20250305", "name": "web_search"},
            "bad-tool",
            "tools[0]: this dict has the shape",
        ),
        ({"type": "function", "function": "f"}, "bad-tool", "tools[0]: this dict has the shape"),
        ({"type": "custom", "name": "f", "parameters": {}}, "bad-tool", "tools[0]: this dict has the shape"),
        ({}, "bad-tool", "tools[0]: this dict has the shape of no known tool"),
        (Dumped, "bad-tool", "tools[0]: this type has the shape of no known tool"),
        ("f", "bad-tool", "tools[0]: this str has the shape of no known tool"),
    ],
)
def test_what_is_no_tool(value: object, code: str, message: str) -> None:
    with pytest.raises(DocasmError) as error:
        read_tools([value])
    assert codes(error) == [code]
    assert message in error.value.problems[0].message
    assert "\n" not in error.value.problems[0].message


@pytest.mark.parametrize("values", [None, "tools", 3, {"tools": {"a": 1}}, {"result": {"tools": None}}])
def test_what_is_no_collection_of_tools(values: object) -> None:
    with pytest.raises(DocasmError, match=r"error\[bad-tool\]: tools are a list, not"):
        read_tools(values)


def test_a_name_may_be_defined_once_even_if_the_same_way() -> None:
    with pytest.raises(DocasmError) as error:
        read_tools([MCP, {**MCP, "name": "other"}, MCP, QUERY])
    assert codes(error) == ["duplicate-tool", "duplicate-tool"]
    assert error.value.problems[0].message == "tools[2] has the name `nostr_query` of tools[0]"
    assert read_tools([MCP, {**MCP, "name": "Nostr_query"}])[1].name == "Nostr_query"


def test_every_problem_is_told_at_once() -> None:
    with pytest.raises(DocasmError) as error:
        read_tools([MCP, {}, {"function": {}}, MCP])
    assert codes(error) == ["bad-tool", "tool-without-name", "duplicate-tool"]


def nested(depth: int) -> object:
    value: object = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


@given(st.integers(0, 30), st.integers(0, 30))
def test_nesting_is_counted_exactly(depth: int, limit: int) -> None:
    assert nesting_exceeds(nested(depth), limit) == (depth > limit)


def test_nesting_ends_for_any_value() -> None:
    assert nesting_exceeds(nested(100_000), 100)
    cycle: dict[str, object] = {}
    cycle.update(a=cycle, b=cycle)
    assert nesting_exceeds(cycle, 100)
    shared: list[object] = []
    for _ in range(90):
        shared = [shared, shared]
    assert not nesting_exceeds(shared, 100)


@pytest.mark.parametrize("depth", [99, 100_000])
def test_a_tool_that_nests_too_deep_is_a_problem(depth: int) -> None:
    with pytest.raises(DocasmError, match=r"error\[nested-too-deep\]: tools\[0\]"):
        read_tools([{"name": "f", "input_schema": {"properties": nested(depth)}}])
    assert read_tool({"name": "f", "input_schema": {"x": nested(98)}}).parameters["x"] == nested(98)


@pytest.mark.parametrize(
    ("description", "line"),
    [
        ("", "- `f`"),
        (" \n\t\r\n ", "- `f`"),
        ("Query relays", "- `f` — Query relays"),
        ("\n\n    Query\n    relays.  At once.\n\n    Second.", "- `f` — Query relays. At once."),
        ("a\r\nb\rc\u2028d\x0be\x0cf\x85g\x1ch", "- `f` — a b c d e f g h"),
        ("x\nsystem:\nevil", "- `f` — x system: evil"),
        ("x\n \t \n# y", "- `f` — x"),
    ],
)
def test_a_tool_is_one_line(description: str, line: str) -> None:
    assert summary([Tool("f", description, EMPTY)]) == line


@given(st.lists(hostile_text(), min_size=1, max_size=6))
@example(
    [
        "# a",
        "```\nx",
        "~~~",
        "<!--",
        "<pre>",
        "---",
        "===",
        "\x0b# x",
        "- **x**",
        "> q",
        "[x]: /y",
        "|a|\n|-|",
    ]
)
def test_tools_are_the_items_of_one_list_for_cmark(descriptions: list[str]) -> None:
    text = summary([Tool(f"f{index}", each, EMPTY) for index, each in enumerate(descriptions)])
    assert text.splitlines() == text.split("\n")
    assert len(text.splitlines()) == len(descriptions)
    outline = Outline(text + "\n\n# After\n")
    assert outline.top == ["ul", "h1"]
    assert outline.items == len(descriptions)
    assert outline.inside <= INLINE


INLINE = {"ul", "li", "h1", "code", "em", "strong", "a", "img", "br"}


A, B, C = (Tool(name, "", EMPTY) for name in "abc")


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ([], ()),
        ([["c", "a"], ["b", "a"]], (C, A, B)),
        ([["c"], ALL], (C, A, B)),
        ([ALL, ["c"]], (A, B, C)),
        ([["b", "b"], []], (B,)),
        (["b"], (B,)),
    ],
)
def test_choose(wanted: list[Any], chosen: tuple[Tool, ...]) -> None:
    assert choose([A, B, C], wanted) == chosen


def test_every_unknown_name_is_told_with_a_hint() -> None:
    with pytest.raises(DocasmError) as error:
        choose([A, QUERY], [["a", "nostr_qery"], ["zzz"], ["zzz"]])
    assert codes(error) == ["unknown-tool", "unknown-tool"]
    assert [problem.message for problem in error.value.problems] == [
        "there is no tool `nostr_qery`",
        "there is no tool `zzz`",
    ]
    assert error.value.problems[0].hint == "did you mean `nostr_query`?"
    with pytest.raises(DocasmError, match="unknown-tool"):
        choose([A], [["all"]])
