"""The prompt of the comparison as data that a template is given; `bench/prompt` says the same in files."""

import json
from itertools import count
from pathlib import Path
from typing import Any

PROMPT = Path(__file__).parent / "prompt"
UNLIMITED = "unlimited"
"""What prompts with limits are compared with."""

HISTORY = (
    ("user", "Are you online?"),
    ("assistant", "Online since 09:22:48 (version v0.2.12, relays: 4/4)."),
    ("user", "What is the capital of England?"),
    ("assistant", "London! 🇬🇧"),
    ("user", "How about France?"),
    ("assistant", "Paris! 🇫🇷"),
    ("user", "Remember that I prefer short answers, please."),
    ("assistant", "Noted, and written to memory."),
    ("user", "Which relays do you read from?"),
    ("assistant", "From `wss://relay.one`, `wss://relay.two` and two of my own."),
)
"""Ten turns of one line, the last by the agent: what a direct message answers."""

LABELS = {"assistant": "You", "user": "Admin"}

_RULES = (
    "Communicate through encrypted Nostr direct messages",
    "Keep responses concise and clear",
    "Be helpful and technically accurate",
    "If unsure, state uncertainty directly",
    "Use tools when a request requires taking action",
    "After a tool call, base your answer on its result",
    "Never claim a tool was run if none was executed",
    "Maintain your task list as working memory",
    "Never reveal your private key (nsec)",
    "You may share your public key (npub) with anyone",
)

CONSTANTS: dict[str, Any] = {
    "agent_name": "Simon",
    "npub": "npub1kfc89dlu9m05tvfnry4l3jjacqpp930sz4kaghcmg9vrrrceg44qf80xae",
    "nip05": "simon@nostr",
    "rules": _RULES,
    "tools": [each["function"] for each in json.loads((PROMPT / "tools.json").read_text(encoding="utf-8"))],
}
"""What no call changes."""

_numbers = count(1)


def new_question() -> str:
    """A user message that no earlier call has sent, so that no result cache can answer."""
    return f"Who mentioned me on Nostr in the last {next(_numbers)} hours, and what did they want?"


def labelled_history() -> list[dict[str, str]]:
    """The history for a Markdown list, built anew."""
    return [{"label": LABELS[role], "text": content} for role, content in HISTORY]


def message_history() -> list[dict[str, str]]:
    """The history as native messages, built anew."""
    return [{"role": role, "content": content} for role, content in HISTORY]
