"""The unified diff of two texts: it turns the one into the other, and is what difflib says of one change."""

import re
from collections.abc import Sequence
from difflib import unified_diff

from hypothesis import example, given
from hypothesis import strategies as st

from docasm.unified import unified

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "-a", "+b", " c", "--- A", "@@ -1 +1 @@"]), max_size=40)
HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@given(LINES, LINES)
@example([], ["a"])
@example(["a"], [])
def test_it_turns_one_text_into_the_other_and_back(old: Sequence[str], new: Sequence[str]) -> None:
    written = list(unified(old, new, "A", "B"))
    assert _applied(old, written, "-", "+") == list(new)
    assert _applied(new, written, "+", "-") == list(old)
    assert bool(written) is (old != new)


@given(st.lists(st.integers(0, 99).map(str), unique=True, max_size=60), st.data())
def test_one_change_is_told_as_difflib_tells_it(old: Sequence[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(old)))
    last = data.draw(st.integers(first, len(old)))
    new = [*old[:first], *data.draw(st.lists(st.just("new"), max_size=3)), *old[last:]]
    assert list(unified(old, new, "A", "B")) == list(unified_diff(old, new, "A", "B", lineterm=""))


def test_changes_far_apart_are_hunks_of_their_own() -> None:
    old = [str(number) for number in range(30)]
    new = [line + "!" if line in {"5", "12", "20"} else line for line in old]
    heads = [line for line in unified(old, new, "A", "B") if HEAD.fullmatch(line)]
    assert heads == ["@@ -3,14 +3,14 @@", "@@ -18,7 +18,7 @@"]


def _applied(text: Sequence[str], diff: Sequence[str], taken: str, given: str) -> list[str]:
    """What a diff makes of a text, its context and what it takes away compared on the way."""
    made: list[str] = []
    at, left = 0, [0, 0]
    for line in diff[2:]:
        if not any(left):
            old_first, old_count, new_first, new_count = HEAD.fullmatch(line).groups()  # type: ignore[union-attr]
            left = [int(old_count or 1), int(new_count or 1)]
            first, count = (old_first, left[0]) if taken == "-" else (new_first, left[1])
            start = int(first) - (1 if count else 0)
            made += text[at:start]
            at = start
            continue
        sign, content = line[0], line[1:]
        left[0] -= sign != "+"
        left[1] -= sign != "-"
        if sign != given:
            assert text[at] == content
            at += 1
        if sign != taken:
            made.append(content)
    return [*made, *text[at:]]
