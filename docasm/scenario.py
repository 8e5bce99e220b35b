"""A scenario: one trigger and its surroundings, from a file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from os.path import abspath
from pathlib import Path
from typing import Any

from docasm.bundle import Bundle
from docasm.config import FILE_NAME, named_file
from docasm.errors import DocasmError, Problem, did_you_mean, failure
from docasm.fields import Fields
from docasm.history import ROLES, Turn
from docasm.render import Render
from docasm.resolve import Resolvers
from docasm.scenario_keys import SCENARIO_KEYS, TRIGGER_KEYS, TURN_KEYS
from docasm.settings import Setting, parse_settings
from docasm.skill import read_variables
from docasm.source import Source, is_file, is_folder, read
from docasm.tool_list import read_tool_list
from docasm.tool_servers import ToolServers
from docasm.tools import Tool
from docasm.trigger import KINDS, Trigger


@dataclass(frozen=True, slots=True)
class Scenario:
    """One render, written down."""

    path: Path
    bundle: Bundle = field(repr=False)
    trigger: Trigger
    history: tuple[Turn, ...]
    variables: Mapping[str, Any]
    model: str | None
    layout: str | None
    tools: tuple[Tool, ...] | None
    now: str | None
    provider: str | None
    results: Mapping[str, Any]
    """What tools return, by their names."""

    def render(
        self,
        *,
        variables: Mapping[str, Any] | None = None,
        layout: str | None = None,
        model: str | None = None,
        now: datetime | str | None = None,
    ) -> Render:
        """The document; raises DocasmError with everything that is wrong.

        What is given goes before what the file says, of `variables` one by one.
        """
        return self.bundle.render(
            self.trigger,
            history=self.history,
            variables={**self.variables, **(variables or {})},
            tools=self.tools,
            model=model or self.model,
            layout=layout or self.layout,
            now=now or self.now,
            provider=self.provider,
            resolvers=self.results,
        )


def load_scenario(
    path: str | Path, *, resolvers: Resolvers | None = None, servers: ToolServers | None = None
) -> Scenario:
    """Reads a scenario and loads its bundle; raises DocasmError with everything that is wrong.

    The bundle is the folder that `bundle` names, or the nearest one upwards with a `docasm.yaml`.
    `resolvers` answer for tools whose results the scenario does not hold, and `servers` talk to the MCP
    servers that the bundle names.
    """
    file = Path(path)
    problems: list[Problem] = []
    fields = Fields(parse_settings(_source(file)), problems, "the scenario")
    fields.only(SCENARIO_KEYS)
    fields.text("description")
    trigger = _trigger(fields, problems)
    history = read_history(fields.get("history"), problems)
    variables = read_variables(fields)
    model, layout, now, provider = (
        fields.text(key) or None for key in ("model", "layout", "now", "provider")
    )
    results = fields.mapping("results").plain()
    tools, tool_problems = read_tool_list(fields.get("tools"), file.parent)
    problems.extend(tool_problems)
    bundle = _bundle(fields, file, problems, resolvers=resolvers, servers=servers)
    if problems or bundle is None or trigger is None:
        raise DocasmError(problems)
    given = None if fields.get("tools") is None else tools
    return Scenario(file, bundle, trigger, history, variables, model, layout, given, now, provider, results)


def _source(file: Path) -> Source:
    """What a file holds; the scenarios of a folder, or near a file that is not there, are in the hint."""
    if is_file(file):
        return read(file)
    is_a_folder = is_folder(file)
    folder = file if is_a_folder else file.parent
    others = sorted(each.as_posix() for each in folder.glob("*.y*ml") if each.name != FILE_NAME)
    meant = "" if is_a_folder else file.as_posix()
    hint = did_you_mean(meant, others, kind="YAML files there") if others else ""
    if is_a_folder:
        raise failure("unreadable-file", f"`{file}` is a folder, and a scenario is a file", hint=hint)
    try:
        return read(file)
    except DocasmError as error:
        raise DocasmError([replace(each, hint=hint) for each in error.problems]) from None


def _bundle(fields: Fields, file: Path, problems: list[Problem], **answering: Any) -> Bundle | None:
    soul, pipeline = (_foreign(fields, key, file.parent) for key in ("soul", "pipeline"))
    try:
        folder = _bundle_folder(fields, file)
        return Bundle.load(folder, soul=soul, pipeline=pipeline, **answering)
    except DocasmError as error:
        named = fields.get("bundle")
        for each in error.problems:
            if named is not None and each.place is None:
                each = named.problem(each.code, each.message, hint=each.hint)
            problems.append(each)
        return None


def _foreign(fields: Fields, key: str, folder: Path) -> Path | None:
    """A file that goes before the one that the bundle names."""
    setting = named_file(fields, key, folder)
    return None if setting is None else folder / setting.value


def _no_trigger(setting: Setting, message: str) -> Problem:
    return setting.problem("bad-trigger", message, hint="write `trigger: {type: dm, text: ...}`")


def _bundle_folder(fields: Fields, file: Path) -> Path:
    named = fields.text("bundle")
    if named:
        return file.parent / named
    for folder in (file.parent, *Path(abspath(file)).parents):
        if is_file(folder / FILE_NAME):
            return folder
    hint = f"put a `{FILE_NAME}` beside it (an empty one will do), or name the folder with `bundle`"
    raise failure("no-bundle", f"there is no `{FILE_NAME}` in the folder of `{file}` or above", hint=hint)


def _trigger(fields: Fields, problems: list[Problem]) -> Trigger | None:
    given = fields.mapping("trigger")
    kind = given.text("type")
    setting = given.get("type")
    if kind not in KINDS:
        if setting is not None and kind:
            hint = did_you_mean(kind, KINDS, kind="types")
            message = f"unknown type of trigger `{kind}`"
            problems.append(setting.problem("unknown-trigger", message, hint=hint))
        elif fields.get("trigger") is None and isinstance(fields.setting.value, dict | None):
            problems.append(_no_trigger(fields.setting, "the scenario has no trigger"))
        elif setting is None and isinstance(given.setting.value, dict):
            problems.append(_no_trigger(given.setting, "the trigger has no `type`"))
        return None
    given.only(TRIGGER_KEYS[kind])
    known = len(problems)
    try:
        return _MAKE[kind](given)
    except DocasmError as error:
        if len(problems) == known:
            at = given.get("text") or given.get("filter") or given.setting
            problems.extend(at.problem(each.code, each.message, hint=each.hint) for each in error.problems)
        return None


def _dm(given: Fields) -> Trigger:
    return Trigger.dm(given.text("text"), sender=given.text("sender", "admin"))


def _cron(given: Fields) -> Trigger:
    created_at = given.whole("created_at", least=0)
    if created_at is None:
        raise failure("bad-trigger", "a cron trigger needs `created_at`, in UNIX seconds")
    return Trigger.cron(given.text("filter"), created_at=created_at)


def _event(given: Fields) -> Trigger:
    payload = given.get("payload")
    if payload is None:
        raise failure("bad-trigger", "an event needs its `payload`")
    return Trigger.event(payload.plain())


_MAKE = {"dm": _dm, "cron": _cron, "event": _event}


def read_history(setting: Setting | None, problems: list[Problem]) -> tuple[Turn, ...]:
    """A list of `role: text`, or of mappings with `role`, `content` and perhaps `name`."""
    if setting is None:
        return ()
    if not isinstance(setting.value, list):
        problems.append(setting.problem("wrong-type", "the history must be a list of turns"))
        return ()
    turns = [_turn(item, problems) for item in setting.value]
    return tuple(turn for turn in turns if turn is not None)


def _turn(item: Setting, problems: list[Problem]) -> Turn | None:
    fields = Fields(item, problems, "a turn")
    if "role" in fields.values:
        fields.only(TURN_KEYS)
        role, content, name = fields.text("role"), fields.text("content"), fields.text("name") or None
    else:
        role, name = next(iter(fields.values), ""), None
        fields.only([role, *ROLES] if role in ROLES and len(fields.values) == 1 else ROLES)
        content = fields.text(role)
        if all(each in fields.values for each in ROLES):
            hint = "give each an entry of its own"
            fields.wrong(item, f"a turn is one of {' and '.join(f'`{each}`' for each in ROLES)}", hint=hint)
    if role in ROLES:
        return Turn(role, content, name=name)
    if "role" in fields.values or item.value == {}:
        hint = did_you_mean(role, ROLES, kind="roles")
        problems.append(item.problem("unknown-role", f"unknown role `{role}` of a turn", hint=hint))
    return None
