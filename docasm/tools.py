"""Tools: read from the shapes that SDKs and servers use, told in one line each, chosen by name."""

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from docasm.errors import DocasmError, Problem, did_you_mean, failure
from docasm.json_values import check_json, dumped, nesting_exceeds
from docasm.settings import MAX_NESTING, Setting

ALL = "all"
"""Stands for every tool of a bundle where a list of names is expected."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,127}")
_SHAPES = (
    "expected a tool as OpenAI (`function`, or `type: function` with `parameters`), "
    "Anthropic (`input_schema`) or MCP (`inputSchema`) write it"
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call."""

    name: str
    """Letters, digits, `_`, `.` and `-`; 1-128 of them, the first a letter or `_`."""
    description: str
    """What the tool is for, as its maker wrote it: of any length, and not to be trusted."""
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments: an object schema, with `properties`."""
    strict: bool | None = None
    """Whether arguments must follow the schema to the letter; None where the source does not say."""


def read_tools(values: object, settings: Sequence[Setting] = ()) -> tuple[Tool, ...]:
    """The tools of a list, of an MCP `tools/list` result (bare or in its JSON-RPC envelope), or of one tool.

    Each is what `read_tool` takes; `settings` are where they stand in a file, if they do. Raises DocasmError
    with every problem of every tool.
    """
    tools: dict[str, Tool] = {}
    first: dict[str, int] = {}
    problems: list[Problem] = []
    for index, value in enumerate(_items(values)):
        try:
            tool = _read(value, f"tools[{index}]")
        except DocasmError as error:
            problems += [_placed(problem, settings[index : index + 1]) for problem in error.problems]
            continue
        if tools.setdefault(tool.name, tool) is not tool:
            message = f"tools[{index}] has the name `{tool.name}` of tools[{first[tool.name]}]"
            problem = Problem("duplicate-tool", message, hint="remove one of them, or rename it")
            problems.append(_placed(problem, settings[index : index + 1]))
        first.setdefault(tool.name, index)
    if problems:
        raise DocasmError(problems)
    return tuple(tools.values())


def _placed(problem: Problem, settings: Sequence[Setting]) -> Problem:
    for setting in settings:
        return setting.problem(problem.code, problem.message, hint=problem.hint)
    return problem


def read_tool(value: object) -> Tool:
    """The Tool of a mapping as OpenAI, Anthropic or MCP write it, or of an SDK's object with `model_dump`.

    A Tool is checked and copied. Raises DocasmError.
    """
    return _read(value, "the tool")


def summary(tools: Iterable[Tool]) -> str:
    """A Markdown list, one line a tool: its name and its description's first paragraph; "" for no tools."""
    return "\n".join(_line(tool) for tool in tools)


def choose(tools: Sequence[Tool], wanted: Iterable[Sequence[str]]) -> tuple[Tool, ...]:
    """The tools that lists of names, or the text "all", ask for; of each the first occurrence counts.

    "all" is every one of `tools`, in their order. Raises DocasmError with every name that no tool has.
    """
    known = {tool.name: tool for tool in tools}
    names = dict.fromkeys(name for each in wanted for name in _names(each, known))
    hints = {name: did_you_mean(name, known, kind="tools") for name in names if name not in known}
    if hints:
        raise DocasmError(
            Problem("unknown-tool", f"there is no tool `{name}`", hint=hint) for name, hint in hints.items()
        )
    return tuple(known[name] for name in names)


def _line(tool: Tool) -> str:
    text = _first_paragraph(tool.description)
    return f"- `{tool.name}` — {text}" if text else f"- `{tool.name}`"


def _first_paragraph(text: str) -> str:
    """As one line. What ends a line for `splitlines` is white space for `split`, so none is left."""
    words: list[str] = []
    for line in text.splitlines():
        found = line.split()
        if words and not found:
            break
        words += found
    return " ".join(words)


def _names(wanted: Sequence[str], known: Iterable[str]) -> Iterable[str]:
    if isinstance(wanted, str):
        return known if wanted == ALL else (wanted,)
    return wanted


def _items(values: object) -> Iterable[object]:
    values = dumped(values)
    if isinstance(values, Mapping):
        result = values.get("result")
        page = result if isinstance(result, Mapping) else values
        values = page.get("tools", (page,))
    if isinstance(values, Tool):
        return (values,)
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise failure("bad-tool", f"tools are a list, not {type(values).__name__}", hint=_SHAPES)
    return values


def _read(value: object, where: str) -> Tool:
    if isinstance(value, Tool):
        value = {each: getattr(value, each) for each in ("name", "description", "parameters", "strict")}
    value = dumped(value)
    if nesting_exceeds(value, MAX_NESTING):
        hint = "flatten the schema, for instance with `$defs`"
        raise failure("nested-too-deep", f"{where} nests more than {MAX_NESTING} deep", hint=hint)
    body, schema_key = _body(value, where)
    name = _tool_name(body.get("name"), where)
    where = f"{where} (`{name}`)"
    description = body.get("description") or (body.get("title") if schema_key == "inputSchema" else None)
    strict = body.get("strict")
    if not isinstance(description, str | None):
        raise _bad(where, "`description` must be text")
    if not isinstance(strict, bool | None):
        raise _bad(where, "`strict` must be true or false")
    tool = Tool(name, description or "", _schema(body.get(schema_key), where, schema_key), strict)
    check_json([tool.description, tool.parameters], where, "bad-tool")
    return tool


def _body(value: object, where: str) -> tuple[Mapping[str, Any], str]:
    """The mapping with the tool's name, and its key for the schema."""
    if isinstance(value, Mapping):
        if "function" in value and isinstance(value["function"], Mapping):
            return value["function"], "parameters"
        for key in ("input_schema", "inputSchema"):
            if key in value:
                return value, key
        is_flat = value.get("type", "function" if "parameters" in value else None) == "function"
        if is_flat and "function" not in value:
            return value, "parameters"
    raise _bad(where, f"this {type(value).__name__} has the shape of no known tool")


def _tool_name(name: object, where: str) -> str:
    if name is None or name == "":
        raise failure("tool-without-name", f"{where} has no name", hint="give it a `name`")
    if not isinstance(name, str):
        raise _bad(where, f"`name` must be text, not {type(name).__name__}")
    if not _NAME.fullmatch(name):
        hint = "use 1-128 of A-Z a-z 0-9 `_` `.` `-`, starting with a letter or `_`"
        raise failure("bad-tool-name", f"{where} cannot be called {name[:130]!r}", hint=hint)
    return name


def _schema(value: object, where: str, key: str) -> dict[str, Any]:
    """A copy that APIs accept: OpenAI wants `properties` even where there are none, none wants `$schema`."""
    if not isinstance(value, Mapping | None):
        raise _bad(where, f"`{key}` must be a JSON Schema, not {type(value).__name__}")
    schema = {each: deepcopy(child) for each, child in (value or {}).items() if each != "$schema"}
    if schema.setdefault("type", "object") != "object":
        raise _bad(where, f"`{key}` must have the type `object`, because arguments have names")
    if not isinstance(schema.setdefault("properties", {}), Mapping):
        raise _bad(where, f"`properties` in `{key}` must map names to schemas")
    return schema


def _bad(where: str, message: str) -> DocasmError:
    return failure("bad-tool", f"{where}: {message}", hint=_SHAPES)
