"""Inputs of any size: bundles, histories and texts."""

import shutil
from pathlib import Path

import docasm
from bench.inputs import PROMPT

_PROSE = """\
The relay closed the subscription twice before the *event* arrived, so the query was sent again.

- a list item with `code` in it
- another one, which ends the list

```python
user: a marker look-alike that a fence keeps apart
```

"""
_MESSAGE = f"user:\n{_PROSE}assistant:\n{_PROSE}"

TEXTS = {
    "prose with fences": _MESSAGE,
    "`user:` lines": "user:\n",
    "unclosed fences": "```python\n",
}
"""What is repeated to make a long document: the ordinary, and the two that tempt a parser to look ahead."""


def text(kind: str, size: int) -> str:
    """A text of `size` characters (all ASCII) made of whole lines as far as they fit."""
    pattern = TEXTS[kind]
    return (pattern * (size // len(pattern) + 1))[:size]


def bundle(folder: Path, skills: int) -> Path:
    """A bundle of `skills` skills of which two answer a DM from admin; the others wait for somebody else."""
    shutil.copytree(PROMPT / "layouts", folder / "layouts")
    (folder / "skills").mkdir()
    (folder / "docasm.yaml").write_text("layout: {dm: dm}\ncheck: {unused-layout: off}\n", encoding="utf-8")
    for number in range(skills):
        sender = "admin" if number < 2 else f"friend-{number}"
        path = folder / "skills" / f"skill-{number:05}.md"
        path.write_text(_skill(number, sender=sender), encoding="utf-8")
    return folder


def _skill(number: int, *, sender: str) -> str:
    front_matter = f"description: Skill {number}\ntriggers:\n  - dm: {{sender: {sender}}}\n"
    return f"---\n{front_matter}---\n## Topic {number}\n\nSay what you know about topic {number}.\n"


def turns(number: int) -> list[docasm.Turn]:
    """User and assistant by turns."""
    roles = ("user", "assistant")
    return [docasm.Turn(roles[each % 2], f"This is turn number {each}.") for each in range(number)]
