"""A small bundle that changes, for tests of what becomes of it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

import docasm
from tests.bundles import LAYOUT, skill

DM = docasm.Trigger.dm("x")
CRON = docasm.Trigger.cron("0 8 * * *", created_at=0)
TOOL = '{"name": "a", "description": "%s", "inputSchema": {"type": "object"}}'

FILES = {
    "skills/a.md": skill("A <<inner>>"),
    "skills/b.md": skill("B", "triggers: [cron]"),
    "skills/inner.md": "one",
    "layouts/dm.md": LAYOUT,
    "layouts/cron.md": LAYOUT,
}


def change(folder: Path, files: Mapping[str, str]) -> None:
    """Writes some files of a bundle, and leaves the others alone."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def system(bundle: docasm.Bundle, trigger: docasm.Trigger = DM) -> str:
    """What the system message of a render says."""
    return bundle.render(trigger).messages[0].content


def codes(error: pytest.ExceptionInfo[docasm.DocasmError]) -> list[str]:
    return [problem.code for problem in error.value.problems]
