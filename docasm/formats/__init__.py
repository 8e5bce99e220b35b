"""Foreign files that are read into layouts: soul documents, and pipelines in JSON or YAML."""

from collections.abc import Mapping
from pathlib import Path

from docasm.files import Files
from docasm.layout import Layout


def read_foreign(soul: Path | None, pipeline: Path | None, files: Files) -> Mapping[str, Layout]:
    """The layouts of a soul document, of a pipeline, or of a pipeline with the personality of a soul.

    The first is the one to use. Raises DocasmError for what is wrong with the files.
    """
    raise NotImplementedError
