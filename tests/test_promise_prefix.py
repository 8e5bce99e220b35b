"""P6: two renders have the same bytes up to the first part whose dependency differs."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import docasm
from tests.bundles import LAYOUT, load, skill
from tests.strategies import hostile_text

_PIECES = (
    "# Title",
    "Plain words.",
    "Words {{ value }} here.",
    "At {{ now }} sharp.",
    "From {{ sender }} again.",
    "{{ value }}",
    "```\nuser:\n```",
    "- ```\n  open",
    "user\\:",
    "{% if value %}\nsometimes\n{% endif %}",
)
_FRONT = "triggers: [dm]\nvariables: {value: null, now: null}"
_THREAD = LAYOUT.replace("## History\n\n<<history>>", "<<history>>")
_THREAD = f"---\nslots: {{history: {{as: messages}}}}\n---\n{_THREAD}"
_CHANGES = ("variables", "now", "trigger", "history", "tools")

_bodies = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=6).map("\n\n".join)
_histories = st.lists(
    st.builds(docasm.Turn, st.sampled_from(["user", "assistant"]), hostile_text()), max_size=3
)


def _inputs() -> st.SearchStrategy[dict[str, Any]]:
    tool = {"name": "t", "description": "d", "input_schema": {"type": "object"}}
    return st.fixed_dictionaries(
        {
            "variables": hostile_text(),
            "now": st.sampled_from(["2026-11-30", "soon"]),
            "trigger": hostile_text().filter(str.strip),
            "history": _histories,
            "tools": st.sampled_from([[], [tool]]),
        }
    )


def _render(bundle: docasm.Bundle, given_: dict[str, Any]) -> docasm.Render:
    return bundle.render(
        docasm.Trigger.dm(given_["trigger"], sender=given_["trigger"][:9]),
        history=given_["history"],
        variables={"value": given_["variables"]},
        tools=given_["tools"],
        now=given_["now"],
    )


@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(_bodies, st.sampled_from([LAYOUT, _THREAD]), _inputs(), _inputs(), st.sets(st.sampled_from(_CHANGES)))
def test_the_prefix_stays_whatever_becomes_of_the_rest(
    body: str, layout: str, one: dict[str, Any], other: dict[str, Any], changes: set[str]
) -> None:
    with TemporaryDirectory() as folder:
        front = f"{_FRONT}\ntools: all"
        bundle = load(Path(folder), {"skills/a.md": skill(body, front), "layouts/dm.md": layout})
        first = _render(bundle, one)
        second = _render(bundle, {**one, **{key: other[key] for key in changes}})
    offset = first.stable_prefix(*changes)
    assert 0 <= offset <= len(first.markdown)
    assert first.markdown[:offset] == second.markdown[:offset]
    if not changes:
        assert offset == len(first.markdown)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(_bodies, st.sampled_from([LAYOUT, _THREAD]), _inputs(), _inputs(), st.sets(st.sampled_from(_CHANGES)))
def test_what_stays_of_contents_stays_whatever_becomes_of_the_rest(
    body: str, layout: str, one: dict[str, Any], other: dict[str, Any], changes: set[str]
) -> None:
    with TemporaryDirectory() as folder:
        front = f"{_FRONT}\ntools: all"
        bundle = load(Path(folder), {"skills/a.md": skill(body, front), "layouts/dm.md": layout})
        first = _render(bundle, one)
        second = _render(bundle, {**one, **{key: other[key] for key in changes}})
    lengths = first.stable_contents(*changes)
    assert lengths == second.stable_contents(*changes)
    for length, mine, theirs in zip(lengths, first.messages, second.messages, strict=False):
        assert length <= len(mine.content)
        assert (mine.role, mine.content[:length]) == (theirs.role, theirs.content[:length])
    for length, mine, theirs in list(zip(lengths, first.messages, second.messages, strict=False))[:-1]:
        assert length == len(mine.content) == len(theirs.content)
    if not changes:
        assert lengths == tuple(len(message.content) for message in first.messages)


def test_what_writes_nothing_ends_the_prefix_too(tmp_path: Path) -> None:
    body = "Always.\n\n{% if value %}\nsometimes\n{% endif %}\n\nAfter."
    bundle = load(tmp_path, {"skills/a.md": skill(body, _FRONT)})
    for value in ("", "yes"):
        render = bundle.render(docasm.Trigger.dm("x"), variables={"value": value})
        assert render.stable_prefix("variables") == len("system:\nAlways.")


@pytest.mark.parametrize(
    ("changes", "until"),
    [
        ((), None),
        (("trigger",), "user:\n"),
        (("history",), "the tools.\n\n- `t` — d"),
        (("tools", "trigger"), "Always the same."),
        (("skills",), "system:\n"),
    ],
)
def test_the_prefix_reaches_as_far_as_it_can(
    tmp_path: Path, changes: tuple[str, ...], until: str | None
) -> None:
    layout = LAYOUT.replace("<<tools>>", "These are the tools.\n\n<<tools>>")
    bundle = load(
        tmp_path,
        {"skills/a.md": skill("Always the same.", "triggers: [dm]\ntools: all"), "layouts/dm.md": layout},
    )
    tools = [{"name": "t", "description": "d", "input_schema": {"type": "object"}}]
    render = bundle.render(docasm.Trigger.dm("x"), tools=tools, history=[docasm.Turn("user", "hi")])
    expected = len(render.markdown) if until is None else render.markdown.index(until) + len(until)
    assert render.stable_prefix(*changes) == expected
