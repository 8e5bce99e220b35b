"""What a file holds that is not text: a byte order mark, line ends of another system."""

from collections.abc import Iterator

from docasm.lints.subject import BOM, MARKDOWN_KINDS, BundleFile, Found, Subject


def byte_order_marks(subject: Subject) -> Iterator[Found]:
    """Files that begin with a byte order mark."""
    for file in _markdown(subject):
        if file.raw.startswith(BOM):
            message = "the file begins with a byte order mark, which other readers take for text"
            yield Found(file.source, 1, 1, message, "save it as UTF-8 without one")


def line_ends(subject: Subject) -> Iterator[Found]:
    """Files in which a CR ends lines."""
    for file in _markdown(subject):
        found = file.raw.find("\r")
        if found >= 0:
            line = file.raw.count("\n", 0, found) + 1
            message = "lines end in CR, which other readers keep or do not know"
            yield Found(file.source, line, 1, message, "end them in LF")


def _markdown(subject: Subject) -> Iterator[BundleFile]:
    return (file for file in subject.files if file.kind in MARKDOWN_KINDS)
