"""What syrupy keeps: documents as Markdown and payloads as JSON, with a difference of their own."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from syrupy.data import SnapshotCollection, SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation
from syrupy.terminal import received_style, reset, snapshot_style

from docasm.pytest_plugin import snapshot_text
from docasm.pytest_plugin.difference import Difference, difference
from docasm.pytest_plugin.orphans import belongs, orphans
from docasm.pytest_plugin.places import Site, short_places
from docasm.render import Render

_STYLES: Mapping[str, Callable[[str], str]] = {"-": snapshot_style, "+": received_style, " ": str}


class Snapshots(SingleFileSnapshotExtension):
    """One file of text per case, in UTF-8, whatever line ends a checkout gave it."""

    _write_mode = WriteMode.TEXT
    thing = ""
    """What a snapshot holds, for people."""
    site: Site
    """Where the test is."""
    location: Path
    """The snapshot's file."""
    render: Render | None = None
    """What is compared, or what a payload is of."""

    def read_snapshot_data_from_location(self, *, snapshot_location: str, **_: Any) -> str | None:
        return self.text_at(Path(snapshot_location))

    @staticmethod
    def text_at(path: Path) -> str | None:
        """The text of a snapshot's file; None if there is none."""
        try:
            return path.read_bytes().decode(errors="replace").replace("\r\n", "\n")
        except FileNotFoundError:
            return None

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: SnapshotCollection, **_: Any) -> None:
        snapshot = next(iter(snapshot_collection))
        Path(snapshot_collection.location).write_bytes(str(snapshot.data).encode())

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """Those that could be unused.

        Not those of scenarios that exist and are not collected in this run, but those of scenarios that are
        gone, wherever they are looked for.
        """
        found = SnapshotCollections()
        for each in super().discover_snapshots(
            test_location=test_location, ignore_extensions=ignore_extensions
        ):
            if not belongs(Path(each.location)):
                found.add(each)
        for path in map(str, orphans(test_location.item.config)):
            if self.is_snapshot_location(location=path):
                found.add(self.read_snapshot_collection(snapshot_location=path))
        return found

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
        old, new = str(snapshot_data), str(serialized_data)
        for sign, line in self.difference(old, new).lines:
            yield reset(_STYLES[sign](line))

    def difference(self, old: str, new: str) -> Difference:
        """What differs between a snapshot's text and that of now."""
        return difference(old, new, [])

    @abstractmethod
    def tokens(self, old: str, new: str) -> str:
        """What was gained or lost, and who counted."""


class DocumentSnapshots(Snapshots):
    """The documents of renders, as Markdown."""

    file_extension = "md"
    thing = "document"

    def serialize(self, data: Any, **_: Any) -> str:
        """The snapshot's text of a render, or of what gives one."""
        self.render = data() if callable(data) else data
        if not isinstance(self.render, Render):
            raise wrong(data, "a document snapshot", "a Render")
        return snapshot_text.written(self.render.markdown, self.render.messages, self.site.kept(self.render))

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        old, new = (snapshot_text.compared(str(each)) for each in (snapshot_data, serialized_data))
        return old == new

    def difference(self, old: str, new: str) -> Difference:
        before, after = snapshot_text.body(old), snapshot_text.body(new)
        if before == after or self.render is None:  # somebody changed the sizes
            return difference(
                "\n".join(snapshot_text.compared(old)), "\n".join(snapshot_text.compared(new)), []
            )
        was = short_places(self.site.found(snapshot_text.origins(old), self.render))
        return difference(before, after, short_places(self.render.places), was)

    def tokens(self, old: str, new: str) -> str:
        assert self.render is not None
        before, after = (self.render.count(snapshot_text.document(each)) for each in (old, new))
        return gained(before, after, self.render.report.tokenizer, self.render.report.exact)


def wrong(data: Any, what: str, wanted: str) -> TypeError:
    """That what a snapshot is compared with is of another type."""
    return TypeError(f"{what} is compared with {wanted}, not with a {type(data).__name__}")


def gained(before: int, after: int, tokenizer: str, exact: bool) -> str:
    """A change of tokens in words."""
    change = after - before
    tokens = "token" if abs(change) == 1 else "tokens"
    words = f"{abs(change):,} {tokens} {'gained' if change > 0 else 'lost'}" if change else "as many tokens"
    return f"{words}: {before:,} before, {after:,} now ({'exact: ' if exact else ''}{tokenizer})"
