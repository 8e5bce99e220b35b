"""What a test compares with: a snapshot of syrupy that tells a person what differs and how to update it."""

import os
import shlex
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from syrupy.assertion import DiffMode, SnapshotAssertion
from syrupy.extensions.base import AbstractSyrupyExtension
from syrupy.location import PyTestLocation
from syrupy.terminal import disable_color

from docasm.pytest_plugin.ci import forbid_writing
from docasm.pytest_plugin.extensions import Snapshots
from docasm.pytest_plugin.places import Site, shown


class Snapshot(SnapshotAssertion):
    """What a test compares with; it says in what the two differ, and what would update it."""

    told: tuple[str, ...] = ()
    """What was said of the last comparison."""

    @property
    def extension(self) -> AbstractSyrupyExtension:
        found = super().extension
        if isinstance(found, Snapshots):
            folder = Path(self.test_location.filepath).parent
            found.site = Site(folder, self.test_location.item.config.rootpath)
        return found

    @property
    def exists(self) -> bool:
        """Whether the next comparison has something to compare with."""
        at = self.extension.get_location(test_location=self.test_location, index=self.index)
        return Path(at).is_file()

    def failure(self) -> Exception | None:
        """What kept the last comparison from being one."""
        return self.executions[self.num_executions - 1].exception

    def get_assert_diff(self, *, diff_mode: DiffMode = DiffMode.DETAILED) -> list[str]:
        result = self.executions[self.num_executions - 1]
        if result.exception is not None or result.success or not isinstance(self.extension, Snapshots):
            return super().get_assert_diff(diff_mode=diff_mode)
        with disable_color() if _is_plain(self) else nullcontext():
            self.told = (*_told(self, self.extension, diff_mode), f"to update it: {_update(self)}")
        return [*self.told]


def _is_plain(snapshot: Snapshot) -> bool:
    return bool(snapshot.test_location.item.config.option.no_colors or os.environ.get("NO_COLOR"))


def _told(snapshot: Snapshot, extension: Snapshots, mode: DiffMode) -> Iterator[str]:
    result = snapshot.executions[snapshot.num_executions - 1]
    where = shown(result.snapshot_location)
    if result.recalled_data is None:
        yield f"the {extension.thing} has no snapshot yet: {where}"
        return
    old, new = str(result.recalled_data), str(result.asserted_data)
    extension.location = Path(result.snapshot_location)
    only_space = extension.difference(old, new).only_space
    yield f"the {extension.thing} is not that of {where}{': white space alone differs' if only_space else ''}"
    yield extension.tokens(old, new)
    if mode == DiffMode.DETAILED:
        yield from extension.diff_lines(new, old)


def _update(snapshot: Snapshot) -> str:
    """The command that would write what there is now."""
    item = snapshot.test_location.item
    if item.config.option.docasm_test:
        return f"docasm test {shlex.quote(shown(str(item.path)))} --update"
    return f"pytest {shlex.quote(item.nodeid)} --snapshot-update"


def snapshot(request: pytest.FixtureRequest, extension: type[Snapshots]) -> Snapshot:
    """The fixture's value: a snapshot of the test that asks for it."""
    config = request.config
    if not config.pluginmanager.hasplugin("syrupy"):
        raise pytest.UsageError("the snapshots of docasm need the pytest plugin of syrupy")
    forbid_writing(config)
    if not config.pluginmanager.hasplugin("docasm_whole"):
        config.pluginmanager.register(_Whole(), "docasm_whole")
    return Snapshot(
        update_snapshots=config.option.update_snapshots,
        update_new_snapshots_only=config.option.update_new_snapshots_only,
        extension_class=extension,
        test_location=PyTestLocation(request.node),
        session=vars(config)["_syrupy"],
    )


class _Whole:
    """Puts back what pytest cut off a difference: it shows eight lines of what an assertion explains."""

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Iterator[None]:
        try:
            return (yield)
        except AssertionError as error:
            for each in pyfuncitem.funcargs.values():
                if isinstance(each, Snapshot) and each.told and each.told[0] in str(error):
                    error.args = ("\n".join(each.told),)
            raise
