"""Reads what pytest-benchmark saved and writes it as Markdown tables: `python -m bench.report FILE`."""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench.inputs import UNLIMITED
from bench.peers import BASE, PEERS, VARIANTS

_TITLES = {
    "list": "History as a Markdown list",
    "thread": "History as native messages",
}
_PACKAGES = ("docasm", "banks", "prompt_poet", "jinja2", "markdown-it-py", "pytest-benchmark")


def main(path: str) -> None:
    """Print the report of one run."""
    run = json.loads(Path(path).read_text(encoding="utf-8"))
    peers = [each for each in run["benchmarks"] if "peer" in each["extra_info"]]
    growth = [each for each in run["benchmarks"] if "table" in each["extra_info"]]
    limits = [each for each in run["benchmarks"] if "kind" in each["extra_info"]]
    blocks = [_machine(run), *_peer_tables(peers), *_growth_tables(growth), *_limit_tables(limits)]
    sys.stdout.write("\n\n".join(blocks) + "\n")


def _machine(run: dict[str, Any]) -> str:
    machine = run["machine_info"]
    processor = machine["cpu"].get("brand_raw", machine["machine"])
    packages = ", ".join(f"{name} {_version(name)}" for name in _PACKAGES)
    return (
        f"- machine: {processor}, {machine['cpu'].get('count', '?')} cores, {machine['system']}\n"
        f"- Python: {machine['python_implementation']} {machine['python_version']}\n"
        f"- packages: {packages}\n"
        f"- date: {run['datetime'][:10]}"
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


def _peer_tables(benchmarks: Sequence[dict[str, Any]]) -> Iterable[str]:
    for variant in VARIANTS:
        samples = _samples(benchmarks, variant, "peer")
        if samples:
            shape = next(each["extra_info"] for each in benchmarks if each["group"] == variant)
            size = f"({shape['messages']} messages, system {shape['system']:,} bytes)"
            yield _compared(f"{_TITLES[variant]} {size}", {each: samples[each] for each in PEERS}, BASE)


def _limit_tables(benchmarks: Sequence[dict[str, Any]]) -> Iterable[str]:
    for title in dict.fromkeys(each["group"] for each in benchmarks):
        yield _compared(title, _samples(benchmarks, title, "kind"), UNLIMITED)


def _samples(benchmarks: Iterable[dict[str, Any]], group: str, key: str) -> dict[str, list[float]]:
    """All that was measured in a group, by what `key` says of it."""
    samples = defaultdict(list)
    for each in benchmarks:
        if each["group"] == group:
            samples[each["extra_info"][key]].extend(each["stats"]["data"])
    return samples


def _compared(title: str, samples: dict[str, list[float]], base: str) -> str:
    middle = median(samples[base])
    rows = [_row(name, seconds, middle) for name, seconds in samples.items()]
    header = ["", "median us", "p10", "p90", f"ratio to {base}", "calls"]
    return f"### {title}\n\n{_table(header, rows)}"


def _row(name: str, seconds: list[float], base: float) -> list[str]:
    deciles = quantiles(seconds, n=10)
    middle = median(seconds)
    times = [f"{each * 1e6:.1f}" for each in (middle, deciles[0], deciles[-1])]
    return [name, *times, f"{middle / base:.2f}", f"{len(seconds):,}"]


def _growth_tables(benchmarks: Sequence[dict[str, Any]]) -> Iterable[str]:
    tables: dict[str, dict[int, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for each in benchmarks:
        about = each["extra_info"]
        tables[about["table"]][about["size"]].update(_growth_cells(each))
    for title, rows in tables.items():
        columns = list(dict.fromkeys(column for cells in rows.values() for column in cells))
        body = [_growth_row(size, rows[size], columns) for size in sorted(rows)]
        yield f"### {title}\n\n{_table(['', *columns], body)}"


def _growth_row(size: int, cells: dict[str, str], columns: Iterable[str]) -> list[str]:
    return [f"{size:,}", *(cells.get(each, "") for each in columns)]


def _growth_cells(benchmark: dict[str, Any]) -> dict[str, str]:
    about, seconds = benchmark["extra_info"], benchmark["stats"]["median"]
    cells = {about["column"]: _duration(seconds)}
    if "peak_bytes" in about:
        cells[f"{about['column']}, peak memory"] = f"{about['peak_bytes'] / 1e6:.2f} MB"
    if "each" in about:
        cells[f"{about['column']}, per file"] = _duration(seconds / about["each"])
    if "characters" in about:
        cells[f"{about['column']} MB/s"] = f"{about['characters'] / seconds / 1e6:.1f}"
    return cells


def _duration(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.2f} {unit}"
    return f"{seconds * 1e6:.1f} us"


def _table(header: list[str], rows: Iterable[list[str]]) -> str:
    rule = ["---", *("---:" for _ in header[1:])]
    return "\n".join("| " + " | ".join(each) + " |" for each in (header, rule, *rows))


if __name__ == "__main__":
    main(sys.argv[1])
