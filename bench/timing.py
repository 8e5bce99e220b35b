"""What these benchmarks use of pytest-benchmark's fixture."""

from collections.abc import Callable
from typing import Any, Protocol

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class Benchmark(Protocol):
    """The `benchmark` fixture, spelled out so that the types need no plugin installed."""

    group: str | None
    extra_info: dict[str, Any]

    def pedantic(
        self,
        target: Callable[..., Any],
        *,
        setup: Callable[[], Arguments] | None = None,
        rounds: int = 1,
        warmup_rounds: int = 0,
    ) -> Any:
        """Call `target` once a round with what `setup` returns; only the call is timed."""
