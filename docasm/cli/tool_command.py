"""A command that answers for tools: JSON on its stdin, JSON on its stdout, within limits."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from threading import Thread
from typing import IO, Any

from docasm.errors import DocasmError
from docasm.json_text import parse_json
from docasm.source import decode

MAX_OUTPUT = 10_000_000
"""How many bytes a command may print."""
_KEPT_TALK = 4096
_GRACE = 1.0
"""For how many seconds what a killed command printed is waited for."""


class ToolCommandError(Exception):
    """That a command did not answer, in words for a person."""


@dataclass(frozen=True, slots=True)
class ToolCommand:
    """A command that is run once for each call of a tool; a resolver."""

    words: Sequence[str]
    """The program and its arguments; no shell reads them."""
    timeout: float
    """In seconds."""

    def __call__(self, tool: str, args: Mapping[str, Any]) -> Any:
        """What the command answers, JSON; raises ToolCommandError."""
        asked = json.dumps({"tool": tool, "args": dict(args)}, ensure_ascii=False)
        printed = self._run(f"{asked}\n".encode(errors="replace"))
        try:
            return parse_json(decode(printed, "stdout"))
        except DocasmError as error:
            wrong = error.problems[0]
            at = f" (line {wrong.place.line}, column {wrong.place.column})" if wrong.place else ""
            raise ToolCommandError(f"what `{self._name}` printed: {wrong.message}{at}") from None

    @property
    def _name(self) -> str:
        return self.words[0]

    def _run(self, data: bytes) -> bytes:
        """What the command prints, once it has ended well; nothing of it is left running otherwise."""
        with TemporaryFile() as stdin:
            stdin.write(data)
            stdin.seek(0)
            process = self._start(stdin)
        reading = _Reading(process)
        try:
            self._wait(process, reading)
        except BaseException:
            _kill(process)
            raise
        finally:
            reading.close()
        return reading.printed

    def _start(self, stdin: IO[bytes]) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(
                self.words,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # what it starts can be killed with it
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ToolCommandError(f"cannot run `{self._name}`: {reason}") from None

    def _wait(self, process: "subprocess.Popen[bytes]", reading: "_Reading") -> None:
        """Raises ToolCommandError for what is no answer."""
        end = time.monotonic() + self.timeout
        reading.wait(end)
        if len(reading.printed) > MAX_OUTPUT:
            raise ToolCommandError(f"`{self._name}` printed more than {MAX_OUTPUT:,} bytes")
        try:
            code = process.wait(max(0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            code = None
        if code is None or reading.goes_on:
            _kill(process)
            reading.wait(time.monotonic() + _GRACE)
            raise ToolCommandError(f"`{self._name}` took more than {self.timeout:g} s{reading.last_line}")
        if code:
            ended = f"exit code {code}" if code > 0 else f"signal {-code}"
            raise ToolCommandError(f"`{self._name}` ended with {ended}{reading.last_line}")


class _Reading:
    """What a process prints, read while it runs."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self.printed = self.talk = b""
        self._streams = (process.stdout, process.stderr)
        self._threads = [Thread(target=each, daemon=True) for each in (self._read_printed, self._read_talk)]
        for thread in self._threads:
            thread.start()

    def _read_printed(self) -> None:
        self.printed = self._streams[0].read(MAX_OUTPUT + 1)

    def _read_talk(self) -> None:
        while chunk := os.read(self._streams[1].fileno(), _KEPT_TALK):
            self.talk = (self.talk + chunk)[-_KEPT_TALK:]

    def wait(self, end: float) -> None:
        """Until both streams end, too much was printed, or a time comes."""
        for thread in self._threads:
            thread.join(max(0, end - time.monotonic()))
            if len(self.printed) > MAX_OUTPUT:
                return

    @property
    def goes_on(self) -> bool:
        """Whether somebody still holds a stream open."""
        return any(thread.is_alive() for thread in self._threads)

    @property
    def last_line(self) -> str:
        """What was said last on stderr, for the end of a message."""
        lines = self.talk.decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f": {last}" if last else ""

    def close(self) -> None:
        """Closes the streams, but for one that another thread still reads: it would have to be waited for."""
        for thread, stream in zip(self._threads, self._streams, strict=True):
            thread.join(_GRACE)
            if not thread.is_alive():
                stream.close()


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Ends a process and all that it has started."""
    if sys.platform == "win32":
        process.kill()
    else:
        try:
            os.killpg(process.pid, signal.SIGKILL)  # the group outlives the process that it is named after
        except (ProcessLookupError, PermissionError):
            process.kill()
    process.wait()
