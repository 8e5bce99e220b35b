"""The prompt as each peer's template language says it.

`+%}` keeps the line break after a tag whether or not an environment trims it, so one text serves all peers.
"""

from textwrap import indent

from jinja2 import Environment

from bench.inputs import CONSTANTS

SYSTEM_FROM_DATA = """\
# {{ agent_name }} — Didactyl Agent

A sovereign AI agent living on Nostr, named after Simón Bolívar.

- **npub**: `{{ npub }}`
- **NIP-05**: {{ nip05 }}

> Mission: Keep the computers I administer free from foreign powers and surveillance.

## Personality

You speak concisely and directly.
You favor technical precision.

## Rules

{% for rule in rules %}- {{ rule }}
{% endfor +%}
## Available Tools

Use them when a request requires taking action.

{% for tool in tools %}- `{{ tool.name }}` — {{ tool.description }}
{% endfor +%}
"""

SYSTEM_WRITTEN_OUT = Environment(keep_trailing_newline=True).from_string(SYSTEM_FROM_DATA).render(CONSTANTS)
"""The same with every constant written in by hand: the least work a template can be given."""

HISTORY_LIST = """\
## Conversation History

{% for turn in history %}- **{{ turn.label }}**: {{ turn.text }}
{% endfor +%}
"""

_BANKS_SYSTEM = """\
{% chat role="system" %}
SYSTEM
{% endchat %}
"""
_BANKS_HISTORY = """\
{% for turn in history %}
{% if turn.role == "user" %}
{% chat role="user" %}{{ turn.content }}{% endchat %}
{% else %}
{% chat role="assistant" %}{{ turn.content }}{% endchat %}
{% endif %}
{% endfor %}
"""
_BANKS_INPUT = """\
{% chat role="user" %}{{ question }}{% endchat %}
"""

_POET_SYSTEM = """\
- name: system
  role: system
  content: |
SYSTEM
"""
_POET_HISTORY = """\
{% for turn in history %}
- name: turn
  role: {{ turn.role }}
  content: |
    {{ turn.content }}
{% endfor %}
"""
_POET_INPUT = """\
- name: question
  role: user
  content: |
    {{ question }}
"""


def system_template(variant: str, *, written_out: bool) -> str:
    """The system message; its history, if it is a list there, stays a loop."""
    constant = SYSTEM_WRITTEN_OUT if written_out else SYSTEM_FROM_DATA
    return constant + HISTORY_LIST if variant == "list" else constant


def banks_template(variant: str, *, written_out: bool) -> str:
    """One `chat` block for each message."""
    system = _BANKS_SYSTEM.replace("SYSTEM", system_template(variant, written_out=written_out))
    return system + (_BANKS_HISTORY if variant == "thread" else "") + _BANKS_INPUT


def poet_template(variant: str, *, written_out: bool) -> str:
    """One YAML part for each message, written as Prompt Poet's README writes them."""
    content = indent(system_template(variant, written_out=written_out), "    ")
    system = _POET_SYSTEM.replace("SYSTEM", content)
    return system + (_POET_HISTORY if variant == "thread" else "") + _POET_INPUT
