"""Bundles made in memory, and templates and values that try to break what docasm promises."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from docasm.bundle import Bundle
from docasm.compiler import Compiler
from docasm.contents import Adopted, Contents
from docasm.layout import Layout, read_layout
from docasm.library import Library
from docasm.skill import Skill, read_skill
from docasm.source import Source
from docasm.trigger import KINDS, Rule, Rules
from tests.strategies import BLOCKS, PROSE, TEMPLATES, hostile_line, hostile_text

PLAIN_LAYOUT = "system:\n<<skills>>\n\nuser:\n<<input>>\n"
_ANY_TRIGGER = tuple(Rule(kind) for kind in KINDS)


def bundle(
    skills: Mapping[str, str],
    layouts: Mapping[str, str] | None = None,
    *,
    adopted: tuple[str, ...] | None = None,
    variables: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Bundle:
    """A bundle of these texts, front matter included; every adopted skill (all) answers every trigger.

    Where no layouts are given, each kind of trigger has PLAIN_LAYOUT.
    """
    texts = layouts or dict.fromkeys(KINDS, PLAIN_LAYOUT)
    found = {name: _skill(name, text) for name, text in skills.items()}
    chosen = tuple(found) if adopted is None else adopted
    contents = Contents(
        adopted=tuple(Adopted(name, _ANY_TRIGGER, MappingProxyType({})) for name in chosen),
        rules=Rules.of((index, rule) for index in range(len(chosen)) for rule in _ANY_TRIGGER),
        layout_of=dict.fromkeys(KINDS, next(iter(texts))) | {kind: kind for kind in KINDS if kind in texts},
        tools=(),
        labels=labels or {},
        params={},
        compiler=Compiler(
            Library(found),
            Library({name: _layout(name, text) for name, text in texts.items()}),
            variables or {},
        ),
    )
    return Bundle(Path(), found, contents, ())


def _skill(name: str, text: str) -> Skill:
    skill, problems = read_skill(Source(f"{name}.md", text), name, agent_skill=False)
    assert not problems, problems
    return skill


def _layout(name: str, text: str) -> Layout:
    layout, problems = read_layout(Source(f"{name}.md", text), name)
    assert not problems, problems
    return layout
