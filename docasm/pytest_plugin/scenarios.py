"""Scenarios as tests: a file is collected as two cases, its document and its payload."""

import os
import re
from collections.abc import Mapping
from functools import cached_property
from glob import glob
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from docasm.config import FILE_NAME
from docasm.errors import DocasmError
from docasm.mcp import Servers
from docasm.pytest_plugin import SCENARIOS, SUFFIXES
from docasm.scenario import load_scenario

if TYPE_CHECKING:
    from docasm.pytest_plugin.snapshot import Snapshot
    from docasm.render import Render

_TRIGGER = re.compile(rb"^(?:\xef\xbb\xbf)?([\"']?)trigger\1[ \t]*:", re.MULTILINE)
"""What makes a YAML file a scenario: the key `trigger` at its top level."""
_LISTED = pytest.StashKey[frozenset[str]]()


def add_to_arguments(config: pytest.Config) -> None:
    """Finds what the configuration lists; where no path was given, it is collected beside `testpaths`."""
    root = str(config.rootpath)
    found: dict[str, None] = {}
    for pattern in config.getini(SCENARIOS):
        matched = sorted(glob(pattern, root_dir=root, recursive=True))
        names = [name for name in matched if Path(name).name != FILE_NAME]
        if not names:
            raise pytest.UsageError(f"{SCENARIOS}: no scenario matches `{pattern}` in `{root}`")
        found.update(dict.fromkeys(os.path.join(root, name) for name in names))
    config.stash[_LISTED] = frozenset(map(os.path.realpath, found))
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        folders = [Path(os.path.abspath(arg.split("::")[0])) for arg in config.args]
        config.args += [path for path in found if not any(map(Path(path).is_relative_to, folders))]


def collected(path: Path, parent: pytest.Collector) -> "ScenarioFile | None":
    """The scenario in a YAML file: one that is listed, or that was named and has a trigger."""
    if os.path.realpath(path) in parent.config.stash.get(_LISTED, ()):
        return ScenarioFile.from_parent(parent, path=path)
    named = any(map(path.is_relative_to, parent.config.option.docasm_test))
    is_meant = named or parent.session.isinitpath(path)
    return ScenarioFile.from_parent(parent, path=path) if is_meant and is_scenario(path) else None


def is_scenario(path: Path) -> bool:
    """Whether a YAML file says at its top level what triggers it."""
    try:
        return path.name != FILE_NAME and _TRIGGER.search(path.read_bytes()) is not None
    except OSError:
        return False


class SnapshotDiffersError(AssertionError):
    """A case is not what its snapshot holds, as its text says."""


class ScenarioFile(pytest.File):
    """A scenario."""

    @cached_property
    def render(self) -> "Render":
        """Raises DocasmError with everything that is wrong."""
        path = self.path
        here = self.config.invocation_params.dir
        named = path.relative_to(here) if path.is_relative_to(here) else path
        with Servers() as servers:
            return load_scenario(named, servers=servers).render()

    def collect(self) -> "list[Case]":
        if find_spec("syrupy") is None:
            raise self.CollectError("snapshots need syrupy: python -m pip install 'docasm[test]'")
        if "::" in self.nodeid:
            raise self.CollectError(f"pytest takes `{self.path.name}` for a case; rename it, without `::`")
        others = [self.path.with_suffix(suffix) for suffix in SUFFIXES if suffix != self.path.suffix]
        if any(map(is_scenario, others)):
            names = " and ".join(f"`{each.name}`" for each in (self.path, *others))
            raise self.CollectError(f"{names} would share one snapshot; rename one of them")
        return [Case.from_parent(self, name=name, callobj=case) for name, case in _CASES.items()]


class Case(pytest.Function):
    """The document or the payload of a scenario."""

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.nodeid

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **options: Any) -> Any:
        """What is wrong, without a traceback of what found it."""
        if isinstance(excinfo.value, DocasmError | SnapshotDiffersError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args, **options)


def document(request: pytest.FixtureRequest, document_snapshot: "Snapshot") -> None:
    """The document is the one of the snapshot."""
    _compare(request, document_snapshot)


def payload(request: pytest.FixtureRequest, payload_snapshot: "Snapshot") -> None:
    """The request is the one of the snapshot."""
    if not payload_snapshot.exists and _has_no_model(request.node.parent):
        pytest.skip("nothing names a model, so there is no request")
    _compare(request, payload_snapshot)


def _has_no_model(scenario: ScenarioFile) -> bool:
    """Whether the request lacks nothing but its model."""
    try:
        scenario.render.payload()
    except DocasmError as error:
        return [each.code for each in error.problems] == ["model-missing"]
    return False


_CASES: Mapping[str, Any] = {"document": document, "payload": payload}


def _compare(request: pytest.FixtureRequest, snapshot: "Snapshot") -> None:
    scenario = request.node.parent
    if snapshot == (lambda: scenario.render):
        return
    raise snapshot.failure() or SnapshotDiffersError("\n".join(snapshot.get_assert_diff()))
