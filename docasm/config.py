"""Reading `docasm.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from docasm.errors import DocasmError, Problem, did_you_mean, failure
from docasm.fields import Fields
from docasm.files import Files
from docasm.history import DEFAULT_LABELS, ROLES
from docasm.layout_file import PROFILES, check_profile, read_profiles
from docasm.params import PARAMS_SHAPE, read_params
from docasm.providers.facts import MODELS, NO_MODELS, Models, read_models
from docasm.rules import TRIGGERS, read_rules
from docasm.settings import Setting, parse_settings
from docasm.severities import NO_SEVERITIES, SEVERITIES_SHAPE, Severities, read_severities
from docasm.shapes import ANY_TEXT, Shape, either, given, keys, list_of, mapping, text, texts
from docasm.skill import VARIABLES, read_variables
from docasm.source import is_file, is_folder
from docasm.tool_list import TOOLS
from docasm.tool_servers import SERVERS, Server, read_servers
from docasm.trigger import KINDS, Rule

FILE_NAME = "docasm.yaml"
BUNDLE_TOOLS: Shape = {
    "description": TOOLS["description"],
    "if": {"type": "object", "required": ["mcp"]},
    "then": SERVERS,
    "else": TOOLS,
}
_ADOPTION_KEYS = keys(
    skill=given(text("The skill's name.", pattern=ANY_TEXT)),
    triggers=TRIGGERS,
    params=PARAMS_SHAPE,
)
BUNDLE_KEYS = keys(
    skills=texts("The folders of skills; of two skills with one name that of the first is used."),
    layouts=text("The folder of layouts."),
    layout=mapping("The layout for a kind of trigger.", {kind: text("The layout's name.") for kind in KINDS}),
    adopted=list_of(
        "Which skills triggers can select, and their order in the document; by default all.",
        either(
            "A skill's name, or a skill with triggers and params that go before its own.",
            {"type": ["string", "null"]},
            mapping("An adopted skill.", _ADOPTION_KEYS, required=["skill"]),
        ),
    ),
    tools=BUNDLE_TOOLS,
    variables=VARIABLES,
    labels=mapping("What the history calls each side.", {role: text("The side's name.") for role in ROLES}),
    params=PARAMS_SHAPE,
    profiles=PROFILES,
    provider=text("Whom documents are for: what templates see as `provider`."),
    models=either("What differs by model, or a file of that.", {"type": "string"}, MODELS),
    soul=text("A soul document, whose context all triggers use."),
    pipeline=text("A context pipeline, whose context all triggers use."),
    check=SEVERITIES_SHAPE,
)


@dataclass(frozen=True, slots=True)
class Adoption:
    """An entry of `adopted`."""

    skill: str
    entry: Setting
    rules: tuple[Rule, ...] | None
    """Triggers that replace the skill's own; None leaves those."""
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Config:
    """What a `docasm.yaml` says, with its paths made absolute."""

    skill_folders: tuple[Path, ...]
    layout_folder: Path
    layouts: Mapping[str, Setting]
    """The layout of a kind of trigger, where it is not the one of the same name."""
    adopted: tuple[Adoption, ...] | None
    """None: all skills, by name."""
    tools: Setting | None
    """The tools, or a file of them relative to the bundle."""
    variables: Mapping[str, Any]
    labels: Mapping[str, str]
    params: Mapping[str, Any]
    profiles: Mapping[str, Setting] = field(default_factory=dict)
    """What every layout says otherwise for a model."""
    provider: str | None = None
    """Whom renders are for where they do not say."""
    models: Models = field(default_factory=dict)
    """What differs by model, before what docasm knows."""
    soul: Setting | None = None
    """A soul document, relative to the bundle, whose layout all triggers use."""
    servers: tuple[Server, ...] = ()
    """The programs that offer more tools."""
    pipeline: Setting | None = None
    """The same of a `context_pipeline` or `context_profiles`."""
    severities: Severities = NO_SEVERITIES
    """How much each problem matters to `docasm check`."""


def read_config(folder: Path, shown: str, files: Files) -> tuple[Config, tuple[Problem, ...]]:
    """The configuration of a bundle's folder and what is wrong with it; `shown` is what problems call it."""
    file = folder / FILE_NAME
    if not is_file(file):
        hint = "name a folder with a `docasm.yaml` (an empty one will do), or run `docasm init`"
        raise failure("no-bundle", f"there is no `{FILE_NAME}` in `{shown}`", hint=hint)
    problems: list[Problem] = []
    name = Path(shown, FILE_NAME).as_posix()
    fields = Fields(files.parsed("settings", file, name, parse_settings), problems, f"`{FILE_NAME}`")
    fields.only(BUNDLE_KEYS)
    tools, servers = read_servers(fields.get("tools"), folder, problems)
    config = Config(
        skill_folders=_folders(fields, folder),
        layout_folder=_layout_folder(fields, folder),
        layouts=_layouts(fields.mapping("layout")),
        adopted=_adopted(fields),
        tools=tools,
        servers=servers,
        variables=read_variables(fields),
        labels=_labels(fields.mapping("labels")),
        params=read_params(fields.mapping("params"), severity="error"),
        profiles=_profiles(fields),
        provider=fields.text("provider") or None,
        models=_models(fields, folder, files),
        soul=named_file(fields, "soul", folder),
        pipeline=named_file(fields, "pipeline", folder),
        severities=read_severities(fields.mapping("check")),
    )
    return config, tuple(problems)


def _profiles(fields: Fields) -> Mapping[str, Setting]:
    profiles = read_profiles(fields)
    for profile in profiles.values():
        fields.problems.extend(check_profile(profile))
    return profiles


def _models(fields: Fields, folder: Path, files: Files) -> Models:
    """The facts of models, in place or in a file."""
    setting = fields.get("models")
    if setting is None:
        return NO_MODELS
    if isinstance(setting.value, str):
        path = folder / setting.value
        try:
            setting = files.parsed("settings", path, setting.value, parse_settings)
        except DocasmError as error:
            fields.problems.extend(error.problems)
            return NO_MODELS
    return read_models(setting, fields.problems)


def named_file(fields: Fields, key: str, folder: Path) -> Setting | None:
    """The file that a key names, relative to a folder; a problem if there is none."""
    name, setting = fields.text(key), fields.get(key)
    if not name or setting is None or is_file(folder / name):
        return setting if name else None
    hint = "the path is relative to this file"
    fields.problems.append(setting.problem("unreadable-file", f"there is no file `{name}`", hint=hint))
    return None


def _folders(fields: Fields, folder: Path) -> tuple[Path, ...]:
    given = [setting for setting in fields.texts("skills") if _is_there(setting, fields, folder)]
    return tuple(folder / setting.value for setting in given) or (folder / "skills",)


def _layout_folder(fields: Fields, folder: Path) -> Path:
    name, setting = fields.text("layouts", "layouts"), fields.get("layouts")
    is_there = setting is None or setting.value != name or _is_there(setting, fields, folder)
    return folder / (name if is_there else "layouts")


def _is_there(setting: Setting, fields: Fields, folder: Path) -> bool:
    if is_folder(folder / setting.value):
        return True
    message = f"there is no folder `{setting.value}`"
    fields.problems.append(setting.problem("missing-folder", message, hint="create it, or correct it"))
    return False


def _layouts(fields: Fields) -> Mapping[str, Setting]:
    fields.only(KINDS)
    layouts = {kind: setting for kind in KINDS if (setting := fields.get(kind))}
    for kind in layouts:
        fields.text(kind)
    return {kind: setting for kind, setting in layouts.items() if isinstance(setting.value, str)}


def _labels(fields: Fields) -> Mapping[str, str]:
    fields.only(ROLES)
    return MappingProxyType({role: fields.text(role, DEFAULT_LABELS[role]) for role in ROLES})


def _adopted(fields: Fields) -> tuple[Adoption, ...] | None:
    setting = fields.get("adopted")
    if setting is None:
        return None
    if not isinstance(setting.value, list):
        fields.wrong(setting, "`adopted` must be a list of skills")
        return ()
    entries = [_adoption(entry, fields.problems) for entry in setting.value]
    adopted = [entry for entry in entries if entry is not None]
    seen: dict[str, Adoption] = {}
    for entry in adopted:
        if entry.skill in seen:
            message = f"`{entry.skill}` is adopted twice; the first is on line {seen[entry.skill].entry.line}"
            fields.problems.append(entry.entry.problem("duplicate-skill", message, hint="keep one of them"))
        seen.setdefault(entry.skill, entry)
    return tuple(seen.values())


def _adoption(entry: Setting, problems: list[Problem]) -> Adoption | None:
    if isinstance(entry.value, str):
        return Adoption(entry.value, entry, None, MappingProxyType({}))
    fields = Fields(entry, problems, "an adopted skill")
    fields.only(_ADOPTION_KEYS)
    if not fields.text("skill"):
        if isinstance(entry.value, dict):
            problems.append(entry.problem("wrong-type", "an adopted skill needs its name as `skill`"))
        return None
    rules = read_rules(fields.get("triggers"), problems) if fields.get("triggers") else None
    params = read_params(fields.mapping("params"), severity="error")
    return Adoption(fields.text("skill"), entry, rules, params)


def unknown_skill(adoption: Adoption, names: Mapping[str, Any]) -> Problem:
    """That an adopted skill does not exist."""
    hint = did_you_mean(adoption.skill, names, kind="skills")
    return adoption.entry.problem(
        "unknown-skill", f"there is no skill `{adoption.skill}` to adopt", hint=hint
    )
