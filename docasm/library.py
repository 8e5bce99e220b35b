"""The skills and layouts that folders hold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os.path import islink
from pathlib import Path
from typing import Generic, TypeVar

from docasm.errors import DocasmError, Place, Problem, failure
from docasm.files import Files
from docasm.layout import Layout
from docasm.layout_file import read_layout
from docasm.skill import Skill, read_skill
from docasm.source import is_file, is_folder

Value = TypeVar("Value")

AGENT_SKILL_FILE = "SKILL.md"
BUILT_IN_LAYOUTS = Path(__file__).parent / "starter" / "layouts"
"""The layouts of a bundle that has none of its own."""


@dataclass(slots=True)
class Library(Generic[Value]):
    """Values by name, and what is wrong with those that could not be read."""

    found: dict[str, Value] = field(default_factory=dict)
    broken: dict[str, tuple[Problem, ...]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    """Everything noticed, errors of `broken` included."""

    def get(self, name: str) -> Value:
        """A value; raises KeyError if there is none, DocasmError if it is broken."""
        if name in self.broken:
            raise DocasmError(self.broken[name])
        return self.found[name]

    def names(self) -> tuple[str, ...]:
        return tuple(sorted({*self.found, *self.broken}))

    def refuse(self, name: str, problems: Sequence[Problem]) -> None:
        """Counts a name as broken."""
        self.found.pop(name, None)
        self.broken[name] = tuple(problems)
        self.problems.extend(problems)


def resolved(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Where folders really are; one that is nowhere holds nothing."""
    return tuple(real for folder in folders if (real := _resolved(folder)))


def _resolved(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # RuntimeError: links in a circle
        return None


def _label(folder: str, path: Path) -> str:
    """What problems call a file; a name that is not UTF-8 is shown with escapes."""
    return f"{folder}/{path.as_posix()}".encode(errors="backslashreplace").decode()


def read_skills(
    folders: Sequence[Path], shown: Mapping[Path, str], allowed: Sequence[Path], files: Files
) -> Library[Skill]:
    """The skills of folders, those of the first folder before those of later ones of the same name.

    `shown` is what problems call a folder; a file that leads out of all `allowed` ones is refused.
    """
    library: Library[Skill] = Library()
    allowed = resolved(allowed)
    for folder in folders:
        here = _read_folder(folder, shown[folder], allowed, files)
        for name in [*here.found, *here.broken]:
            if name in library.found or name in library.broken:
                library.problems.append(_shadowed(name, shown[folder]))
        library.problems.extend(here.problems)
        known = {*library.found, *library.broken}
        library.found |= {name: skill for name, skill in here.found.items() if name not in known}
        library.broken |= {name: each for name, each in here.broken.items() if name not in known}
    return library


def _shadowed(name: str, folder: str) -> Problem:
    message = f"the skill `{name}` in `{folder}` is not used: a folder listed before has one of this name"
    return Problem("shadowed-skill", message, severity="note")


def _read_folder(folder: Path, shown: str, allowed: Sequence[Path], files: Files) -> Library[Skill]:
    library: Library[Skill] = Library()
    places: dict[str, str] = {}
    for path, default_name, agent_skill in _skill_files(folder, shown):
        name, label = default_name, _label(shown, path.relative_to(folder))
        try:
            _check_inside(path, label, allowed)
            parse = partial(read_skill, default_name=default_name, agent_skill=agent_skill)
            kind = "Agent Skill" if agent_skill else "skill"
            skill, problems = files.parsed(kind, path, label, parse)
            name = skill.name
            if any(problem.severity == "error" for problem in problems):
                raise DocasmError(problems)
        except DocasmError as error:
            library.refuse(name, error.problems)
            continue
        library.problems.extend(problems)
        if name in places:
            message = f"`{places[name]}` and `{label}` both hold a skill `{name}`"
            problem = Problem(
                "duplicate-skill", message, Place(label, 1), hint="rename or remove one of them"
            )
            library.refuse(name, [problem])
        elif name not in library.broken:
            library.found[name] = skill
        places.setdefault(name, label)
    return library


def _skill_files(folder: Path, shown: str) -> Iterator[tuple[Path, str, bool]]:
    """Each skill's file, its name if the file gives none, and whether it is an Agent Skill; sorted."""
    for path in _entries(folder, shown):
        if path.suffix == ".md" and is_file(path):
            yield path, path.stem, False
        elif is_file(path / AGENT_SKILL_FILE):
            yield path / AGENT_SKILL_FILE, path.name, True


def _entries(folder: Path, shown: str) -> Sequence[Path]:
    """What a folder holds that is not hidden; sorted."""
    if not is_folder(folder):
        return ()
    try:
        found = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        raise failure("unreadable-file", f"cannot list `{shown}`: {error.strerror}") from None
    return sorted(found, key=lambda path: path.name)


def read_layouts(folder: Path, shown: str, allowed: Sequence[Path], files: Files) -> Library[Layout]:
    """The layouts of a folder, and the built-in ones of names that it does not hold."""
    library: Library[Layout] = Library()
    allowed = resolved([*allowed, BUILT_IN_LAYOUTS])
    places = [(BUILT_IN_LAYOUTS, "docasm"), (folder, shown)]
    paths = {
        path.stem: (path, _label(label, path.relative_to(each)))
        for each, label in places
        for path in _entries(each, label)
        if path.suffix == ".md" and is_file(path)
    }
    for name, (path, label) in sorted(paths.items()):
        try:
            _check_inside(path, label, allowed)
            layout, problems = files.parsed("layout", path, label, partial(read_layout, name=name))
            if problems:
                raise DocasmError(problems)
            library.found[name] = layout
        except DocasmError as error:
            library.refuse(name, error.problems)
    return library


def _check_inside(path: Path, label: str, allowed: Sequence[Path]) -> None:
    """Raises DocasmError for a file below an allowed folder that is really elsewhere."""
    if not islink(path) and not islink(path.parent):
        return  # an Agent Skill is in a folder of its own; no file is deeper
    real = _resolved(path)
    if real is None or not any(real.is_relative_to(folder) for folder in allowed):
        message = f"`{label}` leads out of the folders of this bundle"
        hint = "put the file itself there, or list its folder under `skills` in `docasm.yaml`"
        raise DocasmError([Problem("outside-bundle", message, Place(label, 1), hint=hint)])
