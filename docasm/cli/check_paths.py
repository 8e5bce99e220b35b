"""What the paths that `docasm check` is given stand for: bundles, each whole or single files of it."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from docasm.config import FILE_NAME
from docasm.errors import Problem, failure
from docasm.source import is_file, is_folder


@dataclass(frozen=True, slots=True)
class Target:
    """A bundle to check."""

    bundle: str
    """The folder, as problems call it."""
    files: dict[str, str] | None = None
    """The files to tell of, each with what it was called when it was given; None for all."""

    def wants(self, problem: Problem) -> bool:
        """Whether a problem is one of these files."""
        return self.files is None or (problem.place is not None and self.has(problem.place.path))

    def has(self, path: str) -> bool:
        """Whether a file is one of these."""
        return self.files is None or _same(path) in self.files


def targets(paths: Iterable[str]) -> tuple[Target, ...]:
    """The bundles that paths name, each once, in their order; raises DocasmError where it cannot tell.

    A folder that is no bundle stands for the nearest ones below it; a file for itself, in the nearest bundle
    upwards. A folder without any stands for itself, for loading it tells what is missing.
    """
    found: dict[str, list[Target]] = {}
    for each in (target for path in paths for target in _targets(path)):
        found.setdefault(_same(each.bundle), []).append(each)
    return tuple(map(_merged, found.values()))


def strangers(target: Target, read: Iterable[str]) -> Iterator[Problem]:
    """A problem for each file asked for that the bundle, which has read some files, did not read."""
    known = set(map(_same, read))
    for file, path in sorted((target.files or {}).items()):
        if file not in known:
            message = f"`{path}` is no file of the bundle `{target.bundle}`"
            hint = f"`{FILE_NAME}` says which folders hold its skills and layouts"
            yield Problem("outside-bundle", message, hint=hint)


def _merged(targets: Sequence[Target]) -> Target:
    """One for all that was asked of a bundle."""
    files = [target.files for target in targets if target.files is not None]
    whole = len(files) < len(targets)
    return Target(targets[0].bundle, None if whole else dict(chain.from_iterable(map(dict.items, files))))


def _targets(path: str) -> Iterator[Target]:
    if is_file(Path(path)):
        yield Target(_upwards(path), {_same(path): path})
    elif is_folder(Path(path)) and not is_file(Path(path, FILE_NAME)):
        below = [Target(folder) for folder in _below(path)]
        yield from below or (Target(path),)
    else:
        yield Target(path)


def _upwards(path: str) -> str:
    """The nearest bundle of a file, named from where the user stands if the file is."""
    for folder in Path(os.path.abspath(path)).parents:
        if is_file(folder / FILE_NAME):
            return str(folder) if os.path.isabs(path) else os.path.relpath(folder)
    hint = "name the bundle that has it, or put an empty one beside it"
    raise failure("no-bundle", f"there is no `{FILE_NAME}` in the folder of `{path}` or above", hint=hint)


def _below(path: str) -> Iterator[str]:
    """The nearest bundles below a folder, by name; hidden folders and links are not looked into."""
    for folder, folders, files in os.walk(path, onerror=_refuse):
        if FILE_NAME in files:
            yield folder
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith("."))


def _refuse(error: OSError) -> None:
    raise failure("unreadable-file", f"cannot list `{error.filename}`: {error.strerror}")


def _same(path: str) -> str:
    """What two names of one file have in common; links are not followed."""
    return os.path.abspath(path.replace("\0", "\ufffd"))
