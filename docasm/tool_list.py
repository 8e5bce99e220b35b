"""The tools that a setting names, in place or in a file."""

from collections.abc import Sequence
from os.path import normpath
from pathlib import Path

from docasm.errors import DocasmError, Problem
from docasm.files import Files
from docasm.json_text import parse_json
from docasm.settings import Setting, parse_settings
from docasm.shapes import Shape
from docasm.source import Source
from docasm.tools import Tool, read_tools

TOOLS: Shape = {
    "description": "Tools as OpenAI, Anthropic or MCP (`tools/list`) write them, or a file of them.",
    "type": ["string", "array", "object", "null"],
}


def read_tool_list(
    setting: Setting | None, folder: Path, shown: Path | None = None, files: Files | None = None
) -> tuple[tuple[Tool, ...], tuple[Problem, ...]]:
    """The tools of a setting, a file relative to `folder` if it is text; and what is wrong with them.

    `shown` is what problems call the folder.
    """
    if setting is None:
        return (), ()
    try:
        if isinstance(setting.value, str):
            label = normpath((shown or folder) / setting.value)
            return (files or Files()).parsed("tools", folder / setting.value, label, _from_file), ()
        return read_tools(setting.plain(), _items(setting)), ()
    except DocasmError as error:
        return (), tuple(_placed(problem, setting) for problem in error.problems)


def _from_file(source: Source) -> tuple[Tool, ...]:
    if not source.path.endswith(".json"):
        setting = parse_settings(source)
        return () if setting.value is None else read_tools(setting.plain(), _items(setting))
    value = parse_json(source)
    try:
        return read_tools(value)
    except DocasmError:
        return read_tools(value, _items(_with_places(source)))


def _with_places(source: Source) -> Setting:
    """JSON is YAML but for pairs of escapes, which stand for one character."""
    try:
        return parse_settings(source)
    except DocasmError:
        return Setting(None, source, source.first_line, 1)


def _items(setting: Setting) -> Sequence[Setting]:
    """Where each tool stands, in any of the shapes that `read_tools` takes."""
    for key in ("result", "tools"):
        if isinstance(setting.value, dict) and key in setting.value:
            setting = setting.value[key]
    return setting.value if isinstance(setting.value, list) else (setting,)


def _placed(problem: Problem, setting: Setting) -> Problem:
    """A problem with a place: its own, or that of the setting that led to it."""
    return problem if problem.place else setting.problem(problem.code, problem.message, hint=problem.hint)
