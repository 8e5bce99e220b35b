"""The snapshots of documents and payloads: syrupy's, with a text and a difference of their own."""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import DiffMode, SnapshotAssertion
from syrupy.data import SnapshotCollection, SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation
from syrupy.terminal import disable_color, received_style, reset, snapshot_style

from docasm.errors import Place
from docasm.pytest_plugin import SUFFIXES, snapshot_text
from docasm.pytest_plugin.ci import forbid_writing
from docasm.pytest_plugin.difference import Difference, difference
from docasm.render import Render
from docasm.tokens import report_measure

CASES = ("document", "payload")
"""The tests that a scenario is."""
_STYLES: Mapping[str, Callable[[str], str]] = {"-": snapshot_style, "+": received_style, " ": str}


class Snapshots(SingleFileSnapshotExtension):
    """One file of text per case, in UTF-8, whatever line ends a checkout gave it."""

    _write_mode = WriteMode.TEXT
    thing = ""
    """What a snapshot holds, for people."""
    render: Render | None = None
    """What is compared, or what a payload is of."""

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, snapshot_name: str, session_id: str
    ) -> str | None:
        try:
            data = Path(snapshot_location).read_bytes()
        except FileNotFoundError:
            return None
        return data.decode(errors="replace").replace("\r\n", "\n")

    @classmethod
    def write_snapshot_collection(
        cls, *, snapshot_collection: SnapshotCollection, name_order: dict[str, int] | None = None
    ) -> None:
        snapshot = next(iter(snapshot_collection))
        Path(snapshot_collection.location).write_bytes(str(snapshot.data).encode())

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """Those that could be unused: not those of scenarios that exist and are not collected in this run."""
        found = SnapshotCollections()
        for each in super().discover_snapshots(
            test_location=test_location, ignore_extensions=ignore_extensions
        ):
            if not _has_scenario(Path(each.location)):
                found.add(each)
        return found

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
        old, new = str(snapshot_data), str(serialized_data)
        for sign, line in self.difference(old, new).lines:
            yield reset(_STYLES[sign](line))

    def difference(self, old: str, new: str) -> Difference:
        """What differs between a snapshot's text and that of now."""
        return difference(old, new, [])

    def tokens(self, old: str, new: str) -> str:
        """What was gained or lost, and who counted."""
        raise NotImplementedError


class DocumentSnapshots(Snapshots):
    """The documents of renders, as Markdown."""

    file_extension = "md"
    thing = "document"

    def serialize(self, data: Any, **_: Any) -> str:
        """The snapshot's text of a render, or of what gives one."""
        self.render = data() if callable(data) else data
        if not isinstance(self.render, Render):
            raise TypeError(
                f"a document snapshot is compared with a Render, not with a {type(data).__name__}"
            )
        return snapshot_text.written(self.render.markdown, self.render.messages)

    def difference(self, old: str, new: str) -> Difference:
        before, after = snapshot_text.body(old), snapshot_text.body(new)
        if before == after or self.render is None:  # somebody changed the sizes
            return difference(old, new, [])
        return difference(before, after, short(self.render))

    def tokens(self, old: str, new: str) -> str:
        assert self.render is not None
        counts = self.render.count(snapshot_text.document(old)), self.render.count(self.render.markdown)
        return _gained(*counts, self.render.report.tokenizer, self.render.report.exact)


class PayloadSnapshots(Snapshots):
    """Requests, as JSON."""

    file_extension = "json"
    thing = "payload"
    model = ""

    def serialize(self, data: Any, **_: Any) -> str:
        """The snapshot's text of a payload, or of what gives the render whose payload it is."""
        if callable(data):
            self.render = data()
            data = self.render.payload()
        if not isinstance(data, Mapping):
            raise TypeError(
                f"a payload snapshot is compared with a payload, not with a {type(data).__name__}"
            )
        self.model = getattr(data, "model", "")
        return snapshot_text.payload(getattr(data, "body", data))

    def difference(self, old: str, new: str) -> Difference:
        lines = _unfolded(new)
        return difference(_unfolded(old), lines, self._places(lines.split("\n")))

    def tokens(self, old: str, new: str) -> str:
        measure = report_measure(None, self.model)
        return f"{_gained(measure.count(old), measure.count(new), measure.label, measure.exact)} as JSON"

    def _places(self, lines: list[str]) -> list[str]:
        """The places of the lines that the document has too."""
        if self.render is None:
            return []
        written = snapshot_text.payload(self.render.markdown)[1:-2].split("\\n")
        pairs = zip(written, short(self.render), strict=False)
        places = dict(reversed([pair for pair in pairs if pair[0]]))  # of lines that are alike, the first
        return [places.get(_own_text(line), "") for line in lines]


class Snapshot(SnapshotAssertion):
    """What a test compares with; it says in what the two differ, and what would update it."""

    told: tuple[str, ...] = ()
    """What was said of the last comparison."""

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
    only_space = extension.difference(old, new).only_space
    yield f"the {extension.thing} is not that of {where}{': white space alone differs' if only_space else ''}"
    yield extension.tokens(old, new)
    if mode == DiffMode.DETAILED:
        yield from extension.diff_lines(new, old)


def _gained(before: int, after: int, tokenizer: str, exact: bool) -> str:
    change = after - before
    tokens = "token" if abs(change) == 1 else "tokens"
    words = f"{abs(change):,} {tokens} {'gained' if change > 0 else 'lost'}" if change else "as many tokens"
    return f"{words}: {before:,} before, {after:,} now ({'exact: ' if exact else ''}{tokenizer})"


def _update(snapshot: Snapshot) -> str:
    """The command that would write what there is now."""
    item = snapshot.test_location.item
    if item.config.option.docasm_test:
        return f"docasm test {shlex.quote(shown(str(item.path)))} --update"
    return f"pytest {shlex.quote(item.nodeid)} --snapshot-update"


def short(render: Render) -> list[str]:
    """The place of each line of a document: `file:line`, or `(slot)` where a slot generated it."""
    return [
        f"{shown(place.path)}:{place.line}" if isinstance(place, Place) else f"({place})"
        for place in render.places
    ]


def shown(path: str) -> str:
    """A path as it is written from here, if it is below."""
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    return path if relative.startswith("..") else Path(relative).as_posix()


def _unfolded(json: str) -> str:
    """JSON with the lines of its texts as lines, so that they can be compared."""
    return json.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\\\")


def _own_text(line: str) -> str:
    """What a line of unfolded JSON has of a text: no key before it, no quotes around it."""
    return line.partition('": "')[2] or line.removesuffix(",").removesuffix('"')


def _has_scenario(location: Path) -> bool:
    """Whether a snapshot is of a scenario that exists: SITE/__snapshots__/NAME/document.md of SITE/NAME.yaml."""
    folder = location.parent
    site = folder.parent.parent
    return location.stem in CASES and any((site / f"{folder.name}{suffix}").is_file() for suffix in SUFFIXES)


def snapshot(request: pytest.FixtureRequest, extension: type[Snapshots]) -> Snapshot:
    """The fixture's value: a snapshot of the test that asks for it."""
    config = request.config
    if not config.pluginmanager.hasplugin("syrupy"):
        raise pytest.UsageError("the snapshots of docasm need the pytest plugin of syrupy")
    forbid_writing(config)
    if not config.pluginmanager.hasplugin("docasm-whole"):
        config.pluginmanager.register(_Whole(), "docasm-whole")
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
