"""How cost grows: with skills and history it should not, with the input it should grow in step."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import docasm
from bench import generated
from bench.inputs import PROMPT, new_question
from bench.timing import Arguments, Benchmark

SKILLS = (10, 100, 1_000, 10_000)
TURNS = (10, 100, 1_000, 10_000, 100_000)
CHARACTERS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
DOCUMENT = (100_000, 1_000_000, 10_000_000)


@pytest.fixture(scope="session")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    return {size: generated.bundle(tmp_path_factory.mktemp(f"skills-{size}"), size) for size in SKILLS}


@pytest.mark.parametrize("size", SKILLS)
def test_load(benchmark: Benchmark, bundles: dict[int, Path], size: int) -> None:
    _describe(benchmark, "Skills in the bundle", size, "load")
    loaded = benchmark.pedantic(docasm.Bundle.load, setup=lambda: ((bundles[size],), {}), rounds=3)
    assert len(loaded.skills) == size


@pytest.mark.parametrize("size", SKILLS)
def test_render_of_two_skills(benchmark: Benchmark, bundles: dict[int, Path], size: int) -> None:
    _describe(benchmark, "Skills in the bundle", size, "render")
    bundle = docasm.Bundle.load(bundles[size])
    system, _ = _time_messages(benchmark, bundle, rounds=300)
    assert system.content.count("## Topic") == 2


@pytest.mark.parametrize("size", TURNS)
def test_history(benchmark: Benchmark, size: int) -> None:
    _describe(benchmark, "Turns of history, `max_turns: 12`", size, "render")
    history = generated.turns(size)
    system, _ = _time_messages(
        benchmark, docasm.Bundle.load(PROMPT), rounds=100, layout="recent", history=history
    )
    assert system.content.count("This is turn number") == min(size, 12)


@pytest.mark.parametrize("size", CHARACTERS)
@pytest.mark.parametrize("column", ["messages", "markdown"])
def test_input(benchmark: Benchmark, size: int, column: str) -> None:
    _describe(benchmark, "Characters of input", size, column)
    bundle, text = docasm.Bundle.load(PROMPT), generated.text("prose with fences", size)

    def call(text: str) -> Any:
        return getattr(bundle.render(docasm.Trigger.dm(text)), column)

    # A first character of its own keeps the call new; the strings are equal in length.
    heads = iter("abcdefghijklmnopqrstuvwxyz" * 2)
    benchmark.pedantic(call, setup=lambda: ((next(heads) + text[1:],), {}), rounds=_rounds(size))
    benchmark.extra_info["peak_bytes"] = _peak_bytes(call, next(heads) + text[1:])


@pytest.mark.parametrize("size", DOCUMENT)
@pytest.mark.parametrize("kind", generated.TEXTS)
def test_split(benchmark: Benchmark, kind: str, size: int) -> None:
    _describe(benchmark, f"Characters of {kind}", size, "split")
    document = generated.text(kind, size)
    benchmark.extra_info["characters"] = size
    assert benchmark.pedantic(docasm.split, setup=lambda: ((document,), {}), rounds=_rounds(size))


@pytest.mark.parametrize("size", DOCUMENT)
@pytest.mark.parametrize("kind", generated.TEXTS)
def test_join(benchmark: Benchmark, kind: str, size: int) -> None:
    _describe(benchmark, f"Characters of {kind}", size, "join")
    messages = (docasm.Message("user", generated.text(kind, size).rstrip()),)
    benchmark.extra_info["characters"] = size
    joined = benchmark.pedantic(docasm.join, setup=lambda: ((messages,), {}), rounds=_rounds(size))
    assert docasm.split(joined) == messages


def _describe(benchmark: Benchmark, table: str, size: int, column: str) -> None:
    benchmark.group = table
    benchmark.extra_info = {"table": table, "size": size, "column": column}


def _time_messages(benchmark: Benchmark, bundle: docasm.Bundle, *, rounds: int, **options: Any) -> Any:
    def call(question: str) -> Any:
        return bundle.render(docasm.Trigger.dm(question), **options).messages

    def arguments() -> Arguments:
        return (new_question(),), {}

    return benchmark.pedantic(call, setup=arguments, rounds=rounds, warmup_rounds=5)


def _rounds(size: int) -> int:
    return max(3, min(20, 10_000_000 // size))


def _peak_bytes(call: Callable[[str], Any], text: str) -> int:
    """The most memory that Python took at once during the call."""
    tracemalloc.start()
    try:
        call(text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
