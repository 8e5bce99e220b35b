"""Mending what is not text: a byte order mark, line ends of another system."""

import re
from collections.abc import Iterator

from docasm.lints.subject import BOM
from docasm.mends.edit import Edit
from docasm.mends.patient import Patient

_LINE_END = re.compile(r"\r\n?")


def byte_order_mark(patient: Patient) -> Iterator[Edit]:
    """Nothing in place of the mark."""
    if patient.text.startswith(BOM):
        yield Edit(0, len(BOM), "")


def line_ends(patient: Patient) -> Iterator[Edit]:
    """LF for each CRLF and CR."""
    return (Edit(*found.span(), "\n") for found in _LINE_END.finditer(patient.text))
