"""docasm beside its peers: the same messages, taking turns so that a busy machine slows all alike."""

import pytest

from bench.inputs import new_question
from bench.peers import BASE, PEERS, VARIANTS, plain, prepared
from bench.timing import Arguments, Benchmark

ROUNDS = 10
CALLS = 300
"""In each round."""


def _arguments() -> Arguments:
    return (new_question(),), {}


# The decorator nearest to the function varies slowest: every peer has its turn before the next round begins.
@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("turn", range(ROUNDS))
def test_peer(benchmark: Benchmark, peer: str, variant: str, turn: int) -> None:
    call, question = prepared(peer, variant), new_question()
    messages = plain(call(question))
    assert messages == plain(prepared(BASE, variant)(question))
    benchmark.group = variant
    benchmark.extra_info = {"peer": peer, "turn": turn, "messages": len(messages), "system": _size(messages)}
    benchmark.pedantic(call, setup=_arguments, rounds=CALLS, warmup_rounds=CALLS // 10)


def _size(messages: list[tuple[str, str]]) -> int:
    return len(messages[0][1].encode())
