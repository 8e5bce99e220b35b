"""What follows a document: answers, tool calls and their results, within the layout's limits."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import docasm
from docasm.conversation import Conversation
from docasm.dialogue import Entry, ToolCall, check_pairs
from docasm.errors import DocasmError
from docasm.rounds import Window, shown
from tests.bundles import LAYOUT, load, skill
from tests.strategies import hostile_text

EXAMPLES = Path(__file__).parent.parent / "examples"
WINDOW_LIMITS = ("max_turns", "max_chars", "max_tokens", "document_chars", "document_tokens")
QUERY = '{"filter":{"#p":["1ec454..."],"kinds":[1],"since":1774224000}}'


def call(id_: str, name: str = "f", arguments: str = "{}") -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def started() -> Conversation:
    return Conversation.start(docasm.load_scenario(EXAMPLES / "dm.yaml").render())


def problem(error: pytest.ExceptionInfo[DocasmError]) -> str:
    return str(error.value)


def test_the_conversation_of_the_seeds() -> None:
    conversation = started().assistant(tool_calls=[call("call_1", "nostr_query", QUERY)])
    conversation = conversation.tool("call_1", '{"success":true}').assistant(
        "Here's who mentioned you today."
    )
    system, user, *rest = conversation.to_messages()
    assert system["role"] == "system"
    assert user == {"role": "user", "content": "Hey Simon, who mentioned me on Nostr today?"}
    assert rest == [
        {"role": "assistant", "content": None, "tool_calls": [call("call_1", "nostr_query", QUERY)]},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"success":true}'},
        {"role": "assistant", "content": "Here's who mentioned you today."},
    ]
    assert Conversation.from_messages(conversation.to_messages()).entries == conversation.entries


def test_nothing_is_changed_in_place() -> None:
    first = started()
    second = first.assistant("Nobody.")
    assert len(second.entries) == len(first.entries) + 1
    assert first == started()


def test_results_of_parallel_calls_stand_in_the_order_of_the_calls() -> None:
    conversation = started().assistant("Wait.", [call("a"), call("b"), call("c")])
    conversation = conversation.tool("c", "3").tool("a", {"one": 1}).tool("b", [2])
    assert [entry.content for entry in conversation.entries[-3:]] == ['{"one": 1}', "[2]", "3"]
    assert conversation.open_calls == ()


def test_a_call_without_a_result_is_named() -> None:
    conversation = started().assistant(tool_calls=[call("a"), call("b")]).tool("a", "1")
    for act in (
        lambda: conversation.user("And?"),
        lambda: conversation.assistant("So."),
        conversation.checked,
    ):
        with pytest.raises(DocasmError, match="`b`") as error:
            act()
        assert error.value.problems[0].code == "unpaired-call"


@pytest.mark.parametrize("id_", ["x", "a"])
def test_a_result_without_an_open_call_is_refused(id_: str) -> None:
    conversation = started().assistant(tool_calls=[call("a"), call("b")]).tool("a", "1")
    with pytest.raises(DocasmError, match=f"no open call has the id `{id_}`"):
        conversation.tool(id_, "2")


def test_ids_are_unique() -> None:
    conversation = started().assistant(tool_calls=[call("a")]).tool("a", "1")
    with pytest.raises(DocasmError, match="there is a call `a` already"):
        conversation.assistant(tool_calls=[call("a")])


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ([{"role": "user", "content": 3}], "message 0: `content` must be text"),
        ([{"role": "user"}, {"role": "wizard"}], "message 1 has the role 'wizard'"),
        ([{"role": "tool", "content": "x"}], "message 0: the result of a tool needs"),
        ([{"role": "user", "content": "x", "tool_calls": [call("a")]}], "cannot call tools"),
        ([{"role": "assistant", "tool_calls": [{"id": "a"}]}], "message 0: a tool call must be"),
        ([{"role": "user", "content": [{"type": "image"}]}], "list of parts with `text`"),
        ([3], "message 0: this is no message"),
    ],
)
def test_messages_that_cannot_be_read_are_named_by_index(messages: list[Any], told: str) -> None:
    with pytest.raises(DocasmError) as error:
        Conversation.from_messages(messages)
    assert told in problem(error)


def test_pairs_are_checked_by_index_and_id() -> None:
    entries = Conversation.from_messages(
        [
            {"role": "user", "content": "a"},
            {"role": "assistant", "tool_calls": [call("c1"), call("c2")]},
            {"role": "tool", "tool_call_id": "c1", "content": ""},
            {"role": "tool", "tool_call_id": "c1", "content": ""},
            {"role": "user", "content": "b"},
            {"role": "tool", "tool_call_id": "c2", "content": ""},
        ]
    ).entries
    with pytest.raises(DocasmError) as error:
        check_pairs(entries)
    assert [each.message for each in error.value.problems] == [
        "message 3 is the result of a call `c1` that is answered already, or too late",
        "the call `c2` of message 1 has no result right after it",
        "message 5 is the result of a call `c2` that is answered already, or too late",
    ]


def test_it_is_saved_and_loaded(tmp_path: Path) -> None:
    layout = LAYOUT.replace("<<history>>", "<<history>>")
    layout = f"---\nslots: {{history: {{max_turns: 3, step: 2}}}}\nmax_chars: 9000\n---\n{layout}"
    bundle = load(tmp_path, {"skills/a.md": skill("A"), "layouts/dm.md": layout})
    conversation = Conversation.start(bundle.render(docasm.Trigger.dm("x", sender="é\u2028")))
    conversation = conversation.assistant(None, [ToolCall("1", "f", '{"a": "\\u00e9"}')]).tool("1", "ü")
    saved = conversation.to_json()
    assert Conversation.from_json(saved) == conversation
    assert Conversation.from_json(saved).to_json() == saved
    with_more = json.loads(saved)
    with_more["window"]["later"] = 1
    with_more["messages"][0]["timestamp"] = "now"
    assert Conversation.from_json(json.dumps(with_more)).to_json() == saved


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2}', "[" * 100_000, "3"])
def test_what_is_no_saved_conversation(text: str) -> None:
    with pytest.raises(DocasmError) as error:
        Conversation.from_json(text)
    assert error.value.problems[0].code == "bad-conversation"


def grown(rounds: int, **window: Any) -> Conversation:
    """A document, then rounds of a question, a call, its result and an answer."""
    conversation = Conversation(
        (Entry("system", "S" * 100), Entry("user", "question 0")), 1, window=Window(**window)
    )
    for number in range(rounds):
        if number:
            conversation = conversation.user(f"question {number}")
        conversation = conversation.assistant(None, [call(f"c{number}")]).tool(f"c{number}", "r" * number)
        conversation = conversation.assistant(f"answer {number}")
    return conversation


@pytest.mark.parametrize(
    "window",
    [
        {"max_turns": 5},
        {"max_turns": 6, "step": 8},
        {"max_chars": 90},
        {"document_chars": 260},
        {"max_turns": 9, "max_chars": 70, "document_chars": 300, "step": 3},
    ],
)
def test_old_rounds_leave_whole(window: dict[str, Any]) -> None:
    for count in range(1, 30):
        conversation = grown(count, **window)
        found = conversation.shown
        check_pairs(found.entries)
        assert found.entries[0] == conversation.entries[0]
        assert found.entries[1].role == "user"
        assert found.entries[1:] == conversation.entries[len(conversation.entries) - len(found.entries) + 1 :]
        assert sum(cut.missing for cut in found.cuts) == len(conversation.entries) - len(found.entries)
    assert found.cuts


def test_between_two_cuts_only_the_end_changes() -> None:
    firsts = [grown(count, max_turns=20, step=16).shown.entries[1] for count in range(1, 100)]
    changes = sum(one != other for one, other in pairwise(firsts))
    assert 0 < changes <= 100 * 4 / 16 + 1


def test_what_stays_must_fit() -> None:
    with pytest.raises(DocasmError, match="the document and the last round take 1") as error:
        _ = grown(3, document_chars=110).shown
    assert error.value.problems[0].code == "does-not-fit"


def test_a_system_message_between_rounds_stays() -> None:
    entries = [
        Entry("system", "one"),
        Entry("user", "a"),
        Entry("system", "two"),
        Entry("assistant", "b"),
        Entry("user", "c"),
    ]
    found = shown(entries, 1, Window(max_turns=1), None)
    assert [entry.content for entry in found.entries] == ["one", "two", "c"]
    assert found.cuts == (docasm.Cut("history", "max_turns", 2),)


def test_native_history_is_no_part_of_what_stays(tmp_path: Path) -> None:
    layout = f"---\nslots: {{history: {{as: messages, max_turns: 2}}}}\n---\n{LAYOUT}"
    layout = layout.replace("## History\n\n<<history>>", "<<history>>")
    bundle = load(tmp_path, {"skills/a.md": skill("A"), "layouts/dm.md": layout})
    turns = [docasm.Turn("user", "1"), docasm.Turn("assistant", "2")]
    conversation = Conversation.start(bundle.render(docasm.Trigger.dm("3"), history=turns))
    assert conversation.pinned == 1
    assert [entry.content for entry in conversation.assistant("4").shown.entries] == ["A", "3", "4"]


@settings(max_examples=60, deadline=None)
@given(st.lists(hostile_text(), min_size=1, max_size=6))
def test_hostile_words_come_back(texts: list[str]) -> None:
    conversation = Conversation((Entry("system", "S"), Entry("user", "u")), 1)
    for number, text in enumerate(texts):
        conversation = conversation.assistant(text, [call(str(number), "f", json.dumps({"t": text}))])
        conversation = conversation.tool(str(number), text)
    again = Conversation.from_json(conversation.to_json())
    assert again.entries == conversation.entries
    assert again.entries[-2].calls[0].parsed() == {"t": texts[-1]}


SENSELESS: tuple[object, ...] = ("x", [], -1, True, 1.5)


@pytest.mark.parametrize(
    "changes",
    [
        *({"window": {key: bad}} for key in WINDOW_LIMITS for bad in SENSELESS),
        *({"window": {"step": bad}} for bad in (0, None, "x")),
        *({"window": {"token_factor": bad}} for bad in (0, -1, None, "x")),
        {"window": {"tokenizer": 1}},
        {"window": {"tokenizer": []}},
        *({"window": bad} for bad in ("max_turns", ["max_turns"])),
        *({"pinned": bad} for bad in (-1, 3)),
    ],
    ids=str,
)
def test_a_saved_conversation_with_odd_limits_is_refused_when_loaded(changes: dict[str, Any]) -> None:
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    saved = json.loads(Conversation.from_messages(said).to_json())
    with pytest.raises(DocasmError) as caught:
        Conversation.from_json(json.dumps({**saved, **changes}))
    assert caught.value.problems[0].code == "bad-conversation"
