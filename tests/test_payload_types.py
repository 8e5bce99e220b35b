"""Every payload passes the types of the provider's own SDK, unknown keys forbidden."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import docasm
from docasm.conversation import Conversation
from docasm.dialogue import Entry, ToolCall, read_entries
from docasm.errors import DocasmError
from docasm.providers import PROVIDERS, Payload, payload
from docasm.providers.repair import REPAIRS
from tests.loopback.server import APIS
from tests.strategies import hostile_text

ROOT = Path(__file__).parent
EXAMPLES = ROOT.parent / "examples"
SCENARIOS = sorted(path for path in EXAMPLES.rglob("*.yaml") if "trigger:" in path.read_text("utf-8"))
CASES: list[dict[str, Any]] = json.loads((ROOT / "vectors/message_cases.json").read_text("utf-8"))
EVERY = tuple(REPAIRS)


MODELS: Mapping[str, str] = {"anthropic": "claude-haiku-4-5"}
"""A model of those that take less than others, if not `some-model`."""
CAPABLE: Mapping[str, str] = {
    "openai": "gpt-4.1",
    "responses": "gpt-4.1",
    "anthropic": "claude-opus-4-8",
    "gemini": "gemini-3-pro",
}
"""A model that takes more: system text anywhere, or calls with signatures."""


def check(provider: str, made: Payload) -> None:
    """Raises for a request that the server of the tests refuses, or that is no arguments of the SDK."""
    APIS[provider].check(json.loads(json.dumps(made.body)))
    assert made.get("extra_body", {}).keys() <= {"temperature"}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_every_example_is_valid_for_every_provider(path: Path, provider: str) -> None:
    check(provider, docasm.load_scenario(path).render().payload(provider))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_conversation_with_calls_is_valid(provider: str) -> None:
    render = docasm.load_scenario(EXAMPLES / "dm.yaml").render()
    names = [tool.name for tool in render.tools]
    calls = [
        {"id": f"call_{number}", "function": {"name": name, "arguments": '{"a": [1]}'}}
        for number, name in enumerate(names[:2])
    ]
    conversation = Conversation.start(render).assistant("Wait.", calls)
    conversation = conversation.tool("call_1", {"ok": True}).tool("call_0", "R")
    check(provider, conversation.payload(provider))
    conversation = conversation.assistant("Done.").user("And now?")
    check(provider, conversation.payload(provider))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_case_is_valid_or_refused_and_valid_when_repaired(case: dict[str, Any], provider: str) -> None:
    entries = read_entries(case["input"])
    params = {"model": MODELS.get(provider, "some-model"), "max_tokens": 10}
    try:
        made = payload(provider, entries, (), params)
    except DocasmError as error:
        refused = [each.message for each in error.problems]
        made = payload(provider, entries, (), params, repair=EVERY)
        assert all("message " in each for each in refused)
        assert made.notes
    check(provider, made)


def texts(value: Any) -> Iterator[str]:
    """Every text in a payload, keys too, and those in JSON text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


def dialogues() -> st.SearchStrategy[list[Entry]]:
    """Conversations of which some make sense."""
    ids = st.sampled_from(["c1", "c2", "call-1", "call_1", "", "x" * 70, "\u00e9"]) | st.text(max_size=4)
    names = st.sampled_from(["f", "a.b", "a_b", "1", "", "x" * 130, "x" * 129 + "y"]) | hostile_text()
    arguments = st.sampled_from(["", "{}", '{"a": [1]}', "[1]", "null", "NaN", '{"a": NaN}', "{"])
    calls = st.lists(st.builds(ToolCall, ids, names, arguments), max_size=2).map(tuple)
    texts = st.sampled_from(["", " ", "a ", "b"]) | hostile_text()
    said = st.builds(Entry, st.sampled_from(["system", "user", "assistant"]), texts).map(
        lambda entry: [entry]
    )
    rounds = st.builds(_round, texts, calls, texts)
    results = st.builds(Entry, st.just("tool"), texts, st.just(()), ids).map(lambda entry: [entry])
    return st.lists(said | rounds | said | results, max_size=7).map(lambda parts: [*chain(*parts)])


def _round(text: str, calls: tuple[ToolCall, ...], result: str) -> list[Entry]:
    return [Entry("assistant", text, calls), *(Entry("tool", result, (), call.id) for call in calls[::-1])]


@pytest.mark.parametrize("provider", PROVIDERS)
@given(
    entries=dialogues(), repair=st.just(set(EVERY)) | st.sets(st.sampled_from(EVERY)), capable=st.booleans()
)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_a_conversation_is_refused_by_index_or_valid_and_whole(
    provider: str, entries: list[Entry], repair: set[str], capable: bool
) -> None:
    name = (CAPABLE if capable else MODELS).get(provider, "some-model")
    params = {"model": name, "max_tokens": 10}
    try:
        made = payload(provider, entries, (), params, repair=repair)
    except DocasmError as error:
        refused = [each.message for each in error.problems]
    else:
        check(provider, made)
        _is_whole(made, entries, provider)
        return
    assert all(re.search(r"message \d|a request needs", each) for each in refused)


def _is_whole(made: Payload, entries: Sequence[Entry], provider: str) -> None:
    found = "\0".join(texts(json.loads(json.dumps(made))))
    told = [note.message for note in made.notes if re.search("left out|blank", note.message)]
    dropped = {int(index) for each in told for index in re.findall(r"message (\d+)", each)}
    for index, entry in enumerate(entries):
        assert entry.content.strip() in found or index in dropped
        for call in entry.calls:
            new = next(new for new, old in made.tool_names.items() if old == call.name)
            assert PROVIDERS[provider].tool_name.fullmatch(new)
            assert new in found
    assert {*made.call_ids.values()} == {call.id for entry in entries for call in entry.calls}


def test_what_a_repair_leaves_out_is_no_place_for_system_text() -> None:
    """A system message never stands after a user whose blank words are not sent."""
    words = [("user", "Hi"), ("assistant", "a"), ("system", "b"), ("assistant", "c"), ("user", "")]
    said = [Entry(role, text) for role, text in words]
    params = {"model": CAPABLE["anthropic"], "max_tokens": 10}
    check("anthropic", payload("anthropic", said, (), params, repair=set(EVERY)))
