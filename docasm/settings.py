"""YAML and JSON values that know where they stand in their file."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from docasm.errors import DocasmError, Place, Problem
from docasm.source import Source

MAX_NESTING = 100
"""How deep YAML and JSON may nest."""
ALIAS_FACTOR = 10
"""How many times its own size a document may grow when its aliases are written out."""

_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _CoreSchemaLoader(_SafeLoader):  # type: ignore[misc]
    """YAML 1.2's core schema: `on`, `12:30` and `2026-11-30` stay text, unlike in PyYAML's YAML 1.1."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012


_NULL, _BOOL, _INT, _FLOAT = (f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float"))
_TEXT = "tag:yaml.org,2002:str"
_CORE_SCHEMA = (
    (_NULL, r"(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    (_BOOL, r"(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    (_INT, r"[-+]?[0-9]+$", list("-+0123456789")),
    (_FLOAT, r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", list("-+.0123456789")),
)
for _tag, _pattern, _first in _CORE_SCHEMA:
    _CoreSchemaLoader.add_implicit_resolver(_tag, re.compile(_pattern), _first)

_SCALARS: dict[str, Callable[[str], Any]] = {
    _NULL: lambda _: None,
    _BOOL: lambda text: text.lower() == "true",
    _INT: int,
    _FLOAT: float,
    _TEXT: str,
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A value of a YAML or JSON file: null, bool, int, float, text, a list or a mapping."""

    value: Any
    """A scalar, a list of Setting, or a dict of text to Setting."""
    source: Source
    line: int
    column: int
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The line and column of each key of a mapping."""

    def plain(self) -> Any:
        """The value as ordinary Python objects."""
        if isinstance(self.value, list):
            return [item.plain() for item in self.value]
        if isinstance(self.value, dict):
            return {key: item.plain() for key, item in self.value.items()}
        return self.value

    @property
    def place(self) -> Place:
        return Place(self.source.path, self.line, self.column)

    def problem(self, code: str, message: str, *, hint: str = "", severity: str = "error") -> Problem:
        return self.source.problem(code, message, self.line, self.column, hint=hint, severity=severity)

    def key_problem(
        self, code: str, message: str, key: str, *, hint: str = "", severity: str = "error"
    ) -> Problem:
        line, column = self.keys[key]
        return self.source.problem(code, message, line, column, hint=hint, severity=severity)


def parse_settings(source: Source) -> Setting:
    """The one YAML document of a source (JSON is YAML); an empty one is null; raises DocasmError."""
    try:
        shape = _measure(source)
        node = _CoreSchemaLoader(source.text).get_single_node()
    except yaml.YAMLError as error:
        raise DocasmError([_yaml_problem(source, error)]) from None
    except UnicodeEncodeError as error:
        message = f"this is a lone surrogate, U+{ord(source.text[error.start]):04X}, which is no text"
        raise DocasmError([source.problem_at("lone-surrogate", message, error.start)]) from None
    if node is None:
        return Setting(None, source, source.first_line, 1)
    return _Builder(source, budget=ALIAS_FACTOR * shape + 1000).build(node)


def _measure(source: Source) -> int:
    """How many nodes the text itself holds; raises DocasmError where they nest too deep."""
    depth = count = 0
    for event in yaml.parse(source.text, Loader=_CoreSchemaLoader):
        count += isinstance(event, yaml.NodeEvent)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_NESTING:
            raise DocasmError([_at(source, event.start_mark, "nested-too-deep", _TOO_DEEP, _FLATTEN)])
    return count


_TOO_DEEP = f"this nests more than {MAX_NESTING} deep"
_FLATTEN = "flatten the value, or keep it as text"


def _at(source: Source, mark: Any, code: str, message: str, hint: str = "") -> Problem:
    """By the index of a mark, for YAML ends lines at more than LF."""
    return source.problem_at(code, message, mark.index, hint=hint)


def _yaml_problem(source: Source, error: yaml.YAMLError) -> Problem:
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        character = getattr(error, "character", None)
        position = source.text.find(chr(character)) if isinstance(character, int) else 0
        hint = "write it as an escape in a quoted text, or remove it"
        return source.problem_at("yaml-syntax", "this character may not stand in YAML", position, hint=hint)
    problem, mark = str(error.problem), error.problem_mark
    if "maximum nesting" in problem:
        return _at(source, mark, "nested-too-deep", _TOO_DEEP, _FLATTEN)
    if "end of stream" in problem and error.context_mark:
        mark = error.context_mark  # what is not ended starts there
    message = ", ".join(filter(None, (error.context, problem)))
    hint = next((hint for part, hint in _HINTS.items() if part in problem), "")
    return _at(source, mark, "yaml-syntax", f"YAML: {message}", hint)


_HINTS = {
    "mapping values are not allowed": "put quotes around a text that holds `: `",
    "cannot start any token": "put quotes around a text that starts with this character; indent with spaces",
    "end of stream": "end it with the same quote or bracket that it starts with",
    "another document": "a file holds one document: remove the line `---`",
    "expected key": "keys of one mapping start at the same column; quotes and brackets must end",
    "undefined alias": "define it with `&` before, or put the text in quotes",
    "expected ',' or": "put commas between items, and end the list or mapping",
}


@dataclass(slots=True)
class _Builder:
    """Turns YAML nodes into Settings, within a budget of nodes that aliases spend again and again."""

    source: Source
    budget: int
    open: list[Any] = field(default_factory=list)

    def build(self, node: Any) -> Setting:
        self.budget -= 1
        if self.budget < 0 or any(node is each for each in self.open):
            message = "the aliases of this file write out to far more than the file holds"
            raise self.error(node, "alias-bomb", message, "write the values out, or use fewer aliases")
        if isinstance(node, yaml.ScalarNode):
            return self.setting(node, self.scalar(node))
        if len(self.open) == MAX_NESTING:
            raise self.error(node, "nested-too-deep", _TOO_DEEP, _FLATTEN)
        self.open.append(node)
        is_list = isinstance(node, yaml.SequenceNode)
        setting = self.sequence(node) if is_list else self.mapping(node)
        self.open.pop()
        return setting

    def setting(self, node: Any, value: Any, keys: dict[str, tuple[int, int]] | None = None) -> Setting:
        return Setting(value, self.source, *self.source.position(node.start_mark.index), keys or {})

    def scalar(self, node: Any) -> Any:
        if node.tag not in _SCALARS:
            raise self.error(
                node, "yaml-syntax", f"the YAML tag `{node.tag}` means nothing here", "remove it"
            )
        try:
            return _SCALARS[node.tag](node.value)
        except ValueError:
            raise self.error(node, "yaml-syntax", "this number cannot be read", "put it in quotes") from None

    def sequence(self, node: Any) -> Setting:
        return self.setting(node, [self.build(item) for item in node.value])

    def mapping(self, node: Any) -> Setting:
        values: dict[str, Setting] = {}
        keys: dict[str, tuple[int, int]] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                message = "a key must be text, not a list or a mapping"
                raise self.error(key, "yaml-syntax", message, "put quotes around a text that starts with `{`")
            if key.value in values:
                message = f"the key `{key.value}` is given twice; the first is on line {keys[key.value][0]}"
                raise self.error(key, "duplicate-key", message, "keep one of them")
            keys[key.value] = self.source.position(key.start_mark.index)
            values[key.value] = self.build(value)
        return self.setting(node, values, keys)

    def error(self, node: Any, code: str, message: str, hint: str) -> DocasmError:
        return DocasmError([_at(self.source, node.start_mark, code, message, hint)])
