"""The shape of the code: who may import whom, and which names are public."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import docasm

PACKAGE = Path(docasm.__file__).parent

LAYERS = (
    "changes",
    "unified",
    "codes",
    "errors",
    "shapes",
    "source",
    "files",
    "markers",
    "markdown",
    "contain",
    "settings",
    "json_values",
    "json_text",
    "fields",
    "severities",
    "ignores",
    "sources",
    "tokens",
    "tools",
    "history",
    "turns",
    "dialogue",
    "tool_list",
    "tool_servers",
    "params",
    "trigger",
    "rules",
    "relevance",
    "skill",
    "account",
    "filters",
    "sandbox",
    "template_check",
    "template",
    "needs",
    "template_reader",
    "template_run",
    "atoms",
    "stencil",
    "fragment",
    "limits",
    "size",
    "sums",
    "units",
    "layout",
    "layout_file",
    "counting",
    "slot_check",
    "compose",
    "draft",
    "sections",
    "surroundings",
    "placement",
    "fill",
    "plan",
    "library",
    "declared",
    "drafted",
    "chosen_layout",
    "compiler",
    "shown",
    "resolve",
    "outside",
    "asked",
    "providers",
    "config",
    "formats",
    "disk",
    "edits",
    "contents",
    "check",
    "lints",
    "advice",
    "mends",
    "state",
    "select",
    "tell",
    "standing",
    "elastic",
    "skill_slot",
    "filled",
    "measuring",
    "fit",
    "fitting",
    "small",
    "limited",
    "document",
    "report",
    "context_log",
    "why",
    "making",
    "render",
    "rounds",
    "conversation",
    "assemble",
    "bundle",
    "scenario_keys",
    "scenario",
    "schema",
)
"""Each file imports only from files above it."""
EDGES = ("cli", "mcp", "pytest_plugin", "__main__")
"""What imports the core and is never imported by it."""

PUBLIC = {
    "Bundle",
    "Changes",
    "Conversation",
    "Cut",
    "Document",
    "DocasmError",
    "Message",
    "Place",
    "Problem",
    "Render",
    "Scenario",
    "Skill",
    "Tool",
    "Trigger",
    "Turn",
    "join",
    "load_scenario",
    "split",
}


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imports(tree: ast.AST) -> Iterator[str]:
    """The names of docasm's own modules that a tree imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "docasm":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("docasm."):
            yield str(node.module).split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (a.name.split(".")[1] for a in node.names if a.name.startswith("docasm."))


CORE = sorted(path for path in PACKAGE.rglob("*.py") if _name(path) not in (*EDGES, "__init__"))


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_imports_only_from_files_above_it(path: Path) -> None:
    own = _name(path)
    assert own in LAYERS, f"{own} has no place in LAYERS"
    above = LAYERS[: LAYERS.index(own) + (path.name != f"{own}.py")]
    assert not set(_imports(ast.parse(path.read_text(encoding="utf-8")))) - set(above)


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_is_imported_inside_a_function(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    inner = [node for function in functions for node in ast.walk(function)]
    assert not [node for node in inner if isinstance(node, ast.Import | ast.ImportFrom)]


def test_every_layer_exists() -> None:
    assert {_name(path) for path in CORE} == set(LAYERS)


def test_the_public_names() -> None:
    assert set(docasm.__all__) == PUBLIC
    assert len(PUBLIC) < 20
    assert all(getattr(docasm, name) is not None for name in PUBLIC)
    assert {*PUBLIC, "__version__"} == set(dir(docasm))


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        docasm.nope  # noqa: B018
