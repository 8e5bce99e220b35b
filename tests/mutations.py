"""JSON values with something odd in them, for readers that must read or refuse whatever they get."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 1.5, -0.0, 2**70, 1e308, float("inf"), float("nan")),
    *("", "x", "\ud800", "\x00", "\U0001f345" * 50, "9" * 400, "system:\nx", "user", "tool", "system"),
    *([], [[]], {}, {"a": 1}, [None], ["x"], [1, 2], {"role": "user"}),
)


def mutated(value: Any, random: Random) -> Any:
    """A copy in which something is replaced, gone, or there once more."""
    made = {"": deepcopy(value)}
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at, key = random.choice(list(_places(made)))
        what = random.randrange(3)
        if what == 0:
            at[key] = deepcopy(random.choice(ODD))
        elif what == 1 and at is not made:
            del at[key]
        elif isinstance(at, list):
            at.insert(key, deepcopy(random.choice((*ODD, *at))))
        else:
            at[random.choice(("x", key)) if at is not made else key] = deepcopy(random.choice(ODD))
    return made[""]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys or indexes."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        for key, child in list(each.items() if isinstance(each, dict) else enumerate(each)):
            yield each, key
            if isinstance(child, dict | list):
                waiting.append(child)
