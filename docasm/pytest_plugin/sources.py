"""Where the lines of a document came from, as its snapshot keeps it: an entry for each run of lines.

`chat.md:5-9` are five lines in a row; `chat.md:5 x 3` are three that one line wrote; `(tools) x 4` are four
that a slot brought. `origins` is the exact inverse of `entries`, but for columns.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from docasm.document import Origin
from docasm.errors import Place

_ENTRY = re.compile(
    r"(?s)(?:\((?P<slot>.*)\)|(?P<path>.*):(?P<first>\d+)(?:-(?P<last>\d+))?)(?: x (?P<count>\d+))?"
)
_MOST = 1_000_000
"""No entry is read that stands for more lines."""


def entries(origins: Iterable[Origin]) -> Iterator[str]:
    """The runs, in order."""
    repeated = ((origin, sum(1 for _ in same)) for origin, same in groupby(origins, key=_without_column))
    for _, run in groupby(enumerate(repeated), key=_row):
        (_, (origin, count)), *more = run
        times = f" x {count}" if count > 1 else ""
        if not isinstance(origin, Place):
            yield f"({origin}){times}"
        else:
            yield f"{origin.path}:{origin.line}{f'-{origin.line + len(more)}' if more else ''}{times}"


def origins(written: Iterable[str]) -> Iterator[Origin]:
    """What `entries` was given; raises ValueError for what it does not give."""
    for entry in written:
        found = _ENTRY.fullmatch(entry)
        if found is None:
            raise ValueError(entry)
        count, first = int(found["count"] or 1), int(found["first"] or 0)
        last = int(found["last"] or first)
        if count > _MOST or not 0 <= last - first < _MOST:
            raise ValueError(entry)
        for line in range(first, last + 1):
            yield from [found["slot"] if found["path"] is None else Place(found["path"], line)] * count


def _without_column(origin: Origin) -> Origin:
    return Place(origin.path, origin.line) if isinstance(origin, Place) else origin


def _row(numbered: tuple[int, tuple[Origin, int]]) -> object:
    """The same for lines that stand in a row in their file too; anything else is alone."""
    number, (origin, count) = numbered
    return (origin.path, origin.line - number) if isinstance(origin, Place) and count == 1 else number
