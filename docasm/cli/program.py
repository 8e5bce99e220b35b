"""`docasm` itself: its commands, and what becomes of their errors."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from docasm import __version__
from docasm.cli import check, diff, explain, init, inspect, join, log, render, schema, split
from docasm.cli.talk import tell_problems
from docasm.errors import DocasmError, Problem, did_you_mean

DEBUG = "DOCASM_DEBUG"
"""The environment variable that lets the traceback of a fault in docasm through."""


class Program(click.Group):
    """A group of commands whose errors are told to a person, never as a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a command and exits; click sees to usage errors, interrupts and broken pipes."""
        try:
            return super().main(*args, **kwargs)
        except DocasmError as error:
            tell_problems(error.problems)
        except OSError as error:
            _abandon_stdout()
            tell_problems([_system_problem(error)])
        except Exception as error:
            if os.environ.get(DEBUG):
                raise
            tell_problems([_fault(error)])
        sys.exit(1)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named, with a guess at what was meant where there is none."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            ctx.fail(f"there is no command `{name}`; {_meant(name, self.commands)}")
        return super().resolve_command(ctx, args)


def _meant(name: str, commands: Iterable[str]) -> str:
    if Path(name).is_file():
        return f"did you mean `docasm render {name}`?"
    return did_you_mean(name, commands, kind="the commands are")


def _abandon_stdout() -> None:
    """Makes what stdout could not take go nowhere, or Python would try again, and complain, when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, AttributeError):
        return


def _system_problem(error: OSError) -> Problem:
    reason = error.strerror or type(error).__name__
    if error.filename is None:
        return Problem("unwritable-file", f"cannot write the output: {reason}")
    return Problem("unreadable-file", f"cannot use `{error.filename}`: {reason}")


def _fault(error: Exception) -> Problem:
    message = f"docasm met a fault of its own: {type(error).__name__}: {error}"
    return Problem("internal-error", message, hint=f"please report it, with what {DEBUG}=1 shows")


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s", prog_name="docasm")
def main() -> None:
    """Assemble an agent's context window from Markdown files.

    \b
    docasm init bot            write a small bundle to start from
    docasm render bot/dm.yaml  print the document that the model would read
    docasm check bot           list everything that is wrong with the bundle

    What a command makes goes to stdout, what it has to say to stderr. The exit
    code is 0, 1 if there are problems, or 2 if the command makes no sense.
    """


for _module in (render, inspect, explain, diff, log, check, init, schema, split, join):
    main.add_command(_module.command)
