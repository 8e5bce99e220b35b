"""What wakes an agent: a direct message, a cron job or an event; and what a skill answers to."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from docasm.contain import fenced
from docasm.errors import failure
from docasm.json_values import nesting_exceeds
from docasm.settings import MAX_NESTING

KINDS = ("dm", "cron", "event")
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Trigger:
    """One thing that happened. Make it with `dm`, `cron` or `event`."""

    kind: str
    """One of KINDS; decides which layout is used and how the input is shown, nothing else."""
    payload: Any
    """JSON: what conditions are compared with and what templates see as `event`."""
    sender: str | None = None
    text: str | None = None
    """What the model reads; None stands for the payload as a fenced JSON block."""

    @classmethod
    def dm(cls, text: str, *, sender: str = "admin") -> Self:
        """A direct message; raises DocasmError if it holds only white space."""
        if not isinstance(text, str) or not isinstance(sender, str):
            raise failure("bad-trigger", "the text and the sender of a direct message must be text")
        if not text.strip():
            raise failure("empty-input", "the direct message is empty", hint="give it a text")
        return cls("dm", {"type": "dm", "sender": sender, "text": text}, sender, text)

    @classmethod
    def cron(cls, expression: str, *, created_at: int) -> Self:
        """A cron job that fired at `created_at` (UNIX seconds)."""
        if not isinstance(expression, str) or type(created_at) is not int:
            hint = "`created_at` is a whole number of UNIX seconds"
            raise failure("bad-trigger", "a cron trigger has a text and a number", hint=hint)
        if not expression.strip():
            raise failure("empty-input", "the cron expression is empty", hint='give one, as in "0 12 * * *"')
        return cls("cron", {"type": "cron", "filter": expression, "created_at": created_at})

    @classmethod
    def event(cls, payload: Any) -> Self:
        """Any JSON value that arrived: a webhook, a Nostr event, the end of another skill."""
        return cls("event", payload)

    def describe(self) -> str:
        """A few words for messages."""
        if self.kind == "dm":
            return f"a direct message from `{self.sender}`"
        return f"cron `{self.payload['filter']}`" if self.kind == "cron" else "an event"


def input_text(trigger: Trigger) -> str:
    """The input as the model reads it; raises DocasmError where the payload is not JSON."""
    if trigger.text is not None:
        return trigger.text
    return fenced(to_json(trigger.payload), "json")


def to_json(value: Any) -> str:
    """JSON with an indent of two, keys in order, not ASCII-escaped; raises DocasmError."""
    if nesting_exceeds(value, MAX_NESTING):
        raise failure("nested-too-deep", f"the event nests more than {MAX_NESTING} deep")
    try:
        return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise failure("bad-event", f"the event is not JSON: {error}") from None


@dataclass(frozen=True, slots=True)
class Condition:
    """That the value at a dotted path of the payload equals one of some values."""

    path: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of a skill's `triggers`."""

    kind: str
    conditions: tuple[Condition, ...] = ()
    """All must hold; none means every trigger of the kind."""
    params: Mapping[str, Any] | None = None

    def describe(self) -> str:
        """The rule as it is written in front matter."""
        if self.kind == "cron" and self.conditions:
            return f'cron: "{self.conditions[0].values[0]}"'
        wanted = ", ".join(f"{each.path}: {'|'.join(map(str, each.values))}" for each in self.conditions)
        return f"{self.kind}: {{{wanted}}}" if wanted else self.kind


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of many skills, looked up by what a trigger holds and not by going through them."""

    rules: tuple[tuple[int, Rule], ...]
    """Each with the number of its skill."""
    unconditional: Mapping[str, tuple[int, ...]]
    """Kind -> indexes into `rules`."""
    conditional: Mapping[str, Mapping[str, Mapping[Any, Sequence[int]]]]
    """Kind -> path of a rule's first condition -> value -> indexes into `rules`."""

    @classmethod
    def of(cls, rules: Iterable[tuple[int, Rule]]) -> Self:
        """Indexes rules, which come in the order of their skills."""
        rules = tuple(rules)
        unconditional: dict[str, tuple[int, ...]] = dict.fromkeys(KINDS, ())
        conditional: dict[str, dict[str, dict[Any, list[int]]]] = {kind: {} for kind in KINDS}
        for index, (_, rule) in enumerate(rules):
            if not rule.conditions:
                unconditional[rule.kind] += (index,)
                continue
            by_value = conditional[rule.kind].setdefault(rule.conditions[0].path, {})
            for value in rule.conditions[0].values:
                by_value.setdefault(_key(value), []).append(index)
        return cls(rules, unconditional, conditional)

    def matching(self, trigger: Trigger) -> tuple[int, ...]:
        """The rules that a trigger fulfils, as indexes into `rules`, in order."""
        found = self.unconditional[trigger.kind]
        for path, by_value in self.conditional[trigger.kind].items():
            candidates = by_value.get(_key(_value_at(trigger.payload, path)), ())
            found += tuple(index for index in candidates if self._holds(index, trigger))
        return tuple(sorted(found)) if len(found) > 1 else found

    def _holds(self, index: int, trigger: Trigger) -> bool:
        return _holds(self.rules[index][1].conditions[1:], trigger.payload)


def _holds(conditions: Sequence[Condition], payload: Any) -> bool:
    for condition in conditions:
        key = _key(_value_at(payload, condition.path))
        if key is None or key not in {_key(value) for value in condition.values}:
            return False
    return True


def _value_at(payload: Any, path: str) -> Any:
    for step in path.split("."):
        if not isinstance(payload, Mapping):
            return _ABSENT
        payload = payload.get(step, _ABSENT)
    return payload


def _key(value: Any) -> Any:
    """What makes two JSON scalars equal (True is not 1); None for what is not a scalar."""
    if value is None or isinstance(value, str | int | float):
        return (isinstance(value, bool), value)
    return None
