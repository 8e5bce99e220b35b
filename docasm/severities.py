"""How much each problem that `docasm check` lists matters, as `docasm.yaml` says."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from docasm.codes import CODES
from docasm.errors import Problem, did_you_mean
from docasm.fields import Fields
from docasm.settings import Setting
from docasm.shapes import choice, mapping, mapping_of

FILES = "files"
"""The key for what holds of some files only."""
ALL = "all"
"""Stands for every code that is not named."""
OFF = "off"
SEVERITIES = ("error", "warning", "note", OFF)

_LEVELS_SHAPE = {code: choice("How much it matters to `docasm check`.", SEVERITIES) for code in (ALL, *CODES)}
SEVERITIES_SHAPE = mapping(
    "How much each problem matters to `docasm check`.",
    {
        **_LEVELS_SHAPE,
        FILES: mapping_of(
            "The same for some files, by patterns for their paths.", mapping("By code.", _LEVELS_SHAPE)
        ),
    },
)

Levels = Mapping[str, str]
"""A severity by code, or by ALL."""


@dataclass(frozen=True, slots=True)
class Severities:
    """The value of `check`."""

    levels: Levels = field(default_factory=dict)
    files: tuple[tuple[str, Levels], ...] = ()
    """What holds for the files that a pattern fits; a later pattern goes before an earlier one."""

    def of(self, code: str, path: str) -> str | None:
        """The severity of a code in a file, by its path from the bundle; None where nothing is said."""
        fitting = (levels for pattern, levels in reversed(self.files) if fnmatchcase(path, pattern))
        for levels in (*fitting, self.levels):
            found = levels.get(code, levels.get(ALL))
            if found is not None:
                return found
        return None

    def judge(self, problem: Problem, path: str) -> Problem | None:
        """The problem as severe as is said; None where it is off. An error stays one: it stops a render."""
        if problem.severity == "error":
            return problem
        severity = self.of(problem.code, path)
        if severity is None:
            return problem
        return None if severity == OFF else replace(problem, severity=severity)


NO_SEVERITIES = Severities()


def read_severities(fields: Fields) -> Severities:
    """The mapping of codes to severities, with that of patterns under FILES."""
    files = fields.mapping(FILES)
    by_pattern = tuple((pattern, _levels(files.mapping(pattern))) for pattern in files.values)
    return Severities(_levels(fields, skip=FILES), by_pattern)


def _levels(fields: Fields, *, skip: str = "") -> Levels:
    found: dict[str, str] = {}
    for code, setting in fields.values.items():
        if code == skip or (code in (ALL, *CODES) and setting.value is None):
            continue
        if code not in CODES and code != ALL:
            hint = did_you_mean(code, (*CODES, ALL), kind="codes")
            message = f"there is no problem `{code}`"
            fields.problems.append(fields.setting.key_problem("unknown-code", message, code, hint=hint))
        elif severity := _severity(setting, fields):
            found[code] = severity
    return found


def _severity(setting: Setting, fields: Fields) -> str | None:
    if isinstance(setting.value, str) and setting.value in SEVERITIES:
        return setting.value
    known = ", ".join(f"`{each}`" for each in SEVERITIES)
    fields.wrong(setting, f"a severity must be one of {known}")
    return None
