"""P9 and P10 as properties: whatever is drawn ends within its budget, and every fault is told."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

import docasm
from docasm.account import MAX_STEPS, MAX_TEXT
from tests.bundles import load, skill

_PIECES = st.sampled_from(
    [
        "{% for i in range(9999) %}",
        "{% for i in v %}",
        "{% endfor %}",
        "{{ v }}",
        "{{ 'a' * 10**9 }}",
        "{{ v * 99 }}",
        "{% set v = v ~ v %}",
        "{% set v = [v, v] %}",
        "{{ v | join(v) }}",
        "{{ v | replace('a', v) }}",
        "x\n\n",
        "word ",
        "{% if v %}",
        "{% endif %}",
        "{{ 9**9**9 }}",
        "{{ v | tojson }}",
    ]
)


@settings(max_examples=60)
@given(st.lists(_PIECES, max_size=8), st.sampled_from(["a" * 5000, ["a"] * 5000, 7, None]), st.booleans())
def test_every_template_ends_in_a_document_or_a_problem(
    pieces: list[str], value: object, constant: bool
) -> None:
    files = {"skills/a.md": skill("Words " + "".join(pieces), "triggers: [dm]\nvariables: {v: null}")}
    if constant:
        files["docasm.yaml"] = f"variables: {{v: {str(value or 'null').replace(chr(39), '')}}}"
    with TemporaryDirectory() as folder:
        bundle = load(Path(folder), files)
        try:
            render = bundle.render(docasm.Trigger.dm("x"), variables=None if constant else {"v": value})
        except docasm.DocasmError:
            return
    assert len(render.markdown) <= MAX_TEXT + MAX_STEPS


_FAULTS = {
    "<<nobody>>": "unknown-skill",
    "- {{ sender }}": "uncontained-value",
    "Hello {{ nothing }}.": "unknown-variable",
    "systm:": "unknown-role",
    "Mode: {% if 1 %}on{% endif %}": "taken-line-end",
    "<<a>>": "include-cycle",
    "#{{ sender }}": "uncontained-value",
}


@settings(max_examples=100)
@given(st.lists(st.sampled_from(["Words.", "## Heading", "- item", *_FAULTS]), min_size=1, max_size=9))
def test_every_fault_of_a_file_is_told_at_its_line_with_that_line(blocks: list[str]) -> None:
    text = skill("\n\n".join(blocks))
    lines = text.split("\n")
    with TemporaryDirectory() as folder:
        problems = load(Path(folder), {"skills/a.md": text}).problems
    told = {(problem.code, problem.place.line) for problem in problems if problem.place}
    drawn = [(_FAULTS[line], number) for number, line in enumerate(lines, 1) if line in _FAULTS]
    assert told >= {
        (code, number) for code, number in drawn if code != "taken-line-end" or number < len(lines)
    }
    assert all(problem.source_line == lines[problem.place.line - 1] for problem in problems if problem.place)
