"""The files that snapshots are: exact for any text, readable, and compared line by line."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from syrupy.data import Snapshot, SnapshotCollection

from docasm import Message
from docasm.changes import changes
from docasm.pytest_plugin import snapshot_text
from docasm.pytest_plugin.difference import difference
from docasm.pytest_plugin.extensions import DocumentSnapshots

HOSTILE = (
    *(
        "\n",
        "\r",
        "\r\n",
        "\0",
        "\t",
        "\x1b",
        "\x85",
        "\u2028",
        "\ufeff",
        "\ud800",
        "\u202e",
        " ",
        "\\",
        "\\u{",
    ),
    *(
        "\\u{d}",
        "\\u{5c}",
        "\\u{}",
        "u{",
        "}",
        "{",
        "---\n",
        "\n---\n",
        "messages:\n",
        "system:\n",
        "a",
        "ü",
        "🍅",
    ),
)
DOCUMENTS = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=3)).map("".join)
MESSAGES = (Message("system", "a"), Message("user", "---\n"))


@given(document=DOCUMENTS)
@example(document="")
@example(document="no line end")
@example(document="\\u{}\n")
@example(document="\r\x85\n\n")
def test_a_snapshot_in_a_file_is_exact(tmp_path_factory: pytest.TempPathFactory, document: str) -> None:
    path = tmp_path_factory.getbasetemp() / "case.md"
    collection = SnapshotCollection(location=str(path))
    collection.add(Snapshot(name="case", data=snapshot_text.written(document, MESSAGES)))
    DocumentSnapshots.write_snapshot_collection(snapshot_collection=collection)
    data = path.read_bytes()
    assert data.endswith(b"\n")
    assert b"\r" not in data
    assert b"\0" not in data
    path.write_bytes(data.replace(b"\n", b"\r\n"))  # as Git may check it out
    for _ in range(2):
        text = DocumentSnapshots().read_snapshot_data_from_location(
            snapshot_location=str(path), snapshot_name="case", session_id=""
        )
        assert text is not None
        assert snapshot_text.document(text) == document
        path.write_bytes(data)


def test_a_usual_document_stands_in_the_file_as_it_is() -> None:
    document = "system:\n# Zoë\n\n- `a\\b` 🍅\t\n\nuser:\nHi\n"
    text = snapshot_text.written(document, [Message("system", "# Zoë"), Message("user", "Hi")])
    assert text == (
        "---\n# By docasm. Tokens are estimates.\nmessages:\n"
        "  - {role: system, chars: 5, tokens: 2}\n  - {role: user, chars: 2, tokens: 1}\n---\n" + document
    )


@pytest.mark.parametrize(
    ("document", "shown"),
    [
        ("a\r\nb\rc\n", "a\\u{d}\nb\\u{d}c\n"),
        ("no end", "no end\\u{}\n"),
        ("\\u{41}\n", "\\u{5c}u{41}\n"),
        ("a\0b\u2028c\n", "a\\u{0}b\\u{2028}c\n"),
    ],
)
def test_what_cannot_be_seen_is_escaped(document: str, shown: str) -> None:
    assert snapshot_text.body(snapshot_text.written(document, ())) == shown


def test_a_payload_escapes_what_json_does_not() -> None:
    assert snapshot_text.payload({"a": "ü\u2028\r"}) == '{\n  "a": "ü\\u2028\\r"\n}\n'


LINES = st.lists(st.sampled_from("abcdef") | st.text(max_size=2), max_size=40)


@given(LINES, LINES)
def test_changes_make_the_new_text_of_the_old(old: list[str], new: list[str]) -> None:
    made: list[str] = []
    at = 0
    for first, last, other, end in changes(old, new):
        assert first < last or other < end
        assert old[at:first] == new[len(made) : len(made) + first - at]
        made += [*old[at:first], *new[other:end]]
        at = last
    assert [*made, *old[at:]] == new


class Line(str):
    """A line that counts how often lines are compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Line.compared += 1
        return str.__eq__(self, other)


def _compared(size: int) -> int:
    """How often lines are compared for large texts of several kinds."""
    old = [f"line {index * 7919 % size}" for index in range(size)]
    half = size // 2
    cases = [old[::-1], [*old[:half], "new", *old[half:]], ["same"] * size, [each + "!" for each in old]]
    Line.compared = 0
    for new in cases:
        for text in (old, ["same", "other"] * half):
            list(changes([*map(Line, text)], [*map(Line, new)]))
    return Line.compared


def test_changes_between_large_texts_take_comparisons_in_step_with_their_size() -> None:
    assert _compared(16_000) <= 5 * _compared(4_000)


def test_a_changed_line_has_its_place_and_one_that_is_gone_the_place_before_it() -> None:
    found = difference("a\nb\nc\n", "a\nB\n", ["f.md:1", "f.md:2"])
    assert [line for _, line in found.lines] == [
        "f.md:1       |   a",
        "f.md:2       | - b",
        "after f.md:2 | - c",
        "f.md:2       | + B",
        "             |",
    ]
    assert not found.only_space


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a b\n", "a  b\n", ["- a·b␊", "+ a··b␊"]),
        ("a\n", "a \n", ["- a␊", "+ a·␊"]),
        ("a\n", "\ta\n", ["- a␊", "+ →a␊"]),
        ("a\n", "a\\u{d}\n", ["- a␊", "+ a\\u{d}␊"]),
        ("a\n", "a\n\n", ["+ ␊"]),
        ("a\n", "a\\u{}\n", ["- a␊", "+ a\\u{}␊"]),
    ],
)
def test_a_change_of_white_space_alone_is_made_visible(old: str, new: str, shown: list[str]) -> None:
    found = difference(old, new, [])
    assert found.only_space
    assert [f"{row.sign} {row.text}" for row in found.rows if row.sign != " "] == shown
