"""Reading files once more: one whose content is what it was before is not parsed again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from docasm.errors import DocasmError, Problem
from docasm.source import Source, decode, read_bytes

Value = TypeVar("Value")
Key = tuple[str, Path, str]
"""What a file is read as, where it is, and what problems call it."""


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """What reading a file gave."""

    digest: bytes
    """Of its content; empty if it could not be read."""
    value: Any
    problems: tuple[Problem, ...]
    """What parsing it raised; then it has no value."""


@dataclass(slots=True)
class Files:
    """The files that one reading of a bundle comes upon."""

    before: Mapping[Key, Parsed] = field(default_factory=dict)
    """Those of the reading before."""
    found: dict[Key, Parsed] = field(default_factory=dict)

    def parsed(self, kind: str, path: Path, label: str, parse: Callable[[Source], Value]) -> Value:
        """What `parse` makes of a file, where the kind and the path decide what it does; raises DocasmError.

        It is asked only if the content is not what it was, whatever the file's time stamp says.
        """
        key = (kind, path, label)
        found = self.found[key] = self._parsed(key, parse)
        if found.problems:
            raise DocasmError(found.problems)
        value: Value = found.value
        return value

    def _parsed(self, key: Key, parse: Callable[[Source], Any]) -> Parsed:
        _, path, label = key
        try:
            data = read_bytes(path, label)
        except DocasmError as error:
            return Parsed(b"", None, error.problems)
        digest = sha256(data).digest()
        before = self.before.get(key)
        if before is not None and before.digest == digest:
            return before
        try:
            return Parsed(digest, parse(decode(data, label)), ())
        except DocasmError as error:
            return Parsed(digest, None, error.problems)
