"""P3: values never change the headings, fences and HTML blocks at the top of the system message.

Templates are drawn as well as values. A hole that nothing contains is refused; what is accepted is judged by
cmark: the document with any values has the outline of the document with harmless ones.
"""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from docasm.contain import at_line_start, block
from docasm.drafted import holes
from docasm.errors import DocasmError
from docasm.render import Render
from tests.judge import Structure
from tests.promises import HARMLESS, WORD, Author, Choose, Outside, accepted, bundle, rendered
from tests.templates import STARTS

ABOUT_VALUES = {"template-error", "unknown-variable", "over-budget", "nested-too-deep"}
"""What a value of a type that a template cannot use makes a render say."""


def outline(render: Render) -> Any:
    """What the values must not change."""
    return Structure("\n".join(each.content for each in render.messages if each.role == "system"), WORD).told


def check(choose: Choose, times: int) -> str:
    """Draws a bundle and renders it with some values; tells what became of it."""
    draft = Author(choose).bundle()
    turns = choose((0, 1, 2)) if "<<history>>" in draft.layout else 0
    tools = choose((0, 1, 2)) if "<<tools>>" in draft.layout else 0
    made = accepted(draft, turns, tools)
    if made is None:
        return "wrong otherwise"
    harmless = rendered(made, Outside.same(HARMLESS, turns, tools))
    expected = outline(harmless)
    for _ in range(times):
        outside = Outside.drawn(choose, turns, tools)
        try:
            render = rendered(made, outside)
        except DocasmError as error:
            if {each.code for each in error.problems} <= ABOUT_VALUES:
                continue
            raise
        assert outline(render) == expected, (outside, render.messages, harmless.messages)
    has_holes = any(True for _ in holes(harmless.making.drafted.plan(harmless.making.empty)))
    return "accepted, with holes" if has_holes else "accepted"


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_no_value_changes_the_outline(random: Random) -> None:
    event(check(random.choice, 3))


def test_of_seeded_bundles_most_are_accepted_and_have_holes() -> None:
    found = [check(Random(seed).choice, 2) for seed in range(100)]
    assert found.count("accepted, with holes") > 30, found


ACCEPTED = [
    "# {{ x }}",
    "## A {{ x }} b #",
    "# a {{ x }}{{ y }}",
    "#\t{{ x }}",
    "a {{ x }}",
    "a {{ x }}, {{ y }}",
    "{{ x }} a",
    "{{ x }}a",
    "{{ x }} a\n===",
    "a {{ x }}\n---",
    "a\n{{ x }} b\n===",
    "1. a {{ x }}",
    "- a {{ x }}",
    "- a\n  b {{ x }}",
    "- # {{ x }}",
    "- [ ] a {{ x }}",
    "> a {{ x }}",
    "> a\n>\n> b {{ x }}",
    "a `{{ x }}` b",
    "[a](b) {{ x }}",
    "[a]: /u\n\nb {{ x }}",
    "\\# a {{ x }}",
    "{{ x }}",
    "a\n\n{{ x }}\n\nb",
    "- a\n\n{{ x }}\n\nb",
    "{{ x }}\n\n# a",
    "{{ x }}\n\n```\na\n```",
    "a\n\n{{ x | fence }}\n\nb",
    'a\n\n{{ x | fence("json") }}\n\nb',
    "a\n\n{{ x | quote }}\n\nb",
    "{{ x | oneline }}",
    "- {{ x | oneline }}",
    "- a\n- {{ x | oneline }}\n- b",
    "> {{ x | oneline }}",
    "{{ x | upper }} a",
    "a {{ absent | default('- b') }}",
    "```\n{{ x }}\n```",
    "~~~~ a\n  {{ x }}\n~~~~",
    "```\na: {{ x }}\n{{ x }};\n```",
    "- ```\n  a {{ x }}\n  ```",
    "a {% if x %}b {{ x }}{% endif %} c",
    "# a {% for c in xs %}{{ c }} {% endfor %}",
    "a\n\n{% if x %}\nb {{ x }}\n{% endif %}\n\nc",
    "a\n\n{% for c in xs %}\n- {{ c }}\n{% endfor %}\n\nb",
    "a\n\n{% for c in xs %}\n{{ c }}\n\n{% endfor %}\n\nb",
    "```\n{% for c in xs %}\n{{ c }}\n{% endfor %}\n```",
    "{% set z = x ~ y %}\na {{ z }}",
    "    a {{ x }}",
]
"""Templates that have to be accepted, each a skill with another after it."""

REFUSED = [
    "#{{ x }}",
    "#{{ x }} a",
    "{{ x }}# a",
    "- {{ x }}",
    "1. {{ x }}",
    "- {{ x }} a",
    "> {{ x }}",
    "- a\n  {{ x }}",
    "  {{ x }}",
    "  {{ x }} a",
    "\t{{ x }}",
    "{{ x }}  a",
    "{{ x }}. a",
    "{{ x }}{{ y }}",
    "{{ x }} {{ y }} a",
    "\\{{ x }}",
    "`{{ x }}`",
    "**{{ x }}**",
    "***{{ x }}",
    "a\n{{ x }}",
    "a\n\n{{ x }}\nb",
    "a\n\n{{ x }}\n===",
    "a\n\n{{ x }}\n\n    b",
    "- a\n\n{{ x }}\n\n  b",
    "a\n\n{{ x | quote }}\nb",
    "- {{ x | fence }}",
    "a\n- {{ x | oneline }}",
    "a\n2. b\n - {{ x | oneline }}",
    "``` {{ x }}\na\n```",
    "```a {{ x }}",
    "```{{ x }}`",
    "- ```\n  {{ x }}\n  ```",
    "> ```\n> {{ x }}\n> ```",
    "```\n{{ x | fence }}\n```",
    "```\n{{ x }}`\n```",
    "```\n{{ x }}{{ y }}\n```",
    "<{{ x }}>",
    "<a {{ x }}>",
    "<div>\na {{ x }}\n</div>",
    "<!-- a {{ x }} -->",
    "<pre>\n\na {{ x }}\n</pre>",
    "<custom>\n{{ x }} a",
    "[a]: {{ x }}",
    "[{{ x }}]: /u",
    "[a {{ x }}",
    "[a]{{ x }}",
    "[a]{{ x }}{{ y }}",
    "[a\\{{ x }}",
    "[a\n{{ x }} b",
    "[a]:\n{{ x }} b",
    '[a]: /u "{{ x }}"',
    '[a]: /u\n"b {{ x }}',
    '[a]: /u\n{{ x }} b"\n===',
    '[a]: /u\n    "b {{ x }}\n===',
    "{% if x %}a{% endif %} b",
    "{% if x %}\n# a\n{% endif %}",
    "{% for c in xs %}\n## {{ c }}\n{% endfor %}",
    "{% for c in xs %}\n```\n{{ c }}\n```\n{% endfor %}",
    "{% for c in xs %}\n{{ c }}\n{% endfor %}\n===",
    "{% if x %}\na{% if y %}b\n{% endif %}\n{% endif %}\n\n===",
    "a\n\n{% if x %}\n{{ x | fence }}\n{% endif %}\n\nb",
    "<<last>>\n===",
    "- a\n<b>\n```\n{{ x }}\n```",
    "> a\n</b>\nb {{ x }}",
]
"""Templates with a hole that some value would get out of."""

LAST = "{% if x %}\na\n{% endif %}"
"""A file whose last line end is not written."""


@pytest.mark.parametrize("template", ACCEPTED)
def test_a_hole_that_can_be_contained_is_accepted(template: str) -> None:
    made = bundle({"one": template, "two": "w1q\n\n    w2q\n\n# w3q"})
    expected = outline(rendered(made, Outside.same(HARMLESS)))
    for start in STARTS:
        for end in ("", "\n===", "\n\n# a", "\n```\n"):
            render = rendered(made, Outside.same(start + end))
            assert outline(render) == expected, render.messages[0].content


@pytest.mark.parametrize("template", REFUSED)
def test_a_hole_that_cannot_be_contained_is_refused(template: str) -> None:
    made = bundle({"one": template, "last": LAST}, adopted=("one",))
    with pytest.raises(DocasmError, match=r"error\[uncontained-value\]"):
        rendered(made, Outside.same(HARMLESS))


@pytest.mark.parametrize(
    "system",
    [
        "<<skills>>\n\n- <<history>>",
        "<<skills>>\n\n- a\n</b>\n<<history>>",
        "<!--\n\n<<history>>\n\n-->\n\n<<skills>>",
        "<div>\n<<history>>\n</div>\n\n<<skills>>",
        "<<history>>\n===\n\n<<skills>>",
        "<<history>>\na\n===\n\n<<skills>>",
        "<<history>>\n\n  # a\n\n<<skills>>",
    ],
)
def test_a_list_that_would_not_stay_one_is_refused(system: str) -> None:
    made = bundle({"one": "w1q"}, f"system:\n{system}\n\nuser:\n<<input>>")
    with pytest.raises(DocasmError, match=r"error\[slot-misplaced\]"):
        rendered(made, Outside.same(HARMLESS, turns=1))


@pytest.mark.parametrize(
    "system",
    [
        "<<skills>>\n\n<<history>>",
        "w2q:\n<<history>>\n\nw3q\n===\n\n<<skills>>",
        "w2q:\n<<history>>\n\n<custom>\n\n<<skills>>",
        "w2q:\n<<history>>\n\n===\n\n<<skills>>",
        "w2q:\n<<history>>\n- w3q\n\n<<skills>>",
    ],
)
def test_a_list_that_is_there_or_not_changes_nothing_else(system: str) -> None:
    made = bundle({"one": "w1q"}, f"system:\n{system}\n\nuser:\n<<input>>")
    expected = outline(rendered(made, Outside.same(HARMLESS)))
    for start in STARTS:
        assert outline(rendered(made, Outside.same(start, turns=2))) == expected


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a - b", "a - b"),
        ("- a", "\\- a"),
        ("12) a", "12\\) a"),
        (" \t# a\n# b", "\\# a # b"),
        ("\ufeff    a", "a"),
        ("", ""),
    ],
)
def test_a_value_at_the_start_of_a_line(value: str, written: str) -> None:
    assert at_line_start(value) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("# a\n#b", "\\# a\n#b"),
        ("\ufeff# a", "\ufeff\\# a"),
        ("a\r---\r\n===", "a\r\\---\r\n\\==="),
        ("- a\n\n    ```\n  ~~~", "- a\n\n    ```\n  \\~~~"),
        ("<div>\n< a\n</b", "\\<div>\n< a\n\\</b"),
    ],
)
def test_a_value_of_its_own_lines(value: str, written: str) -> None:
    assert block(value) == written


@pytest.mark.parametrize("info", ['"a`b"', '"a\\nb"', "x", '"a", "b"', 'info="a"', "1"])
def test_an_info_string_that_would_not_open_a_fence_is_refused(info: str) -> None:
    with pytest.raises(DocasmError, match=r"error\[(?:template-syntax|wrong-arguments)\]"):
        rendered(bundle({"one": f"{{{{ x | fence({info}) }}}}"}), Outside.same(HARMLESS))
