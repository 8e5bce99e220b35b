"""What an import costs: the command line answers before anything heavy is loaded."""

import subprocess
import sys

import pytest

HEAVY = ("jinja2", "markdown_it", "rich", "yaml")
SDKS = (
    *("anthropic", "google", "httpx", "httpx2", "mcp", "mistral_common", "mistralai", "ollama", "openai"),
    *("pydantic", "requests", "splintr", "tiktoken", "toktok"),
)

RUN = """
import sys
try:
    {code}
except SystemExit as end:
    assert not end.code, end.code
print(*sorted({{name.partition(".")[0] for name in sys.modules}}), file=sys.stderr)
"""


def imported(code: str) -> set[str]:
    """The top-level modules that a new process holds after running some code."""
    command = [sys.executable, "-c", RUN.format(code=code)]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return set(done.stderr.split())


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_command_line_answers_without_what_it_does_not_need(option: str) -> None:
    modules = imported(f"from docasm.cli import main; main([{option!r}])")
    assert "click" in modules
    assert modules.isdisjoint(HEAVY + SDKS)


def test_the_package_alone_is_light() -> None:
    modules = imported("import docasm")
    assert "docasm" in modules
    assert modules.isdisjoint((*HEAVY, *SDKS, "click"))


def test_a_public_name_brings_what_it_needs_and_no_more() -> None:
    assert imported("from docasm import split, join, Message").isdisjoint(HEAVY)
    assert imported("from docasm import Bundle").issuperset({*HEAVY} - {"rich"})


def test_no_render_imports_an_sdk_or_the_command_line() -> None:
    code = (
        "import docasm; render = docasm.load_scenario('examples/dm.yaml').render();"
        "from docasm.providers import PROVIDERS; [render.payload(name) for name in PROVIDERS]"
    )
    assert imported(code).isdisjoint((*SDKS, "click"))


@pytest.mark.parametrize("command", ["render", "explain", "log", "check"])
def test_only_what_makes_tables_loads_what_they_need(command: str) -> None:
    given = "examples" if command == "check" else "examples/dm.yaml"
    code = f"import os; os.dup2(os.open(os.devnull, os.O_WRONLY), 1); from docasm.cli import main; \
main(['{command}', '{given}'])"
    assert "rich" not in imported(code)


def test_the_pytest_plugin_imports_nothing_heavy() -> None:
    modules = imported("import docasm.pytest_plugin")
    assert modules.isdisjoint((*HEAVY, *SDKS, "click", "syrupy"))
    code = "import sys, docasm.pytest_plugin; assert not {'docasm.errors', 'docasm.source'} & {*sys.modules}"
    assert "pytest" in imported(code)
