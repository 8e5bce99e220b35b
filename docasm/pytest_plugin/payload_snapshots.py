"""Requests as snapshots: JSON, whose texts are compared line by line."""

from collections.abc import Iterable, Mapping
from typing import Any

from docasm.document import Origin
from docasm.pytest_plugin import CASES, snapshot_text
from docasm.pytest_plugin.difference import Difference, difference
from docasm.pytest_plugin.extensions import DocumentSnapshots, Snapshots, gained, wrong
from docasm.pytest_plugin.places import short_places
from docasm.render import Render
from docasm.tokens import report_measure


class PayloadSnapshots(Snapshots):
    """Requests, as JSON."""

    file_extension = "json"
    thing = "payload"
    model = ""

    def serialize(self, data: Any, **_: Any) -> str:
        """The snapshot's text of a payload; or of that of a render, or of what gives one."""
        given = data() if callable(data) else data
        if isinstance(given, Render):
            self.render = given
            given = given.payload()
        if not isinstance(given, Mapping):
            raise wrong(given, "a payload snapshot", "a payload")
        self.model = getattr(given, "model", "")
        return snapshot_text.payload(getattr(given, "body", given))

    def difference(self, old: str, new: str) -> Difference:
        before, after = _unfolded(old), _unfolded(new)
        if self.render is None:
            return difference(before, after, [])
        now = _places(after, self.render.markdown, self.render.places)
        there = self._document()
        origins = self.site.found(snapshot_text.origins(there), self.render)
        return difference(before, after, now, _places(before, snapshot_text.document(there), origins))

    def _document(self) -> str:
        """The snapshot of the document that belongs to the payload; "" if there is none."""
        beside = [self.location.with_name(f"{CASES[0]}.md"), self.location.with_suffix(".md")]
        found = (DocumentSnapshots.text_at(path) for path in beside)
        return next((text for text in found if text is not None), "")

    def tokens(self, old: str, new: str) -> str:
        measure = report_measure(None, self.model)
        return f"{gained(measure.count(old), measure.count(new), measure.label, measure.exact)} as JSON"


def _places(unfolded: str, document: str, origins: Iterable[Origin]) -> list[str]:
    """The places of the lines of a payload that the document has too; of lines that are alike, the first."""
    written = snapshot_text.payload(document)[1:-2].split("\\n")
    pairs = zip(written, short_places(origins), strict=False)
    places = dict(reversed([pair for pair in pairs if pair[0]]))
    texts = (line.partition('": "')[2] or line for line in unfolded.split("\n"))
    return [places.get(text) or places.get(text.removesuffix(",").removesuffix('"'), "") for text in texts]


def _unfolded(json: str) -> str:
    """JSON with the lines of its texts as lines, so that they can be compared."""
    return json.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\\\")
