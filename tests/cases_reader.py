"""Reading `tests/cases/*.md`: each second-level heading is a case, its fences are files and expectations.

The info string of a fence is a file's path, or `expect` and what is expected. Nothing is left out in
silence: a fence that is not closed, a case without an expectation or text outside of cases is an error.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

CASES = Path(__file__).parent / "cases"
EXPECTATIONS = ("document", "system", "user", "problem", "warning", "tools")


@dataclass(frozen=True, slots=True)
class Case:
    """One bundle and what becomes of it."""

    path: Path
    line: int
    """Of its heading, 1-based."""
    title: str
    files: dict[str, str] = field(default_factory=dict)
    expected: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What a failure shows: the file and the line."""
        return f"{self.path.name}:{self.line}"


def read_cases(folder: Path = CASES) -> list[Case]:
    """The cases of all files of a folder; raises ValueError for what is not a case."""
    return [case for path in sorted(folder.glob("*.md")) for case in _cases(path)]


def _cases(path: Path) -> Iterator[Case]:
    tokens = MarkdownIt("commonmark").parse(path.read_text(encoding="utf-8"))
    case: Case | None = None
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            if case is not None:
                yield _complete(case)
            case = Case(path, _line(token), tokens[index + 1].content)
        elif token.type == "fence":
            _add(case, token, path)
    if case is None:
        raise ValueError(f"{path} holds no case")
    yield _complete(case)


def _add(case: Case | None, fence: Token, path: Path) -> None:
    where = f"{path}:{_line(fence)}"
    if case is None:
        raise ValueError(f"{where}: this fence stands in no case")
    if fence.map is None or fence.map[1] - fence.map[0] != fence.content.count("\n") + 2:
        raise ValueError(f"{where}: this fence is not closed")
    kind, _, rest = fence.info.partition(" ")
    group, key = (case.expected, rest) if kind == "expect" else (case.files, fence.info)
    if (
        key in group
        or (kind == "expect" and key not in EXPECTATIONS)
        or (kind != "expect" and "." not in key)
    ):
        raise ValueError(f"{where}: `{fence.info}` is given twice, or is neither a file nor an expectation")
    group[key] = fence.content


def _complete(case: Case) -> Case:
    if not case.expected:
        raise ValueError(f"{case.path}:{case.line}: this case expects nothing")
    return case


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 0
