"""`docasm check --fix` and `--diff`: mending what is mechanical, in the files or as a diff."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from os.path import normpath
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from docasm.cli.streams import write_text
from docasm.cli.talk import tell, tell_problems
from docasm.cli.words import counted, harmless
from docasm.errors import DocasmError, Place, Problem
from docasm.unified import unified

if TYPE_CHECKING:
    from docasm.cli.check_paths import Target
    from docasm.mends import Mended

_NO_END = "\\ No newline at end of file"
"""As GNU diff says it."""


def fix(targets: "Iterable[Target]") -> None:
    """Mends files and tells what was mended; raises DocasmError where a bundle's settings have errors."""
    done: list[Mended] = []
    problems: list[Problem] = []
    for folder, each in _mended(targets):
        problem = _write(each, Path(folder))
        if problem is None:
            done.append(each)
        else:
            problems.append(problem)
    tell_problems(problems)
    tell(_summary(done, "fixed"))


def show_diff(targets: "Iterable[Target]") -> bool:
    """Writes what `fix` would change to stdout; whether it would change something."""
    found = [each for _, each in _mended(targets)]
    write_text("".join(_diff(each) for each in found))
    tell(_summary(found, "would fix"))
    return bool(found)


def _mended(targets: "Iterable[Target]") -> "Sequence[tuple[str, Mended]]":
    """The files to change, each with the folder of its bundle; all are known before any is written."""
    return [(target.bundle, each) for target in targets for each in _mended_of(target)]


def _mended_of(target: "Target") -> "Iterator[Mended]":
    from docasm.bundle import read_bundle
    from docasm.lints.subject import subject_of
    from docasm.mends import mended
    from docasm.tool_servers import NOT_ASKED

    bundle, wrong = read_bundle(target.bundle, servers=NOT_ASKED)
    if wrong:  # it may be what should stay as it is that cannot be read
        raise DocasmError(wrong)
    subject = subject_of(bundle.disk, bundle.contents)
    changes = mended(subject, bundle.disk.config.severities)
    return (each for each in changes if target.has(each.label))


def _summary(found: "Sequence[Mended]", done: str) -> str:
    """As in "fixed 3 places in 2 files: heading-jump 2, left-open 1"."""
    counts = sum((Counter(each.counts) for each in found), Counter[str]())
    if not counts:
        return "nothing to fix"
    by_code = ", ".join(f"{code} {count:,}" for code, count in sorted(counts.items()))
    return f"{done} {counted(counts.total(), 'place')} in {counted(len(found), 'file')}: {by_code}"


def _diff(change: "Mended") -> str:
    """A unified diff; a byte order mark and a CR are shown by name, for no terminal shows them."""
    before, after = (_lines(text) for text in (change.before, change.after))
    label = harmless(change.label)
    return "".join(f"{line}\n" for line in unified(before, after, label, label))


def _lines(text: str) -> list[str]:
    shown = text.replace("\ufeff", "<BOM>").replace("\r\n", "<CR>\n").replace("\r", "<CR>")
    lines = [harmless(line) for line in shown.split("\n")]
    return lines[:-1] if shown.endswith("\n") else [*lines[:-1], f"{lines[-1]}\n{_NO_END}"]


def _write(change: "Mended", folder: Path) -> Problem | None:
    """Puts the mended text in the file's place, all of it at once; what is wrong if that cannot be.

    A file that a link leads to is another one's, and one that changed meanwhile was not looked at.
    """
    try:
        if change.path.resolve() != _without_links(change.path, folder):
            return _not_written(change, "a link leads to it", "mend the file that the link leads to")
        if change.path.read_bytes() != change.before.encode():
            return _not_written(change, "it changed meanwhile", "run it again")
        _replace(change.path, change.after.encode())
    except OSError as error:
        return _not_written(change, error.strerror or type(error).__name__, "mend it by hand")
    return None


def _without_links(path: Path, folder: Path) -> Path:
    """Where a file is if no link below the bundle's folder, or the one beside it, leads elsewhere."""
    real = folder.resolve()
    return Path(normpath(real / os.path.relpath(path, folder.absolute())))


def _replace(path: Path, data: bytes) -> None:
    """A new file with the permissions of the old one takes its place."""
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "Permission denied")
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            temporary.chmod(path.stat().st_mode)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _not_written(change: "Mended", reason: str, hint: str) -> Problem:
    message = f"cannot write `{change.label}`: {reason}"
    return Problem("unwritable-file", message, Place(change.label, 1), hint=hint, severity="warning")
