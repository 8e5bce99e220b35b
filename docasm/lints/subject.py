"""What lints look at: the files of a bundle, with what was read of them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from os.path import relpath
from pathlib import Path

from docasm.chosen_layout import Known
from docasm.config import FILE_NAME
from docasm.contents import Contents
from docasm.disk import Disk
from docasm.errors import DocasmError, Problem
from docasm.fragment import Fragment
from docasm.layout import Layout
from docasm.library import BUILT_IN_LAYOUTS
from docasm.settings import Setting, parse_settings
from docasm.skill import Skill
from docasm.source import Source, is_file, read_bytes, split_front_matter, with_line_feeds

AGENT_SKILL = "Agent Skill"
SKILL_KINDS = ("skill", AGENT_SKILL)
MARKDOWN_KINDS = (*SKILL_KINDS, "layout")
BOM = "\ufeff"

MOST_LOOSE = 1_000
"""How many files beside those of the bundle are looked at."""
_LOOSE = (".json", ".md", ".yaml", ".yml")
_WORD = re.compile(r"[\w-]+")

Outline = Sequence[tuple[str, str]]
"""The headings and code blocks of a text: ("heading", its level) and ("code", the code)."""
SecondParser = Callable[[str], Outline]


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file as it is on disk."""

    kind: str
    """As it was read: "skill", "Agent Skill", "layout", "settings", "tools" ..."""
    path: Path
    label: str
    """What problems call it."""
    relative: str
    """Its path from the bundle, with `/`."""
    raw: str
    """Its text with its BOM and its line ends."""
    source: Source
    settings: Setting
    """Its front matter, or all of a YAML file; null where it has none or cannot be read."""
    body: Source
    skill: Skill | None = None
    """The skill that it is, if it is one that can be read and is not shadowed."""
    layout: Layout | None = None

    def value(self, key: str) -> Setting | None:
        """The setting of a key of the front matter."""
        values = self.settings.value
        return values.get(key) if isinstance(values, dict) else None


@dataclass(frozen=True, slots=True)
class Subject:
    """A bundle."""

    files: tuple[BundleFile, ...]
    contents: Contents
    folder: Path
    second_parser: SecondParser | None = None
    """Another reader of Markdown; None where none is installed."""

    @property
    def loose_words(self) -> frozenset[str]:
        """The words of what lies beside the bundle's files: scenarios, and what they name."""
        own = {file.path for file in self.files}
        paths = (path for pattern in ("*", "*/*") for path in sorted(self.folder.glob(pattern)))
        loose = islice((path for path in paths if path.suffix in _LOOSE and path not in own), MOST_LOOSE)
        return frozenset(word for path in loose for word in words(_text(path)))

    @property
    def skills(self) -> Iterator[tuple[BundleFile, Skill]]:
        return ((each, each.skill) for each in self.files if each.skill)

    @property
    def layouts(self) -> Iterator[tuple[BundleFile, Layout]]:
        return ((each, each.layout) for each in self.files if each.layout)

    @property
    def config(self) -> BundleFile | None:
        return next((each for each in self.files if each.relative == FILE_NAME), None)

    def fragment(self, file: BundleFile) -> Fragment | None:
        """The compiled skill or layout; None where it has errors."""
        compiler = self.contents.compiler
        try:
            if file.skill:
                return compiler.skill(file.skill.name, Known())
            if file.layout and not file.layout.needs_profile:
                return compiler.layout(compiler.choose(file.layout.name, None, ""), Known())
        except DocasmError:
            pass
        return None


@dataclass(frozen=True, slots=True)
class Found:
    """What a lint finds; its code and severity are the lint's."""

    source: Source
    line: int
    column: int
    message: str
    hint: str

    def problem(self, code: str, severity: str) -> Problem:
        return self.source.problem(
            code, self.message, self.line, self.column, hint=self.hint, severity=severity
        )


def at(source: Source, offset: int, message: str, hint: str) -> Found:
    """Something at a code point of a source's text."""
    return Found(source, *source.position(offset), message, hint)


def subject_of(disk: Disk, contents: Contents, second_parser: SecondParser | None = None) -> Subject:
    """A bundle as its files are now; those that cannot be read or are not UTF-8 are left out."""
    skills = {each.body.path: each for each in contents.compiler.skills.found.values()}
    layouts = {each.source.path: each for each in contents.compiler.layouts.found.values()}
    files = tuple(_files(disk, skills, layouts))
    return Subject(files, contents, disk.origin.folder, second_parser)


def _files(disk: Disk, skills: Mapping[str, Skill], layouts: Mapping[str, Layout]) -> Iterator[BundleFile]:
    for kind, path, label in own_files(disk):
        try:
            raw = read_bytes(path, label).decode()
        except (DocasmError, UnicodeDecodeError):
            continue
        source = Source(label, with_line_feeds(raw.removeprefix(BOM)))
        settings, body = _halves(kind, source)
        relative = Path(relpath(path, disk.origin.folder)).as_posix()
        skill = skills.get(label) if kind in SKILL_KINDS else None
        layout = layouts.get(label) if kind == "layout" else None
        yield BundleFile(kind, path, label, relative, raw, source, _settings(settings), body, skill, layout)


def own_files(disk: Disk) -> Iterable[tuple[str, Path, str]]:
    """The kind, the path and the label of each file of a bundle, the built-in layouts left out."""
    return (key for key in disk.files if BUILT_IN_LAYOUTS not in key[1].parents)


def words(text: str) -> Iterable[str]:
    """What could be names in a text."""
    return _WORD.findall(text)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="replace") if is_file(path) else ""
    except OSError:
        return ""


def _halves(kind: str, source: Source) -> tuple[Source, Source]:
    nothing = Source(source.path, "")
    if kind not in MARKDOWN_KINDS:
        return source, nothing
    try:
        parts = split_front_matter(source)
    except DocasmError:
        return nothing, nothing
    return parts.settings, parts.body


def _settings(source: Source) -> Setting:
    try:
        return parse_settings(source)
    except DocasmError:
        return Setting(None, source, source.first_line, 1)
