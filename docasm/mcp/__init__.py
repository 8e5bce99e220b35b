"""Tools of live MCP servers, for bundles that name some."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from docasm.errors import DocasmError, failure
from docasm.tool_servers import Server
from docasm.tools import Tool

if TYPE_CHECKING:
    from docasm.mcp.connection import Connection

__all__ = ["Servers"]

Result = TypeVar("Result")


class Servers:
    """The MCP servers of bundles, each started when it is first wanted and ended with the `with`.

    with Servers() as servers:
        bundle = docasm.Bundle.load("bot", servers=servers)
        bundle.render(trigger)

    Needs the extra `docasm[mcp]`. Several threads may use it; one request is made at a time.
    """

    def __init__(self) -> None:
        self._running: dict[Server, tuple[ExitStack, Connection]] = {}
        self._listed: dict[Server, tuple[Tool, ...]] = {}
        self._lock = RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends all servers, each even if the end of another is interrupted.

        One that does not end by itself within seconds is killed with its process group.
        """
        with self._lock, ExitStack() as closing:
            self._listed.clear()
            for ends, _ in self._running.values():
                closing.push(ends)
            self._running.clear()

    def tools(self, server: Server) -> Sequence[Tool]:
        """The tools of a server, in its order, asked for once; raises DocasmError."""
        with self._lock:
            found = self._listed.get(server)
            if found is None:
                found = self._listed[server] = self._asked(server, lambda opened: opened.tools())
            return found

    def call(self, server: Server, tool: str, args: Mapping[str, Any]) -> Any:
        """What a tool returns; raises DocasmError where there is no result, or one that is an error."""
        with self._lock:
            return self._asked(server, lambda opened: opened.call(tool, args))

    def _asked(self, server: Server, ask: "Callable[[Connection], Result]") -> Result:
        """What a server answers; one that fails is ended, and started anew when it is wanted next."""
        connection = self._connection(server)
        try:
            return ask(connection)
        except DocasmError as error:
            if error.problems[0].code == "server-failed":
                self._end(server)
            raise

    def _connection(self, server: Server) -> "Connection":
        from docasm.mcp.connection import connected

        if server not in self._running:
            closing = ExitStack()
            opened = closing.enter_context(connected(_words(server.command), server))
            self._running[server] = (closing, opened)
        return self._running[server][1]

    def _end(self, server: Server) -> None:
        closing, _ = self._running.pop(server)
        closing.close()


def _words(command: str) -> Sequence[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise failure("server-failed", f"cannot read the command `{command}`: {error}") from None
    if not words:
        raise failure("server-failed", "the command of a server is empty")
    return words
