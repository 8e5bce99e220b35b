"""JSON as Python values: how deep it nests, and what an SDK's object becomes."""

import json
import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Never

from docasm.errors import failure


def nesting_exceeds(value: object, limit: int) -> bool:
    """Whether lists and mappings nest more than `limit` deep: a scalar is 0 deep, `[]` 1, `[[]]` 2.

    A value that holds itself is endlessly deep. Time is linear in the size of a tree.
    """
    level = _containers([value])
    for _ in range(limit):
        if not level:
            return False
        level = _containers(child for each in level for child in _children(each))
    return bool(level)


def dumped(value: object) -> object:
    """What an SDK's object sends over the wire (Pydantic's `model_dump`); any other value as it is."""
    dump = None if isinstance(value, type) else getattr(value, "model_dump", None)
    return dump(by_alias=True, exclude_none=True, mode="json") if callable(dump) else value


def finite(written: str) -> float:
    """A number with a point or an exponent; raises ValueError for one that is too large for a float."""
    number = float(written)
    return number if math.isfinite(number) else not_json(written)


def not_json(written: str) -> Never:
    """Raises ValueError for what JSON has not: NaN and the infinities (RFC 8259, section 6)."""
    raise ValueError(f"JSON has no number {written}")


def is_text(value: str) -> bool:
    """Whether UTF-8 can hold it: half of a surrogate pair is no text."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_json(value: object, what: str, code: str) -> None:
    """Raises DocasmError, with a code, for a value that cannot be sent as JSON; `what` names it."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        hint = "mend the text where it was cut in two"
        raise failure(
            "lone-surrogate", f"{what} holds a lone surrogate, which is no text", hint=hint
        ) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise failure(code, f"{what} must be JSON: {error}") from None


def _containers(values: Iterable[object]) -> Collection[object]:
    """The lists and mappings among the values, each once, so that a shared one is not followed twice."""
    return {id(each): each for each in values if isinstance(each, list | tuple | Mapping)}.values()


def _children(value: Any) -> Iterable[object]:
    return value.values() if isinstance(value, Mapping) else value
