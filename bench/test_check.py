"""What `docasm check` takes for a file, in one process and in as many as there are cores."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import generated
from bench.timing import Benchmark

SKILLS = (1_000, 10_000)
PROCESSES = {"one process": 1, "a process per core": os.cpu_count() or 1}


@pytest.fixture(scope="session")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    return {size: generated.bundle(tmp_path_factory.mktemp(f"check-{size}"), size) for size in SKILLS}


@pytest.mark.parametrize("size", SKILLS)
@pytest.mark.parametrize("column", PROCESSES)
def test_check(benchmark: Benchmark, bundles: dict[int, Path], size: int, column: str) -> None:
    """The whole command: its start, reading the files, checking and writing."""
    benchmark.group = "Skills checked by `docasm check`"
    benchmark.extra_info = {"table": benchmark.group, "size": size, "column": column, "each": size}
    jobs = str(PROCESSES[column])
    command = [sys.executable, "-m", "docasm", "check", "--jobs", jobs, str(bundles[size])]

    def call() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(command, capture_output=True, text=True, check=True)

    done = benchmark.pedantic(call, rounds=3)
    assert done.stderr == f"all is well: {size:,} skills and 5 layouts\n"
