"""One section of a soul document's template, as its file gives it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from docasm.errors import Problem, did_you_mean
from docasm.fields import Fields
from docasm.formats.making import unused
from docasm.settings import Setting
from docasm.sources import KEYS as TOOL_KEYS

SECTION_KEYS = ("section", "role", "tool", "args", "result_field", "content", "limit", "provider")
EXPAND = "expand"
SECTION_ROLES = ("system", "user", "assistant", EXPAND)
MOST = 200
"""The largest limit."""
PERSONALITY = "system_prompt"
"""What the personality is called, and so no section."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the template."""

    name: str
    role: str
    setting: Setting
    content: Setting | None
    tool: Mapping[str, Setting]
    """What the tool is called with; empty without one."""
    limit: Setting | None
    """At most MOST; None for all there is."""
    providers: Mapping[str, Setting]

    @property
    def is_history(self) -> bool:
        return self.role == EXPAND

    @property
    def texts(self) -> str:
        """All that it may write of its own, in one text."""
        given = (*((self.content,) if self.content else ()), *self.providers.values())
        return "\n".join(str(each.value) for each in given)


def read_sections(setting: Setting, problems: list[Problem]) -> list[Section]:
    """The sections of a list, those that are wrong left out."""
    if not isinstance(setting.value, list) or not setting.value:
        hint = "write `- section: NAME`, `role: ROLE` and `content: TEXT` for each"
        message = "a list of sections is expected here"
        problems.append(setting.problem("wrong-type", message, hint=hint))
        return []
    found = [_section(each, problems) for each in setting.value]
    sections = [each for each in found if each is not None]
    problems.extend(_duplicates(sections))
    return sections


def _duplicates(sections: list[Section]) -> list[Problem]:
    seen: dict[str, int] = {}
    problems = []
    for each in sections:
        name = each.setting.value["section"]
        if each.name == PERSONALITY:
            message = f"`{PERSONALITY}` is what the text above the marker is called"
            problems.append(name.problem("duplicate-section", message, hint="choose another name"))
        elif each.name in seen:
            message = f"the section `{each.name}` is there twice; the first is on line {seen[each.name]}"
            problems.append(name.problem("duplicate-section", message, hint="rename or remove one of them"))
        seen.setdefault(each.name, name.line)
    return problems


def _section(setting: Setting, problems: list[Problem]) -> Section | None:
    known = len(problems)
    fields = Fields(setting, problems, "a section")
    fields.only(SECTION_KEYS)
    section = Section(
        name=_required(fields, "section").strip(),
        role=_role(fields),
        setting=setting,
        content=_content(fields),
        tool=_tool(fields),
        limit=_limit(fields),
        providers=_providers(fields.mapping("provider")),
    )
    if len(problems) == known:
        _check_sense(section, problems)
    wrong = any(problem.severity == "error" for problem in problems[known:])
    return None if wrong else section


def _required(fields: Fields, key: str) -> str:
    """A text that must be there and may not be blank."""
    text, given = fields.text(key), fields.values.get(key)
    is_text = given is None or isinstance(given.value, str | None)
    if isinstance(fields.setting.value, dict) and not text.strip() and is_text:
        at = given or fields.setting
        fields.problems.append(at.problem("wrong-type", f"a section needs its `{key}`", hint=_HINTS[key]))
    return text


_HINTS = {
    "section": "write `section: NAME`",
    "role": "write `role: system`, `user`, `assistant`, or `expand` for the history",
    "content": "write `content: TEXT`, or `tool: NAME`",
}


def _role(fields: Fields) -> str:
    role, setting = _required(fields, "role"), fields.get("role")
    if setting is not None and role.strip() and role not in SECTION_ROLES:
        hint = did_you_mean(role, SECTION_ROLES, kind="roles")
        fields.problems.append(
            setting.problem("unknown-role", f"unknown role `{role}` of a section", hint=hint)
        )
    return role


def _content(fields: Fields) -> Setting | None:
    fields.text("content")
    return fields.get("content")


def _tool(fields: Fields) -> Mapping[str, Setting]:
    """What is said of a tool; without one nothing."""
    fields.text("result_field")
    if not fields.text("tool").strip():
        for key in ("args", "result_field"):
            unused(fields.problems, fields.values, key, "the section has no `tool`", "add one, or remove it")
        return {}
    return {key: each for key in TOOL_KEYS if (each := fields.get(key)) is not None}


def _limit(fields: Fields) -> Setting | None:
    setting, limit = fields.get("limit"), fields.whole("limit", least=0)
    if setting is None or limit is None:
        return None
    if limit > MOST:
        message = f"a limit is at most {MOST}; {limit} counts as {MOST}"
        hint = f"write `limit: {MOST}`"
        fields.problems.append(setting.problem("limit-capped", message, hint=hint, severity="warning"))
    return replace(setting, value=MOST if limit > MOST else limit) if limit else None


def _providers(fields: Fields) -> Mapping[str, Setting]:
    for provider in fields.values:
        fields.text(provider)
    return {name: each for name, each in fields.values.items() if isinstance(each.value, str)}


def _check_sense(section: Section, problems: list[Problem]) -> None:
    """Tells of what is missing, and of what has no effect."""
    given = section.setting.value
    if section.is_history:
        for key in ("content", "tool", "args", "result_field", "provider"):
            hint = "remove it, or give the section another role"
            unused(problems, given, key, f"`role: {EXPAND}` shows the history", hint)
    elif section.tool:
        unused(problems, given, "content", "the section shows what its `tool` returns", "remove one of them")
    elif section.content is None and not section.providers:
        message = f"the section `{section.name}` has neither `content` nor `tool`"
        problems.append(section.setting.problem("wrong-type", message, hint=_HINTS["content"]))
