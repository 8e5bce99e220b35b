"""Requests for six providers: what goes where, what is renamed, what is refused, what can be mended."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import docasm
from docasm.dialogue import Entry, ToolCall, read_entries
from docasm.errors import DocasmError
from docasm.providers import PROVIDERS, payload
from docasm.providers.facts import facts_of
from docasm.tools import read_tools
from tests.bundles import load, skill

VECTORS = Path(__file__).parent / "vectors"
EXAMPLES: dict[str, Any] = json.loads((VECTORS / "payload_examples.json").read_text("utf-8"))
CASES: list[dict[str, Any]] = json.loads((VECTORS / "message_cases.json").read_text("utf-8"))
TOOLS = read_tools(EXAMPLES["mcp_tools_list_result"])
DIALOGUE = (
    Entry("system", "S"),
    Entry("user", "a"),
    Entry("assistant", "", (ToolCall("call_1", "nostr_query", '{"k":1}'),)),
    Entry("tool", "R", (), "call_1"),
    Entry("assistant", "b"),
    Entry("user", "c"),
)
NAMES = {
    "openai": "openai_chat",
    "responses": "openai_responses",
    "anthropic": "anthropic",
    "gemini": "gemini_rest",
    "ollama": "ollama",
    "mistral": "mistral",
}


def made(provider: str, entries: Any, **options: Any) -> Any:
    model = EXAMPLES[NAMES[provider]].get("model", "gemini-2.5-flash")
    params = {"model": model, "max_tokens": 1024, **options.pop("params", {})}
    return payload(provider, entries, options.pop("tools", ()), params, **options)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_example_of_each_provider(provider: str) -> None:
    expected = json.dumps(EXAMPLES[NAMES[provider]])
    expected = expected.replace("call00001", "AAAAcall1")  # padded in another way
    assert made(provider, DIALOGUE, tools=TOOLS) == json.loads(expected)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_made_shares_nothing_with_what_it_is_made_of(provider: str) -> None:
    before = json.dumps([dict(tool.parameters) for tool in TOOLS])
    found = made(provider, DIALOGUE, tools=TOOLS)
    json.loads(json.dumps(found))
    _spoil(found)
    assert json.dumps([dict(tool.parameters) for tool in TOOLS]) == before


def _spoil(value: Any) -> None:
    for each in list(value.values() if isinstance(value, dict) else value):
        if isinstance(each, dict | list):
            _spoil(each)
    value.clear()


def case(name: str) -> dict[str, Any]:
    return next(each for each in CASES if each["id"].startswith(name))


@pytest.mark.parametrize(
    ("name", "provider", "repair"),
    [
        ("C01", "anthropic", ()),
        ("C03", "anthropic", ("trailing",)),
        ("C05", "anthropic", ()),
        ("C09", "anthropic", ()),
        ("C11", "mistral", ("bridge",)),
        ("C19", "gemini", ()),
    ],
)
def test_cases_with_a_body(name: str, provider: str, repair: tuple[str, ...]) -> None:
    known = case(name)
    models = {"anthropic": [(("*",), {"prefill": True})], "gemini": [(("*",), {"thought_signature": True})]}
    found = made(provider, read_entries(known["input"]), repair=repair, models=models)
    for key, value in known["expected"].items():
        assert found[key] == value


def test_c07_a_call_without_a_result_is_named_or_gets_one() -> None:
    entries = read_entries(case("C07")["input"])
    for provider in PROVIDERS:
        with pytest.raises(DocasmError, match="the call `c1` of message 1 has no result"):
            made(provider, entries)
    found = made("openai", entries, repair=("pair",))
    assert found["messages"][2] == {"role": "tool", "tool_call_id": "c1", "content": "(There is no result.)"}
    assert "the call `c1` of message 1 got the result" in str(found.notes[0])


def test_c13_a_long_id_is_shortened_in_both_places() -> None:
    entries = read_entries(case("C13")["input"])
    for provider, longest in (("openai", 40), ("responses", 64)):
        found = made(provider, entries)
        calls = json.dumps(found)
        (short,) = found.call_ids
        assert len(short) <= longest
        assert calls.count(f'"{short}"') == 2
        assert found.call_ids[short] == entries[1].calls[0].id


def test_c15_system_text_in_the_middle() -> None:
    known = case("C15")
    entries = read_entries(known["input"])
    other = made("anthropic", entries, params={"model": "claude-sonnet-4-5"})
    assert other["system"] == "S"
    assert other["messages"][-1]["content"] == "<system>\nX\n</system>\n\nc"
    assert [note.code for note in other.notes] == ["request-translated"]
    inline = made("anthropic", entries, params={"model": "claude-opus-5"})
    assert inline["messages"] == known["expected"]["supported_models"]["messages"]


def test_c21_a_schema_without_properties_gets_some() -> None:
    tools = read_tools(case("C21")["tools"])
    assert made("openai", [Entry("user", "a")], tools=tools)["tools"] == case("C21")["expected"]["tools"]


def test_c23_the_name_of_the_limit_differs_by_model() -> None:
    for model, key in (
        ("gpt-5.6", "max_completion_tokens"),
        ("o3-mini", "max_completion_tokens"),
        ("qwen", "max_tokens"),
    ):
        assert key in made("openai", [Entry("user", "a")], params={"model": model})


@pytest.mark.parametrize("provider", PROVIDERS)
def test_names_are_changed_only_where_they_must_and_never_meet(provider: str) -> None:
    names = ["a.b", "a_b", "a_b_2", *(f"{'x' * 70}.{number}" for number in range(30)), "fine-1"]
    tools = read_tools([{"name": name, "input_schema": {}} for name in names if "-" not in name or provider])
    entries = [
        Entry("user", "a"),
        Entry("assistant", "", (ToolCall("1", "a.b", "{}"), ToolCall("2", "gone.tool", "{}"))),
        Entry("tool", "R", (), "1"),
        Entry("tool", "R", (), "2"),
    ]
    found = made(provider, entries, tools=tools)
    rules = PROVIDERS[provider]
    assert sorted(found.tool_names.values()) == sorted([*names, "gone.tool"])
    assert all(rules.tool_name.fullmatch(name) for name in found.tool_names)
    assert found.tool_names["fine-1"] == "fine-1"
    assert found.tool_names["a_b"] == "a_b"
    back = {new: old for old, new in ((old, new) for new, old in found.tool_names.items())}
    assert back == {old: new for new, old in found.tool_names.items()} or len(back) == len(names) + 1
    assert next(new for new, old in found.tool_names.items() if old == "a.b") in json.dumps(found)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_several_system_messages_in_front(provider: str) -> None:
    entries = [Entry("system", "one"), Entry("system", "two"), Entry("user", "a")]
    found = made(provider, entries, params={"model": "some-model"})
    assert json.dumps("one\n\ntwo") in json.dumps(found)
    assert any("became one" in note.message for note in found.notes)


def test_many_systems_stay_where_the_model_takes_them() -> None:
    entries = [Entry("system", "one"), Entry("system", "two"), Entry("user", "a"), Entry("system", "three")]
    found = made("openai", entries, params={"model": "gpt-4o"})
    assert [message["content"] for message in found["messages"]] == ["one", "two", "a", "three"]
    assert found.notes == ()


BLANK = [Entry("user", "a"), Entry("assistant", " \n"), Entry("user", "b")]


@pytest.mark.parametrize("provider", ["anthropic", "gemini", "mistral"])
def test_blank_text_is_refused_or_left_out(provider: str) -> None:
    with pytest.raises(DocasmError, match=r"message 1 \(assistant\) is blank") as error:
        made(provider, BLANK)
    assert error.value.problems[0].hint == "change it, or ask for the repair `empty`"
    found = made(provider, BLANK, repair=("empty", "merge"))
    assert "a\\n\\nb" in json.dumps(found)
    assert [note.code for note in found.notes] == ["request-repaired", "request-repaired"]


def test_parameters_that_a_model_does_not_take() -> None:
    params = {"model": "claude-opus-4-8", "temperature": 0.5, "seed": 1}
    with pytest.raises(DocasmError) as error:
        made("anthropic", [Entry("user", "a")], params=params)
    assert [problem.message for problem in error.value.problems] == [
        "the API has no `seed`",
        "the model `claude-opus-4-8` takes no `temperature`",
    ]
    found = made("anthropic", [Entry("user", "a")], params=params, repair=("params",))
    assert {"seed", "temperature"}.isdisjoint(found)
    assert len(found.notes) == 2


def test_the_last_message_of_the_assistant() -> None:
    entries = [Entry("user", "a"), Entry("assistant", "b")]
    for provider in PROVIDERS:
        if facts_of(provider, "x").prefill:
            made(provider, entries)
        else:
            with pytest.raises(DocasmError, match="message 1, the last, is the assistant's"):
                made(provider, entries)
            repaired = made(provider, entries, repair=("prefill",))
            assert "Continue." in json.dumps(repaired)
            assert [note.code for note in repaired.notes] == ["request-repaired"]
    assert made("mistral", entries)["messages"][-1]["prefix"] is True


def test_seeds_and_limits_go_where_each_api_has_them() -> None:
    params = {"seed": 7, "temperature": 0.5}
    entries = [Entry("user", "a")]
    assert made("openai", entries, params={"model": "m", **params})["seed"] == 7
    assert made("mistral", entries, params=params)["random_seed"] == 7
    assert made("ollama", entries, params=params)["options"] == {
        "num_predict": 1024,
        "seed": 7,
        "temperature": 0.5,
    }
    config = {"maxOutputTokens": 1024, "seed": 7, "temperature": 0.5}
    assert made("gemini", entries, params=params)["generationConfig"] == config
    assert payload("anthropic", entries, (), {"model": "m"})["max_tokens"] == 4096


def test_an_unknown_repair() -> None:
    with pytest.raises(DocasmError, match=r"did you mean `merge`\?"):
        made("openai", DIALOGUE, repair=("merg",))


def test_a_schema_loses_what_gemini_refuses_and_the_note_says_so() -> None:
    schema = {
        "type": "object",
        "title": "T",
        "properties": {
            "title": {"const": 1, "title": "x"},
            "n": {"exclusiveMinimum": 0, "default": {"title": 1}},
        },
    }
    tools = read_tools([{"name": "f", "input_schema": schema}])
    found = made("gemini", [Entry("user", "a")], tools=tools)
    (declared,) = found["tools"][0]["functionDeclarations"]
    assert declared["parametersJsonSchema"] == {
        "type": "object",
        "properties": {"title": {"enum": [1]}, "n": {"default": {"title": 1}}},
    }
    assert "without `title`, `const`, `exclusiveMinimum`" in found.notes[0].message


@pytest.mark.parametrize("provider", PROVIDERS)
def test_arguments_that_are_no_object(provider: str) -> None:
    entries = [
        Entry("user", "a"),
        Entry("assistant", "", (ToolCall("1", "f", "[1]"),)),
        Entry("tool", "R", (), "1"),
    ]
    if provider in ("openai", "responses", "mistral"):
        assert "[1]" in json.dumps(made(provider, entries))
    else:
        with pytest.raises(DocasmError, match="the arguments of the call `1` of `f` are no JSON object"):
            made(provider, entries)


def test_a_bundle_says_what_its_models_take(tmp_path: Path) -> None:

    models = "models:\n  openai:\n    - {models: ['local-*'], max_tokens_key: max_completion_tokens}\n"
    params = "params: {model: local-7b, max_tokens: 5}\n"
    bundle = load(tmp_path, {"skills/a.md": skill("A"), "docasm.yaml": models + params})
    render = bundle.render(docasm.Trigger.dm("x"))
    assert render.payload("openai")["max_completion_tokens"] == 5


def item(role: str, content: str = "", *calls: str, of: str = "") -> Entry:
    """An entry; each of `calls` is an id, and calls the tool of the same name."""
    return Entry(role, content, tuple(ToolCall(call, f"f{call}", "{}") for call in calls), of)


ROUND = [item("user", "a"), item("assistant", "", "c1"), item("tool", "R", of="c1")]


def shape(made: Any) -> list[tuple[str, Any]]:
    """The roles and texts of a list of messages."""
    return [(each["role"], each["content"]) for each in made["messages"]]


class TestSystemText:
    def test_it_stays_after_the_user_where_the_model_takes_it(self) -> None:
        entries = [item("user", "a"), item("system", "X"), item("assistant", "b"), item("user", "c")]
        made_ = made("anthropic", entries, params={"model": "claude-opus-5"})
        assert [role for role, _ in shape(made_)] == ["user", "system", "assistant", "user"]
        assert made_.notes == ()

    def test_it_waits_for_the_last_of_several_words_of_the_user(self) -> None:
        said = ["user:a", "assistant:b", "system:X", "user:c", "user:d", "assistant:e", "user:f", "system:Y"]
        entries = [item(*each.split(":")) for each in said]
        made_ = made("anthropic", entries, params={"model": "claude-opus-5"})
        assert "".join(content for _, content in shape(made_)) == "abcdXefY"
        assert [note.message for note in made_.notes] == ["message 2 (system) stands after message 4 (user)"]

    def test_after_the_assistant_it_becomes_the_users(self) -> None:
        entries = [item("user", "a"), item("assistant", "b"), item("system", "X")]
        for model in ("claude-opus-5", "claude-sonnet-4-5"):
            made_ = made("anthropic", entries, params={"model": model})
            assert shape(made_)[-1] == ("user", "<system>\nX\n</system>")

    def test_a_prefill_stays_last(self) -> None:
        entries = [item("user", "a"), item("system", "X"), item("assistant", "b")]
        made_ = made("anthropic", entries, params={"model": "claude-sonnet-4-5"})
        assert [role for role, _ in shape(made_)] == ["user", "user", "assistant"]

    def test_responses_takes_it_anywhere(self) -> None:
        entries = [item("user", "a"), item("assistant", "b"), item("system", "X"), item("user", "c")]
        made_ = made("responses", entries, params={"model": "gpt-4.1"})
        assert [each["role"] for each in made_["input"]] == ["user", "assistant", "system", "user"]

    def test_after_a_result_mistral_needs_a_bridge(self) -> None:
        entries = [*ROUND, item("system", "X"), item("user", "c")]
        with pytest.raises(DocasmError, match=r"message 4 \(user\) follows a tool's result"):
            made("mistral", entries)
        roles = [role for role, _ in shape(made("mistral", entries, repair=("bridge",)))]
        assert roles == ["user", "assistant", "tool", "assistant", "user"]

    @pytest.mark.parametrize("provider", ["anthropic", "gemini"])
    def test_a_blank_one_is_not_sent(self, provider: str) -> None:
        found = made(provider, [item("system", " "), item("user", "a"), item("system", "")])
        assert {"system", "systemInstruction"}.isdisjoint(found)
        assert [note.message for note in found.notes] == [
            "message 0 (system) is blank and is not sent",
            "message 2 (system) is blank and is not sent",
        ]

    def test_a_model_that_takes_none_hears_it_from_the_user(self) -> None:
        entries = [Entry("system", "S"), Entry("user", "u")]
        made = payload("openai", entries, (), {"model": "o1-mini"})
        assert [message["role"] for message in made["messages"]] == ["user", "user"]
        assert [note.message for note in made.notes] == [
            "message 0 (system) is the user's: the model takes no system text"
        ]

    def test_a_bundle_says_who_speaks_it(self) -> None:
        models = {"openai": [(("*",), {"system_role": "developer"})]}
        made_ = made("openai", [item("system", "S"), item("user", "a")], models=models)
        assert shape(made_)[0] == ("developer", "S")

    @pytest.mark.parametrize("provider", PROVIDERS)
    def test_alone_it_is_a_request_for_some(self, provider: str) -> None:
        if provider in ("openai", "ollama"):
            assert shape(made(provider, [item("system", "S")])) == [("system", "S")]
        else:
            with pytest.raises(DocasmError, match="needs a message that is not the system's"):
                made(provider, [item("system", "S")])
        with pytest.raises(DocasmError, match="a request needs a message"):
            made(provider, [])


class TestOrder:
    @pytest.mark.parametrize("provider", ["anthropic", "gemini", "mistral"])
    def test_the_user_begins(self, provider: str) -> None:
        entries = [item("system", "S"), item("assistant", "b"), item("user", "c")]
        with pytest.raises(DocasmError, match=r"message 1 \(assistant\) is the first"):
            made(provider, entries)
        found = made(provider, entries, repair=("start",))
        assert "(The conversation starts here.)" in json.dumps(found)

    def test_gemini_has_results_apart_from_words(self) -> None:
        contents = made("gemini", [*ROUND, item("user", "c"), item("user", "d")])["contents"]
        assert [(each["role"], len(each["parts"])) for each in contents[2:]] == [("user", 1), ("user", 2)]

    def test_ollama_has_results_in_the_order_of_calls(self) -> None:
        entries = [item("user", "a"), item("assistant", "", "x", "y")]
        entries += [item("tool", "of y", of="y"), item("tool", "of x", of="x")]
        made_ = made("ollama", entries)
        assert [(each["tool_name"], each["content"]) for each in made_["messages"][2:]] == [
            ("fx", "of x"),
            ("fy", "of y"),
        ]
        assert "messages 3, 2" in made_.notes[0].message

    def test_indexes_are_the_callers_whatever_was_moved(self) -> None:
        entries = [item("system", "1"), item("system", "2"), item("user", "a"), item("system", "3")]
        entries += [item("user", "b"), item("assistant", " "), item("tool", "R", of="gone")]
        with pytest.raises(DocasmError) as error:
            made("anthropic", entries)
        told = [problem.message for problem in error.value.problems]
        assert told[0].startswith("message 6 is the result of a call `gone`")
        assert told[1].startswith("message 5 (assistant) is blank")


def test_arguments_that_are_no_object_become_the_text_of_one() -> None:
    entries = [item("user", "a"), Entry("assistant", "", (ToolCall("1", "f", '{"a": NaN'),))]
    entries.append(item("tool", "R", of="1"))
    with pytest.raises(DocasmError, match="message 1: the arguments of the call `1` of `f`"):
        made("anthropic", entries)
    found = made("anthropic", entries, repair=("arguments",))
    assert found["messages"][1]["content"][0]["input"] == {"arguments": '{"a": NaN'}


def test_numbers_that_json_lacks_are_no_arguments() -> None:
    with pytest.raises(DocasmError, match="no JSON object"):
        ToolCall("1", "f", '{"a": NaN}').parsed()


@pytest.mark.parametrize(
    ("provider", "temperature"), [("anthropic", 1.5), ("openai", 2.5), ("responses", 3), ("gemini", 2.1)]
)
def test_a_temperature_can_be_too_high(provider: str, temperature: float) -> None:
    params = {"model": "some-model", "temperature": temperature}
    with pytest.raises(DocasmError, match=f"no `temperature` above .*{temperature:g}"):
        made(provider, [item("user", "a")], params=params)


def test_the_temperature_of_anthropic_is_extra_for_the_sdk_and_plain_in_the_body() -> None:
    found = made("anthropic", [item("user", "a")], params={"model": "claude-sonnet-4-5", "temperature": 0.5})
    assert found["extra_body"] == {"temperature": 0.5}
    assert found.body["temperature"] == 0.5
    assert "extra_body" not in found.body


@pytest.mark.parametrize(
    ("provider", "model", "facts"),
    [
        ("openai", "gpt-5-mini", {"temperature": False, "max_tokens_key": "max_completion_tokens"}),
        ("openai", "gpt-5.2", {"temperature": True, "inline_system": True}),
        ("openai", "qwen3", {"max_tokens_key": "max_tokens", "inline_system": False}),
        ("anthropic", "claude-opus-4-20250514", {"prefill": True, "temperature": True}),
        ("anthropic", "claude-opus-4.6", {"prefill": False, "temperature": True, "inline_system": False}),
        ("anthropic", "us.anthropic.claude-opus-4-8-v1:0", {"temperature": False, "inline_system": True}),
        ("anthropic", "claude-opus-5-5", {"temperature": True, "inline_system": False, "prefill": False}),
        ("anthropic", "claude-fable-5-2", {"inline_system": False}),
        ("anthropic", "claude-sonnet-5", {"temperature": False, "inline_system": False}),
        ("anthropic", "claude-haiku-4-5-20251001", {"prefill": True, "cache_min_tokens": 4096}),
        ("anthropic", "claude-opus-4.6", {"prefill": False, "cache_min_tokens": 4096}),
        ("anthropic", "claude-sonnet-4-20250514", {"prefill": True, "cache_min_tokens": 1024}),
        ("anthropic", "claude-3-5-haiku-latest", {"prefill": True, "cache_min_tokens": 2048}),
        ("anthropic", "claude-opus-5", {"temperature": False, "cache_min_tokens": 512}),
        ("anthropic", "claude-opus-5-5", {"cache_min_tokens": 0}),
        ("openai", "gpt-5.5", {"cache_breakpoints": False, "cache_key": True, "temperature": False}),
        ("openai", "gpt-5.6-mini", {"cache_breakpoints": True, "temperature": False}),
        ("openai", "gpt-5.6-terra", {"cache_breakpoints": False, "cache_key": True}),
        ("responses", "gpt-6-nano", {"cache_breakpoints": True, "temperature": True}),
        ("openai", "qwen3", {"cache_breakpoints": False, "cache_key": False, "max_tools": 0}),
        ("gemini", "models/gemini-3-pro", {"thought_signature": True}),
        ("gemini", "gemini-2.5-flash", {"thought_signature": False}),
    ],
)
def test_facts(provider: str, model: str, facts: dict[str, Any]) -> None:
    found = facts_of(provider, model)
    assert {name: getattr(found, name) for name in facts} == facts


def test_wrong_facts_are_told_with_their_places(tmp_path: Path) -> None:
    models = (
        "opnai: []\nopenai:\n  - {models: x, max_token_key: a}\n  - {prefill: true}\n"
        "anthropic: {}\ngemini:\n  - {models: [g], max_tokens_key: tokens, default_max_tokens: 0}\n"
    )
    files = {"docasm.yaml": "models: models.yaml\n", "models.yaml": models}
    with pytest.raises(DocasmError) as error:
        load(tmp_path, files)
    told = [(str(problem.place), problem.message) for problem in error.value.problems]
    assert [place.rpartition("models.yaml:")[2] for place, _ in told] == [
        "1:1",
        "3:17",
        "4:5",
        "5:12",
        "7:35",
        "7:63",
    ]


def test_a_file_of_models_is_read_again(tmp_path: Path) -> None:
    facts = "openai: [{models: m, max_tokens_key: max_completion_tokens}]\n"
    config = "models: models.yaml\nparams: {model: m, max_tokens: 5}\n"
    bundle = load(tmp_path, {"skills/a.md": skill("A"), "docasm.yaml": config, "models.yaml": facts})
    assert "max_completion_tokens" in bundle.render(docasm.Trigger.dm("x")).payload("openai")
    (tmp_path / "models.yaml").write_text("openai: []\n", encoding="utf-8")
    bundle.refresh()
    assert "max_tokens" in bundle.render(docasm.Trigger.dm("x")).payload("openai")


def test_a_payload_can_be_copied_and_names_its_model() -> None:
    found = deepcopy(made("gemini", DIALOGUE, tools=TOOLS))
    assert found.model == "gemini-2.5-flash"
    assert found.tool_names == {"nostr_query": "nostr_query"}


@pytest.mark.parametrize(("provider", "key"), [("responses", "store"), ("ollama", "stream")])
def test_what_is_given_goes_before_what_docasm_sets(provider: str, key: str) -> None:
    entries = [item("user", "a")]
    assert made(provider, entries)[key] is False
    assert made(provider, entries, params={key: True, "top_p": None})[key] is True


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", ["", "1a", "\u00e9", "a b", "x" * 200])
def test_every_name_in_a_history_can_be_sent(provider: str, name: str) -> None:
    entries = [
        item("user", "a"),
        Entry("assistant", "", (ToolCall("1", name, "{}"),)),
        item("tool", "R", of="1"),
    ]
    (new,) = made(provider, entries).tool_names
    assert PROVIDERS[provider].tool_name.fullmatch(new)


def test_a_format_of_text_goes_into_the_description_for_gemini() -> None:
    schema = {
        "type": "object",
        "properties": {"d": {"type": "string", "format": "date", "description": "A day."}},
    }
    tools = read_tools([{"name": "f", "input_schema": schema}])
    found = made("gemini", [item("user", "a")], tools=tools)["tools"][0]["functionDeclarations"][0]
    day = found["parametersJsonSchema"]["properties"]["d"]
    assert day == {"type": "string", "description": "A day.\nFormat: date"}
