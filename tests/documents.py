"""The documents of the project, whose examples are run: each is what it becomes when they have been run.

In the order of a document, in a folder with the repository's `examples`, `skills` and `layouts`:

- a fence whose info string names a file after the language writes that file;
- each line `$ COMMAND` of a ```console fence is run, and what it prints stands below it;
- a document that asks a model is answered by a server on this machine, which plays the part of the provider;
- a ```python fence is run, with the names of those before it; a fence right after it whose info string ends
  in `output` holds what it printed.

In `problems.md` every heading of level 3 starts in a folder with an empty `docasm.yaml`.

    python -m tests.documents FILE...

writes what the examples print into the files.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from click.testing import CliRunner
from markdown_it import MarkdownIt
from markdown_it.token import Token

from docasm.cli import main as docasm
from tests.loopback.replies import told
from tests.loopback.server import serving

ROOT = Path(__file__).parent.parent
INDEPENDENT = "problems.md"
"""The document whose sections are independent of each other."""
MATERIAL = ("examples", "skills", "layouts")
STAND_INS = {"make demo": "docasm render examples/dm.yaml"}
"""What is run in place of a command that would install first; a test compares it with the Makefile."""
TERMINAL = {"NO_COLOR": "1", "COLUMNS": "80"}
NOT_RUN = ("make test",)
"""What would run this."""
ASKS = re.compile(r"import OpenAI|import anthropic|python examples/")
"""A document that asks a model: a server on this machine answers in its place."""
_COMMAND = re.compile(r"(?:docasm\b|cat\b|python examples/)[^;&`$]*")
_PARSER = MarkdownIt("commonmark").enable("table")


@dataclass(frozen=True, slots=True)
class Fence:
    """One fenced block; lines are 0-based indexes into the document's lines."""

    language: str
    name: str
    """What follows the language in the info string: a file, or `output`."""
    content: str
    first: int
    """The line of its opening fence."""
    last: int
    """The line of its closing fence."""


@cache
def tokens(text: str) -> Sequence[Token]:
    return _PARSER.parse(text)


def fences(text: str) -> Iterator[Fence]:
    """The fenced blocks of a document that are not in a list or quote."""
    for token in tokens(text):
        if token.type == "fence" and token.level == 0:
            assert token.map is not None
            language, _, name = token.info.partition(" ")
            yield Fence(language, name.strip(), token.content, token.map[0], token.map[1] - 1)


def headings(text: str, tag: str = "") -> Iterator[tuple[int, str]]:
    """The line and the words of each heading, or of those of one tag."""
    for token, inline in zip(tokens(text), tokens(text)[1:], strict=False):
        if token.type == "heading_open" and tag in ("", token.tag):
            assert token.map is not None
            children = inline.children or []
            yield token.map[0], "".join(child.content for child in children)


def table_rows(text: str) -> Iterator[tuple[str, ...]]:
    """The cells of each row of each table, header rows included, as Markdown."""
    cells: list[str] = []
    for token, inline in zip(tokens(text), tokens(text)[1:], strict=False):
        if token.type == "tr_open":
            cells = []
        elif token.type in ("td_open", "th_open"):
            cells.append(inline.content)
        elif inline.type == "tr_close":
            yield tuple(cells)


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next one that is not deeper."""
    marks = [(token.map or [0])[0] for token in tokens(text) if token.type == "heading_open"]
    levels = [int(token.tag[1]) for token in tokens(text) if token.type == "heading_open"]
    words = [each for _, each in headings(text)]
    index = words.index(heading)
    later = (
        mark
        for mark, level in zip(marks[index + 1 :], levels[index + 1 :], strict=True)
        if level <= levels[index]
    )
    return "\n".join(text.split("\n")[marks[index] + 1 : next(later, None)])


def chapters(path: Path) -> dict[str, str]:
    """The stretches of a document whose examples belong together, by name; joined they are the document."""
    text = path.read_text(encoding="utf-8")
    starts = dict(headings(text, "h3")) if path.name == INDEPENDENT else {}
    lines = text.splitlines(keepends=True)
    bounds = pairwise([0, *starts, len(lines)])
    names = [path.name, *starts.values()]
    return {name: "".join(lines[first:last]) for name, (first, last) in zip(names, bounds, strict=True)}


def refreshed(text: str, *, independent: bool = False) -> str:
    """The text with what its examples print, run in a folder of their own."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        workshop = Workshop(Path(folder) / "work", _commands(Path(folder) / "bin"))
        for name in () if independent else MATERIAL:
            shutil.copytree(ROOT / name, workshop.folder / name)
        if independent:
            workshop.folder.mkdir()
            (workshop.folder / "docasm.yaml").touch()
        if ASKS.search(text):
            stack.enter_context(_environment(stack.enter_context(serving(told)).environment))
        lines = text.split("\n")
        for fence in reversed([(each, workshop.carry_out(each)) for each in fences(text)]):
            lines[fence[0].first + 1 : fence[0].last] = fence[1].split("\n")[:-1]
        result = "\n".join(lines)
        whole = [(each.language, each.name) for each in fences(text)]
        assert [(each.language, each.name) for each in fences(result)] == whole, "use a longer fence"
        return result


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Other environment variables, here and in the processes that are started."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _commands(folder: Path) -> Path:
    """A folder that holds the commands `docasm` and `python`, as this Python has them."""
    folder.mkdir(parents=True)
    for name, arguments in {"docasm": "-m docasm ", "python": ""}.items():
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n', encoding="utf-8")
        script.chmod(0o755)
    return folder


@dataclass(slots=True)
class Workshop:
    """Where the examples of a document are run, one after the other."""

    folder: Path
    commands: Path
    names: dict[str, Any] = field(default_factory=dict)
    printed: str = ""
    """By the last Python."""

    def carry_out(self, fence: Fence) -> str:
        """Does what a fence says; its content as it should be."""
        if fence.language == "console":
            return "".join(self.console(fence.content))
        if fence.language == "python":
            self.python(fence)
        elif fence.name == "output":
            return self.printed.rstrip("\n") + "\n"
        elif fence.name:
            path = self.folder / fence.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(fence.content, encoding="utf-8")
        return fence.content

    def console(self, content: str) -> Iterator[str]:
        commands = [line for line in content.split("\n") if line.startswith("$ ")]
        assert content.startswith("$ "), f"this starts with no command: {content[:40]!r}"
        if commands[0][2:] in NOT_RUN:
            yield content
            return
        for command in commands:
            yield f"{command}\n{self.shell(command[2:])}"

    def shell(self, command: str) -> str:
        """What a command prints on a terminal of 80 columns, without its colours."""
        command = STAND_INS.get(command, command)
        assert _COMMAND.fullmatch(command), f"not a command for examples: {command}"
        program, *arguments = shlex.split(command)
        is_simple = program == "docasm" and not {"|", ">"} & set(arguments)
        output = (self.here(arguments) if is_simple else self.process(command)).rstrip("\n")
        return f"{output}\n" if output else ""

    def here(self, arguments: Sequence[str]) -> str:
        """What `docasm` prints, run in this process, which is much quicker."""
        with chdir(self.folder):
            return CliRunner(env=TERMINAL).invoke(docasm, arguments, prog_name="docasm").output

    def process(self, command: str) -> str:
        """What the commands of a pipe print, each a process."""
        path = f"{self.commands}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env={**os.environ, **TERMINAL, "PATH": path},
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return done.stdout.decode()

    def python(self, fence: Fence) -> None:
        printed = StringIO()
        with chdir(self.folder), redirect_stdout(printed):
            exec(compile(fence.content, f"line {fence.first + 1}", "exec"), self.names)
        self.printed = printed.getvalue()


def main(names: Sequence[str]) -> None:
    for path in map(Path, names):
        parts = chapters(path).values()
        text = "".join(refreshed(part, independent=path.name == INDEPENDENT) for part in parts)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
