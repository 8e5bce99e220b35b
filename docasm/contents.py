"""What a loaded bundle holds, as the pipeline needs it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from docasm.compiler import Compiler
from docasm.errors import Problem
from docasm.providers.facts import Models
from docasm.relevance import Index
from docasm.resolve import Resolvers
from docasm.tokens import Count
from docasm.tools import Tool
from docasm.trigger import Rule, Rules


@dataclass(frozen=True, slots=True)
class Adopted:
    """A skill that triggers may select."""

    name: str
    rules: tuple[Rule, ...]
    params: Mapping[str, Any]
    """Parameters that its adoption sets; they go before the skill's own."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What the skills that a trigger selects decide together, whatever else a render is given."""

    skills: tuple[str, ...]
    """In adoption order."""
    params: tuple[tuple[str, Mapping[str, Any]], ...]
    """The parameters that each sets."""
    matching: tuple[int, ...] = ()
    """The rules that hold."""


@dataclass(frozen=True, slots=True)
class ChosenTools:
    """The tools of a document."""

    tools: tuple[Tool, ...]
    listed: str
    """What the document says of them."""


@dataclass(frozen=True, slots=True)
class Contents:
    """Everything of a bundle that renders share."""

    adopted: tuple[Adopted, ...]
    """In the order in which they contribute."""
    rules: Rules
    """What selects the adopted skills, by their index."""
    layout_of: Mapping[str, str]
    """The layout of each kind of trigger."""
    tools: tuple[Tool, ...]
    labels: Mapping[str, str]
    """What the history calls each role."""
    params: Mapping[str, Any]
    compiler: Compiler
    provider: str | None = None
    """Whom renders are for where they do not say."""
    tokenizers: Mapping[str, Count] = field(default_factory=dict)
    """Functions that count tokens, by the name that layouts use."""
    models: Models = field(default_factory=dict)
    """What differs by model, before what docasm knows."""
    resolvers: Resolvers | None = None
    """What answers for the tools that variables are."""
    answers: Mapping[str, Any] = field(default_factory=dict)
    """What answers for tools of servers, after the resolvers."""
    has_unknown_tools: bool = False
    """Whether there are servers that nobody has asked for their tools."""
    left_out: tuple[Problem, ...] = ()
    """Warnings about adopted skills that cannot be read."""
    selections: dict[tuple[int, ...], Selection] = field(default_factory=dict)
    """By the rules that hold, as indexes into `rules`."""
    chosen_tools: dict[tuple[str, ...], ChosenTools] = field(default_factory=dict)
    """Of the bundle's tools, by the skills that ask for them."""
    indexes: dict[None, Index] = field(default_factory=dict)
    """The words of the adopted skills, once somebody has asked for them."""
