"""One MCP server: a program that is spoken to over its standard streams (MCP 2025-11-25, stdio)."""

import logging
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any, TextIO, TypeVar, cast

from docasm.errors import failure
from docasm.mcp.results import value_of
from docasm.tool_servers import Server
from docasm.tools import Tool, read_tools

try:
    from anyio import fail_after
    from anyio.from_thread import BlockingPortal, start_blocking_portal
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.types import PaginatedRequestParams
except ImportError:
    raise failure(
        "mcp-missing", "tools of MCP servers need the package `mcp`", hint="install `docasm[mcp]`"
    ) from None

Result = TypeVar("Result")

MOST_PAGES = 1000
"""Of how many pages the list of a server's tools may be."""
_SHOWN = 300
"""How much of what a server says a message shows, in code points."""
logging.getLogger("mcp").addHandler(logging.NullHandler())  # what it logs is told as a problem


@dataclass(frozen=True, slots=True)
class Connection:
    """A server that runs."""

    name: str
    timeout: float
    """For each answer, in seconds."""
    session: ClientSession
    portal: BlockingPortal
    """To the thread in which the session lives."""
    talk: TextIO
    """What the server says on stderr."""

    def tools(self) -> tuple[Tool, ...]:
        """Its tools, of all pages; raises DocasmError."""
        return read_tools(self._answer(lambda: self.portal.call(_listed, self.session, self.timeout)))

    def call(self, tool: str, args: Mapping[str, Any]) -> Any:
        """What one of its tools returns; raises DocasmError."""
        return value_of(self._answer(lambda: self.portal.call(_called, self, tool, args)))

    def _answer(self, ask: Callable[[], Result]) -> Result:
        with _explained(self.name, self.timeout, self.talk):
            return ask()


@contextmanager
def connected(words: Sequence[str], server: Server) -> Iterator[Connection]:
    """A server that runs, and ends with the block; raises DocasmError if it does not answer."""
    name, timeout = words[0], server.timeout
    params = StdioServerParameters(command=name, args=list(words[1:]), env={**os.environ}, cwd=server.folder)
    with TemporaryFile("a+", encoding="utf-8", errors="replace") as file, start_blocking_portal() as portal:
        talk = cast(TextIO, file)
        with _explained(name, timeout, talk):
            opened = portal.wrap_async_context_manager(_session(params, talk, timeout))
            session = opened.__enter__()
        try:
            yield Connection(name, timeout, session, portal, talk)
        finally:
            _close(opened)


def _close(opened: Any) -> None:
    try:
        opened.__exit__(None, None, None)
    except Exception:  # how a server ends that nobody needs any more
        return


@asynccontextmanager
async def _session(
    params: StdioServerParameters, talk: TextIO, timeout: float
) -> AsyncIterator[ClientSession]:
    async with stdio_client(params, talk) as streams, ClientSession(*streams) as made:
        with fail_after(timeout):
            await made.initialize()
        yield made


async def _listed(session: ClientSession, timeout: float) -> list[Any]:
    tools: list[Any] = []
    cursor: str | None = None
    with fail_after(timeout):
        for _ in range(MOST_PAGES):
            page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                return tools
    raise ValueError(f"the list of its tools has more than {MOST_PAGES:,} pages")


async def _called(connection: Connection, tool: str, args: Mapping[str, Any]) -> Any:
    with fail_after(connection.timeout):
        return await connection.session.call_tool(tool, dict(args))


@contextmanager
def _explained(name: str, timeout: float, talk: TextIO) -> Iterator[None]:
    """Turns whatever a program does to the protocol into a problem for a person."""
    try:
        yield
    except Exception as error:
        message = f"the MCP server `{name}` {_reason(error, timeout)}{_last_line(talk)}"
        raise failure("server-failed", message) from None


def _reason(error: BaseException, timeout: float) -> str:
    """Why there is no answer, as the end of a sentence about the server."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return f"took more than {timeout:g} s"
    if isinstance(error, OSError):
        return f"cannot be started: {error.strerror or type(error).__name__}"
    return f"failed: {_brief(str(error)) or type(error).__name__}"


def _last_line(talk: TextIO) -> str:
    """What a server said last on stderr, for the end of a message."""
    end = talk.seek(0, os.SEEK_END)
    talk.seek(max(0, end - 4 * _SHOWN))
    lines = [line.strip() for line in talk.read().split("\n") if line.strip()]
    return f": {_brief(lines[-1])}" if lines else ""


def _brief(text: str) -> str:
    line = " ".join(text[: 2 * _SHOWN].split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."
