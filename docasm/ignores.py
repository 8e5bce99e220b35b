"""Comments in YAML that silence a problem: `# docasm: ignore CODE, CODE`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from docasm.errors import Problem
from docasm.source import Source

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#[ \t]*docasm:[ \t]*ignore[ \t]+(?P<codes>[a-z][a-z0-9, \t-]*)", re.M)
_CODE = re.compile(r"[a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class Ignore:
    """One code of one comment."""

    code: str
    source: Source
    offset: int
    """The code point at which the code stands."""
    line: int | None
    """The line that the comment ends; None for one on a line of its own, which is for the whole file."""

    def silences(self, problem: Problem) -> bool:
        """Whether the comment is for a problem; what stops a render cannot be silenced."""
        place = problem.place
        if place is None or problem.code != self.code or problem.severity == "error":
            return False
        return place.path == self.source.path and self.line in (None, place.line)


def ignores(source: Source) -> Iterator[Ignore]:
    """The comments of a YAML text; what looks like one in a text value is none."""
    found = list(_COMMENT.finditer(source.text))
    scalars = _scalars(source.text) if found else ()
    for comment in found:
        if any(start <= comment.start() < end for start, end in scalars):
            continue
        number = source.lines.number(comment.start())
        before = source.text[source.lines.start(number) : comment.start()]
        line = source.line_of(number) if before.strip(" \t") else None
        for code in _CODE.finditer(source.text, *comment.span("codes")):
            yield Ignore(code[0], source, code.start(), line)


def _scalars(text: str) -> tuple[tuple[int, int], ...]:
    """Where the text values stand; of a text that is not YAML, those up to where it stops being YAML."""
    found: list[tuple[int, int]] = []
    try:
        scalars = (token for token in yaml.scan(text) if isinstance(token, yaml.ScalarToken))
        found.extend((token.start_mark.index, token.end_mark.index) for token in scalars)
    except (yaml.YAMLError, UnicodeEncodeError):
        pass
    return tuple(found)
