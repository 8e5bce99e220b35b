"""The lints of `docasm check`, with what they need from outside."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from docasm.cli.second_parser import second_parser
from docasm.cli.talk import tell

if TYPE_CHECKING:
    from docasm.bundle import Bundle
    from docasm.errors import Problem


def advised(bundle: "Bundle", problems: "Iterable[Problem]") -> "tuple[Problem, ...]":
    """The problems with what lints find, as severe as `docasm.yaml` and comments say."""
    from docasm.advice import advice
    from docasm.lints.subject import subject_of

    second = second_parser()
    if second is None:
        tell("not checked: whether parsers read the Markdown alike (pip install 'docasm[check]')")
    subject = subject_of(bundle.disk, bundle.contents, second)
    return advice(subject, problems, bundle.disk.config.severities)
