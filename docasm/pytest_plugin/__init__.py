"""The pytest plugin: scenarios are tests, and `document_snapshot` and `payload_snapshot` are fixtures.

It costs nothing where it is not used: what it needs is imported when a scenario or fixture asks for it.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from docasm.pytest_plugin.snapshot import Snapshot

SCENARIOS = "docasm_scenarios"
"""The key of pytest's configuration that lists scenarios, as globs relative to its root."""
SUFFIXES = (".yaml", ".yml")
"""How the names of scenarios end."""
CASES = ("document", "payload")
"""The tests that a scenario is."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(SCENARIOS, type="linelist", default=[], help="scenarios of docasm that are tests, as globs")
    parser.addoption("--docasm-test", action="append", default=[], help=argparse.SUPPRESS)


def pytest_configure(config: pytest.Config) -> None:
    """Scenarios that the configuration lists are collected wherever `testpaths` are."""
    if config.getini(SCENARIOS):
        from docasm.pytest_plugin.scenarios import add_to_arguments

        add_to_arguments(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A scenario, where the configuration or the command line names it."""
    if file_path.suffix not in SUFFIXES:
        return None
    from docasm.pytest_plugin.scenarios import collected

    return collected(file_path, parent)


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """For `docasm test` a folder is no Python package, whose code would be run."""
    if not parent.config.option.docasm_test:
        return None
    from docasm.pytest_plugin.orphans import note_folder

    note_folder(path, parent.config)
    return pytest.Dir.from_parent(parent, path=path)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if any(FIXTURES.intersection(getattr(item, "fixturenames", ())) for item in items):
        from docasm.pytest_plugin.ci import forbid_writing

        forbid_writing(config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What a worker of xdist must not write, its controller must not remove."""
    if "docasm" in (getattr(node, "workeroutput", None) or ()):
        from docasm.pytest_plugin.ci import forbid_writing

        forbid_writing(node.config)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.option.docasm_test:
        from docasm.pytest_plugin.summary import say_docasm_test

        say_docasm_test(session.config)


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.option.docasm_test:
        from docasm.pytest_plugin.summary import say_what_there_was_not

        say_what_there_was_not(terminalreporter, config)
    if hasattr(config, "_docasm_ci"):
        terminalreporter.write_line(config._docasm_ci)


@pytest.fixture
def document_snapshot(request: pytest.FixtureRequest) -> "Snapshot":
    """What a render's document is compared with: `assert bundle.render(trigger) == document_snapshot`."""
    from docasm.pytest_plugin.extensions import DocumentSnapshots
    from docasm.pytest_plugin.snapshot import snapshot

    return snapshot(request, DocumentSnapshots)


@pytest.fixture
def payload_snapshot(request: pytest.FixtureRequest) -> "Snapshot":
    """What a payload is compared with: `assert render.payload("openai") == payload_snapshot`."""
    from docasm.pytest_plugin.payload_snapshots import PayloadSnapshots
    from docasm.pytest_plugin.snapshot import snapshot

    return snapshot(request, PayloadSnapshots)


FIXTURES = frozenset({"document_snapshot", "payload_snapshot"})
