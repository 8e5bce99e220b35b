"""`docasm tools`: the tools of MCP servers."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docasm.cli.streams import write_text
from docasm.cli.words import counted, escaped

if TYPE_CHECKING:
    from docasm.tool_servers import Server
    from docasm.tools import Tool


@click.command("tools", short_help="List the tools of MCP servers.")
@click.option(
    "--mcp",
    "commands",
    multiple=True,
    required=True,
    metavar="COMMAND",
    help="Starts a server; may be repeated.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, max=86_400, min_open=True),
    default=30.0,
    metavar="SECONDS",
    help="How long a server may take to start or to answer (default: 30).",
)
@click.option("--json", "as_json", is_flag=True, help="Write them as JSON, for `tools` of a bundle.")
def command(commands: tuple[str, ...], timeout: float, as_json: bool) -> None:
    """List the tools of MCP servers, as a table or as a file of tools for a bundle.

    COMMAND is the program of a server with its arguments; docasm starts it, asks
    it over its standard streams, and ends it.

    \b
    docasm tools --mcp "python server.py"
    docasm tools --mcp "npx -y some-server" --json > tools.json
    """
    from docasm.errors import DocasmError
    from docasm.mcp import Servers
    from docasm.tool_servers import served

    servers = [_server(each, timeout) for each in commands]
    with Servers() as through:
        found = served(servers, through, ())
    if found.problems:
        raise DocasmError(found.problems)
    if as_json:
        _write_json(found.tools)
    else:
        _show(found.tools)


def _server(text: str, timeout: float) -> "Server":
    from docasm.settings import Setting
    from docasm.source import Source
    from docasm.tool_servers import Server

    return Server(text, Path(), timeout, Setting(text, Source("--mcp", text), 1, 1))


def _write_json(tools: Sequence["Tool"]) -> None:
    from docasm.cli.message_list import as_json

    write_text(escaped(as_json({"tools": [_plain(tool) for tool in tools]})))


def _plain(tool: "Tool") -> dict[str, Any]:
    """A tool as `tools/list` of MCP has it."""
    return {"name": tool.name, "description": tool.description, "inputSchema": dict(tool.parameters)}


def _show(tools: Sequence["Tool"]) -> None:
    from docasm.cli.tables import as_text, cell, console, show, table

    made = table(("tool", "arguments", "what it does"))
    for tool in tools:
        made.add_row(cell(tool.name), cell(" ".join(_arguments(tool))), cell(_purpose(tool)))
    show(f"{as_text(made, console())}\n{counted(len(tools), 'tool')}\n")


def _arguments(tool: "Tool") -> Iterator[str]:
    """Their names, those that may be left out in brackets."""
    required = tool.parameters.get("required") or ()
    for name in tool.parameters["properties"]:
        yield name if name in required else f"[{name}]"


def _purpose(tool: "Tool") -> str:
    """The first paragraph of its description."""
    from docasm.tools import summary

    return summary([tool]).partition(" — ")[2]
