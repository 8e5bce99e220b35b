"""A check says that a variable is unknown where a render fails on it, and nowhere else."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import docasm
from tests.bundles import write_bundle

PARTS = (
    "{{ NAME }}",
    "{{ NAME | default('x') }}",
    "{{ NAME | default('x') | upper }}",
    "{{ (NAME | default('x')) ~ OTHER }}",
    "{{ NAME if NAME is defined else 'x' }}",
    "{{ NAME is defined and NAME }}",
    "{{ NAME is undefined }}",
    "{% set NAME = OTHER %}",
    "{% set NAME = 'v' %}",
    "{% set NAME = NAME | default('v') %}",
    "{% if NAME is defined %}{{ NAME }}{% endif %}",
    "{% if NAME is undefined %}x{% else %}{{ NAME }}{% endif %}",
    "{% if NAME %}x{% endif %}",
    "{% for NAME in ['v'] %}{{ NAME }}{{ loop.index }}{% endfor %}",
    "{% for each in [1] %}{{ NAME }}{% endfor %}",
    "{% for each in NAME | default(['x']) %}{{ each }}{% endfor %}",
    "word",
)


@st.composite
def templates(draw: st.DrawFn) -> str:
    names = st.permutations(["a", "b"])
    parts = draw(st.lists(st.tuples(st.sampled_from(PARTS), names), min_size=1, max_size=5))
    return "Hi " + " ".join(part.replace("NAME", one).replace("OTHER", two) for part, (one, two) in parts)


@given(template=templates(), declared=st.sampled_from(["{}", "{a: v}", "{b: v}", "{a: null}"]))
@example(template="Hi {% set a = b %}", declared="{}")
@example(template="Hi {% set a = b %}{{ a }}", declared="{}")
@example(template="Hi {{ a | default('x') }} {{ a }}", declared="{}")
def test_check_says_what_a_render_fails_on(
    tmp_path_factory: pytest.TempPathFactory, template: str, declared: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / "needs"
    write_bundle(folder, {"skills/a.md": f"---\ntriggers: [dm]\nvariables: {declared}\n---\n{template}\n"})
    bundle = docasm.Bundle.load(folder)
    found = [problem for problem in bundle.problems if problem.severity == "error"]
    assert {problem.code for problem in found} <= {"unknown-variable"}
    null = {"a": "given"} if declared == "{a: null}" else {}
    assert bool(found) is _fails(bundle, null), (found, template)


def _fails(bundle: docasm.Bundle, variables: dict[str, str]) -> bool:
    try:
        bundle.render(docasm.Trigger.dm("Hi"), variables=variables)
    except docasm.DocasmError as error:
        return [problem.code for problem in error.problems] == ["unknown-variable"]
    return False


@pytest.mark.parametrize("lazy", ["{{ 'x' if true else a }}", "{{ sender | default(a) }}"])
def test_what_a_render_may_not_come_to_is_needed_all_the_same(tmp_path: Path, lazy: str) -> None:
    write_bundle(tmp_path, {"skills/a.md": f"---\ntriggers: [dm]\n---\nHi {lazy}.\n"})
    bundle = docasm.Bundle.load(tmp_path)
    assert [problem.code for problem in bundle.problems] == ["unknown-variable"]
    assert not _fails(bundle, {})
