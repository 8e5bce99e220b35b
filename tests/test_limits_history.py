"""A history within limits: the newest turns stay, and between two cuts the bytes before them do."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import docasm
from docasm.history import Turn, parse
from docasm.turns import turns
from tests.limited import Given, limited_bundle
from tests.strategies import hostile_text

SKILL = {"s": "Be brief."}
TOTAL = 200
TOOL_CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
TOOL_RESULT = {"role": "tool", "content": "result", "tool_call_id": "1"}
LIMITS: dict[str, dict[str, Any]] = {
    "max_turns": {"slots": {"history": {"max_turns": 24}}},
    "max_chars": {"slots": {"history": {"max_chars": 900}}},
    "max_tokens": {"slots": {"history": {"max_tokens": 260}}, "tokenizer": "estimate"},
    "exact max_tokens": {"slots": {"history": {"max_tokens": 260}}, "tokenizer": "o200k_base"},
    "document max_chars": {"max_chars": 1100, "drop": ["history"]},
    "document max_tokens": {"max_tokens": 350, "drop": ["history"], "tokenizer": "estimate"},
    "all": {
        "slots": {"history": {"max_turns": 40, "max_chars": 1200, "max_tokens": 400}},
        "max_chars": 1150,
        "drop": ["skills", "history"],
        "tokenizer": "o200k_base",
    },
}


def plain(number: int) -> list[Any]:
    return [Turn(("user", "assistant")[number % 2], f"Turn number {number:03}.")]


def sdk(number: int) -> list[Any]:
    """A message of an SDK; the assistant calls a tool before it answers."""
    content = f"Turn number {number:03}."
    if number % 2 == 0:
        return [{"role": "user", "content": content}]
    return [TOOL_CALL, TOOL_RESULT, {"role": "assistant", "content": [{"type": "text", "text": content}]}]


def grown(say: Any) -> Iterator[list[Any]]:
    """The history before each of the turns' answers, which grows by a user's turn and an answer."""
    history: list[Any] = []
    for number in range(TOTAL):
        history += say(number)
        yield list(history)


def told(render: docasm.Render) -> list[str]:
    """The turns in the document, oldest first."""
    lines = render.markdown.split("\n")
    return [line[line.index("Turn number") :] for line in lines if "Turn number" in line]


@pytest.mark.parametrize("step", [1, 5, 10])
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("as_messages", [False, True])
@pytest.mark.parametrize("say", [plain, sdk])
def test_the_bytes_before_the_newest_turn_change_once_per_step(
    say: Any, as_messages: bool, limit: str, step: int
) -> None:
    layout = {**LIMITS[limit]}
    slots = {"history": {**layout.get("slots", {}).get("history", {}), "step": step}}
    bundle = limited_bundle(SKILL, {**layout, "slots": slots}, as_messages=as_messages)
    changes, before, cut = [], "", 0
    for count, history in enumerate(grown(say), start=1):
        render = bundle.render(
            docasm.Trigger.dm("Hi"), history=history, tools=[], variables={"notes": [], "agent": "x"}
        )
        shown = told(render)
        assert shown == [f"Turn number {each:03}." for each in range(count - len(shown), count)]
        missing = sum(each.missing for each in render.cuts if each.slot == "history")
        assert missing >= cut
        assert len(shown) + missing + render.left_out == len(history)
        assert missing % step == 0 or as_messages or missing == len(history)
        cut = missing
        if shown:
            start = render.markdown.index(shown[-1])
            prefix = render.markdown[:start]
            if not prefix.startswith(before.removesuffix("- **User**: ").removesuffix("- **You**: ")):
                changes.append(len(history))
            before = render.markdown[:start]
    assert changes, "nothing was cut"
    assert len(changes) <= -(-len(history) // step)
    if say is plain:  # the first cut comes with a line that takes room, the second so much earlier
        later = changes[1:]
        assert all(at - later[0] >= (index - 1) * step for index, at in enumerate(later))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.builds(Turn, st.sampled_from(["user", "assistant"]), hostile_text())
        | st.sampled_from([TOOL_CALL, TOOL_RESULT]),
        max_size=12,
    ),
    st.fixed_dictionaries(
        {"step": st.integers(1, 4)},
        optional={
            "max_turns": st.integers(0, 8),
            "max_chars": st.integers(45, 300),
            "max_tokens": st.integers(12, 90),
        },
    ),
    st.sampled_from(["estimate", "o200k_base", "words"]),
    st.booleans(),
)
def test_the_newest_turns_are_kept_and_no_turn_in_part(
    history: Sequence[Any], slot: dict[str, Any], tokenizer: str, as_messages: bool
) -> None:
    layout = {"tokenizer": tokenizer, "slots": {"history": slot}}
    made = Given(SKILL, history=history, as_messages=as_messages)
    render = made.render(layout)
    whole = made.render({"slots": {}})
    kept, every = (_shown(each, as_messages) for each in (render, whole))
    assert kept == every[len(every) - len(kept) :]
    missing = sum(cut.missing for cut in render.cuts)
    assert missing + render.left_out + len(kept) == len(history)
    spoken = turns(history)
    rest = spoken.turns[len(spoken.turns) - len(kept) :]
    again = Given(SKILL, history=rest, as_messages=as_messages).render(layout)
    assert _shown(again, as_messages) == kept
    assert not again.cuts or len(rest) < len(kept)


def _shown(render: docasm.Render, as_messages: bool) -> list[Any]:
    if as_messages:
        return list(render.messages[1:-1])
    texts = [
        text.text for message in render.document.messages for text in message.texts if text.slot == "history"
    ]
    listed = "".join(texts).partition(" not shown.)\n\n")
    return [] if _only_note(texts) else list(parse(listed[2] or listed[0]))


def _only_note(texts: Sequence[str]) -> bool:
    text = "".join(texts)
    return text.startswith("(") and text.endswith("not shown.)")


@pytest.mark.parametrize("limits", [{"max_tokens": 60}, {"max_tokens": 60, "max_chars": 1_000_000}])
@pytest.mark.parametrize("as_messages", [False, True])
def test_only_turns_that_could_stay_are_measured(limits: dict[str, int], as_messages: bool) -> None:
    asked: list[str] = []

    def words(text: str) -> int:
        asked.append(text)
        return len(text.split())

    layout = {"tokenizer": "words", "slots": {"history": limits}}
    bundle = limited_bundle(SKILL, layout, as_messages=as_messages, tokenizers={"words": words})
    history = [turn for number in range(4000) for turn in plain(number)]
    render = bundle.render(
        docasm.Trigger.dm("Hi"), history=history, tools=[], variables={"notes": [], "agent": "x"}
    )
    assert [cut.limit for cut in render.cuts] == ["max_tokens"]
    assert len(asked) < 200
