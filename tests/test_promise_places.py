"""P8: every line of a document has a place, and it is the right one."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import docasm
from tests.bundles import LAYOUT, load, skill

_BLOCKS = (
    "# Title",
    "## Part",
    "### Deep one",
    "Plain words\nover two lines.",
    "- one\n- two\n  more of two",
    "> quoted\n> twice",
    "```\ncode\n# no heading\n```",
    "Words with {{ constant }} in them.",
    "Words with {{ value }} in them.",
    "{{ value }}",
    "{% if flag %}\n- kept\n- also kept\n{% endif %}",
    "{% for item in items %}\n- number {{ item }}\n{% endfor %}",
    "<<shared>>",
    "Under\n===",
    "1. first\n\n   inner words\n2. second",
)
_SHARED = "## Shared\n\nWritten once,\nfor all."
_FRONT = "triggers: [dm]\nvariables: {constant: fixed, flag: null, items: null, value: null}"

_bodies = st.lists(st.sampled_from(_BLOCKS), min_size=1, max_size=7).map("\n\n".join)
_values = st.sampled_from(["x", "two\nlines", "# heading\n\n- list", ""])
_SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]  # a changed line has to be one that is changed
_quick = settings(max_examples=120, suppress_health_check=_SLOW, deadline=None)


def _files(first: str, second: str) -> dict[str, str]:
    return {
        "skills/first.md": skill(first, _FRONT),
        "skills/second.md": skill(second, _FRONT),
        "skills/shared.md": _SHARED,
        "layouts/dm.md": LAYOUT,
    }


def _render(files: dict[str, str], value: str, *, flag: bool) -> docasm.Render:
    with TemporaryDirectory() as folder:
        bundle = load(Path(folder), files)
        variables = {"value": value, "flag": flag, "items": [1, 2]}
        history = [docasm.Turn("user", "hi"), docasm.Turn("assistant", "two\n\nparagraphs")]
        return bundle.render(docasm.Trigger.dm("the input"), history=history, variables=variables)


def _name(place: docasm.Place | str) -> tuple[str, int] | str:
    """The file and line of a place, without the folder that the file was in."""
    if isinstance(place, str):
        return place
    return "/".join(Path(place.path).parts[-2:]), place.line


@_quick
@given(_bodies, _bodies, _values, st.booleans())
def test_every_line_has_a_place_in_a_file_that_holds_it(
    first: str, second: str, value: str, flag: bool
) -> None:
    files = _files(first, second)
    render = _render(files, value, flag=flag)
    lines = render.markdown.split("\n")
    assert lines.pop() == ""
    assert len(render.places) == len(lines)
    for line, place in zip(lines, map(_name, render.places), strict=True):
        if isinstance(place, str):
            assert place in ("skills", "history", "tools", "input")
            continue
        source = files[place[0]].split("\n")[place[1] - 1]
        same = source.lstrip("# ") == line.lstrip("# ")
        assert same or "{{" in source or set(line) <= set("=-") or source.startswith("<<")


@_quick
@given(_bodies, _bodies, _values, st.booleans(), st.data())
def test_changing_a_source_line_changes_exactly_the_lines_that_name_it(
    first: str, second: str, value: str, flag: bool, data: st.DataObject
) -> None:
    files = _files(first, second)
    before = _render(files, value, flag=flag)
    name = data.draw(st.sampled_from(["skills/first.md", "skills/second.md", "skills/shared.md"]))
    lines = files[name].split("\n")
    number = data.draw(st.integers(0, len(lines) - 1))
    body_starts = 0 if name == "skills/shared.md" else 4
    assume(number >= body_starts and lines[number][-1:].isalpha() and "<<" not in lines[number])
    lines[number] += "zq"
    after = _render({**files, name: "\n".join(lines)}, value, flag=flag)
    pairs = zip(before.markdown.split("\n"), after.markdown.split("\n"), strict=True)
    changed = {index for index, (old, new) in enumerate(pairs) if old != new}
    named = {index for index, place in enumerate(before.places) if _name(place) == (name, number + 1)}
    assert changed == named


def test_what_slots_generate_names_the_slot(tmp_path: Path) -> None:
    bundle = load(tmp_path, {"skills/a.md": skill("A"), "skills/b.md": skill("B"), "layouts/dm.md": LAYOUT})
    render = bundle.render(docasm.Trigger.dm("in\nput"), history=[docasm.Turn("user", "hello")])
    named = dict(zip(render.markdown.split("\n"), map(_name, render.places), strict=False))
    assert named["A"] == ("skills/a.md", 4)
    assert named["- **User**: hello"] == "history"
    assert named["put"] == "input"
    assert named["user:"] == ("layouts/dm.md", 12)
    between = render.markdown.split("\n").index("A") + 1
    assert render.places[between] == "skills"


def test_a_closer_names_the_line_that_opened(tmp_path: Path) -> None:
    bundle = load(tmp_path, {"skills/a.md": skill("words\n\n~~~~\ncode"), "skills/b.md": skill("B")})
    render = bundle.render(docasm.Trigger.dm("x"))
    index = render.markdown.split("\n").index("~~~~", 5)
    assert _name(render.places[index]) == ("skills/a.md", 6)


def test_history_as_messages_names_the_slot(tmp_path: Path) -> None:
    layout = (
        "---\nslots: {history: {as: messages}}\n---\nsystem:\n<<skills>>\n\n<<history>>\n\nuser:\n<<input>>"
    )
    bundle = load(tmp_path, {"skills/a.md": skill("A"), "layouts/dm.md": layout})
    render = bundle.render(docasm.Trigger.dm("x"), history=[docasm.Turn("user", "one\ntwo")])
    assert [message.role for message in render.messages] == ["system", "user", "user"]
    lines = render.markdown.split("\n")
    assert render.places[lines.index("one") - 1 : lines.index("two") + 1] == ("history",) * 3
