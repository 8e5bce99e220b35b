"""The JSON Schemas for editors: they are current, and say of a file just what its reader says."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema.validators import extend

import docasm
from docasm.cli import main
from docasm.cli.schema import NAMES
from docasm.config import read_config
from docasm.errors import DocasmError, Problem
from docasm.files import Files
from docasm.formats import ForeignFile, read_foreign
from docasm.formats.profiles import PIPELINE, PROFILES
from docasm.layout_file import read_layout
from docasm.schema import SCHEMAS, schema_text
from docasm.settings import parse_settings
from docasm.skill import read_skill
from docasm.source import Source, split_front_matter
from docasm.tool_list import read_tool_list
from tests.schema_values import values
from tests.write_schemas import FOLDER, write_schemas

ROOT = Path(__file__).parent.parent
LAYOUT = "system:\n<<skills>>\n\n<<a>>\n\n<<x_1>>\n\n<<duties>>\n\nuser:\n<<input>>\n"
SHAPES = {
    *("unknown-key", "wrong-type", "bad-name", "bad-trigger", "unknown-trigger", "unknown-role"),
    *("empty-input", "no-pipeline"),
}
"""The codes of what a schema can tell; others are about other files, or about two places."""


def _pattern(_: Any, pattern: str, value: object, __: Any) -> Iterable[jsonschema.ValidationError]:
    """By ECMA 262, as JSON Schema has it: `$` is the end, and not also what stands before a last line end."""
    if isinstance(value, str) and not re.search(re.sub(r"\$(?=\)|$)", r"\\Z", pattern), value):
        yield jsonschema.ValidationError(f"{value!r} does not fit {pattern!r}")


Validator: Any = extend(jsonschema.Draft7Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]


def read_front_matter(text: str) -> tuple[Problem, ...]:
    return read_skill(Source("a.md", f"---\n{text}\n---\nx"), "a", agent_skill=False)[1]


def read_agent_skill(text: str) -> tuple[Problem, ...]:
    return read_skill(Source("a/SKILL.md", f"---\n{text}\n---\nx"), "a", agent_skill=True)[1]


def read_layout_settings(text: str) -> tuple[Problem, ...]:
    return read_layout(Source("dm.md", f"---\n{text}\n---\n{LAYOUT}"), "dm")[1]


def read_bundle_file(text: str) -> tuple[Problem, ...]:
    with TemporaryDirectory() as folder:
        Path(folder, "docasm.yaml").write_text(text, encoding="utf-8")
        config, problems = read_config(Path(folder), "bot", Files())
        return (*problems, *read_tool_list(config.tools, Path(folder))[1])


def read_scenario(text: str) -> tuple[Problem, ...]:
    with TemporaryDirectory() as folder:
        Path(folder, "docasm.yaml").touch()
        Path(folder, "dm.yaml").write_text(text, encoding="utf-8")
        return _raised(lambda: docasm.load_scenario(Path(folder, "dm.yaml")))


def read_pipeline(text: str) -> tuple[Problem, ...]:
    with TemporaryDirectory() as folder:
        file = Path(folder, "config.json")
        file.write_text(text, encoding="utf-8")
        return _raised(lambda: read_foreign(None, ForeignFile(file, "config.json"), Files(), (), {}))


def _raised(read: Callable[[], object]) -> tuple[Problem, ...]:
    try:
        read()
    except DocasmError as error:
        return error.problems
    return ()


READERS: dict[str, Callable[[str], tuple[Problem, ...]]] = {
    "agent-skill": read_agent_skill,
    "bundle": read_bundle_file,
    "layout": read_layout_settings,
    "pipeline": read_pipeline,
    "scenario": read_scenario,
    "skill": read_front_matter,
}


def is_of_shape(problem: Problem) -> bool:
    """Whether a schema could tell it."""
    words = ("unknown type of slot", "tools are a list")
    return problem.code in SHAPES or problem.message.startswith(words)


def as_json(name: str) -> Any:
    return json.loads(schema_text(name))


class TestSameAsTheReader:
    @pytest.mark.parametrize("name", READERS)
    @settings(max_examples=100, deadline=None)
    @given(data=st.data())
    def test_any_value(self, name: str, data: st.DataObject) -> None:
        schema = as_json(name)
        value = data.draw(values(schema))
        found = READERS[name](json.dumps(value, ensure_ascii=False))
        told = [f"{each.code}: {each.message}" for each in found if is_of_shape(each)]
        wrong = [error.message for error in Validator(schema).iter_errors(value)]
        if has_unknowable(value):
            return
        if any(each.code == "unknown-slot" and each.message.startswith("there is no slot") for each in found):
            assert not told or wrong  # what is said of such a slot is not read
            return
        assert bool(told) == bool(wrong), (value, told, wrong)

    @pytest.mark.parametrize("name", READERS)
    def test_both_answers_are_common(self, name: str) -> None:
        """Else the test above would compare little."""
        valid, seen = Validator(as_json(name)), []

        @settings(max_examples=120, deadline=None, database=None, derandomize=True)
        @given(values(as_json(name)))
        def collect(value: Any) -> None:
            seen.append(valid.is_valid(value))

        collect()
        assert seen.count(True) > 5
        assert seen.count(False) > 5

    def test_keys_of_every_level_are_the_same(self) -> None:
        """The example of each format, with one key misspelt at a time."""
        documents = {
            "skill": (ROOT / "skills" / "chat.md", read_front_matter),
            "layout": (ROOT / "layouts" / "dm.md", read_layout_settings),
        }
        for name, (path, read) in documents.items():
            front = split_front_matter(Source("x.md", path.read_text(encoding="utf-8"))).settings
            value = parse_settings(front).plain()
            assert Validator(as_json(name)).is_valid(value)
            for key in value or ():
                misspelt = {f"{each}x" if each == key else each: value[each] for each in value}
                assert not Validator(as_json(name)).is_valid(misspelt)
                assert read(json.dumps(misspelt))


def has_unknowable(value: Any) -> bool:
    """Whether a value holds what a schema cannot tell: a text that starts as JSON and is none, or a pipeline
    that is not read because a profile `default` goes before it."""
    profiles = value.get(PROFILES) if isinstance(value, dict) else None
    is_read = PIPELINE not in value or not profiles.get("default") if isinstance(profiles, dict) else True
    return '"{"' in json.dumps(value) or not is_read


class TestTheFiles:
    def test_they_are_current(self, tmp_path: Path) -> None:
        write_schemas(tmp_path)
        written = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
        shipped = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
        assert written == shipped, "run `make docs`"

    @pytest.mark.parametrize("name", SCHEMAS)
    def test_they_are_schemas(self, name: str) -> None:
        jsonschema.Draft7Validator.check_schema(as_json(name))

    @pytest.mark.parametrize("name", NAMES)
    def test_the_command_prints_one(self, name: str) -> None:
        result = CliRunner().invoke(main, ["schema", name])
        assert (result.exit_code, result.stdout, result.stderr) == (0, schema_text(name), "")

    def test_the_command_knows_all(self) -> None:
        assert tuple(SCHEMAS) == NAMES
        assert CliRunner().invoke(main, ["schema", "skil"]).exit_code == 2

    @pytest.mark.parametrize("name", SCHEMAS)
    def test_every_key_says_what_it_is(self, name: str) -> None:
        for path, schema in keys_of(as_json(name), name):
            assert schema.get("description") or "if" in schema, path


def keys_of(schema: Any, path: str) -> Iterable[tuple[str, Any]]:
    """Every key that a schema knows, at any depth."""
    if isinstance(schema, list):
        for each in schema:
            yield from keys_of(each, path)
    elif isinstance(schema, dict):
        for key, each in schema.get("properties", {}).items():
            if "const" not in each:
                yield f"{path}.{key}", each
            yield from keys_of(each, f"{path}.{key}")
        for word in ("anyOf", "allOf", "then", "items", "additionalProperties"):
            yield from keys_of(schema.get(word), path)


OWN = {
    "bundle": [*ROOT.glob("examples/**/docasm.yaml"), *ROOT.glob("docasm/starter/docasm.yaml")],
    "scenario": [path for path in ROOT.glob("examples/**/*.yaml") if path.name != "docasm.yaml"],
    "skill": [*ROOT.glob("skills/*.md"), *ROOT.glob("examples/*/skills/*.md")],
    "agent-skill": [*ROOT.glob("examples/*/skills/*/SKILL.md")],
    "layout": [*ROOT.glob("layouts/*.md"), *ROOT.glob("docasm/starter/layouts/*.md")],
    "pipeline": [*ROOT.glob("examples/*/p*.json")],
}


@pytest.mark.parametrize("name", OWN)
def test_the_files_of_the_project_are_valid(name: str) -> None:
    assert OWN[name]
    for path in OWN[name]:
        source = Source(path.name, path.read_text(encoding="utf-8"))
        settings_source = split_front_matter(source).settings if path.suffix == ".md" else source
        errors = Validator(as_json(name)).iter_errors(parse_settings(settings_source).plain())
        assert [error.message for error in errors] == [], path
