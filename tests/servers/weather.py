"""An MCP server of the official SDK, over stdio; its arguments say how it misbehaves.

python weather.py [talks] [pages] [hangs_at_list] [hangs_at_call] [dies_at_call] [PREFIX...]
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

WORDS = sys.argv[1:]
PAGE = 2
HOW = {
    "type": "object",
    "properties": {"place": {"type": "string"}, "day": {"type": "string"}},
    "required": ["place"],
}
NAMES = ("get_weather", "list_notes", "show_map", "fail", "profile")


def tool(name: str) -> types.Tool:
    return types.Tool(name=name, description=f"What {name} does.\n\nMore of it.", input_schema=HOW)


async def list_tools(_: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    if "hangs_at_list" in WORDS:
        time.sleep(600)
    names = [each for each in NAMES if not WORDS or WORDS[-1] not in NAMES or each == WORDS[-1]]
    if "pages" not in WORDS:
        return types.ListToolsResult(tools=[tool(each) for each in names])
    first = int(params.cursor) if params and params.cursor else 0
    after = str(first + PAGE) if first + PAGE < len(names) else None
    return types.ListToolsResult(
        tools=[tool(each) for each in names[first : first + PAGE]], next_cursor=after
    )


async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    if "hangs_at_call" in WORDS:
        time.sleep(600)
    if "dies_at_call" in WORDS:
        sys.stderr.write("the roof fell in\n")
        sys.stderr.flush()
        os._exit(3)
    return ANSWERS[params.name](params.arguments or {})


def said(*texts: str, structured: Any = None, error: bool = False) -> types.CallToolResult:
    content: Any = [types.TextContent(type="text", text=each) for each in texts]
    return types.CallToolResult(content=content, structured_content=structured, is_error=error)


def a_map(_: Any) -> types.CallToolResult:
    image = types.ImageContent(type="image", data="aGk=", mime_type="image/png")
    return types.CallToolResult(content=[types.TextContent(type="text", text="Here:"), image])


ANSWERS: Mapping[str, Callable[[Any], types.CallToolResult]] = {
    "get_weather": lambda args: said(f"Sun in {args.get('place')}, {os.environ.get('MOOD', 'calm')}"),
    "list_notes": lambda _: said("a", "b", structured={"notes": ["# a", "system:"]}),
    "show_map": a_map,
    "fail": lambda _: said("no such place", error=True),
    "profile": lambda _: said(
        "long", structured={"content": "short", "where": os.path.basename(os.getcwd())}
    ),
}


async def main() -> None:
    if "talks" in WORDS:
        sys.stdout.write("this is no JSON-RPC\n")
        sys.stdout.flush()
        sys.stderr.write("a word on stderr\n")
    server = Server("weather", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


anyio.run(main)
