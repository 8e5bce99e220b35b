"""`docasm init`: a bundle to start from."""

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from docasm.cli.talk import tell
from docasm.errors import DocasmError, Problem, failure

STARTER = Path(__file__).parent.parent / "starter"
"""The files of a new bundle."""


@click.command("init", short_help="Write a small bundle to start from.")
@click.argument("folder", default=".", metavar="[DIR]")
def command(folder: str) -> None:
    """Write a small bundle to start from.

    DIR is made if need be; it is the current folder if it is not given. No file
    is ever overwritten: if one is in the way, nothing is written.
    """
    target = Path(folder)
    names = starter_files()
    obstacles = [*_obstacles(target, names)]
    if obstacles:
        raise DocasmError(obstacles)
    for name in names:
        _write(target / name, (STARTER / name).read_bytes())
        tell(f"wrote {target / name}")
    tell(f"next: docasm render {shlex.quote(str(target / 'dm.yaml'))}")


def starter_files() -> tuple[str, ...]:
    """The names of the files, relative to STARTER; sorted."""
    files = (path for path in STARTER.rglob("*") if path.is_file())
    return tuple(sorted(path.relative_to(STARTER).as_posix() for path in files))


def _obstacles(target: Path, names: Sequence[str]) -> Iterator[Problem]:
    """Each file that would be overwritten, and each that stands where a folder is needed."""
    folders = {target, *(target / parent for name in names for parent in Path(name).parents)}
    for path in sorted({*folders, *(target / name for name in names)}):
        if os.path.lexists(path) and not (path in folders and path.is_dir()):
            hint = "name another folder, or move it away"
            yield Problem("file-exists", f"`{path}` exists already; nothing was written", hint=hint)


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise failure("unwritable-file", f"cannot write `{path}`: {reason}") from None
