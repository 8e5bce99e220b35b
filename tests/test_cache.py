"""Marks for prompt caches: on what stays, never more than an API takes, and never a change of the text."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import docasm
from docasm.conversation import Conversation
from docasm.dialogue import Entry
from docasm.errors import DocasmError
from docasm.providers import PROVIDERS, payload
from docasm.providers.request import joined, numbered
from docasm.rounds import Window
from tests.bundles import LAYOUT, load, skill
from tests.test_payload_types import CAPABLE, EVERY, SCENARIOS, check, dialogues

MODELS = {"anthropic": "claude-opus-5", "openai": "gpt-5.6", "responses": "gpt-5.6"}
MARKS = ("cache_control", "prompt_cache_breakpoint")
TOOLS = [{"name": name, "description": "d", "input_schema": {"type": "object"}} for name in ("look", "tell")]


def blocks(body: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """All of a request in the order in which the APIs read it, each piece with whose it is."""
    yield from (("tool", tool) for tool in body.get("tools", ()))
    yield from _pieces("system", body.get("system", body.get("instructions", "")))
    for number, message in enumerate(body.get("messages", body.get("input"))):
        rest = {key: value for key, value in message.items() if key != "content"}
        yield f"{number}", rest
        yield from _pieces(f"{number} {message.get('role')}", message.get("content"))


def _pieces(owner: str, content: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for piece in [{"text": content or ""}] if isinstance(content, str | None) else content:
        yield owner, {key: value for key, value in piece.items() if key != "type" or value == "tool_result"}


def spelled(body: Mapping[str, Any]) -> tuple[str, list[int]]:
    """What an API reads, without the marks, and where these were."""
    text, offsets = "", []
    for owner, block in blocks(body):
        said = {key: value for key, value in block.items() if key not in MARKS}
        text += f"\n{owner}: {json.dumps(said)}"
        if said.keys() != block.keys():
            offsets.append(len(text))
    return text, offsets


def words(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Who says what, the blocks of one message together."""
    found: dict[str, str] = {}
    for owner, block in blocks(body):
        said = {key: value for key, value in block.items() if key not in (*MARKS, "text")}
        found[owner] = found.get(owner, "") + block.get("text", "") + (json.dumps(said) if said else "")
    return list(found.items())


def marks(body: Mapping[str, Any]) -> list[str]:
    """The words of each marked block."""
    found = [block for _, block in blocks(body) if not block.keys().isdisjoint(MARKS)]
    return [block.get("text") or block.get("content") or block.get("name", "") for block in found]


def bundle(folder: Path, model: str, layout: str = LAYOUT) -> docasm.Bundle:
    files = {
        "docasm.yaml": f"params: {{model: {model}, max_tokens: 9}}\ntools: {json.dumps(TOOLS)}\n",
        "skills/a.md": skill("Always the same.", "triggers: [dm]\ntools: all"),
        "layouts/dm.md": layout,
    }
    return load(folder, files)


def ask(number: int) -> dict[str, Any]:
    return {"id": f"call_{number}", "function": {"name": "look", "arguments": f'{{"at": {number}}}'}}


def turns(start: Conversation, count: int) -> Iterator[Conversation]:
    """The conversation at each time when the model is asked; in the middle of each round two calls."""
    for number in range(count):
        yield start
        start = start.assistant("I look.", [ask(2 * number), ask(2 * number + 1)])
        start = start.tool(f"call_{2 * number + 1}", "second").tool(f"call_{2 * number}", {"n": number})
        yield start
        start = start.assistant(f"answer {number}").user(f"question {number}")


THREAD = LAYOUT.replace("## History\n\n<<history>>", "<<history>>")
LIMITS = (
    "{as: messages}",
    "{as: messages, max_turns: 6}",
    "{as: messages, max_turns: 6, step: 8}",
    "{max_turns: 6, step: 8}",
)
HISTORY = [docasm.Turn("user", "before"), docasm.Turn("assistant", "long ago")]


@pytest.mark.parametrize("provider", MODELS)
@pytest.mark.parametrize("limit", LIMITS)
def test_what_is_before_a_mark_stays_as_a_conversation_grows(
    tmp_path: Path, provider: str, limit: str
) -> None:
    is_thread = "as: messages" in limit
    layout = f"---\nslots: {{history: {limit}}}\n---\n{THREAD if is_thread else LAYOUT}"
    render = bundle(tmp_path, MODELS[provider], layout).render(docasm.Trigger.dm("Hello"), history=HISTORY)
    made = [each.payload(provider, cache=True) for each in turns(Conversation.start(render), 20)]
    for body in made:
        check(provider, body)
    found = [spelled(body) for body in made]
    for mark in range(1 if is_thread else 2):  # the second is at the end of a history that is a list
        prefixes = {text[: offsets[mark]] for text, offsets in found}
        assert len(prefixes) == 1
        assert "Always the same." in prefixes.pop()
    cuts = [len(body["input" if provider == "responses" else "messages"]) for body in made]
    grew = [pair for pair, (few, more) in zip(pairwise(found), pairwise(cuts), strict=True) if more > few]
    assert len(grew) >= 10
    for (before, ends), (after, later) in grew:
        assert after.startswith(before[: ends[-1]])
        assert ends[-1] in later


@pytest.mark.parametrize("provider", MODELS)
def test_two_documents_have_the_same_bytes_before_the_first_mark(tmp_path: Path, provider: str) -> None:
    """The history is in the system text: the mark is in its middle."""
    made = bundle(tmp_path, MODELS[provider])
    inputs: Sequence[Sequence[docasm.Turn]] = ([], HISTORY, HISTORY * 2)
    bodies = [
        made.render(docasm.Trigger.dm(f"x{len(turns)}"), history=turns).payload(provider, cache=True)
        for turns in inputs
    ]
    found = [spelled(body) for body in bodies]
    stable = "Always the same.\n\n## Tools\n\n- `look` — d\n- `tell` — d"
    assert len({text[: offsets[0]] for text, offsets in found}) == 1
    assert all(marks(body)[0] == stable for body in bodies)
    assert marks(bodies[1])[1].startswith("\n\n## History\n\n- ")
    assert len({body.get("prompt_cache_key") for body in bodies}) == 1


@pytest.mark.parametrize("provider", MODELS)
def test_what_is_before_the_first_mark_stays_though_later_system_text_moves(provider: str) -> None:
    """Where the rounds before it left, later system text follows the first."""
    messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "a"}]
    conversation = Conversation.from_messages(messages, params={"model": MODELS[provider]})
    conversation = replace(conversation, window=Window(max_turns=4))
    models = {
        provider: [(("*",), {"many_systems": False, "inline_system": False, "cache_breakpoints": True})]
    }
    conversation, found = replace(conversation, models=models), []
    for number in range(9):
        found.append(spelled(conversation.payload(provider, cache=True)))
        entries = (*conversation.entries, Entry("system", f"T{number}"), Entry("assistant", "b"))
        conversation = replace(conversation, entries=entries).user("c")
    assert len({text[: offsets[0]] for text, offsets in found}) == 1
    assert any("T1" in text[: text.index('"user"')] for text, _ in found)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.name)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_example_with_marks_is_valid_and_says_the_same(path: Path, provider: str) -> None:
    render = docasm.load_scenario(path).render(model=MODELS.get(provider)).for_provider(provider)
    both = [each.payload(provider, repair=("params",)) for each in (render, Conversation.start(render))]
    cached = [
        each.payload(provider, repair=("params",), cache=True)
        for each in (render, Conversation.start(render))
    ]
    assert (both[0] == both[1]) == (cached[0] == cached[1])
    for each in (render, Conversation.start(render)):
        made = each.payload(provider, repair=("params",), cache=True)
        plain = each.payload(provider, repair=("params",))
        check(provider, made)
        if provider in MODELS:
            assert marks(made)
            assert _told(made) == _told(plain)
        else:
            assert made == plain
            assert any("`cache` changes nothing" in note.message for note in made.notes)


def _told(body: Mapping[str, Any]) -> list[str]:
    """All that is said, in order, whichever list of a request it is in."""
    return [text for owner, text in words(body) if not owner.isdecimal() and text]


@pytest.mark.parametrize("provider", PROVIDERS)
@given(
    entries=dialogues(),
    stable=st.lists(st.integers(0, 9), max_size=4),
    capable=st.booleans(),
    tools=st.booleans(),
    repair=st.just(set(EVERY)) | st.just(set(EVERY) - {"empty"}),
)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_marks_are_few_and_never_on_blank_text(
    provider: str, entries: list[Entry], stable: list[int], capable: bool, tools: bool, repair: set[str]
) -> None:
    models = {provider: [(("*",), {"cache_breakpoints": True})]} if provider in MODELS else {}
    stable = [min(length, len(entry.content)) for length, entry in zip(stable, entries, strict=False)]
    given_tools = docasm.Conversation.from_messages([], tools=TOOLS).tools if tools else ()
    name = CAPABLE.get(provider, "some-model") if capable else "some-model"
    params = {"model": name, "max_tokens": 10}
    try:
        plain = payload(provider, entries, given_tools, params, repair=repair, models=models)
    except DocasmError:
        return
    made = payload(
        provider, entries, given_tools, params, repair=repair, models=models, cache=True, stable=stable
    )
    check(provider, made)
    if provider not in MODELS:
        assert made == plain
        return
    assert len(marks(made)) <= (4 if provider == "anthropic" else 2)
    assert all(text.strip() for text in marks(made))
    assert json.dumps(made).count('"type": "ephemeral"') <= 4
    assert _told(made) == _told(plain)


@given(st.lists(st.tuples(st.sampled_from(["", "a", "bc "]), st.integers(0, 3)), max_size=5))
def test_what_stays_of_joined_words_is_where_both_have_it(parts: list[tuple[str, int]]) -> None:
    """Two lists with the same words where they stay are alike as far as is said, whatever the others say."""
    entries = [Entry("system", text) for text, _ in parts]
    lengths = [min(length, len(text)) for text, length in parts]
    content, stable = joined(numbered(entries, lengths))
    assert content == "\n\n".join(text for text, _ in parts if text)
    assert 0 <= stable <= len(content)
    whole = [len(text) == length for (text, _), length in zip(parts, lengths, strict=True)]
    if all(whole):
        assert stable == len(content)


class TestAnthropic:
    def test_the_system_text_is_cut_where_it_stops_to_stay(self, tmp_path: Path) -> None:
        layout = LAYOUT.replace("<<skills>>", "<<skills>>\n\nIt is {{ now }}.")
        made = bundle(tmp_path, "claude-opus-5", f"---\nvariables: {{now: ''}}\n---\n{layout}")
        system = made.render(docasm.Trigger.dm("x"), now="noon").payload("anthropic", cache=True)["system"]
        mark = {"type": "ephemeral"}
        assert system[0] == {"type": "text", "text": "Always the same.\n\nIt is ", "cache_control": mark}
        assert system[1]["text"].startswith("noon.")
        assert len(system) == 2

    def test_where_nothing_stays_the_last_tool_is_marked(self, tmp_path: Path) -> None:
        layout = LAYOUT.replace("<<skills>>", "{{ now }}\n\n<<skills>>")
        made = bundle(tmp_path, "claude-opus-5", f"---\nvariables: {{now: ''}}\n---\n{layout}")
        body = made.render(docasm.Trigger.dm("x"), now="noon").payload("anthropic", cache=True)
        assert ["cache_control" in tool for tool in body["tools"]] == [False, True]
        assert len(marks(body)) == 3

    def test_a_mark_of_ones_own_counts(self) -> None:
        params = {"model": "claude-opus-5", "max_tokens": 5, "cache_control": {"type": "ephemeral"}}
        entries = [Entry("system", "a"), Entry("user", "b"), Entry("assistant", "c"), Entry("user", "d")]
        assert marks(payload("anthropic", entries, (), params, cache=True, stable=[1])) == ["a"]

    def test_examples_are_part_of_what_stays(self, tmp_path: Path) -> None:
        body = "Be brief.\n\nuser:\n1+1?\n\nassistant:\n2\n"
        layout = "system:\n<<skills>>\n\nuser:\n<<input>>\n"
        config = "params: {model: claude-opus-5, max_tokens: 9}"
        files = {"skills/a.md": skill(body), "layouts/dm.md": layout, "docasm.yaml": config}
        made = load(tmp_path, files).render(docasm.Trigger.dm("x")).payload("anthropic", cache=True)
        assert marks(made) == ["Be brief.", "1+1?", "2", "x"]

    def test_the_result_of_a_tool_is_marked_and_an_empty_one_is_not(self) -> None:
        conversation = Conversation.from_messages(
            [{"role": "user", "content": "a"}], params={"model": "claude-opus-5"}
        )
        asked = conversation.assistant(None, [ask(1), ask(2)])
        for result, marked in (("seen", "seen"), ("", "first")):
            body = asked.tool("call_1", "first").tool("call_2", result).payload("anthropic", cache=True)
            assert marks(body) == ["a", marked]


class TestOpenAI:
    def test_a_model_without_breakpoints_gets_a_key_alone(self) -> None:
        entries, params = [Entry("system", "S"), Entry("user", "u")], {"model": "gpt-4.1"}
        for provider in ("openai", "responses"):
            plain = payload(provider, entries, (), params)
            made = payload(provider, entries, (), params, cache=True)
            key = made.pop("prompt_cache_key")
            assert key.startswith("docasm-")
            assert made == plain
            assert "no place of the prompt is marked" in made.notes[-1].message
            again = payload(provider, [*entries, Entry("assistant", "v")], (), params, cache=True)
            assert again["prompt_cache_key"] == key
            other = payload(provider, [Entry("system", "T"), *entries[1:]], (), params, cache=True)
            assert other["prompt_cache_key"] != key

    def test_a_key_of_ones_own_stays(self) -> None:
        params = {"model": "gpt-5.6", "prompt_cache_key": "mine"}
        made = payload("openai", [Entry("system", "S"), Entry("user", "u")], (), params, cache=True)
        assert made["prompt_cache_key"] == "mine"

    def test_another_server_gets_neither(self) -> None:
        entries, params = [Entry("system", "S"), Entry("user", "u")], {"model": "qwen3-8b"}
        made = payload("openai", entries, (), params, cache=True)
        assert made == payload("openai", entries, (), params)

    def test_words_of_the_assistant_end_what_stays_in_chat_alone(self) -> None:
        """A message of the assistant can have a breakpoint there; in Responses it can have none."""
        entries = [Entry("user", "1+1?"), Entry("assistant", "2"), Entry("user", "u")]
        for provider, marked in (("openai", "2"), ("responses", "1+1?")):
            made = payload(provider, entries, (), {"model": "gpt-5.6"}, cache=True, stable=[4, 1])
            assert marks(made) == [marked]

    def test_the_system_text_of_responses_is_an_item_where_it_is_marked(self) -> None:
        entries, params = [Entry("system", "S"), Entry("user", "u")], {"model": "gpt-5.6"}
        made = payload("responses", entries, (), params, cache=True)
        mark = {"mode": "explicit"}
        assert made["input"][0] == {
            "type": "message",
            "role": "system",
            "content": [{"type": "input_text", "text": "S", "prompt_cache_breakpoint": mark}],
        }
        assert "instructions" not in made
        assert any("`instructions` can have no breakpoint" in note.message for note in made.notes)


@pytest.mark.parametrize(
    ("model", "words", "told"),
    [
        ("claude-haiku-4-5", 5_000, ""),
        ("claude-haiku-4-5", 500, "caches none of fewer than 4,096"),
        ("claude-opus-5", 1_200, ""),
        ("claude-opus-5", 100, "caches none of fewer than 512"),
        ("claude-opus-5-9", 1, ""),
        ("gpt-5.6", 600, "caches none of fewer than 1,024"),
    ],
)
def test_what_is_too_short_to_be_cached_is_noted(model: str, words: int, told: str) -> None:
    provider = "anthropic" if "claude" in model else "openai"
    entries = [Entry("system", "word " * words), Entry("user", "u")]
    made = payload(provider, entries, (), {"model": model, "max_tokens": 5}, cache=True, stable=[5 * words])
    notes = [note.message for note in made.notes if "caches" in note.message]
    assert len(notes) == bool(told)
    assert not told or told in notes[0]


@pytest.mark.parametrize("stable", [[], [-3], [99], [99, -1, 5, 7, 9]])
@pytest.mark.parametrize("provider", MODELS)
def test_lengths_that_no_content_has(provider: str, stable: list[int]) -> None:
    entries, params = [Entry("system", "S T"), Entry("user", "u")], {"model": MODELS[provider]}
    made = payload(provider, entries, (), params, cache=True, stable=stable)
    check(provider, made)
    assert marks(made)[0] == "S T"
    assert _told(made) == _told(payload(provider, entries, (), params))


def test_a_prefix_that_is_too_short_by_itself_is_noted() -> None:
    entries = [Entry("system", "S"), Entry("user", "word " * 900)]
    made = payload("anthropic", entries, (), {"model": "claude-opus-5"}, cache=True, stable=[1])
    assert made.notes[-1].message.startswith("what every request has alike is about 1 tokens")


def test_what_stays_is_saved_with_a_conversation(tmp_path: Path) -> None:
    render = bundle(tmp_path, "claude-opus-5").render(docasm.Trigger.dm("x"), history=HISTORY)
    conversation = Conversation.start(render)
    saved = Conversation.from_json(conversation.to_json())
    assert saved == conversation
    assert saved.payload("anthropic", cache=True) == conversation.payload("anthropic", cache=True)
    old = json.loads(conversation.to_json())
    del old["stable"]
    assert Conversation.from_json(json.dumps(old)).stable == ()
    with pytest.raises(DocasmError, match="conversation"):
        Conversation.from_json(json.dumps({**old, "stable": ["x"]}))
