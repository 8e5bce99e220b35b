"""What differs by model: data, checked on a day, that a bundle can override."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from docasm.errors import DocasmError, Problem
from docasm.fields import Fields
from docasm.settings import Setting, parse_settings
from docasm.shapes import Keys, Shape, anything, boolean, choice, given, list_of, mapping, texts, whole
from docasm.source import read

FILE = Path(__file__).parent / "models.yaml"
CHOICES: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "max_tokens_key": ("max_tokens", "max_completion_tokens"),
        "system_role": ("system", "developer", "user"),
    }
)
"""Facts that are one of a few words."""

LEAST: Mapping[str, int] = MappingProxyType(
    {"default_max_tokens": 1, "max_tools": 0, "max_description": 0, "cache_min_tokens": 0}
)
"""Facts that are whole numbers, each with the least that it may be."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What one model takes; the defaults are on the safe side."""

    max_tokens_key: str = "max_tokens"
    """What OpenAI's Chat Completions call the limit of the answer: one of CHOICES."""
    system_role: str = "system"
    """Whose OpenAI's Chat Completions say that system text is: one of CHOICES."""
    default_max_tokens: int = 4096
    """Where an API requires a limit and the parameters name none."""
    temperature: bool = True
    """Whether a temperature may be sent."""
    prefill: bool = False
    """Whether the last message may be the assistant's."""
    inline_system: bool = False
    """Whether system text may stand between or after other messages."""
    many_systems: bool = False
    """Whether several system messages may stand in front."""
    thought_signature: bool = False
    """Whether tool calls in the history must carry a signature."""
    max_tools: int = 0
    """How many tools a request may have; 0 where no limit is known."""
    max_description: int = 0
    """How many characters of a tool's description are surely taken; 0 where no limit is known."""
    cache_min_tokens: int = 0
    """The fewest tokens of a prompt that are cached; 0 where it is not known."""
    cache_breakpoints: bool = False
    """Whether OpenAI's model takes breakpoints of its prompt cache."""
    cache_key: bool = False
    """Whether OpenAI's API may be told a key of its prompt cache."""


Models = Mapping[str, Sequence[tuple[tuple[str, ...], Mapping[str, Any]]]]
"""By provider: patterns of models, and the facts that differ from the defaults."""
NO_MODELS: Models = MappingProxyType({})


def facts_of(provider: str, model: str, own: Models = NO_MODELS) -> ModelFacts:
    """The facts of a model: those that `own` gives before those of docasm."""
    found: dict[str, Any] = {}
    for models in (own, built_in()):
        for patterns, facts in models.get(provider, ()):
            if any(fnmatchcase(model, pattern) for pattern in patterns):
                found = {**facts, **found}
                break
    return ModelFacts(**found)


@cache
def built_in() -> Models:
    """The facts that docasm brings."""
    problems: list[Problem] = []
    models = read_models(parse_settings(read(FILE)), problems)
    if problems:
        raise DocasmError(problems)
    return models


def _shape(name: str) -> Shape:
    if name in CHOICES:
        return choice("Which of them the API takes.", CHOICES[name])
    if name in LEAST:
        return whole("A limit of the API, or what stands in for one.", least=LEAST[name])
    return boolean("Whether the model takes it.")


PROVIDER_NAMES = ("openai", "responses", "anthropic", "gemini", "ollama", "mistral")
_FACTS: Keys = {field.name: _shape(field.name) for field in fields(ModelFacts)}
_ENTRY_KEYS: Keys = {
    "models": given(texts("Names or patterns of models; `*` stands for anything.", least=1)),
    **_FACTS,
}
_MODEL_KEYS: Keys = {
    "checked": anything("When; for people."),
    "defaults": mapping("What holds for every entry that says nothing else.", _FACTS),
    **{
        name: list_of("Models and what they take, the most specific first.", entry)
        for entry in (mapping("The facts of some models.", _ENTRY_KEYS, required=["models"]),)
        for name in PROVIDER_NAMES
    },
}
MODELS: Shape = mapping("What differs by model, by provider.", _MODEL_KEYS)


def read_models(setting: Setting, problems: list[Problem]) -> Models:
    """The facts of a mapping of providers to lists of `models` and facts; what is wrong is reported."""
    own = Fields(setting, problems, "`models`")
    own.only(_MODEL_KEYS)
    own.mapping("defaults").only(_FACTS)
    defaults = _facts(own.mapping("defaults"))
    return {name: tuple(_entries(own, name, defaults)) for name in PROVIDER_NAMES if name in own.values}


def _entries(
    given: Fields, provider: str, defaults: Mapping[str, Any]
) -> "list[tuple[tuple[str, ...], Mapping[str, Any]]]":
    setting = given.get(provider)
    if setting is not None and not isinstance(setting.value, list):
        given.wrong(setting, f"`{provider}` must be a list of mappings with `models`")
        return []
    found: list[tuple[tuple[str, ...], Mapping[str, Any]]] = []
    for item in setting.value if setting else ():
        entry = Fields(item, given.problems, "a model's facts")
        entry.only(_ENTRY_KEYS)
        patterns = tuple(each.value for each in entry.texts("models"))
        if not patterns and isinstance(item.value, dict):
            entry.wrong(item, "facts need the names or patterns of their `models`")
        found.append((patterns, {**defaults, **_facts(entry)}))
    return found


def _facts(entry: Fields) -> Mapping[str, Any]:
    """The facts that a mapping gives."""
    found: dict[str, Any] = {}
    for name in _FACTS:
        if entry.get(name) is None:
            continue
        if name in CHOICES:
            found[name] = _choice(entry, name)
        elif name in LEAST:
            found[name] = entry.whole(name, least=LEAST[name])
        else:
            found[name] = entry.boolean(name, False)
    return {name: value for name, value in found.items() if value is not None}


def _choice(entry: Fields, name: str) -> str | None:
    setting = entry.get(name)
    if setting is not None and setting.value in CHOICES[name]:
        return str(setting.value)
    if setting is not None:
        entry.wrong(setting, f"`{name}` must be one of {', '.join(CHOICES[name])}")
    return None
