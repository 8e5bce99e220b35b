"""Files and the standard streams, byte for byte."""

import sys
from pathlib import Path

import click

from docasm.cli.talk import tell
from docasm.errors import failure
from docasm.source import Source, decode

STANDARD_STREAM = "-"
"""Stands for stdin or stdout where a file is expected."""


def read_source(name: str) -> Source:
    """The text of a file or of stdin; raises DocasmError where it cannot be read or is not UTF-8."""
    return decode(read_bytes(name), label(name))


def read_bytes(name: str) -> bytes:
    """The bytes of a file or of stdin; raises DocasmError where it cannot be read."""
    try:
        return _read_stdin() if name == STANDARD_STREAM else Path(name).read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise failure("unreadable-file", f"cannot read `{label(name)}`: {reason}") from None


def label(name: str) -> str:
    """What problems call a file."""
    return "stdin" if name == STANDARD_STREAM else name


def write_text(text: str, name: str | None = None) -> None:
    """Writes UTF-8, nothing added or translated, to a file or to stdout; raises DocasmError if it cannot."""
    data = _encoded(text)
    if name is None or name == STANDARD_STREAM:
        _write_stdout(data)
        return
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise failure("unwritable-file", f"cannot write `{name}`: {reason}") from None


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        message = f"the output holds a lone surrogate, U+{ord(text[error.start]):04X}, which is no text"
        raise failure("lone-surrogate", message, hint="mend the value where it was cut in two") from None


def _read_stdin() -> bytes:
    if sys.stdin is None:
        raise failure("unreadable-file", "cannot read `stdin`: it is closed")
    if sys.stdin.isatty():
        tell("reading from the terminal; an end of file (Ctrl-D, on Windows Ctrl-Z) ends it")
    return sys.stdin.buffer.read()


def _write_stdout(data: bytes) -> None:
    if sys.stdout is None:
        raise failure("unwritable-file", "cannot write to stdout: it is closed")
    click.echo(data, nl=False)
