"""JSON from outside: a plain value, or a problem with its place."""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from docasm.errors import DocasmError, Problem
from docasm.json_values import finite, nesting_exceeds, not_json
from docasm.settings import MAX_NESTING
from docasm.source import Source

_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "Extra data": "one JSON value is expected; put several into a list",
        "Invalid control character at": r"within a text, write a line end as \n and a tab as \t",
        "Expecting property name enclosed in double quotes": "put keys in double quotes, and no comma last",
    }
)
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\]:,]|[^\s"{}\[\]:,]++', re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(source: Source) -> Any:
    """The one JSON value of a source; raises DocasmError.

    Refused, as what would not survive being written again: keys given twice, numbers that are not finite,
    lone surrogates; and what nests more than MAX_NESTING deep.
    """
    try:
        value = json.loads(
            source.text, object_pairs_hook=_mapping, parse_float=finite, parse_constant=not_json
        )
    except json.JSONDecodeError as error:
        raise DocasmError([_syntax(source, error)]) from None
    except (ValueError, RecursionError):
        raise DocasmError([_Scan(source).refused() or _unreadable(source)]) from None
    if nesting_exceeds(value, MAX_NESTING) or _SURROGATE.search(source.text):
        problem = _Scan(source).refused()
        if problem is not None:
            raise DocasmError([problem])
    return value


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError  # which key is given twice, and where, the scan finds out
    return found


def _syntax(source: Source, error: json.JSONDecodeError) -> Problem:
    if not source.text.strip():
        return source.problem_at("json-syntax", "JSON: expected a value, and there is none", 0)
    message = f"JSON: {error.msg[0].lower()}{error.msg[1:]}".removesuffix(" at")
    return source.problem_at("json-syntax", message, error.pos, hint=_HINTS.get(error.msg, ""))


def _unreadable(source: Source) -> Problem:
    return source.problem_at("json-syntax", "JSON: this value cannot be read", 0)


@dataclass(slots=True)
class _Scan:
    """One pass over the tokens of JSON of good syntax, for the place of what is refused all the same."""

    source: Source
    open_keys: list[set[str]] = field(default_factory=list)
    """The keys so far of each object or list around the token."""
    previous: tuple[str, int] = ("", 0)
    """The token before, and its offset."""

    def refused(self) -> Problem | None:
        """The first thing that `parse_json` refuses."""
        for token in _TOKEN.finditer(self.source.text):
            problem = _STEPS.get(token[0], _Scan.scalar)(self, token[0], token.start())
            if problem is not None:
                return problem
            self.previous = (token[0], token.start())
        return None

    def opened(self, _: str, start: int) -> Problem | None:
        self.open_keys.append(set())
        if len(self.open_keys) <= MAX_NESTING:
            return None
        message = f"this nests more than {MAX_NESTING} deep"
        return self.source.problem_at("nested-too-deep", message, start, hint="flatten the value")

    def closed(self, _: str, __: int) -> None:
        self.open_keys.pop()

    def key(self, _: str, __: int) -> Problem | None:
        written, start = self.previous
        key = json.loads(written)
        if key not in self.open_keys[-1]:
            self.open_keys[-1].add(key)
            return None
        message = f"the key `{key}` is given twice in one object"
        return self.source.problem_at("duplicate-key", message, start, hint="keep one of them")

    def comma(self, _: str, __: int) -> None:
        return None

    def scalar(self, written: str, start: int) -> Problem | None:
        return (self.text if written[0] == '"' else self.number)(written, start)

    def text(self, written: str, start: int) -> Problem | None:
        if not _SURROGATE.search(written):
            return None
        value = json.loads(written)
        try:
            value.encode()
        except UnicodeEncodeError as error:
            message = f"this text holds a lone surrogate, U+{ord(value[error.start]):04X}"
            hint = "mend the text where it was cut in two"
            return self.source.problem_at("lone-surrogate", message, start, hint=hint)
        return None

    def number(self, written: str, start: int) -> Problem | None:
        try:
            value = json.loads(written)
        except ValueError:
            value = math.inf  # a whole number of more digits than Python reads
        if not isinstance(value, float) or math.isfinite(value):
            return None
        message = f"JSON: `{written[:20]}` is no number that JSON can hold"
        hint = "write `null`, or put it in quotes"
        return self.source.problem_at("json-syntax", message, start, hint=hint)


_STEPS: Mapping[str, Callable[[_Scan, str, int], Problem | None]] = MappingProxyType(
    {
        "{": _Scan.opened,
        "[": _Scan.opened,
        "}": _Scan.closed,
        "]": _Scan.closed,
        ":": _Scan.key,
        ",": _Scan.comma,
    }
)
