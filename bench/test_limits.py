"""What limits cost: with history and skills they grow in step, and a prompt with them takes little longer."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import docasm
from bench import generated
from bench.inputs import PROMPT, UNLIMITED, message_history, new_question
from bench.timing import Arguments, Benchmark

TURNS = (1_000, 10_000, 100_000)
SKILLS = (100, 1_000, 10_000)
TURN_LIMITS = {
    "max_chars": "slots: {history: {max_chars: 2000}}",
    "max_tokens": "slots: {history: {max_tokens: 500}}\ntokenizer: o200k_base",
    "estimated max_tokens": "slots: {history: {max_tokens: 500}}\ntokenizer: estimate",
    "document max_chars": "max_chars: 4000\ndrop: [history]",
    "all turns fit": "slots: {history: {max_chars: 100000000}}",
}
_SLOTS = """\
slots:
  skills: {{max_chars: {skills}, max_tokens: {skills}, max_per_skill: {skills}}}
  tools: {{max_chars: {tools}, max_tokens: {tools}}}
  history: {{max_chars: {history}, max_tokens: {history}, max_turns: {turns}, step: 2, as: {shown}}}
  input: {{max_chars: 4000, max_tokens: 4000}}
max_chars: {document}
max_tokens: {document}
drop: [history, tools, skills]
tokenizer: {tokenizer}
"""
LOOSE = {"skills": 20_000, "tools": 20_000, "history": 20_000, "turns": 100, "document": 50_000}
PROMPT_LIMITS = {
    "limits that do not bind": LOOSE,
    "those of the history bind": {**LOOSE, "history": 250, "turns": 8},
    "limits that bind": {"skills": 600, "tools": 200, "history": 250, "turns": 8, "document": 1000},
}
"""Every limit is set, in each of these."""
BOUND = {"those of the history bind": {"history"}, "limits that bind": {"history", "skills", "tools"}}
"""The slots that are cut."""
ROUNDS = 10
CALLS = 200
"""In each round."""
LAYOUTS = {"list": "recent", "messages": "thread"}


def _bundle(folder: Path, settings: str, layout: str) -> docasm.Bundle:
    """The bundle of the comparison, with other settings of its layout; "" for none."""
    shutil.copytree(PROMPT, folder, dirs_exist_ok=True)
    body = (PROMPT / "layouts" / f"{layout}.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    (folder / "layouts" / "dm.md").write_text(f"---\n{settings}\n---\n{body}", encoding="utf-8")
    return docasm.Bundle.load(folder)


@pytest.mark.parametrize("size", TURNS)
@pytest.mark.parametrize("limit", TURN_LIMITS)
def test_history(benchmark: Benchmark, tmp_path: Path, size: int, limit: str) -> None:
    _describe(benchmark, "Turns of history under limits", size, limit)
    bundle = _bundle(tmp_path, TURN_LIMITS[limit], "recent")
    rendered = _time(benchmark, bundle, rounds=max(3, 100_000 // size), history=generated.turns(size))
    assert f"turn number {size - 1}." in rendered.messages[0].content


@pytest.mark.parametrize("size", SKILLS)
@pytest.mark.parametrize("fits", [True, False])
def test_skills(benchmark: Benchmark, tmp_path: Path, size: int, fits: bool) -> None:
    _describe(benchmark, "Skills in the document, `max_chars`", size, "all fit" if fits else "a half fits")
    (tmp_path / "skills").mkdir()
    (tmp_path / "layouts").mkdir()
    room = 100 * size if fits else 32 * size
    layout = f"---\nmax_chars: {room}\ndrop: [skills]\n---\nsystem:\n<<skills>>\n\nuser:\n<<input>>\n"
    (tmp_path / "layouts" / "dm.md").write_text(layout, encoding="utf-8")
    (tmp_path / "docasm.yaml").write_text("layout: {dm: dm}\n", encoding="utf-8")
    for number in range(size):
        text = f"---\ntriggers: [dm]\n---\n## Topic {number}\n\nSay what you know about topic {number}.\n"
        (tmp_path / "skills" / f"skill-{number:05}.md").write_text(text, encoding="utf-8")
    rendered = _time(benchmark, docasm.Bundle.load(tmp_path), rounds=max(3, 10_000 // size))
    assert bool(rendered.cuts) is not fits


# The decorator nearest to the function varies slowest: every kind has its turn before the next round begins.
@pytest.mark.parametrize("kind", [UNLIMITED, *PROMPT_LIMITS])
@pytest.mark.parametrize("shown", LAYOUTS)
@pytest.mark.parametrize("tokenizer", ["o200k_base", "estimate"])
@pytest.mark.parametrize("turn", range(ROUNDS))
def test_prompt(
    benchmark: Benchmark, tmp_path: Path, kind: str, tokenizer: str, shown: str, turn: int
) -> None:
    benchmark.group = f"The prompt, history as {shown}, `{tokenizer}`"
    benchmark.extra_info = {"kind": kind, "turn": turn}
    settings = f"slots: {{history: {{as: {shown}}}}}"
    if kind in PROMPT_LIMITS:
        settings = _SLOTS.format(**PROMPT_LIMITS[kind], tokenizer=tokenizer, shown=shown)
    bundle = _bundle(tmp_path, settings, LAYOUTS[shown])
    rendered = _time(benchmark, bundle, rounds=CALLS, history=message_history())
    assert {cut.slot for cut in rendered.cuts} >= BOUND.get(kind, set())
    assert bool(rendered.cuts) is (kind in BOUND)


def _describe(benchmark: Benchmark, table: str, size: int, column: str) -> None:
    benchmark.group = table
    benchmark.extra_info = {"table": table, "size": size, "column": column}


def _time(benchmark: Benchmark, bundle: docasm.Bundle, *, rounds: int, **options: Any) -> docasm.Render:
    def call(question: str) -> docasm.Render:
        return bundle.render(docasm.Trigger.dm(question), **options)

    def arguments() -> Arguments:
        return (new_question(),), {}

    result: docasm.Render = benchmark.pedantic(call, setup=arguments, rounds=rounds, warmup_rounds=2)
    return result
