"""What a template may spend: every step and every byte of text is paid for."""

from collections.abc import Iterator, Mapping, Sized
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from docasm.settings import MAX_NESTING

MAX_STEPS = 50_000
"""How many nodes of the template one render may evaluate."""
MAX_TEXT = 16_000_000
"""How many bytes of text (four for each code point beyond ASCII) one render may produce in templates, beyond
what grows with the values it was given."""
ALLOWANCE = 4
"""How many times the size of its values a template may produce on top of that."""

ITEM_WEIGHT = 32
"""What an item of a list costs where each is looked at."""
PIECE_WEIGHT = 512
"""What a piece of text that a loop writes costs beside its length."""
_LARGEST = 1 << 30


class OverBudgetError(Exception):
    """A template took more steps, or made more text, than it may."""


@dataclass(slots=True)
class Budget:
    """What one compilation or render of a template may still spend."""

    names: Mapping[str, Any] = field(default_factory=dict)
    """The values a template is given."""
    steps: int = MAX_STEPS
    text: int = MAX_TEXT
    has_allowance: bool = True

    def step(self, count: int = 1) -> None:
        self.steps -= count
        if self.steps < 0:
            raise OverBudgetError(f"the template takes more than {MAX_STEPS:,} steps")

    def pay(self, amount: int) -> None:
        self.text -= amount
        if self.text < 0:
            self._overdraw()

    def _overdraw(self) -> None:
        """Only a template that has spent all asks how large its values are."""
        if self.has_allowance:
            self.has_allowance = False
            self.text += ALLOWANCE * sum(map(_size, self.names.values()))
        if self.text < 0:
            raise OverBudgetError(f"the template makes more than {MAX_TEXT:,} bytes of text")

    def weigh_items(self, value: Any) -> Any:
        """The value, paid for with all that it holds, as comparing looks at all of it."""
        self.weigh(value)
        for each in held(value):
            self.pay(weight(each) if isinstance(each, str) else ITEM_WEIGHT * len(each))
        return value

    def weigh(self, value: Any) -> Any:
        """The value, paid for."""
        self.pay(weight(value))
        return value


def weight(value: Any) -> int:
    """What a value costs: bytes of a text, items of a collection, bytes of a number."""
    if isinstance(value, str):
        return len(value) if value.isascii() else 4 * len(value)
    if isinstance(value, int):
        return value.bit_length() // 8 + 1
    return 8 * len(value) if isinstance(value, Sized) else 1


def held(value: Any) -> Iterator[Any]:
    """The texts and the lists and mappings that a value is or holds, as often as it holds them."""
    path: list[Iterator[Any]] = [iter((value,))]
    while path:
        for each in path[-1]:
            if isinstance(each, str):
                yield each
            elif isinstance(each, list | tuple | Mapping):
                yield each
                path.append(chain.from_iterable(each.items()) if isinstance(each, Mapping) else iter(each))
                break
        else:
            path.pop()
        if len(path) > MAX_NESTING + 1:
            raise ValueError(f"the value nests more than {MAX_NESTING} deep")


def _size(value: Any) -> int:
    """What a value weighs with all that it holds; one that holds itself, nothing."""
    total = weight(value)
    try:
        for each in held(value):
            total += weight(each)
            if total > _LARGEST:
                break
    except ValueError:
        return 0
    return total
