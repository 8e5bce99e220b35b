"""Tools of programs that run: which ones a bundle names, and what is asked of whoever talks to them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from docasm.errors import DocasmError, Problem
from docasm.fields import Fields
from docasm.settings import Setting
from docasm.shapes import Shape, given, keys, mapping, number, text, texts
from docasm.tools import Tool

DEFAULT_TIMEOUT = 30.0
_KEYS = keys(
    mcp=given(texts("Commands that start MCP servers, in the folder of this file.", least=1)),
    file=text("A file of tools, which come first."),
    timeout=number("How many seconds a server may take to start or to answer (30).", exclusiveMinimum=0),
)
SERVERS: Shape = mapping("Tools of MCP servers.", _KEYS, required=["mcp"])


@dataclass(frozen=True, slots=True)
class Server:
    """A program that offers tools."""

    command: str
    """As a shell would read it; no shell does."""
    folder: Path
    """Where it is run."""
    timeout: float
    """How many seconds it may take to start, and for each answer."""
    setting: Setting = field(repr=False, compare=False)


class ToolServers(Protocol):
    """Whoever talks to servers; both raise DocasmError with one problem that has no place."""

    def tools(self, server: Server) -> Sequence[Tool]:
        """The tools of a server, in its order."""

    def call(self, server: Server, tool: str, args: Mapping[str, Any]) -> Any:
        """What a tool returns."""


@dataclass(frozen=True, slots=True)
class Served:
    """What servers offer."""

    tools: tuple[Tool, ...] = ()
    answers: Mapping[str, Callable[[Mapping[str, Any]], Any]] = field(default_factory=dict)
    """What answers for each tool."""
    problems: tuple[Problem, ...] = ()


def read_servers(
    setting: Setting | None, folder: Path, problems: list[Problem]
) -> tuple[Setting | None, tuple[Server, ...]]:
    """The file of tools, or the tools, that `tools` names beside its servers; and these."""
    if setting is None or not isinstance(setting.value, dict) or "mcp" not in setting.value:
        return setting, ()
    fields = Fields(setting, problems, "`tools`")
    fields.only(_KEYS)
    fields.text("file")
    timeout = fields.number("timeout", DEFAULT_TIMEOUT, above=0)
    named = fields.texts("mcp")
    if not named and not problems:
        fields.wrong(fields.values["mcp"], "`mcp` must be a command, or a list of commands")
    return fields.get("file"), tuple(Server(each.value, folder, timeout, each) for each in named)


def served(servers: Sequence[Server], through: ToolServers | None, own: Sequence[Tool]) -> Served:
    """What servers offer beside a bundle's own tools, and what is wrong, at each server's place."""
    if not servers:
        return Served()
    if through is None:
        return Served(problems=(_nobody(servers[0]),))
    origins = {tool.name: "the bundle's own tools" for tool in own}
    tools: list[Tool] = []
    answers: dict[str, Callable[[Mapping[str, Any]], Any]] = {}
    problems: list[Problem] = []
    for server in servers:
        try:
            found = through.tools(server)
        except DocasmError as error:
            problems += _placed(server, error)
            continue
        problems += _twice(server, found, origins)
        for tool in found:
            origins[tool.name] = f"`{server.command}`"
            answers[tool.name] = partial(through.call, server, tool.name)
        tools += found
    return Served(tuple(tools), answers, tuple(problems))


def _nobody(server: Server) -> Problem:
    message = "the bundle uses tools of MCP servers, and nothing connects to them"
    hint = "`with docasm.mcp.Servers() as servers: Bundle.load(..., servers=servers)`"
    return server.setting.problem("no-servers", message, hint=hint)


def _placed(server: Server, error: DocasmError) -> Iterator[Problem]:
    for each in error.problems:
        yield server.setting.problem(each.code, each.message, hint=each.hint)


def _twice(server: Server, found: Sequence[Tool], origins: Mapping[str, str]) -> Iterator[Problem]:
    for tool in found:
        if tool.name in origins:
            message = f"`{server.command}` has a tool `{tool.name}`, and so has {origins[tool.name]}"
            hint = "a document can have one tool of a name; leave one of them out"
            yield server.setting.problem("duplicate-tool", message, hint=hint)


class NotAsked:
    """For looking at a bundle without running its programs: their tools are not known."""

    def tools(self, server: Server) -> Sequence[Tool]:  # noqa: ARG002
        return ()

    def call(self, server: Server, tool: str, args: Mapping[str, Any]) -> Any:  # noqa: ARG002
        raise DocasmError([_nobody(server)])


NOT_ASKED = NotAsked()
