"""What is said at the end of `docasm test`."""

import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from docasm.pytest_plugin.orphans import settle
from docasm.pytest_plugin.places import shown

_OF_PYTEST = "--snapshot-update"


def say_docasm_test(config: pytest.Config) -> None:
    """Has the summary name `docasm test` where syrupy names pytest."""
    session = vars(config).get("_syrupy")
    if session is not None and session.report is not None:
        given = map(shown, config.option.docasm_test)
        paths = "".join(f" {shlex.quote(path)}" for path in given if path != ".")
        hint = f"To delete what is unused: docasm test{paths} --update"
        session.report = _Report(session.report, hint)


def say_what_there_was_not(reporter: Any, config: pytest.Config) -> None:
    """Which cases were skipped, and why; and the snapshots that are left where no scenario is."""
    session = vars(config).get("_syrupy")
    if session is not None and session.report is not None and not session.report.collected_items:
        for line in settle(config):
            reporter.write_line(line)
    for each in reporter.stats.get("skipped", ()):
        _, _, reason = each.longrepr
        reporter.write_line(f"skipped {each.nodeid}: {reason.removeprefix('Skipped: ')}")


class _Report:
    """A report of syrupy that gives another hint."""

    def __init__(self, report: Any, hint: str) -> None:
        self._report, self._hint = report, hint

    def __getattr__(self, name: str) -> Any:
        return getattr(self._report, name)

    @property
    def lines(self) -> Iterator[str]:
        return (self._hint if _OF_PYTEST in line else line for line in self._report.lines)
