"""The lints of `docasm check`, with what they need from outside."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from docasm.cli.second_parser import second_parser
from docasm.cli.talk import tell

if TYPE_CHECKING:
    from docasm.bundle import Bundle
    from docasm.cli.check_jobs import Batch
    from docasm.errors import Problem
    from docasm.lints.subject import SecondParser, Subject


def told_second_parser() -> "SecondParser | None":
    """The second parser; a user is told where there is none."""
    second = second_parser()
    if second is None:
        tell("not checked: whether parsers read the Markdown alike (pip install 'docasm[check]')")
    return second


def subject_of_bundle(bundle: "Bundle", second: "SecondParser | None") -> "Subject":
    """What lints look at."""
    from docasm.lints.subject import subject_of

    return subject_of(bundle.disk, bundle.contents, second)


def lint_batches(subject: "Subject") -> "Sequence[Batch]":
    """What the lints do, for several processes."""
    from docasm.lints import lint_checks

    return tuple(lint_checks(subject))


def judged(bundle: "Bundle", subject: "Subject", problems: "Iterable[Problem]") -> "Sequence[Problem]":
    """The problems as severe as `docasm.yaml` and comments say."""
    from docasm.advice import judge

    return judge(subject, problems, bundle.disk.config.severities)
