"""What the loopback server says in place of a model."""

from collections.abc import Mapping
from typing import Any

from tests.loopback.api import Asked, Call, Reply

MOST_CALLS = 2
_SAMPLES: Mapping[str, Any] = {"string": "noon", "integer": 7, "object": {"a": [1]}}


def sampled(asked: Asked) -> Reply:
    """Calls of the first tools at once, with what their schemas want; then words with their results."""
    if asked.tools and not asked.results:
        names = list(asked.tools)[:MOST_CALLS]
        return Reply("I look.", tuple(Call(name, _arguments(asked.tools[name])) for name in names))
    return Reply(f"Done: {' and '.join(asked.results) or 'nothing to do'}.")


def _arguments(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _SAMPLES[each["type"]] for key, each in schema["properties"].items()}


FILTER = {"#p": ["1ec454..."], "kinds": [1], "since": 1774224000}
MENTIONS = (
    "Here's who mentioned you today:\n\n- **@alice** posted about your relay setup guide\n"
    "- **@bob** quoted your note about NIP-44\n\nWant me to look into any of these in more detail?"
)
STORY: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "nostr_query": ({"filter": FILTER}, MENTIONS),
    "memory_read": ({"key": "readme"}, "The readme is as it was at noon yesterday."),
}
"""The tool that is called where it is offered, with what, and the words after its result."""


def told(asked: Asked) -> Reply:
    """A short story, for the documents: the first tool of STORY that is offered, and what is said then."""
    for name, (arguments, words) in STORY.items():
        if name in asked.tools:
            return Reply(words) if asked.results else Reply("", (Call(name, arguments),))
    return Reply("Good morning!")
