"""Counting tokens: exact where a tokenizer is installed, an estimate that says so elsewhere."""

import base64
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError
from functools import cache
from importlib import import_module
from math import ceil
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import splintr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from docasm import tokens
from docasm.errors import DocasmError
from docasm.tokens import ENCODINGS, ESTIMATE, Measure, encoding_of, measure, report_measure
from tests.strategies import hostile_text
from tests.test_import_cost import imported

BACKENDS = ("toktok", "tiktoken", "splintr")

FIXTURES = (
    "人人生而自由。すべての人間は、生まれながらにして自由である。모든 인간은 자유롭다.",
    "🙂👍🏽❤️👩‍💻🇩🇪 Жди, лифт. सभी मनुष्यों को गौरव 1234567890",
    "def f(x):\n    return {'a': [x, *range(10)]}  # so\n\n\n\tif x != 3 and not y:\r\n        pass\n",
    "<|endoftext|> <|endofprompt|><|im_start|>user<|fim_prefix|>",
    " " * 5000,
    " " * 5000 + "x",
    "\n" * 5000,
    "\t \r\n" * 500,
    base64.b64encode(Random(1).randbytes(3000)).decode(),
    "a" * 5000,
    "/" * 300 + "\n/x",
    "\x00\ufeff\u200b\u2028\x85\U0010ffff",
)

ALL = [*ENCODINGS, ESTIMATE]


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes the given packages the only ones that count; a stand-in may be given for each."""

    def choose(**modules: Any) -> None:
        def find(name: str) -> Any:
            if name not in modules:
                raise ModuleNotFoundError(name)
            return modules[name] or import_module(name)

        tokens._exact.cache_clear()
        monkeypatch.setattr(tokens, "import_module", find)

    yield choose
    tokens._exact.cache_clear()


@cache
def reference(encoding: str) -> Any:
    return splintr.Tokenizer.from_pretrained(encoding)


def expected(text: str, encoding: str) -> int:
    return len(reference(encoding).encode_ordinary(text))


def byte_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


any_text = hostile_text() | st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", FIXTURES, ids=range(len(FIXTURES)))
def test_a_count_is_the_tokenizers(text: str, encoding: str) -> None:
    assert measure(encoding, None).count(text) == expected(text, encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=any_text)
def test_another_tokenizer_counts_the_same(text: str, encoding: str) -> None:
    assert measure(encoding, None).count(text) == expected(text, encoding)


def test_what_looks_like_a_special_token_is_text() -> None:
    assert measure("o200k_base", None).count("<|endoftext|>") == 7


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=300)
@given(left=any_text, right=any_text)
def test_counts_add_where_a_line_ends_and_a_word_starts(left: str, right: str, encoding: str) -> None:
    left += "\n"
    assume(right and not right[0].isspace() and right[0] != "/")
    count = measure(encoding, None).count
    assert count(left) + count(right) == count(left + right)


@pytest.mark.parametrize("factor", [1.0, 1.1, 1.55])
@given(left=any_text, right=any_text)
def test_no_whole_is_estimated_higher_than_its_parts(left: str, right: str, factor: float) -> None:
    count = measure(ESTIMATE, None, factor).count
    assert count(left + right) <= count(left) + count(right)


@pytest.mark.parametrize("name", ALL)
@given(text=any_text.filter(bool))
def test_only_empty_text_has_no_tokens(text: str, name: str) -> None:
    assert measure(name, None).count(text) > 0
    assert measure(name, None, 1.11).count("") == measure(name, None).count("") == 0


@pytest.mark.parametrize("factor", [0.5, 1.0, 1.1, 1.55])
@pytest.mark.parametrize("name", ALL)
@given(text=any_text | st.sampled_from(FIXTURES))
def test_bytes_bound_the_tokens(text: str, name: str, factor: float) -> None:
    chosen = measure(name, None, factor)
    assert chosen.per_byte is not None
    assert chosen.count(text) <= ceil(byte_length(text) * chosen.per_byte)


@pytest.mark.parametrize(
    ("text", "count"),
    [("a", 1), ("abcd", 1), ("abcde", 2), ("a b, c.", 3), ("中文", 2), ("🙂", 1), ("\n\n", 1), ("\ud800", 1)],
)
def test_the_estimate_is_the_same_everywhere(text: str, count: int) -> None:
    assert measure(ESTIMATE, "gpt-4o").count(text) == count


@pytest.mark.parametrize("name", ["README.md", "docasm/bundle.py", "docs"])
def test_the_estimate_is_near_for_markdown_and_code(name: str) -> None:
    path = Path(tokens.__file__).parents[1] / name
    files = sorted(path.rglob("*.md")) if path.is_dir() else [path]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    assert 0.85 < measure(ESTIMATE, None).count(text) / measure("o200k_base", None).count(text) < 1.35


def test_a_factor_rounds_up_and_makes_an_estimate() -> None:
    hundred = {"hundred": lambda _: 100}
    assert measure("hundred", None, 1.1, hundred).count("x") == 110
    assert measure("hundred", None, 1.111, hundred).count("x") == 112
    assert measure("hundred", None, own=hundred).exact
    assert not measure("hundred", None, 1.1, hundred).exact
    assert measure("o200k_base", None).exact
    assert not measure("o200k_base", None, 1.11).exact
    assert not measure(ESTIMATE, None).exact


@pytest.mark.parametrize(
    ("name", "factor", "label"),
    [
        ("o200k_base", 1, "o200k_base"),
        ("o200k_base", 1.11, "o200k_base x 1.11 (estimate)"),
        (ESTIMATE, 1.0, "estimate"),
        (ESTIMATE, 1.5, "estimate x 1.5"),
    ],
)
def test_a_label_says_what_counted(name: str, factor: float, label: str) -> None:
    assert measure(name, None, factor).label == label


def test_a_measure_is_a_value() -> None:
    chosen = measure("o200k_base", None)
    assert chosen == Measure("o200k_base", True, 1.0, len, 1.0)
    assert chosen != measure("o200k_base", None, 1.5)
    assert repr(chosen) == "Measure(name='o200k_base', exact=True, factor=1.0, per_byte=1.0)"
    with pytest.raises(FrozenInstanceError):
        chosen.name = "x"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("encoding", "models"),
    [
        (
            "o200k_base",
            "gpt-4o gpt-4o-mini-2024-07-18 chatgpt-4o-latest gpt-4.1 gpt-4.1-nano gpt-4.5-preview",
        ),
        ("o200k_base", "gpt-5 gpt-5-mini gpt-5.2 gpt-5-codex o1 o1-mini o3 o3-pro o4-mini gpt-oss:20b"),
        ("o200k_base", "openai/gpt-oss-120b openrouter/openai/o3 openai:gpt-5 GPT-4o ft:gpt-4o-mini:me::1"),
        ("cl100k_base", "gpt-4 gpt-4-turbo gpt-4-0613 openai/gpt-4 gpt-3.5-turbo gpt-35-turbo"),
        ("cl100k_base", "text-embedding-3-small text-embedding-ada-002 ft:gpt-3.5-turbo:me::1"),
        (
            None,
            "claude-sonnet-4-5 anthropic/claude-3 gemini-2.5-pro llama-3 gpt-2 gpt-4.7 gpt-4all o1x",
        ),
        (None, "gpt openai/ / my-gpt-4o qwen3 text-embedding-004 mistral-large"),
    ],
)
def test_the_encodings_of_models(encoding: str | None, models: str) -> None:
    assert {model: encoding_of(model) for model in models.split()} == dict.fromkeys(models.split(), encoding)


def test_no_model_has_no_encoding() -> None:
    assert encoding_of(None) is encoding_of("") is None


def test_no_prefix_is_hidden_by_a_shorter_one() -> None:
    prefixes = [prefix for prefix, _ in tokens._MODELS]
    assert prefixes == sorted(prefixes, key=len, reverse=True)
    assert {encoding for _, encoding in tokens._MODELS} == set(ENCODINGS)


@pytest.mark.parametrize(
    ("name", "model", "chosen"),
    [
        (None, None, ESTIMATE),
        (None, "claude-sonnet-4-5", ESTIMATE),
        (None, "gpt-4o", "o200k_base"),
        (None, "gpt-4", "cl100k_base"),
        ("cl100k_base", "gpt-4o", "cl100k_base"),
        (ESTIMATE, "gpt-4o", ESTIMATE),
        ("words", "gpt-4o", "words"),
    ],
)
def test_a_name_goes_before_a_model(name: str | None, model: str | None, chosen: str) -> None:
    own = {"words": lambda text: len(text.split())}
    for choose in (measure, report_measure):
        assert choose(name, model, own=own).name == chosen


@pytest.mark.parametrize(
    ("name", "hint"),
    [("o200k", "did you mean `o200k_base`"), ("word", "`words`"), ("", "known tokenizers: ")],
)
def test_an_unknown_name_is_an_error(name: str, hint: str) -> None:
    for choose in (measure, report_measure):
        with pytest.raises(DocasmError, match=r"error\[unknown-tokenizer\]") as caught:
            choose(name, "gpt-4o", own={"words": len})
        assert hint in caught.value.problems[0].hint


def test_a_function_of_ones_own() -> None:
    own = {"words": lambda text: len(text.split()), "o200k_base": len}
    words = measure("words", None, own=own)
    assert (words.count("a b c"), words.count(""), words.per_byte, words.label) == (3, 0, None, "words")
    assert measure("o200k_base", None, own=own).count("abc") == 3
    assert measure("words", None, 1.5, own).count("a b c") == 5


@pytest.mark.parametrize("given", [-1, 1.0, None, "3", True])
def test_a_function_of_ones_own_gives_whole_numbers(given: Any) -> None:
    with pytest.raises(DocasmError, match=r"error\[bad-tokenizer\]: the tokenizer `mine` gave "):
        measure("mine", None, own={"mine": lambda _: given}).count("x")


def test_short_texts_are_counted_once_and_long_ones_are_not_kept() -> None:
    counted = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    chosen = measure("mine", None, own={"mine": count})
    long = "x" * (tokens._KEPT_LENGTH + 1)
    assert [chosen.count(text) for text in ("ab", "ab", "", long, long)] == [2, 2, 0, len(long), len(long)]
    assert counted == ["ab", long, long]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_without_a_package_there_is_an_error_or_an_estimate(encoding: str, only: Callable[..., None]) -> None:
    only()
    with pytest.raises(DocasmError, match=rf"error\[tokenizer-missing\].*`{encoding}`") as caught:
        measure(encoding, None)
    assert caught.value.problems[0].hint == "install `docasm[tokens]`, or write `tokenizer: estimate`"
    assert report_measure(encoding, None, 1.5) == measure(ESTIMATE, None, 1.5)
    assert report_measure(encoding, None).label == "estimate"
    with pytest.raises(DocasmError, match=r"error\[tokenizer-missing\]"):
        measure(None, "gpt-4o")


def tiktoken_like(encode: Callable[[str], list[int]]) -> Any:
    """Stands for tiktoken: `encode` refuses special tokens, `encode_ordinary` takes all text."""

    def refuse(_: str) -> list[int]:
        raise ValueError("disallowed special token")

    found = SimpleNamespace(encode=refuse, encode_ordinary=encode)
    return SimpleNamespace(get_encoding=lambda name: {"o200k_base": found}[name])


@pytest.fixture
def ranks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder in which tiktoken has kept o200k_base."""
    address = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
    for encoding, name in tokens._RANKS.items():
        assert hashlib.sha1(address.format(encoding).encode(), usedforsecurity=False).hexdigest() == name
        (tmp_path / name).touch()
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("ranks")
def test_tiktoken_counts_where_toktok_is_missing(only: Callable[..., None]) -> None:
    only(tiktoken=tiktoken_like(lambda text: [0] * (2 * len(text))), splintr=None)
    assert measure("o200k_base", None).count("<|endoftext|>") == 26
    only(tiktoken=tiktoken_like(lambda _: []))
    with pytest.raises(DocasmError, match=r"error\[tokenizer-missing\]"):
        measure("cl100k_base", None)


def test_tiktoken_is_not_let_download(only: Callable[..., None], ranks: Path) -> None:
    for file in ranks.iterdir():
        file.unlink()
    only(tiktoken=tiktoken_like(lambda _: []))
    assert report_measure("o200k_base", None).name == ESTIMATE


class PanicException(BaseException):
    """What tiktoken raises for a million spaces."""


@pytest.mark.usefixtures("ranks")
def test_a_panic_of_tiktoken_is_an_error(only: Callable[..., None]) -> None:
    faults: list[BaseException] = [PanicException(), KeyboardInterrupt()]

    def panic(_: str) -> list[int]:
        raise faults.pop(0)

    only(tiktoken=tiktoken_like(panic))
    count = measure("o200k_base", None).count
    with pytest.raises(DocasmError, match=r"error\[bad-tokenizer\]: tiktoken cannot count a text of 9 "):
        count(" " * 9)
    with pytest.raises(KeyboardInterrupt):
        count(" " * 9)


@pytest.mark.parametrize("backend", ["toktok", "splintr"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_each_package_counts_alike(backend: str, encoding: str, only: Callable[..., None]) -> None:
    only(**{backend: None})
    count = measure(encoding, None).count
    assert [count(text) for text in FIXTURES] == [expected(text, encoding) for text in FIXTURES]
    assert count("a\ud800b") == expected("a\ufffdb", encoding)
    assert count("\ud83d\ude42") == expected("🙂", encoding)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_broken_package_is_a_missing_one(backend: str, only: Callable[..., None]) -> None:
    only(**{backend: SimpleNamespace()})
    assert report_measure("o200k_base", None).name == ESTIMATE


@pytest.mark.parametrize("code", ["", "; docasm.tokens.measure(None, None).count('x')"])
def test_no_tokenizer_is_imported_before_it_counts(code: str) -> None:
    modules = imported("import docasm.tokens" + code)
    assert modules.isdisjoint((*BACKENDS, "jinja2", "yaml", "markdown_it"))
