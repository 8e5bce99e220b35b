"""`docasm test`: the scenarios of a bundle, compared with their snapshots by pytest."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from os.path import commonpath
from pathlib import Path
from types import MappingProxyType

import click

from docasm.errors import DocasmError, failure

SEPARATOR = "--"
"""What follows is for pytest."""
_PYTEST_ARGS = "docasm.pytest-args"
_NONE_COLLECTED = 5
_EXIT_CODES: Mapping[int, int] = MappingProxyType({0: 0, 4: 2})
"""From pytest's exit code to that of docasm; any other is 1."""
_NAMES_A_CASE = re.compile(r"\[|::")
_OF_PYTEST = "PYTEST_"
"""How variables start that set up tests of another project, or say that one of them is running."""


class TestCommand(click.Command):
    """A command whose arguments after `--` are for pytest."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index(SEPARATOR) if SEPARATOR in args else len(args)
        ctx.meta[_PYTEST_ARGS] = args[end + 1 :]
        return super().parse_args(ctx, args[:end])


@click.command("test", cls=TestCommand, short_help="Compare documents with their snapshots.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True), metavar="[PATH ...] [-- PYTEST ARGS ...]")
@click.option("--update", is_flag=True, help="Write the snapshots; never where CI is set.")
@click.pass_context
def command(ctx: click.Context, paths: Sequence[str], update: bool) -> None:
    """Compare documents with their snapshots.

    PATH is a scenario, or a folder whose scenarios are meant: its YAML files with
    a `trigger`. Without one it is the current folder. The document of NAME.yaml
    is kept as __snapshots__/NAME/document.md beside it, the request as
    payload.json. Commit them: a review then shows what a change does to them.

    \b
    docasm test bot              fail where a document is not that of its snapshot
    docasm test bot --update     write the snapshots
    docasm test bot -- -k dm -x  hand the rest to pytest

    Needs docasm[test]. No pytest configuration or conftest.py is read.
    """
    _require("pytest", "syrupy")
    given = paths or (".",)
    done = subprocess.run(_pytest(given, update, ctx.meta[_PYTEST_ARGS]), env=_environment(), check=False)
    if done.returncode == _NONE_COLLECTED:
        raise _nothing(given, ctx.meta[_PYTEST_ARGS])
    ctx.exit(_EXIT_CODES.get(done.returncode, 1))


def _nothing(paths: Sequence[str], more: Sequence[str]) -> DocasmError:
    """That there is no case to compare."""
    named = ", ".join(f"`{path}`" for path in paths)
    if more:
        hint = "without these arguments all scenarios there are compared"
        return failure("no-scenario", f"`{shlex.join(more)}` selects nothing in {named}", hint=hint)
    hint = "a scenario is a YAML file with a `trigger`; `docasm init bot` writes two"
    return failure("no-scenario", f"there is no scenario in {named}", hint=hint)


def _require(*names: str) -> None:
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        hint = "python -m pip install 'docasm[test]'"
        raise failure("pytest-missing", f"`docasm test` needs {' and '.join(missing)}", hint=hint)


def _environment() -> Mapping[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(_OF_PYTEST)}


def _pytest(paths: Sequence[str], update: bool, more: Sequence[str]) -> list[str]:
    """The command that runs pytest with nothing of another project: no configuration, conftest or cache."""
    plugins = ("no:cacheprovider", "syrupy", "docasm.pytest_plugin")
    return [
        *(sys.executable, "-P", "-m", "pytest", "-qq", "-rN", "--no-header", "--noconftest"),
        *("-c", os.devnull, f"--rootdir={_root(paths)}", "-o", "python_files="),
        *(f"--docasm-test={os.path.abspath(path)}" for path in paths),
        *(each for plugin in plugins for each in ("-p", plugin)),
        *(["--snapshot-update"] if update else []),
        *("--snapshot-details", *more, SEPARATOR, *map(_argument, paths)),
    ]


def _argument(path: str) -> str:
    """The path; or the next one above it in which pytest does not look for the name of a case."""
    if not _NAMES_A_CASE.search(path):
        return path
    above = map(str, Path(os.path.abspath(path)).parents)
    return next(each for each in above if not _NAMES_A_CASE.search(each))


def _root(paths: Sequence[str]) -> str:
    """The folder that the names of cases start from: the current one, or one above that holds all paths."""
    try:
        return commonpath([Path.cwd(), *map(os.path.abspath, paths)])
    except ValueError:  # on another drive
        return str(Path.cwd())
