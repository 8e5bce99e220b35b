"""What one render is asked for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from docasm.resolve import Resolvers
from docasm.tools import Tool
from docasm.trigger import Trigger


@dataclass(slots=True)
class Request:
    """The trigger of a render and all that comes with it."""

    trigger: Trigger
    history: Iterable[object]
    variables: Mapping[str, Any] | None
    tools: tuple[Tool, ...] | None
    model: str | None
    layout: str | None
    now: datetime | str | None
    provider: str | None
    resolvers: tuple[Resolvers | None, ...]
    """What answers for tools, the first that knows one."""
    found: dict[str, Any]
    """What tools have returned, by `Call.key`."""
