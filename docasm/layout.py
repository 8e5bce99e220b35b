"""A layout: the document with slots in it, and what its front matter says of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from docasm.errors import Problem
from docasm.limits import NO_SETTINGS, Limits, SlotSettings
from docasm.relevance import Relevance
from docasm.settings import Setting
from docasm.size import Names, Size
from docasm.source import Source


@dataclass(frozen=True, slots=True)
class Body:
    """Text of a layout: with markers in it, or in one role."""

    source: Source
    name: str = ""
    """What the context log calls it."""
    role: str | None = None
    """None: its markers decide."""
    by_provider: Mapping[str, Source] = field(default_factory=dict)
    """What stands in its place for a provider."""
    template: bool = True
    """Whether it may hold tags and includes."""
    slot: str = ""
    """The slot that all of its text is what it brings, for limits to apply to it."""

    @property
    def texts(self) -> tuple[Source, ...]:
        """What may stand there."""
        return (self.source, *self.by_provider.values())


@dataclass(frozen=True, slots=True)
class Layout:
    """One layout as its file gives it; its bodies are not compiled yet."""

    name: str
    bodies: tuple[Body, ...]
    variables: Mapping[str, Any]
    slots: Mapping[str, SlotSettings]
    limits: Limits
    """Of the whole document."""
    drop: tuple[str, ...]
    """The slots that give way to the document's limits, in order."""
    tokenizer: str | None
    """What measures tokens; None leaves it to the model's name."""
    token_factor: float
    profiles: Mapping[str, Setting]
    """By the name, or pattern, of the models that they are for."""
    settings: Setting
    """All that was read, for a profile to be merged with."""
    history: SlotSettings
    """What it says of the history."""
    history_limit: tuple[Size, Names]
    """How large it may be, and what the limits are called: the document's too if it gives way first."""
    limited: bool
    """Whether a limit may cut more than whole turns, by their number."""
    elastic: frozenset[str]
    """The slots that a limit may cut, if there are such."""
    counts_tokens: bool
    """Whether a limit is one of tokens."""
    relevance: Relevance | None
    """Which of the selected skills are wanted."""
    history_is_messages: bool
    least: Size
    """The smallest of all limits but those of the history: a smaller document keeps to each of them."""
    needs_skills: bool = True
    """Whether the document makes no sense without the selected skills."""
    needs_profile: bool = False
    """Whether there is no document but for the models that `profiles` names."""

    def slot(self, name: str) -> SlotSettings:
        return self.slots.get(name, NO_SETTINGS)

    @property
    def source(self) -> Source:
        """What problems of the layout as a whole point at."""
        return self.bodies[0].source

    def problem(self, path: Sequence[str], code: str, message: str, *, hint: str) -> Problem:
        """A problem with what the layout says under some keys, at the innermost of them that it has."""
        setting = self.settings
        for key in path:
            if isinstance(setting.value, dict) and key in setting.value:
                setting = setting.value[key]
        return setting.problem(code, message, hint=hint)
