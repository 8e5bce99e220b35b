"""Renders bundles, each in a process of its own, with limits on time and memory.

    python -m tests.run_apart < [{"files": {...}, "variables": {...}, "text": "..."}, ...]

prints a list of how each went: the outcome (`rendered`, the codes of the problems, or what was raised), and
how many megabytes it added to what the imports take.
"""

import json
import os
import re
import resource
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import docasm
from tests.bundles import write_bundle

ADDRESS_SPACE = 1_000_000_000
"""In bytes: what runs away fails here, not on the machine."""
SECONDS = 60
"""Of work, on a slow machine."""


def main() -> None:
    callable(docasm.Bundle)  # imports what would count as the first attack's memory
    json.dump([_apart(given) for given in json.load(sys.stdin)], sys.stdout)


def _apart(given: dict[str, Any]) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        with os.fdopen(writing, "w") as out:
            json.dump(_told(given), out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as read:
        told = read.read()
    os.waitpid(child, 0)
    found: dict[str, Any] = json.loads(told or '{"outcome": "killed", "megabytes": 0}')
    return found


def _told(given: dict[str, Any]) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        bundle = write_bundle(Path(folder), given["files"])
        before = _megabytes()
        return {"outcome": _outcome(bundle, given), "megabytes": _megabytes() - before}


def _outcome(folder: Path, given: dict[str, Any]) -> str:
    try:
        bundle = docasm.Bundle.load(folder)
        trigger = docasm.Trigger.dm(given.get("text", "Hi"))
        render = bundle.render(trigger, variables=given.get("variables"))
        assert docasm.split(render.markdown) == render.messages
    except docasm.DocasmError as error:
        return " ".join(sorted({problem.code for problem in error.problems}))
    except BaseException as error:
        return f"raised {type(error).__name__}: {error}"
    return "rendered"


def _megabytes() -> float:
    """The most memory this process ever held."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(re.findall(r"VmHWM:\s+(\d+)", status.read_text(encoding="utf-8"))[0]) / 1024


if __name__ == "__main__":
    main()
