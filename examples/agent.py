"""An agent: something happens, the model answers, and the tools that it calls are run.

    python examples/agent.py "Hey Simon, who mentioned me?"    a direct message
    python examples/agent.py examples/cron.yaml                a scenario

OPENAI_API_KEY says who asks; OPENAI_BASE_URL and MODEL name another server and model.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from openai import OpenAI

import docasm

MAX_ROUNDS, MODEL = 10, os.environ.get("MODEL")
BUNDLE = docasm.Bundle.load(Path(__file__).parent)
TOOLS: dict[str, Any] = {  # yours go here: the names are those of the bundle's tools
    "nostr_query": lambda **_: [{"author": "alice", "kind": 1}, {"author": "bob", "kind": 1}],
    "memory_read": lambda key: {"readme": "# Didactyl, as it was at noon yesterday"}.get(key, "nothing"),
}


def rendered(wish: str) -> docasm.Render:
    """The document for a scenario file, or for a direct message with this text."""
    if wish.endswith(".yaml"):
        return docasm.load_scenario(wish).render(model=MODEL)
    return BUNDLE.render(docasm.Trigger.dm(wish, sender="admin"), model=MODEL)


def run(name: str, arguments: str) -> object:
    """What a tool returns. An error is a result, too: the model can read it and try again."""
    try:
        return TOOLS[name](**json.loads(arguments))
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def answer(conversation: docasm.Conversation, client: OpenAI) -> docasm.Conversation:
    """The conversation up to the model's last words."""
    for _ in range(MAX_ROUNDS):
        payload = conversation.payload("openai")
        said: Any = client.chat.completions.create(**payload).choices[0].message
        for call in said.tool_calls or ():  # an API may want another name than the bundle's
            call.function.name = payload.tool_names.get(call.function.name, call.function.name)
        conversation = conversation.assistant(said.content, said.tool_calls or ())
        if not said.tool_calls:
            return conversation
        for wanted in conversation.open_calls:
            conversation = conversation.tool(wanted.id, run(wanted.name, wanted.arguments))
    raise RuntimeError(f"no answer after {MAX_ROUNDS} rounds of tools")


if __name__ == "__main__":
    wish = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
    print(answer(docasm.Conversation.start(rendered(wish)), OpenAI()).entries[-1].content)
