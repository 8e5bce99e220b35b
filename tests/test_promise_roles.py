"""P1 and P2: which messages exist is up to the layout and the skills, and the text gives them back."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import docasm
from docasm.contain import one_line
from docasm.errors import DocasmError
from docasm.history import Turn
from docasm.markers import Message, trim
from docasm.render import Render
from docasm.trigger import Trigger
from tests.promises import Outside, bundle, rendered, roles
from tests.strategies import TEMPLATES, hostile_line, hostile_text, structural_text

SKILLS = {
    "voice": "---\ntools: all\n---\n# A {{ x }}\n\n{{ sender }}\n\na {{ y }}, {{ event.text }}\n\n{{ now }}",
    "pairs": "b {{ x | oneline }}\n\nuser:\nc {{ y }}\n\nassistant:\n{{ x }}\n\nuser:\nd\n\nassistant:\ne",
    "fences": "```\n{{ x }}\n```\n\n{% for c in xs %}\n- {{ c }}\n{% endfor %}\n\n{{ model | fence }}",
    "asks": "user:\nBefore {{ x }}\n\n{{ message }}\n\nAfter",
}
AS_LIST = "system:\n<<skills>>\n\n## T\n\n<<tools>>\n\n## H\n\n<<history>>\n\nuser:\n<<input>>"
AS_MESSAGES = (
    "---\nslots: {history: {as: messages}}\n---\n"
    "system:\n<<skills>>\n\n<<tools>>\n\n<<history>>\n\nuser:\n<<input>>"
)
TALKING = (
    "<<history>>\n\n<<skills>>\n\nassistant:\n{{ x }}\n\nuser:\n{{ y }}\n\nassistant:\nf\n\nuser:\n<<input>>"
)
LAYOUTS = {"list": AS_LIST, "messages": AS_MESSAGES, "talking": TALKING}
BUNDLES = {
    (layout, last): bundle({name: SKILLS[name] for name in SKILLS if last or name != "asks"}, text)
    for layout, text in LAYOUTS.items()
    for last in (False, True)
}


def words() -> st.SearchStrategy[str]:
    return hostile_text() | structural_text()


def outsides() -> st.SearchStrategy[Outside]:
    turn = st.builds(Turn, st.sampled_from(("user", "assistant")), words(), name=st.none() | hostile_line())
    values = words() | st.none() | st.integers() | st.lists(words(), max_size=2)
    return st.builds(
        Outside,
        sender=words(),
        told=words(),
        turns=st.lists(turn, max_size=3).map(tuple),
        tools=st.lists(words(), max_size=2).map(tuple),
        variables=st.fixed_dictionaries({"x": values, "y": values, "xs": st.lists(words(), max_size=3)}),
        model=words(),
        now=words(),
        message=words().filter(str.strip),
    )


def harmless(outside: Outside) -> Outside:
    """The same turns and tools, with nothing in them."""
    plain = Outside.same("x", tools=len(outside.tools))
    return replace(plain, turns=tuple(Turn(turn.role, "x") for turn in outside.turns))


QUICKLY = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
KEYS = st.sampled_from(sorted(BUNDLES))


@QUICKLY
@given(KEYS, outsides())
def test_values_make_no_messages(key: tuple[str, bool], outside: Outside) -> None:
    made = BUNDLES[key]
    assert roles(rendered(made, outside)) == roles(rendered(made, harmless(outside)))


@QUICKLY
@given(KEYS, outsides())
def test_the_text_gives_the_messages_back(key: tuple[str, bool], outside: Outside) -> None:
    render = rendered(BUNDLES[key], outside)
    assert docasm.split(render.markdown) == render.messages
    assert all(trim(each.content) == each.content for each in render.messages)


@QUICKLY
@given(KEYS, outsides())
def test_the_input_is_exact(key: tuple[str, bool], outside: Outside) -> None:
    content = rendered(BUNDLES[key], outside).messages[-1].content
    if key[1]:
        assert content.startswith("Before ")
        assert content.endswith(f"\n\n{outside.message}\n\nAfter")
    else:
        assert content == trim(outside.message)


@QUICKLY
@given(outsides())
def test_turns_as_messages_are_exact(outside: Outside) -> None:
    found = rendered(BUNDLES["messages", False], outside).messages
    expected = tuple(Message(turn.role, trim(turn.content)) for turn in outside.turns)
    assert found[5 : 5 + len(expected)] == expected
    assert len(found) == 6 + len(expected)


@given(
    st.recursive(
        words() | st.none() | st.integers() | st.booleans(),
        lambda inner: st.lists(inner) | st.dictionaries(words(), inner),
        max_leaves=6,
    )
)
def test_an_event_is_one_message(payload: Any) -> None:
    made = bundle({"one": "a {{ event }}"})
    render = made.render(Trigger.event(payload))
    assert roles(render) == ["system", "user"]
    assert docasm.split(render.markdown) == render.messages


SCANNED = (
    "user:",
    "assistant:\nx",
    "<<inner>>",
    "<<input>>",
    "{{ x }}",
    "{% if x %}",
    "---\na: b\n---",
    *TEMPLATES,
)


@pytest.mark.parametrize("text", SCANNED)
def test_a_value_is_never_read(text: str) -> None:
    skills = {
        "one": "---\ntools: all\n---\n<<inner>>\n\na {{ x }}\n\n{{ y }}\n\n{{ event.text }}",
        "inner": "INNER",
    }
    outside = Outside(
        text, text, (Turn("user", text, name=text),), (text,), {"x": text, "y": text}, message=text
    )
    render = rendered(bundle(skills, AS_LIST, adopted=("one",)), outside)
    system, user = render.messages
    assert user == Message("user", text)
    assert system.content.count("INNER") == 1
    for written in (f"\na {one_line(text)}\n", text.replace("\n", "\n  "), " ".join(text.split())):
        assert written in system.content or written.replace("---", "\\---") in system.content


def test_an_empty_message_stays() -> None:
    render: Render = rendered(bundle({"one": "{{ x }}"}), Outside.same(""))
    assert render.messages == (Message("system", ""), Message("user", "Hi"))
    assert docasm.split(render.markdown) == render.messages


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("a <<inner>> b\n===", "a INNER b\n==="),
        ("# c\n\na <<inner>>\n---\n\n### d", "# c\n\na INNER\n---\n\n### d"),
    ],
)
def test_an_include_in_an_underlined_heading_is_no_input(title: str, written: str) -> None:
    render = rendered(bundle({"one": title, "inner": "INNER"}, adopted=("one",)), Outside.same("x"))
    assert render.messages == (Message("system", written), Message("user", "Hi"))


def test_an_include_in_a_heading_that_loses_its_underline() -> None:
    skills = {"one": "# c\n\n## d\n\n<<two>>", "two": "a <<inner>>\n===", "inner": "INNER\nx"}
    render = rendered(bundle(skills, adopted=("one",)), Outside.same("x"))
    assert render.messages[0].content == "# c\n\n## d\n\n### a INNER x"


@pytest.mark.parametrize(
    "skill",
    [
        "a {{ message }}",
        "a {{ message }}\n===",
        "a\n\nuser:\nb {{ message }}\n===",
        "a\n\nuser:\n{% if x %}{{ message }}{% endif %}",
        "a\n\nuser:\n{{ message | upper }}",
        "a\n\nuser:\n{{ message }}\n\nassistant:\nb",
    ],
)
def test_the_input_has_one_place(skill: str) -> None:
    with pytest.raises(DocasmError, match=r"error\[misplaced-message\]"):
        rendered(bundle({"one": skill}), Outside.same("x"))


@pytest.mark.parametrize(
    ("skill", "written"),
    [
        ("a\n<<empty>>\n\nb", "a\n\nb"),
        ("a\n\n<<empty>>\n\nb", "a\n\nb"),
        ("a\n\n<<empty>>\nb", "a\n\nb"),
        ("<<empty>>\n\nb", "b"),
    ],
)
def test_what_stood_apart_stays_apart_where_an_include_is_empty(skill: str, written: str) -> None:
    render = rendered(bundle({"one": skill, "empty": ""}, adopted=("one",)), Outside.same("x"))
    assert render.messages[0].content == written
