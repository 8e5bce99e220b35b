"""Problems with a place, and the one exception that carries them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

_WINDOW = 80
"""How many code points of a long line are shown on each side of the caret."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a file."""

    path: str
    """The file, as the user named it or as found below what the user named."""
    line: int
    """1-based; lines end at LF."""
    column: int = 1
    """1-based, in code points."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, told so that a person can mend it."""

    code: str
    """A key of `docasm.codes.CODES`."""
    message: str
    """What is wrong and what was expected; one line, no full stop."""
    place: Place | None = None
    """Where; None for what did not come from a file."""
    source_line: str = ""
    """The text of the line at `place`."""
    hint: str = ""
    """What to do about it."""
    severity: str = "error"
    """"error" or "warning"."""

    def __str__(self) -> str:
        head = f"{self.severity}[{self.code}]: {self.message}"
        if self.place is None:
            return f"{head}\n{self._hint()}"
        return f"{self.place}: {head}\n{self._caret()}{self._hint()}"

    def _caret(self) -> str:
        if self.place is None or not self.source_line:
            return ""
        number = str(self.place.line)
        margin = " " * len(number)
        start = max(0, self.place.column - _WINDOW)
        shown = self.source_line[start : start + 2 * _WINDOW]
        before = shown[: self.place.column - 1 - start]
        indent = "".join("\t" if character == "\t" else " " for character in before)
        return f"{margin} |\n{number} | {shown}\n{margin} | {indent}^\n"

    def _hint(self) -> str:
        return f"hint: {self.hint}\n" if self.hint else ""


class DocasmError(Exception):
    """What docasm could not do, as a tuple of `problems` (at least one)."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems).rstrip("\n")


def failure(code: str, message: str, *, hint: str = "") -> DocasmError:
    """The error for one problem that has no place in a file."""
    return DocasmError([Problem(code, message, hint=hint)])


def did_you_mean(name: str, known: Iterable[str], *, kind: str = "known") -> str:
    """A hint that names the closest of `known`, or lists them when nothing is close."""
    names = sorted(set(known))
    close = get_close_matches(name, _alike(name, names), n=1, cutoff=0.6)
    if close:
        return f"did you mean `{close[0]}`?"
    if not names:
        return f"there are no {kind}" if kind != "known" else "none is known"
    shown = ", ".join(f"`{each}`" for each in names[:12])
    return f"{kind}: {shown}{', ...' if len(names) > 12 else ''}"


def _alike(name: str, names: Sequence[str]) -> Sequence[str]:
    """Those worth comparing: of very many, the ones that start alike."""
    if len(names) <= _MANY:
        return names
    alike = [each for each in names if each.startswith(name[:1])]
    return alike if len(alike) <= _MANY else [each for each in alike if each.startswith(name[:2])][:_MANY]


_MANY = 500
