"""Which lines differ between two texts, in time that hardly more than grows with them."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_CELLS = 40_000
"""Up to how many pairs of lines difflib compares, whose time grows with their number and more."""


class Change(NamedTuple):
    """Some lines of the old text became some of the new one; 0-based, each last one excluded."""

    old_first: int
    old_last: int
    new_first: int
    new_last: int


def changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """The changes, in order: between lines that both have just once, what difflib finds."""
    whole = _trimmed(old, new, Change(0, len(old), 0, len(new)))
    if _is_small(whole):
        yield from _compared(old, new, whole)
        return
    at, other = whole.old_first, whole.new_first
    for anchor in [*_anchors(old, new, whole), (whole.old_last, whole.new_last)]:
        yield from _compared(old, new, _trimmed(old, new, Change(at, anchor[0], other, anchor[1])))
        at, other = anchor[0] + 1, anchor[1] + 1


def _is_small(change: Change) -> bool:
    return (change.old_last - change.old_first) * (change.new_last - change.new_first) <= _CELLS


def _trimmed(old: Sequence[str], new: Sequence[str], change: Change) -> Change:
    """Without the lines at both ends that are the same."""
    first, last, other, end = change
    while first < last and other < end and old[first] == new[other]:
        first, other = first + 1, other + 1
    while first < last and other < end and old[last - 1] == new[end - 1]:
        last, end = last - 1, end - 1
    return Change(first, last, other, end)


def _compared(old: Sequence[str], new: Sequence[str], change: Change) -> Iterator[Change]:
    first, last, other, end = change
    if first == last or other == end or not _is_small(change):
        if first < last or other < end:
            yield change
        return
    matcher = SequenceMatcher(None, old[first:last], new[other:end], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield Change(first + a, first + b, other + c, other + d)


def _anchors(old: Sequence[str], new: Sequence[str], change: Change) -> Sequence[tuple[int, int]]:
    """Lines that each text has once, as many as stand in the same order in both (patience sorting)."""
    first, last, other, end = change
    counts = Counter(old[first:last]), Counter(new[other:end])
    places = {new[index]: index for index in range(other, end)}
    pairs = [
        (index, places[old[index]])
        for index in range(first, last)
        if counts[0][old[index]] == 1 == counts[1][old[index]]
    ]
    return _rising(pairs)


def _rising(pairs: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """The longest run of pairs in which the second number rises as the first does."""
    ends: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        pile = bisect_left(ends, place)
        before.append(piles[pile - 1] if pile else -1)
        ends[pile : pile + 1] = [place]
        piles[pile : pile + 1] = [number]
    found = []
    at = piles[-1] if piles else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]
