"""Words, their BM25 scores, and which skills a text keeps."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path
from random import Random
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docasm.relevance import Index, Ranked, Relevance, choose, skill_words, words
from docasm.trigger import Condition, Rule
from tests.strategies import hostile_text

ROOT = Path(__file__).parent.parent
DESCRIPTIONS = {
    "calendar": "Plan meetings and find free time for the people who are invited.",
    "pdf-extract": "Extract text and tables from PDF files.",
    "spreadsheets": "Read and write tables of numbers, with formulas.",
    "web-search": "Search the web and sum up the pages that were found.",
}
QUESTION = "How do I get the tables out of this pdf?"
NAMES = ("a", "b", "c", "d")
SCORES = {"a": 1.0, "b": 3.0, "c": 1.0}
APART = """
import json, sys
from docasm.relevance import Index, words
descriptions, question = json.load(sys.stdin)
index = Index.of([words(each) for each in descriptions])
json.dump([sorted(index.scores(set(words(question))).items()), list(index.postings)], sys.stdout)
"""

VOCABULARY = [f"w{number}" for number in range(12)]
documents = st.lists(st.lists(st.sampled_from(VOCABULARY), max_size=8), max_size=6)
queries = st.lists(st.sampled_from(VOCABULARY), max_size=8)
name_lists = st.lists(st.sampled_from("abcdefgh"), unique=True)
score_maps = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0.0, 0.5, 1.0, 2.0]))
settings = st.builds(
    Relevance,
    st.none() | st.integers(0, 10),
    st.sampled_from([0.0, 0.5, 1.0, 3.0]),
    st.frozensets(st.sampled_from("abcdxyz")),
)


def plain_bm25(corpus: Sequence[Sequence[str]], query: Sequence[str]) -> dict[int, float]:
    """BM25 of every document with a score, written out from the formula and without an index."""
    average = sum(len(document) for document in corpus) / len(corpus) if corpus else 0.0
    result = {}
    for number, document in enumerate(corpus):
        score = 0.0
        for word in sorted(set(query) & set(document)):
            holding = len([other for other in corpus if word in other])
            idf = log(1 + (len(corpus) - holding + 0.5) / (holding + 0.5))
            frequency = document.count(word)
            score += idf * frequency / (frequency + 1.5 * (1 - 0.75 + 0.75 * len(document) / average))
        if set(query) & set(document):
            result[number] = score
    return result


def scores_by_name(question: str) -> Mapping[str, float]:
    names = list(DESCRIPTIONS)
    index = Index.of([skill_words(name, text, ()) for name, text in DESCRIPTIONS.items()])
    return {names[number]: score for number, score in index.scores(words(question)).items()}


def kept(top: int | None, min_score: float = 0.0, pinned: Sequence[str] = ()) -> tuple[str, ...]:
    return choose(NAMES, SCORES, Relevance(top, min_score, frozenset(pinned)))[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("The PDF, the pdf.", ["the", "pdf", "the", "pdf"]),
        ("pdf-extract web_search __init__", ["pdf", "extract", "web", "search", "init"]),
        ("caf\u00e9 cafe\u0301", ["caf\u00e9", "caf\u00e9"]),
        ("Stra\u00dfe STRASSE", ["strasse", "strasse"]),
        ("\u01f0 J\u030c", ["\u01f0", "\u01f0"]),  # case folding takes the first apart
        ("\u6771\u4eac\u90fd", ["\u6771\u4eac", "\u4eac\u90fd"]),
        ("\u732b", ["\u732b"]),
        ("pdf\u306e\u8868 \u8868", ["pdf", "\u306e\u8868", "\u8868"]),
        ("\u30c7\u30fc\u30bf\u30fb\u8868", ["\u30c7\u30fc", "\u30fc\u30bf", "\u8868"]),
        ("\ud55c\uad6d\uc5b4", ["\ud55c\uad6d", "\uad6d\uc5b4"]),
        (normalize("NFD", "\ud55c\uad6d\uc5b4"), ["\ud55c\uad6d", "\uad6d\uc5b4"]),
        ("\U00020000\U00020001", ["\U00020000\U00020001"]),
        ("\U0001f600 ok\U0001f44d\U0001f3fd!", ["ok"]),
        ("don't 3.5", ["don", "t", "3", "5"]),
        ("\ud800a", ["a"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(hostile_text() | st.text())
def test_words_are_the_same_however_the_text_is_composed_and_folded(text: str) -> None:
    assert words(normalize("NFD", text)) == words(text) == words(normalize("NFC", text))
    assert words(" ".join(words(text))) == words(text)


def test_words_of_nothing_but_marks_are_found_in_linear_time() -> None:
    assert words("a\u0301" + "\u0301\u0316" * 200_000 + "b") == ["\u00e1", "b"]  # minutes, if it is quadratic


def test_the_fields_of_a_skill_have_weights() -> None:
    event = Rule("event", (Condition("type", ("push", "Tag", 7)), Condition("draft", (False, None))))
    rules = (Rule("dm", (Condition("sender", ("ana-maria",)),)), event, Rule("dm"))
    wanted = ["ana", "maria", "push", "tag", "7"]
    assert skill_words("git-log", "Reads a log.", rules) == ["git", "log"] * 3 + wanted * 2 + [
        "reads",
        "a",
        "log",
    ]


def test_the_times_of_a_cron_trigger_are_not_words_of_a_skill() -> None:
    assert skill_words("x", "", (Rule("cron", (Condition("filter", ("0 12 * * *",)),)),)) == ["x"] * 3


def test_scores_by_hand() -> None:
    index = Index.of([["a", "a", "b"], ["b"], ["c", "c"]])  # two words on average
    first = log(1 + 2.5 / 1.5) * 2 / (2 + 1.5 * (0.25 + 0.75 * 1.5)) + log(1.6) / (1 + 1.5 * 1.375)
    assert index.scores(["a", "b", "a"]) == {
        0: round(first, 6),
        1: round(log(1 + 1.5 / 2.5) / (1 + 1.5 * (0.25 + 0.75 * 0.5)), 6),
    }


@given(documents, queries)
def test_scores_are_those_of_the_formula(corpus: list[list[str]], query: list[str]) -> None:
    assert Index.of(corpus).scores(query) == pytest.approx(plain_bm25(corpus, query), abs=6e-7)


@given(documents, queries, st.randoms(use_true_random=False))
def test_order_repetition_and_unknown_words_of_a_query_change_nothing(
    corpus: list[list[str]], query: list[str], random: Random
) -> None:
    index = Index.of(corpus)
    longer = [*query, *query[:2], "unknown", "\u6771\u4eac"]
    random.shuffle(longer)
    assert index.scores(longer) == index.scores(query)


@pytest.mark.parametrize("corpus", [[], [[]], [[], []]])
def test_an_index_without_words_scores_nothing(corpus: list[list[str]]) -> None:
    assert Index.of(corpus).scores(["a"]) == {}


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_another_process_computes_the_same(seed: str) -> None:
    texts = list(DESCRIPTIONS.values())
    done = subprocess.run(
        [sys.executable, "-c", APART],
        input=json.dumps([texts, QUESTION]),
        capture_output=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        encoding="utf-8",
    )
    index = Index.of([words(text) for text in texts])
    expected = [sorted(map(list, index.scores(words(QUESTION)).items())), list(index.postings)]
    assert json.loads(done.stdout) == expected


def test_a_question_about_tables_in_a_pdf_is_one_for_the_pdf_skill() -> None:
    scores = scores_by_name(QUESTION)
    assert max(scores, key=lambda name: scores[name]) == "pdf-extract"
    names, left_out = choose(list(DESCRIPTIONS), scores, Relevance(1, 0.1, frozenset({"web-search"})))
    assert names == ("pdf-extract", "web-search")
    assert left_out == (
        Ranked("calendar", scores["calendar"]),
        Ranked("spreadsheets", scores["spreadsheets"]),
    )
    assert scores["pdf-extract"] > scores["spreadsheets"] > scores["calendar"] > 0


def test_the_best_are_kept_in_their_given_order_and_ties_go_to_the_first() -> None:
    assert kept(1) == ("b",)
    assert kept(2) == ("a", "b")
    assert kept(3) == ("a", "b", "c")
    assert choose("ca", SCORES, Relevance(1, 0.0, frozenset())) == (("c",), (Ranked("a", 1.0),))


def test_top_can_be_nothing_or_more_than_there_is() -> None:
    assert kept(0) == ()
    assert kept(9) == kept(None) == NAMES
    assert choose((), {}, Relevance(3, 0.0, frozenset("a"))) == ((), ())


def test_a_score_must_reach_the_minimum() -> None:
    assert kept(None, 1.0) == ("a", "b", "c")
    assert kept(None, 1.000001) == ("b",)
    assert kept(9, 3.1) == ()


def test_pinned_ones_stay_and_take_no_place() -> None:
    assert kept(1, 1.0, ["d"]) == ("b", "d")
    assert kept(1, 1.0, ["b", "unknown"]) == ("a", "b")
    assert kept(0, 9.0, ["c", "a"]) == ("a", "c")


@given(name_lists, score_maps, settings)
def test_every_name_is_kept_or_left_out_in_order(
    names: list[str], scores: dict[str, float], relevance: Relevance
) -> None:
    chosen, left_out = choose(names, scores, relevance)
    assert [name for name in names if name in chosen] == list(chosen)
    assert left_out == tuple(Ranked(name, scores.get(name, 0.0)) for name in names if name not in chosen)
    assert relevance.pinned.intersection(names) <= set(chosen)
    assert (chosen, left_out) == choose(tuple(names), dict(reversed(scores.items())), relevance)


@given(name_lists, score_maps, settings)
def test_none_left_out_is_better_than_one_kept(
    names: list[str], scores: dict[str, float], relevance: Relevance
) -> None:
    chosen, left_out = choose(names, scores, relevance)
    free = [scores.get(name, 0.0) for name in chosen if name not in relevance.pinned]
    full = relevance.top is not None and len(free) == relevance.top
    assert relevance.top is None or len(free) <= relevance.top
    assert all(score >= relevance.min_score for score in free)
    for each in left_out:
        assert each.score < relevance.min_score or (full and all(score >= each.score for score in free))
