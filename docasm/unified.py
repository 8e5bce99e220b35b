"""A unified diff, in time that hardly more than grows with the texts."""

from collections.abc import Iterator, Sequence

from docasm.changes import Change, changes

_CONTEXT = 3
"""How many unchanged lines stand before and after a change, as in GNU diff."""


def unified(old: Sequence[str], new: Sequence[str], old_name: str, new_name: str) -> Iterator[str]:
    """The lines of a diff between two texts, given as lines; none where they are the same.

    The form is that of GNU diff's manual, "Detailed Description of Unified Format", without time stamps.
    """
    for number, hunk in enumerate(_hunks(changes(old, new))):
        if not number:
            yield f"--- {old_name}"
            yield f"+++ {new_name}"
        yield from _written(old, new, hunk)


def _hunks(found: Iterator[Change]) -> Iterator[list[Change]]:
    """The changes, those together whose context would touch."""
    hunk: list[Change] = []
    for change in found:
        if hunk and change.old_first - hunk[-1].old_last > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _written(old: Sequence[str], new: Sequence[str], hunk: Sequence[Change]) -> Iterator[str]:
    before = min(_CONTEXT, hunk[0].old_first)
    after = min(_CONTEXT, len(old) - hunk[-1].old_last)
    first, last = hunk[0].old_first - before, hunk[-1].old_last + after
    removed = _range(first, last)
    added = _range(hunk[0].new_first - before, hunk[-1].new_last + after)
    yield f"@@ -{removed} +{added} @@"
    at = first
    for change in hunk:
        yield from (f" {line}" for line in old[at : change.old_first])
        yield from (f"-{line}" for line in old[change.old_first : change.old_last])
        yield from (f"+{line}" for line in new[change.new_first : change.new_last])
        at = change.old_last
    yield from (f" {line}" for line in old[at:last])


def _range(first: int, last: int) -> str:
    """A hunk's lines as its head names them: the first one and, unless it is 1, their number."""
    count = last - first
    if count == 1:
        return f"{last}"
    return f"{first + 1 if count else first},{count}"
