"""An agent: something happens, the model answers, and the tools that it calls are run.

    python examples/agent.py "Hey Simon, what do you remember?"    a direct message
    python examples/agent.py examples/cron.yaml                    a scenario

OPENAI_API_KEY says who asks; OPENAI_BASE_URL and MODEL name another server and model.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import docasm

MAX_ROUNDS = 10
MEMORY = {"readme": "# Didactyl, as it was at noon yesterday"}
TOOLS: Mapping[str, Callable[..., object]] = {
    "memory_read": lambda key: MEMORY.get(key, "nothing"),
    "memory_write": lambda key, value: MEMORY.update({key: value}) or "written",
}


def rendered(wish: str) -> docasm.Render:
    """The document for a scenario file, or for a direct message with this text."""
    model = os.environ.get("MODEL")
    if wish.endswith(".yaml"):
        return docasm.load_scenario(wish).render(model=model)
    bundle = docasm.Bundle.load(Path(__file__).parent)
    return bundle.render(docasm.Trigger.dm(wish, sender="admin"), model=model)


def run(name: str, arguments: str) -> object:
    """What a tool returns. An error is a result, too: the model can read it and try again."""
    try:
        return TOOLS[name](**json.loads(arguments))
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def answer(conversation: docasm.Conversation) -> docasm.Conversation:
    """The conversation up to the model's last words."""
    for _ in range(MAX_ROUNDS):
        payload = conversation.payload("openai")
        message: Any = client.chat.completions.create(**payload).choices[0].message
        for call in message.tool_calls or ():  # the payload may call a tool otherwise than the bundle
            call.function.name = payload.tool_names.get(call.function.name, call.function.name)
        conversation = conversation.assistant(message.content, message.tool_calls or ())
        for wanted in conversation.open_calls:
            conversation = conversation.tool(wanted.id, run(wanted.name, wanted.arguments))
        if not message.tool_calls:
            return conversation
    raise RuntimeError(f"no answer after {MAX_ROUNDS} rounds of tools")


if __name__ == "__main__":
    print(answer(docasm.Conversation.start(rendered(sys.argv[1]))).entries[-1].content)
