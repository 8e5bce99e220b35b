"""`docasm check`: everything that is wrong with a bundle."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import click

from docasm.cli.fix import fix, show_diff
from docasm.cli.lint import advised
from docasm.cli.talk import tell, tell_problems
from docasm.cli.words import counted
from docasm.errors import DocasmError, Place, Problem

if TYPE_CHECKING:
    from docasm.bundle import Bundle

MANY = 500
"""From how many files on a person at a terminal sees a progress bar."""


@click.command("check", short_help="List everything that is wrong with a bundle.")
@click.argument("bundle", default=".", metavar="[BUNDLE]")
@click.option("--fix", "fixes", is_flag=True, help="Mend the files first, where that is mechanical.")
@click.option(
    "--diff", is_flag=True, help="Show what --fix would change, and exit with 1 if that is something."
)
@click.pass_context
def command(ctx: click.Context, bundle: str, fixes: bool, diff: bool) -> None:
    """List everything that is wrong with a bundle.

    BUNDLE is a folder with a docasm.yaml; the current one if it is not given.
    Every skill and layout is compiled, used or not. The exit code is 1 if there
    is an error; warnings and notes leave it at 0. `check` in docasm.yaml and
    comments `# docasm: ignore CODE` say what matters.
    """
    from docasm.bundle import read_bundle

    try:
        if diff:
            ctx.exit(int(show_diff(bundle)))
        if fixes:
            fix(bundle)
        loaded, wrong = read_bundle(bundle)
        problems, praise = (*wrong, *loaded.noticed, *_compiled(loaded)), _praise(loaded)
        problems = advised(loaded, problems)
    except DocasmError as error:
        problems, praise = error.problems, ""
    listed = sorted(dict.fromkeys(problems), key=_place)
    tell_problems(listed, as_data=True)
    tell(_summary(listed) or praise)
    ctx.exit(int(any(problem.severity == "error" for problem in listed)))


def _compiled(bundle: "Bundle") -> Iterator[Problem]:
    """The problems of all skills and layouts, with a progress bar where a person would wait."""
    from docasm.check import check_each, check_together

    compiler = bundle.contents.compiler
    files = len(compiler.skills.found) + len(compiler.layouts.found)
    batches = chain(check_each(compiler, bundle.contents.tools), check_together(bundle.contents))
    hidden = files < MANY or sys.stderr is None or not sys.stderr.isatty()
    with click.progressbar(batches, length=files, label="checking", file=sys.stderr, hidden=hidden) as bar:
        yield from chain.from_iterable(bar)


def _praise(bundle: "Bundle") -> str:
    skills = counted(len(bundle.skills), "skill")
    layouts = counted(len(bundle.contents.compiler.layouts.found), "layout")
    return f"all is well: {skills} and {layouts}"


def _place(problem: Problem) -> Place:
    return problem.place or Place("", 0)


def _summary(problems: Sequence[Problem]) -> str:
    """As in "2 errors and 1 warning in 3 files"; empty for no problems."""
    found = Counter(problem.severity for problem in problems)
    counts = _listed(counted(found[each], each) for each in ("error", "warning", "note") if found[each])
    files = {problem.place.path for problem in problems if problem.place}
    return f"{counts} in {counted(len(files), 'file')}" if files else counts


def _listed(words: Iterable[str]) -> str:
    *first, last = [*words] or [""]
    return f"{', '.join(first)} and {last}" if first else last
