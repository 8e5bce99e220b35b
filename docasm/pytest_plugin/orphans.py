"""Snapshots whose scenarios are gone."""

from collections.abc import Iterable, Iterator, Sequence
from glob import glob
from pathlib import Path

import pytest

from docasm.pytest_plugin import CASES, SCENARIOS, SUFFIXES
from docasm.pytest_plugin.ci import forbid_writing
from docasm.pytest_plugin.places import shown
from docasm.pytest_plugin.snapshot_text import is_by_docasm

_SEEN = pytest.StashKey[list[Path]]()
_FOUND = pytest.StashKey[Sequence[Path]]()


def note_folder(path: Path, config: pytest.Config) -> None:
    """That pytest came upon a folder while it looked for scenarios."""
    is_meant = any(map(path.is_relative_to, config.option.docasm_test))
    if is_meant and path.name == config.getoption("snapshot_dirname", None):
        config.stash.setdefault(_SEEN, []).append(path)


def orphans(config: pytest.Config) -> Sequence[Path]:
    """The snapshots without a scenario, where this run looks for scenarios; they are looked for once."""
    found = config.stash.get(_FOUND, None)
    if found is None:
        found = config.stash[_FOUND] = tuple(_orphans(config))
    return found


def _orphans(config: pytest.Config) -> Iterator[Path]:
    for site in sorted({*config.stash.get(_SEEN, ()), *_listed(config)}):
        for document in sorted(site.glob(f"*/{CASES[0]}.md")):
            if not belongs(document) and is_by_docasm(document):
                yield from (each for each in sorted(document.parent.iterdir()) if each.stem in CASES)


def settle(config: pytest.Config) -> Iterator[str]:
    """What is unused where no case was collected, which syrupy does not look for; an update removes it."""
    forbid_writing(config)
    for path in orphans(config):
        if config.option.update_snapshots:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
        done = "Deleted" if config.option.update_snapshots else "Unused"
        yield f"{done} {path.stem} ({shown(str(path))})"


def belongs(snapshot: Path) -> bool:
    """Whether there is a SITE/NAME.yaml for a SITE/__snapshots__/NAME/document.md, or a payload.json."""
    folder = snapshot.parent
    site = folder.parent.parent
    return snapshot.stem in CASES and any((site / f"{folder.name}{suffix}").is_file() for suffix in SUFFIXES)


def _listed(config: pytest.Config) -> Iterable[Path]:
    """Where the snapshots are of the scenarios that the configuration lists."""
    root, name = config.rootpath, config.getoption("snapshot_dirname")
    for pattern in config.getini(SCENARIOS):
        beside = Path(pattern).parent / name
        yield from (root / found for found in glob(str(beside), root_dir=root, recursive=True))
