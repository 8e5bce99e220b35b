"""Running checks in several processes: the same findings, whatever their number.

Each process is a fork, which has the bundles in memory already, and is handed a few checks at a time through
a pipe of its own. So nothing is shared that a process could die with: its end of the pipe closes, and that is
seen. Where a system cannot fork, all is done in this process.
"""

import gc
import multiprocessing
import os
import signal
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from docasm.check import Check
from docasm.errors import DocasmError, Problem, failure

WORTH = 500
"""From how many checks on more than one process is quicker."""

Batch = Sequence[Check]
"""What a process is handed at a time."""
Found = tuple[int, list[Problem]]
"""The number of a batch and what it found."""


def default_jobs(checks: int) -> int:
    """One process per core that this one may use; one for few checks."""
    if checks < WORTH:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(batches: Sequence[Batch], jobs: int) -> Generator[Found, None, None]:
    """What each batch finds, as it comes; raises what a check raises, and DocasmError if a process dies."""
    jobs = min(jobs, len(batches))
    if jobs < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from enumerate(map(_problems, batches))
        return
    pool = _Pool(batches)
    try:
        for _ in range(jobs):
            pool.start()
        yield from pool.deal()
    finally:
        pool.end()


@dataclass(slots=True)
class _Pool:
    """Processes, and the ends of their pipes that are here."""

    batches: Sequence[Batch]
    processes: dict[Connection, BaseProcess] = field(default_factory=dict)

    def start(self) -> None:
        here, there = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork")
        process = context.Process(target=_serve, args=(here, there, self.batches), daemon=True)
        self.processes[here] = process
        process.start()
        there.close()

    def deal(self) -> Generator[Found, None, None]:
        """Hands out the batches, the next one to whoever is done."""
        left = iter(range(len(self.batches)))
        for connection in self.processes:
            self.send(connection, next(left))
        for _ in self.batches:
            connection = next(each for each in wait(self.processes) if isinstance(each, Connection))
            found = self.receive(connection)
            number = next(left, None)
            if number is not None:
                self.send(connection, number)
            yield found

    def send(self, connection: Connection, number: int) -> None:
        try:
            connection.send(number)
        except OSError:
            raise self.dead(connection) from None

    def receive(self, connection: Connection) -> Found:
        try:
            found: Found | Exception = connection.recv()
        except (EOFError, OSError):
            raise self.dead(connection) from None
        if isinstance(found, Exception):
            raise found
        return found

    def dead(self, connection: Connection) -> DocasmError:
        process = self.processes[connection]
        process.join()
        message = f"a process that checked files died with the exit code {process.exitcode}"
        return failure(
            "internal-error", message, hint="check with `--jobs 1` to see more, or for less memory"
        )

    def end(self) -> None:
        """Leaves no process behind, whatever it is doing."""
        for connection, process in self.processes.items():
            connection.close()
            with suppress(ValueError, AttributeError, AssertionError):  # it was not started
                process.terminate()
                process.join()


def _serve(here: Connection, there: Connection, batches: Sequence[Batch]) -> None:
    """The life of a process. Ctrl-C is for its parent, which ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # what is shared with the parent stays shared
    here.close()
    serve(there, batches)


def serve(connection: Connection, batches: Sequence[Batch]) -> None:
    """Answers the number of a batch with what it finds, or with what it raised, until nobody asks."""
    with suppress(EOFError, OSError):
        while True:
            number = connection.recv()
            connection.send(_answer(number, batches[number]))


def _answer(number: int, batch: Batch) -> Found | Exception:
    try:
        return number, _problems(batch)
    except Exception as error:
        # Not every exception survives the way to another process, and its words are what is told.
        return error if isinstance(error, DocasmError) else RuntimeError(f"{type(error).__name__}: {error}")


def _problems(batch: Batch) -> list[Problem]:
    return [problem for check in batch for problem in check()]
