"""Which skills a text is about: BM25 over what their front matter says of them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Self
from unicodedata import normalize

from docasm.trigger import Rule

K1 = 1.5
"""How slowly further occurrences of a word in one document stop counting."""
B = 0.75
"""How much the length of a document counts, from 0 to 1."""
DIGITS = 6
"""To which scores are rounded, so that the last bits of a platform's `log` decide nothing."""
NAME_WEIGHT = 3
TRIGGER_WEIGHT = 2

_CJK = (
    r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7a3\uf900-\ufa6d\ufa70-\ufad9\uff66-\uff9f\U00020000-\U000323af"
)
"""Han, Hiragana, Katakana and Hangul syllables: scripts that do not, or not fully, set words apart."""
_RUNS = re.compile(rf"([^\W_{_CJK}]+)|([{_CJK}]+)")
_MANY_MARKS = re.compile(r"([^\w\x00-\x7f]{30})[^\w\x00-\x7f]+")


def words(text: str) -> list[str]:
    """The words of a text, in order and with repetitions, each NFC and case-folded; takes linear time.

    A word is a run of letters and digits (`\\w` without the underscore), so hyphens and underscores set words
    apart. A run of CJK gives its pairs of neighbours, a single character itself. Nothing is stemmed.
    """
    # `normalize` is quadratic in a run of combining marks. Unicode's stream-safe text has 30 (UAX 15).
    text = normalize("NFC", normalize("NFC", _MANY_MARKS.sub(r"\1", text)).casefold())
    found: list[str] = []
    for word, cjk in _RUNS.findall(text):
        if word:
            found.append(word)
        else:
            found.extend(cjk[at : at + 2] for at in range(max(1, len(cjk) - 1)))
    return found


def skill_words(name: str, description: str, triggers: Sequence[Rule]) -> list[str]:
    """The document of a skill for an `Index`: the words of its name, its triggers and its description.

    A field's weight is how often its words are repeated. Of the triggers, the values of conditions count.
    """
    # Kinds and paths are what skills have in common, and the numbers of a cron expression are in any message.
    conditions = [each for rule in triggers if rule.kind != "cron" for each in rule.conditions]
    values = [value for each in conditions for value in each.values if type(value) in (str, int, float)]
    wanted = words(" ".join(map(str, values)))
    return words(name) * NAME_WEIGHT + wanted * TRIGGER_WEIGHT + words(description)


@dataclass(frozen=True, slots=True)
class Index:
    """The words of many documents, looked up by word. Make it with `of`."""

    postings: Mapping[str, Sequence[tuple[int, int]]]
    """Word -> the numbers of the documents that hold it, in order, each with how often it does."""
    lengths: tuple[int, ...]
    """How many words each document has."""
    average: float
    """The mean of the lengths; 0 without documents."""

    @classmethod
    def of(cls, documents: Sequence[Sequence[str]]) -> Self:
        """Indexes documents, each given as its words; they are numbered from 0."""
        postings: dict[str, list[tuple[int, int]]] = {}
        for number, document in enumerate(documents):
            for word, frequency in Counter(document).items():
                postings.setdefault(word, []).append((number, frequency))
        lengths = tuple(map(len, documents))
        return cls(postings, lengths, sum(lengths) / max(1, len(lengths)))

    def scores(self, query: Iterable[str]) -> Mapping[int, float]:
        """The score of each document that shares a word with the query, by number; any other's is 0.

        The query's order and repetitions do not count. The cost is its length and the postings of its words.
        The formula is "Lucene (accurate)" in Kamphuis et al., "Which BM25 Do You Mean?", ECIR 2020: without
        the factor k1 + 1, so a word adds less than its idf, ln(1 + (N - n + 0.5) / (n + 0.5)).
        """
        totals: dict[int, float] = {}
        # In one order, for the sum of floats depends on it.
        for word in sorted({word for word in query if word in self.postings}):
            found = self.postings[word]
            idf = log(1 + (len(self.lengths) - len(found) + 0.5) / (len(found) + 0.5))
            for number, frequency in found:
                saturation = K1 * (1 - B + B * self.lengths[number] / self.average)
                totals[number] = totals.get(number, 0.0) + idf * frequency / (frequency + saturation)
        return {number: round(total, DIGITS) for number, total in totals.items()}


@dataclass(frozen=True, slots=True)
class Relevance:
    """How a layout chooses among its skills."""

    top: int | None
    """How many to keep beside the pinned ones; None for all that reach `min_score`."""
    min_score: float
    """What a skill's score must at least be; 0 admits those that share no word with the text."""
    pinned: frozenset[str]
    """The names of those that always stay."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A skill that was left out, and its score."""

    name: str
    score: float


def choose(
    names: Sequence[str], scores: Mapping[str, float], relevance: Relevance
) -> tuple[tuple[str, ...], tuple[Ranked, ...]]:
    """The names kept and those left out, both in the order given; no name may come twice.

    A name that `scores` lacks has 0. Where scores are equal, the name given first is the better one.
    """
    ranked = [Ranked(name, scores.get(name, 0.0)) for name in names]
    free = [each for each in ranked if each.name not in relevance.pinned]
    eligible = [each for each in free if each.score >= relevance.min_score]
    eligible.sort(key=lambda each: -each.score)
    kept = relevance.pinned.union(each.name for each in eligible[: relevance.top])
    left_out = tuple(each for each in ranked if each.name not in kept)
    return tuple(name for name in names if name in kept), left_out
