"""Renders one bundle in a process of its own, with limits on time and memory.

    python -m tests.run_apart < {"files": {...}, "variables": {...}, "text": "..."}

prints how it went: the outcome (`rendered` or the codes of the problems), the seconds of work, and the megabytes that
loading and rendering added to what the imports take.
"""

import json
import re
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import docasm
from tests.bundles import write_bundle

ADDRESS_SPACE = 1_000_000_000
"""In bytes; a template that runs away fails here, not on the machine."""


def main() -> None:
    given = json.load(sys.stdin)
    docasm.Bundle, docasm.Trigger, docasm.DocasmError  # noqa: B018 - the imports are not the template's doing
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    with TemporaryDirectory() as folder:
        bundle = write_bundle(Path(folder), given["files"])
        before, start = _megabytes(), time.process_time()
        outcome = _outcome(bundle, given)
        seconds = time.process_time() - start
    json.dump({"outcome": outcome, "seconds": seconds, "megabytes": _megabytes() - before}, sys.stdout)


def _outcome(folder: Path, given: dict[str, object]) -> str:
    try:
        bundle = docasm.Bundle.load(folder)
        trigger = docasm.Trigger.dm(str(given.get("text", "Hi")))
        render = bundle.render(trigger, variables=given.get("variables"))  # type: ignore[arg-type]
        assert docasm.split(render.markdown) == render.messages
        assert len(render.places) == render.markdown.count("\n")
    except docasm.DocasmError as error:
        return " ".join(sorted({problem.code for problem in error.problems}))
    return "rendered"


def _megabytes() -> float:
    """The most memory this process ever held; `ru_maxrss` may be that of the process that started it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(re.findall(r"VmHWM:\s+(\d+)", status.read_text())[0]) / 1024


if __name__ == "__main__":
    main()
