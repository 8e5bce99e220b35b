"""What a bundle holds and nothing uses. In doubt something is used."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from docasm.errors import DocasmError
from docasm.limits import SLOTS
from docasm.lints.reach import included, included_by_layouts, reached
from docasm.lints.subject import BundleFile, Found, Subject, at
from docasm.settings import Setting
from docasm.skill import ALL_TOOLS
from docasm.source import Source
from docasm.sources import ToolSource
from docasm.template import free_names
from docasm.template_reader import parse

_TOOL = re.compile(r"\btool[\"']?[ \t]*:[ \t]*[\"']?([\w.-]+)")
"""A variable that is a tool, or a section of a soul that shows what one returns."""
_WORD = re.compile(r"\w+")


def skills(subject: Subject) -> Iterator[Found]:
    """Skills that no trigger selects, no layout includes, and no used skill includes.

    One in a folder outside the bundle may be there for other bundles. Where an include names no skill, it may
    mean any, so nothing is told until that is mended.
    """
    if _has_unknown_includes(subject):
        return
    used = _used_skills(subject)
    for file, skill in subject.skills:
        if skill.name not in used and not file.relative.startswith("../"):
            message = f"no trigger selects the skill `{skill.name}`, and nothing includes it"
            hint = f"give it `triggers`, include it with `<<{skill.name}>>`, or remove it"
            yield Found(file.source, 1, 1, message, hint)


def _has_unknown_includes(subject: Subject) -> bool:
    known = {*subject.contents.compiler.skills.names(), *SLOTS}
    own_slots = (name for _, layout in subject.layouts for name in layout.slots)
    texts = (file.source for file in subject.files if file.kind in ("skill", "layout"))
    return not known.union(own_slots).issuperset(included(texts))


def _used_skills(subject: Subject) -> Mapping[str, None]:
    compiler = subject.contents.compiler
    triggered = (each.name for each in subject.contents.adopted if each.rules)
    return reached(compiler, (*triggered, *included_by_layouts(compiler)))


def tools(subject: Subject) -> Iterator[Found]:
    """Tools of the bundle that no skill asks for and no variable is."""
    contents = subject.contents
    used = {name for file in subject.files for name in _TOOL.findall(file.source.text)}
    for skill in contents.compiler.skills.found.values():
        if skill.tools == ALL_TOOLS:
            return
        used |= {each.value for each in skill.tools if not isinstance(each, str)}
    for tool in contents.tools:
        if tool.name not in used and (place := _place_of(subject, tool.name)):
            message = f"no skill asks for the tool `{tool.name}`, so no document offers it"
            hint = "list it under `tools` of a skill (or write `tools: all`), or remove it"
            yield at(*place, message, hint)


def _place_of(subject: Subject, tool: str) -> tuple[Source, int] | None:
    """Where a tool stands, as far as its name is written as it is."""
    pattern = re.compile(rf"name[\"']?[ \t]*:[ \t]*[\"']?(?P<name>{re.escape(tool)})(?![\w.-])")
    for file in subject.files:
        if file.kind in ("tools", "settings") and (found := pattern.search(file.source.text)):
            return file.source, found.start("name")
    return None


def layouts(subject: Subject) -> Iterator[Found]:
    """Layouts that no kind of trigger has, and no profile or scenario names."""
    used = {*subject.contents.layout_of.values(), *_named_by_profiles(subject), *subject.loose_words}
    for file, layout in subject.layouts:
        if layout.name not in used:
            message = f"no trigger uses the layout `{layout.name}`"
            hint = "name it under `layout` in `docasm.yaml` or in a scenario, or remove it"
            yield Found(file.source, 1, 1, message, hint)


def _named_by_profiles(subject: Subject) -> Iterator[str]:
    compiler = subject.contents.compiler
    general = compiler.profiles.values()
    own = (each for layout in compiler.layouts.found.values() for each in layout.profiles.values())
    for profile in (*general, *own):
        setting = profile.value.get("layout") if isinstance(profile.value, dict) else None
        if setting is not None:
            yield str(setting.value)


def variables(subject: Subject) -> Iterator[Found]:
    """Variables that a skill, a layout or `docasm.yaml` declares and no text uses.

    Those of `docasm.yaml` may be for souls and pipelines that only scenarios name.
    """
    names = {file.label: _names(file) for file in subject.files if file.skill or file.layout}
    others = _names_of_layouts(subject)
    everywhere = frozenset().union(others, *names.values())
    for file, skill in subject.skills:
        yield from _unused(file, skill.variables, names[file.label] | others, everywhere)
    for file, layout in subject.layouts:
        yield from _unused(file, layout.variables, names[file.label] | others, everywhere)
    if subject.config:
        known = everywhere | subject.loose_words
        yield from _unused(subject.config, subject.contents.compiler.variables, known, known)


def _unused(
    file: BundleFile, declared: Mapping[str, Any], own: frozenset[str], everywhere: frozenset[str]
) -> Iterator[Found]:
    """A file's own variables count in its own text; one that is a tool counts in every text."""
    setting = file.value("variables")
    for name, value in declared.items():
        known = everywhere if isinstance(value, ToolSource) else own
        if name not in known and setting is not None and name in setting.keys:
            message, hint = f"no text uses the variable `{name}`", f"write `{{{{ {name} }}}}`, or remove it"
            yield Found(setting.source, *setting.keys[name], message, hint)


def _names(file: BundleFile) -> frozenset[str]:
    """The variables that a file's text uses; of a text that is no template, all its words."""
    if file.skill and not file.skill.template:
        return frozenset()
    return _names_in(file.body)


def _names_in(source: Source) -> frozenset[str]:
    try:
        return free_names(parse(source))
    except DocasmError:
        return frozenset(_WORD.findall(source.text))


def _names_of_layouts(subject: Subject) -> frozenset[str]:
    """What slots of layouts show, and the variables of layouts that are no Markdown files."""
    found: set[str] = set()
    own = {file.label for file in subject.files if file.kind == "layout"}
    for layout in subject.contents.compiler.layouts.found.values():
        found |= _slot_variables(layout.settings)
        for profile in (*layout.profiles.values(), *subject.contents.compiler.profiles.values()):
            found |= _slot_variables(profile)
        for body in layout.bodies if layout.source.path not in own else ():
            found |= frozenset().union(*map(_names_in, body.texts))
    return frozenset(found)


def _slot_variables(settings: Setting) -> frozenset[str]:
    """The variables that the `slots` of a layout or profile name."""
    slots = settings.value.get("slots") if isinstance(settings.value, dict) else None
    found = (slots.value if slots is not None and isinstance(slots.value, dict) else {}).values()
    named = (each.value.get("from") for each in found if isinstance(each.value, dict))
    return frozenset(each.value for each in named if each is not None and isinstance(each.value, str))
