"""JSON as Python values: how deep it nests, and what an SDK's object becomes."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any


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


def _containers(values: Iterable[object]) -> Collection[object]:
    """The lists and mappings among the values, each once, so that a shared one is not followed twice."""
    return {id(each): each for each in values if isinstance(each, list | tuple | Mapping)}.values()


def _children(value: Any) -> Iterable[object]:
    return value.values() if isinstance(value, Mapping) else value
