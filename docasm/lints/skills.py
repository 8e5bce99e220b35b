"""What the Agent Skills standard asks of a skill: https://agentskills.io/specification.

Names, descriptions and their lengths are rules of the standard for `NAME/SKILL.md`. The size of a body is its
advice ("progressive disclosure"), which is good for a docasm skill, too.
"""

import re
from collections.abc import Iterator

from docasm.lints.subject import AGENT_SKILL, BundleFile, Found, Subject, at
from docasm.tokens import ESTIMATE, measure

MOST_LINES = 500
MOST_TOKENS = 5_000
MOST_DESCRIPTION = 1_024
"""In code points."""
_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>")


def long_bodies(subject: Subject) -> Iterator[Found]:
    """Skills whose body is larger than the standard advises."""
    count = measure(ESTIMATE, None).function
    for _, skill in subject.skills:
        text = skill.body.text.strip("\n")
        lines, tokens = text.count("\n") + 1, count(text)
        if lines > MOST_LINES or tokens > MOST_TOKENS:
            advice = f"at most {MOST_LINES} lines and {MOST_TOKENS:,} tokens are advised"
            message = f"this skill has {lines:,} lines, about {tokens:,} tokens; {advice}"
            hint = "move what is seldom needed into skills or files of their own"
            yield at(skill.body, 0, message, hint)


def missing_descriptions(subject: Subject) -> Iterator[Found]:
    """Agent Skills without a description, and triggered skills where a layout chooses some by their words."""
    contents = subject.contents
    ways = [each.relevance for each in contents.compiler.layouts.found.values() if each.relevance]
    able = [each.name for each in contents.adopted if each.rules]
    chosen = {name for name in able if any(name not in way.pinned for way in ways)}
    for file, skill in subject.skills:
        if not skill.description.strip() and (file.kind == AGENT_SKILL or skill.name in chosen):
            message = f"the skill `{skill.name}` has no description"
            hint = "write `description:`, what it does and when to use it: by that an agent chooses it"
            yield Found(file.source, 1, 1, message, hint)


def long_descriptions(subject: Subject) -> Iterator[Found]:
    """Descriptions longer than the standard allows."""
    for file, skill in subject.skills:
        if len(skill.description) > MOST_DESCRIPTION:
            message = f"the description has {len(skill.description):,} characters of {MOST_DESCRIPTION:,}"
            yield _of_key(file, "description", message, "say in it what the skill does and when, and no more")


def description_shapes(subject: Subject) -> Iterator[Found]:
    """Descriptions that a list of skills in a prompt could not show as they are."""
    for file, skill in subject.skills:
        text = skill.description.strip()
        tag = _TAG.search(text)
        if tag:
            message = f"the description holds a tag, {tag[0][:40]}"
            yield _of_key(file, "description", message, "write it without: lists of skills are often XML")
        elif "\n" in text:
            hint = "write it as one paragraph (`description: >-`, then indented lines)"
            yield _of_key(file, "description", "the description has several lines", hint)


def names(subject: Subject) -> Iterator[Found]:
    """Agent Skills with another name than their folder's."""
    for file, skill in subject.skills:
        folder = file.path.parent.name
        if file.kind == AGENT_SKILL and skill.name != folder:
            message = f"the skill is called `{skill.name}` and its folder `{folder}`"
            yield _of_key(file, "name", message, "give both one name, as the standard asks")


def _of_key(file: BundleFile, key: str, message: str, hint: str) -> Found:
    setting = file.value(key)
    if setting is None:
        return Found(file.source, 1, 1, message, hint)
    return Found(setting.source, setting.line, setting.column, message, hint)
