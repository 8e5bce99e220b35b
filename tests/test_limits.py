"""P7 and the other promises where limits are set: nothing is larger than it may be or goes unsaid."""

import gc
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import docasm
from docasm import Turn
from docasm.errors import DocasmError
from docasm.limits import LEAST_PER_SKILL
from docasm.size import MOST_KEPT, Ruler
from docasm.tokens import measure
from docasm.units import blocks
from tests.bundles import load, skill
from tests.judge import Outline
from tests.limited import OWN, TOKENIZERS, Given, counts, slot_texts
from tests.strategies import hostile_line, hostile_text

NOT_SHOWN = re.compile(r"\((\d+) [^()\n]* (?:is|are) not shown\.\)")
SLOTS = ("identity", "skills", "tools", "notes", "history", "input")

BLOCKS = (
    "# Title",
    "Plain words, some of them in *italics*.",
    "Setext\n===",
    "- one\n- two\n  more of two\n- three",
    "- loose\n\n- list",
    "1. one\n2. two\n\n   more of two",
    "```python\n# no heading\n\nuser:\n```",
    "~~~~\n```\n\n~~~~",
    "- ```\n  in an item\n  ```\n- and after",
    "> quote\n> - item\n\n> another",
    "<!-- a comment\n\n# no heading -->",
    "<div>\n\nwords\n\n</div>",
    "<pre>\n\nraw\n</pre>",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "[link]: /url 'title'",
    "[link] and [other].",
    "[other]: /url",
    "    indented code\n\n    and more",
    "user\\:",
    "***",
    "/slash\n\n/another",
    "Words {{ agent }} here.",
    "{{ agent }}\n\nFlush left.",
)
texts = st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=7).map("\n\n".join)
skill_sets = st.lists(texts, min_size=1, max_size=4).map(
    lambda bodies: {f"s{index}": body for index, body in enumerate(bodies)}
)
turn = st.builds(docasm.Turn, st.sampled_from(["user", "assistant"]), hostile_text())
TOOL_CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
TOOL_RESULT = {"role": "tool", "content": "result", "tool_call_id": "1"}
histories = st.lists(turn | st.sampled_from([TOOL_CALL, TOOL_RESULT]), max_size=8)
notes = st.lists(hostile_text(), max_size=5) | hostile_text()

given_things = st.builds(
    Given,
    skills=skill_sets,
    history=histories,
    notes=notes,
    tools=st.integers(0, 4),
    message=hostile_text().map(lambda text: f"Hi {text}"),
    agent=hostile_line(),
    as_messages=st.booleans(),
)


def _sizes(least: int = 30, most: int = 700) -> st.SearchStrategy[int]:
    return st.integers(least, most)


def _slot(name: str) -> st.SearchStrategy[dict[str, Any]]:
    own: dict[str, Any] = {"max_chars": _sizes(), "max_tokens": _sizes(5, 200)}
    if name == "skills":
        own["max_per_skill"] = _sizes(LEAST_PER_SKILL)
    if name == "history":
        own |= {"max_turns": st.integers(0, 6), "step": st.integers(1, 3)}
    if name == "notes":
        own["max_items"] = st.integers(1, 3)
    return st.fixed_dictionaries({}, optional=own)


layouts = st.fixed_dictionaries(
    {"tokenizer": st.sampled_from(TOKENIZERS)},
    optional={
        "slots": st.fixed_dictionaries({}, optional={name: _slot(name) for name in SLOTS}),
        "max_chars": _sizes(100, 2500),
        "max_tokens": _sizes(20, 700),
        "drop": st.permutations(SLOTS).flatmap(
            lambda names: st.integers(0, 6).map(lambda count: names[:count])
        ),
    },
)
moderate = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def rendered(made: Given, layout: Mapping[str, Any]) -> docasm.Render | None:
    """The document, None where what must stay does not fit."""
    try:
        return made.render(layout)
    except DocasmError as error:
        if any(each.code != "does-not-fit" for each in error.problems):
            raise
        return None


@moderate
@given(given_things, layouts)
def test_a_limit_is_never_exceeded(made: Given, layout: dict[str, Any]) -> None:
    render = rendered(made, layout)
    if render is None:
        return
    count = counts(layout).count
    found = {"": (layout, render.markdown)}
    found |= {
        name: (layout.get("slots", {}).get(name, {}), text) for name, text in slot_texts(render).items()
    }
    for name, (limits, text) in found.items():
        assert len(text) <= limits.get("max_chars", len(text)), name
        assert count(text) <= limits.get("max_tokens", count(text)), name


@moderate
@given(given_things, layouts)
def test_the_other_promises_hold_with_limits(made: Given, layout: dict[str, Any]) -> None:
    render = rendered(made, layout)
    if render is None:
        return
    assert docasm.split(render.markdown) == render.messages
    assert tuple((each.role, each.content) for each in render.document.messages) == tuple(
        (each.role, each.content) for each in render.messages
    )
    assert len(render.places) == render.markdown.count("\n")
    for line, place in zip(render.markdown.split("\n"), render.places, strict=False):
        if NOT_SHOWN.fullmatch(line) and isinstance(place, str):
            assert place in SLOTS
    again = made.render(layout)
    assert again.markdown == render.markdown
    assert again.cuts == render.cuts
    assert render.stable_prefix() == len(render.markdown)


@moderate
@given(given_things, layouts)
def test_the_sizes_of_the_sections_add_up(made: Given, layout: dict[str, Any]) -> None:
    render = rendered(made, layout)
    if render is None:
        return
    report = render.report
    assert sum(each.chars for each in report.sections) == report.chars == len(render.markdown)
    if report.tokenizer == "o200k_base":
        exact = measure("o200k_base", None).count(render.markdown)
        assert sum(each.tokens for each in report.sections) == report.tokens == exact


@moderate
@given(given_things, layouts)
def test_everything_cut_is_told(made: Given, layout: dict[str, Any]) -> None:
    """What is missing is in the report, and a line of its slot says so."""
    render = rendered(made, layout)
    if render is None:
        return
    whole = made.render({"slots": {}})
    one, other = slot_texts(render), slot_texts(whole)
    assert one.keys() == other.keys() | ({"history"} if "history" in one else set())
    for name, text in other.items():
        cuts = [cut for cut in render.cuts if cut.slot == name]
        if unescaped(one[name]) == unescaped(text):
            assert not cuts
        else:
            assert cuts, name
            assert all(cut.missing > 0 or cut.whole for cut in cuts)
            assert NOT_SHOWN.search(one[name]), one[name]


def unescaped(text: str) -> str:
    """Without backslashes: which lines need one depends on what stands around them."""
    return text.replace("\\", "")


CHANGES = ("variables", "trigger", "history", "tools")


@moderate
@given(given_things, given_things, layouts, st.sets(st.sampled_from(CHANGES), min_size=1))
def test_the_prefix_stays(one: Given, other: Given, layout: dict[str, Any], changes: set[str]) -> None:
    fields = {
        "variables": {"notes": other.notes, "agent": other.agent},
        "trigger": {"message": other.message},
        "history": {"history": other.history},
        "tools": {"tools": other.tools},
    }
    before = {field: getattr(one, field) for field in Given.__slots__}
    after = before | {key: value for name in changes for key, value in fields[name].items()}
    first, second = rendered(one, layout), rendered(Given(**after), layout)
    if first is None or second is None:
        return
    offset = first.stable_prefix(*changes)
    assert first.markdown[:offset] == second.markdown[:offset]


KEYS = ("document", *SLOTS)


def _one_limit(name: str, key: str, size: int, tokenizer: str) -> dict[str, Any]:
    layout: dict[str, Any] = {"tokenizer": tokenizer}
    if name == "document":
        return {**layout, key: size, "drop": [each for each in SLOTS if each != "identity"]}
    return {**layout, "slots": {name: {key: size}}}


@moderate
@given(
    given_things,
    st.sampled_from(KEYS),
    st.sampled_from(["max_chars", "max_tokens"]),
    st.integers(1, 1500),
    st.integers(1, 300),
    st.sampled_from(["estimate", "o200k_base", "words", "sevenths"]),
)
def test_a_larger_limit_never_keeps_less(
    made: Given, name: str, key: str, size: int, more: int, tokenizer: str
) -> None:
    small = rendered(made, _one_limit(name, key, size, tokenizer))
    if small is None:
        return
    large = rendered(made, _one_limit(name, key, size + more, tokenizer))
    assert large is not None
    count = len if key == "max_chars" else measure(tokenizer, None, 1.0, OWN).count
    for each in SLOTS:
        kept, with_more = (_kept(render, each) for render in (small, large))
        assert count(kept) <= count(with_more) + (2 if count is not len else 0), each


def _kept(render: docasm.Render, name: str) -> str:
    """What stands in a slot, without the lines that say what is missing."""
    return NOT_SHOWN.sub("", unescaped(slot_texts(render).get(name, ""))).replace("\n", "")


@moderate
@given(texts, st.sampled_from(["max_chars", "max_tokens", "max_per_skill"]), st.integers(120, 500))
def test_what_is_kept_of_a_skill_is_kept_again(body: str, key: str, size: int) -> None:
    """A skill of exactly the blocks that a limit has kept is not cut by it."""
    layout = {"tokenizer": "o200k_base", "slots": {"skills": {key: size}}}
    render = rendered(Given({"s0": body.replace("{{ agent }}", "agent")}), layout)
    if render is None:
        return
    kept = NOT_SHOWN.split(slot_texts(render)["skills"])[0] if render.cuts else slot_texts(render)["skills"]
    assume(kept.strip())
    again = Given({"s0": kept}).render(layout)
    assert not again.cuts


@moderate
@given(texts, st.sampled_from(["max_chars", "max_tokens"]), st.integers(30, 400))
def test_a_cut_changes_no_block_before_it(body: str, key: str, size: int) -> None:
    """cmark finds the blocks that are kept as it did before, and then the line for what is missing."""
    layout = {"tokenizer": "estimate", "slots": {"skills": {key: size}}}
    body = body.replace("{{ agent }}", "agent")
    render = rendered(Given({"s0": body}), layout)
    assume(render is not None and render.cuts)
    assert render is not None
    whole = Given({"s0": body}).render({"slots": {}})
    cut, uncut = (each.messages[0].content for each in (render, whole))
    (note,) = NOT_SHOWN.finditer(cut)
    kept = cut[: note.start()].rstrip("\n")
    assert uncut.startswith(kept)
    judged = Outline(cut)
    rest = cut[note.end() :]
    assert judged.top[: len(Outline(kept).top)] == Outline(kept).top
    assert judged.top == [*Outline(kept).top, "p", *Outline(rest).top]
    whole_top = Outline(uncut).top
    assert whole_top[: len(Outline(kept).top)] == Outline(kept).top


@pytest.mark.parametrize("size", range(1, 400, 7))
def test_blocks_are_pieces_whose_sizes_add_up(size: int) -> None:
    """With the tokenizer itself, tokens too."""
    text = "\n\n".join(BLOCKS[(size * each) % len(BLOCKS)] for each in range(size % 11 + 1))
    exact = measure("o200k_base", None)
    units = blocks(text, Ruler(exact), "character")
    assert "".join(units.texts) == text
    plain = [exact.count(each) for each in units.texts]
    assert sum(plain) == exact.count(text)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_what_must_stay_is_named_with_its_size(tokenizer: str) -> None:
    made = Given({"s0": "word " * 200}, message="Hi " * 50, tools=3)
    with pytest.raises(DocasmError) as caught:
        made.render({"tokenizer": tokenizer, "max_chars": 300, "drop": ["tools"]})
    (problem,) = caught.value.problems
    assert problem.code == "does-not-fit"
    assert problem.place is not None
    whole, room, *sizes = [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", problem.message)]
    assert room == 300
    assert sum(sizes) == whole > room
    for name in ("the layout", "skills 1,000", "input 1", "identity", "tools"):
        assert name in problem.message


def test_the_input_is_limited_where_a_skill_writes_it_too() -> None:
    body = "Help.\n\nuser:\nThe question: {{ message }}\n\nOnce more: {{ message }}"
    made = Given({"s0": body}, message="First part.\n\n" + "More. " * 9 + "End.")
    render = made.render({"slots": {"input": {"max_chars": 100}}})
    line = "First part.\n\n(58 characters are not shown.)"
    assert render.messages[-1].content == f"The question: {line}\n\nOnce more: {line}"
    assert len(slot_texts(render)["input"]) <= 100
    assert [cut.slot for cut in render.cuts] == ["input"]


def test_the_line_for_what_is_missing_never_takes_more_than_what_it_stands_for() -> None:
    made = Given({"s0": "Be brief.\n\nBe kind.\n\nBe quick, and say so."}, tools=1, agent="x")
    whole = made.render({"slots": {}})
    render = made.render({"max_chars": len(whole.markdown) - 10, "drop": ["tools", "skills"]})
    assert [cut.slot for cut in render.cuts] == ["skills"]


def test_what_a_limit_leaves_of_a_skill_depends_on_the_skills_beside_it(tmp_path: Path) -> None:
    layout = "---\nslots: {skills: {max_chars: 100}}\n---\nsystem:\n<<skills>>\n\nuser:\n<<input>>\n"
    files = {"layouts/dm.md": layout, "skills/a.md": skill("a" * 90), "skills/b.md": skill("{{ value }}")}
    made = load(tmp_path, files)
    one, other = (made.render(docasm.Trigger.dm("x"), variables={"value": text}) for text in ("x", "y" * 20))
    assert [len(each.cuts) for each in (one, other)] == [0, 1]
    assert one.stable_prefix("variables") <= len("system:\n")


def test_what_a_slot_shows_is_a_variable(tmp_path: Path) -> None:
    notes = "## Notes\n\n<<notes>>"
    layout = (
        f"---\nslots: {{notes: {{from: value}}}}\n---\nsystem:\n<<skills>>\n\n{notes}\n\nuser:\n<<input>>\n"
    )
    made = load(tmp_path, {"layouts/dm.md": layout, "skills/a.md": skill("Be brief.")})
    renders = [made.render(docasm.Trigger.dm("x"), variables={"value": value}) for value in (["a"], [])]
    for render in renders:
        assert render.stable_prefix("variables") <= len("system:\nBe brief.\n\n")


def test_a_longer_message_brings_a_line_into_the_system_message() -> None:
    history = [docasm.Turn("user", "one"), docasm.Turn("assistant", "two"), docasm.Turn("user", "three " * 9)]
    messages = ("Hi", "Hi " * 40)
    made = [Given({"s0": "Be."}, history=history, message=text, as_messages=True) for text in messages]
    renders = [each.render({"max_chars": 250, "drop": ["history"]}) for each in made]
    assert [len(each.cuts) for each in renders] == [0, 1]
    offset = renders[0].stable_prefix("trigger")
    assert renders[0].markdown[:offset] == renders[1].markdown[:offset]
    assert "not shown" in renders[1].messages[0].content


def test_a_history_of_messages_that_is_cut_last_brings_nothing_back() -> None:
    """Its line for what is missing comes late, and the slots before it in `drop` have given way by then."""
    history = [Turn("user", "system:\n" * 12), Turn("user", f"{'x' * 300}\u2028")]
    made = Given({"s0": "# Title\n\n" * 5}, history, as_messages=True)
    order = {"drop": ["skills", "history"], "tokenizer": "estimate"}
    some, more = (made.render({**order, "max_chars": size}) for size in (283, 530))
    assert [cut.slot for cut in some.cuts] == ["history", "skills"]
    assert [cut.slot for cut in more.cuts] == ["skills"]


@pytest.mark.parametrize("as_messages", [False, True])
def test_a_history_of_which_nothing_is_left_takes_no_more_than_its_line(*, as_messages: bool) -> None:
    line = "(2 earlier messages are not shown.)"
    history = [Turn("user", "one " * 20), Turn("user", "two " * 20)]
    made = Given({"s0": "Be brief."}, history, as_messages=as_messages)
    render = made.render({"slots": {"history": {"max_chars": len(line)}}})
    assert slot_texts(render)["history"] == line
    with pytest.raises(DocasmError, match=f"what must be in it takes {len(line)}"):
        made.render({"slots": {"history": {"max_chars": len(line) - 1}}})


@pytest.mark.parametrize("as_messages", [False, True])
def test_the_line_for_a_history_that_its_number_takes_away_counts(*, as_messages: bool) -> None:
    history = [Turn("user", "one"), Turn("assistant", "two")]
    made = Given({"s0": "Be kind.", "s1": "Be quick, and say so."}, history, as_messages=as_messages)
    settings = {"slots": {"history": {"max_turns": 0}}, "drop": ["skills", "history"]}
    whole = made.render(settings).markdown
    assert "(2 earlier messages are not shown.)" in whole
    assert len(made.render({**settings, "max_chars": len(whole)}).markdown) == len(whole)
    for most in range(len(whole) - 4, len(whole)):
        render = made.render({**settings, "max_chars": most})
        assert len(render.markdown) <= most
        assert {cut.slot for cut in render.cuts} == {"history", "skills"}


@pytest.mark.parametrize("tokenizer", ["estimate", "o200k_base"])
@pytest.mark.parametrize("as_messages", [False, True])
def test_what_the_tokens_of_a_document_cut_is_called_after_its_tokens(
    tokenizer: str, *, as_messages: bool
) -> None:
    """The characters have no limit, though the line for what is missing is longer than a short turn."""
    turns = [Turn("user", "é") for _ in range(3)]
    made = Given({"s0": "Be."}, turns, tools=2, as_messages=as_messages)
    whole = counts({"tokenizer": tokenizer}).count(made.render({}).markdown)
    renders = [
        rendered(made, {"tokenizer": tokenizer, "max_tokens": most, "drop": ["history", "tools", "skills"]})
        for most in range(max(5, whole - 40), whole)
    ]
    assert {cut.limit for render in renders if render for cut in render.cuts} <= {"document.max_tokens"}


def test_what_is_known_of_models_is_bounded(tmp_path: Path) -> None:
    """An agent that runs for months may be asked for any model."""
    layout = "---\nslots: {input: {max_chars: 100}}\n---\nsystem:\n<<skills>>\n\nuser:\n<<input>>\n"
    made = load(tmp_path, {"layouts/dm.md": layout, "skills/a.md": skill("Be brief.")})
    before = sum(isinstance(each, Ruler) for each in gc.get_objects())
    for number in range(3 * MOST_KEPT):
        made.render(docasm.Trigger.dm("x"), model=f"model-{number}")
    gc.collect()
    assert sum(isinstance(each, Ruler) for each in gc.get_objects()) - before <= MOST_KEPT


def test_what_a_bundle_remembers_changes_nothing(tmp_path: Path) -> None:
    """Renders of one bundle, in any order and in threads, are those of a bundle asked for the first time."""
    slots = "{notes: {from: value}, input: {max_chars: 90}}"
    front = f"max_chars: 420\ndrop: [notes, history, skills]\nslots: {slots}"
    body = "system:\n<<skills>>\n\n## Notes\n\n<<notes>>\n\n<<history>>\n\nuser:\n<<input>>\n"
    files = {
        "layouts/dm.md": f"---\n{front}\n---\n{body}",
        "skills/a.md": skill("Be brief.\n\n" + "Be kind.\n\n" * 20),
        "skills/b.md": skill("Be quick."),
    }
    made = load(tmp_path, files)
    asked = [(number % 7, number % 5, number % 3) for number in range(105)]

    def ask(bundle: docasm.Bundle, one: tuple[int, int, int]) -> object:
        turns, lines, words = one
        history = [Turn("user", f"turn {each} " * 3) for each in range(turns)]
        render = bundle.render(
            docasm.Trigger.dm("Why?\n\n" + "word " * 20 * words),
            history=history,
            variables={"value": ["note"] * lines},
        )
        return render.messages, render.cuts

    alone = [ask(docasm.Bundle.load(tmp_path), one) for one in asked]
    assert [ask(made, one) for one in reversed(asked)] == alone[::-1]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda one: ask(made, one), asked * 3)) == alone * 3
