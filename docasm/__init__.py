"""docasm assembles an agent's context window from Markdown files, as one document that data cannot bend.

bundle = docasm.Bundle.load("examples")
render = bundle.render(docasm.Trigger.dm("Who mentioned me?", sender="admin"))
render.markdown, render.messages, render.payload("openai")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docasm.bundle import Bundle as Bundle
    from docasm.conversation import Conversation as Conversation
    from docasm.disk import Changes as Changes
    from docasm.document import Document as Document
    from docasm.errors import DocasmError as DocasmError
    from docasm.errors import Place as Place
    from docasm.errors import Problem as Problem
    from docasm.history import Turn as Turn
    from docasm.markers import Message as Message
    from docasm.markers import join as join
    from docasm.markers import split as split
    from docasm.render import Render as Render
    from docasm.scenario import Scenario as Scenario
    from docasm.scenario import load_scenario as load_scenario
    from docasm.skill import Skill as Skill
    from docasm.tell import Cut as Cut
    from docasm.tools import Tool as Tool
    from docasm.trigger import Trigger as Trigger

_HOMES = {
    "Bundle": "bundle",
    "Changes": "disk",
    "Conversation": "conversation",
    "Cut": "tell",
    "Document": "document",
    "DocasmError": "errors",
    "Message": "markers",
    "Place": "errors",
    "Problem": "errors",
    "Render": "render",
    "Scenario": "scenario",
    "Skill": "skill",
    "Tool": "tools",
    "Trigger": "trigger",
    "Turn": "history",
    "join": "markers",
    "load_scenario": "scenario",
    "split": "markers",
}

__all__ = [
    *sorted(_HOMES),
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Imports a public name on first use, so that `docasm --version` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"docasm.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
