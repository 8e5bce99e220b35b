"""`docasm check`: everything that is wrong with bundles."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import click

from docasm.cli.check_formats import FORMATS, FULL
from docasm.cli.fix import fix, show_diff
from docasm.cli.lint import judged, lint_batches, subject_of_bundle, told_second_parser
from docasm.cli.talk import print_styled, tell
from docasm.cli.words import counted
from docasm.errors import DocasmError, Place, Problem

if TYPE_CHECKING:
    from docasm.bundle import Bundle
    from docasm.check import Check
    from docasm.cli.check_jobs import Batch
    from docasm.cli.check_paths import Target
    from docasm.lints.subject import SecondParser, Subject

MANY = 500
"""From how many checks on a person at a terminal sees a progress bar."""


@click.command("check", short_help="List everything that is wrong with bundles.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--output-format",
    type=click.Choice(tuple(FORMATS)),
    default=FULL,
    help="With caret and hint (default), a line each, or for programs: JSON, GitHub annotations, SARIF.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many processes (default: one per core; one for few files).",
)
@click.option("--fix", "fixes", is_flag=True, help="Mend the files first, where that is mechanical.")
@click.option("--diff", is_flag=True, help="Show what --fix would change; exit with 1 if there is any.")
@click.pass_context
def command(
    ctx: click.Context, paths: Sequence[str], output_format: str, jobs: int | None, fixes: bool, diff: bool
) -> None:
    """List everything that is wrong with bundles.

    PATH is a folder with a docasm.yaml, a folder that holds several such, or a
    single file of one; the current folder if it is not given. Every skill and
    layout is compiled, used or not. The exit code is 1 if there is an error;
    warnings and notes leave it at 0. `check` in docasm.yaml and comments
    `# docasm: ignore CODE` say what matters.

    \b
    docasm check bot
    docasm check bot/skills/chat.md
    docasm check . --output-format github
    docasm check bot --fix
    """
    from docasm.cli.check_paths import targets

    try:
        wanted = targets(paths or (".",))
        if diff:
            ctx.exit(int(show_diff(wanted)))
        if fixes:
            fix(wanted)
        second = told_second_parser()
        looks = [_look(target, second) for target in wanted]
    except DocasmError as error:
        looks = [Look(error.problems)]
    found = _found([batch for look in looks for batch in look.batches], jobs)
    problems = [problem for look in looks for problem in look.judged(found)]
    listed = sorted(dict.fromkeys(problems), key=_place)
    print_styled(FORMATS[output_format](listed))
    tell(_summary(listed) or _praise(looks))
    ctx.exit(int(any(problem.severity == "error" for problem in listed)))


@dataclass(frozen=True, slots=True)
class Look:
    """What one bundle gives to check."""

    problems: tuple[Problem, ...]
    """What reading it found."""
    batches: tuple["Batch", ...] = ()
    bundle: "Bundle | None" = None
    """None if it cannot be read."""
    subject: "Subject | None" = None

    def judged(self, found: Iterator[Sequence[Problem]]) -> Sequence[Problem]:
        """Its problems and those that its batches find, the next ones, as severe as its owner says."""
        problems = (*self.problems, *chain.from_iterable(islice(found, len(self.batches))))
        if self.bundle is None or self.subject is None:
            return problems
        return judged(self.bundle, self.subject, problems)


def _look(target: "Target", second: "SecondParser | None") -> Look:
    from docasm.bundle import read_bundle
    from docasm.check import checks
    from docasm.cli.check_paths import strangers
    from docasm.tool_servers import NOT_ASKED

    try:
        bundle, wrong = read_bundle(target.bundle, servers=NOT_ASKED)
    except DocasmError as error:
        return Look(error.problems)
    noticed = _wanted(target, lambda: (*wrong, *bundle.noticed))
    subject = subject_of_bundle(bundle, second)
    batches = (*checks(bundle.contents), *lint_batches(subject))
    wanted = (tuple(partial(_wanted, target, each) for each in batch) for batch in batches)
    return Look((*strangers(target, bundle.files), *noticed), tuple(wanted), bundle, subject)


def _wanted(target: "Target", check: "Check") -> tuple[Problem, ...]:
    return tuple(filter(target.wants, check()))


def _found(batches: Sequence["Batch"], jobs: int | None) -> Iterator[Sequence[Problem]]:
    """What each batch finds, in their order, with a progress bar where a person would wait."""
    from docasm.cli.check_jobs import default_jobs, run

    count = sum(map(len, batches))
    hidden = count < MANY or sys.stderr is None or not sys.stderr.isatty()
    found: dict[int, Sequence[Problem]] = {}
    with (
        closing(run(batches, jobs or default_jobs(count))) as running,
        click.progressbar(length=count, label="checking", file=sys.stderr, hidden=hidden) as bar,
    ):
        for number, problems in running:
            found[number] = problems
            bar.update(len(batches[number]))
    return iter([found[number] for number in sorted(found)])


def _praise(looks: Iterable[Look]) -> str:
    bundles = [look.bundle for look in looks if look.bundle is not None]
    skills = counted(sum(len(bundle.skills) for bundle in bundles), "skill")
    layouts = counted(sum(len(bundle.contents.compiler.layouts.found) for bundle in bundles), "layout")
    where = f" in {counted(len(bundles), 'bundle')}" if len(bundles) > 1 else ""
    return f"all is well: {skills} and {layouts}{where}"


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
