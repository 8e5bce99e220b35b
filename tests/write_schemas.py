"""Writes the JSON Schemas that the package holds: `python -m tests.write_schemas`."""

from pathlib import Path

import docasm
from docasm.schema import SCHEMAS, schema_text

FOLDER = Path(docasm.__file__).parent / "schemas"


def write_schemas(folder: Path = FOLDER) -> None:
    folder.mkdir(exist_ok=True)
    for name in SCHEMAS:
        (folder / f"{name}.json").write_text(schema_text(name), encoding="utf-8")


if __name__ == "__main__":
    write_schemas()
