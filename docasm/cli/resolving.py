"""The options that say what tools return and whom a document is for; other commands take them as they are."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from docasm.cli.streams import read_source

if TYPE_CHECKING:
    from docasm.bundle import Bundle
    from docasm.mcp import Servers
    from docasm.resolve import Resolvers
    from docasm.scenario import Scenario

DEFAULT_TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class Resolving:
    """What the options say."""

    files: Mapping[str, str]
    """By the name of a tool, the file that holds its result."""
    command: Sequence[str]
    """What answers for other tools; may be empty."""
    timeout: float
    provider: str | None

    def bundle(self, path: str) -> "Bundle":
        """The bundle of a folder, its tools answered for by the command; raises DocasmError."""
        from docasm.bundle import Bundle

        return Bundle.load(path, resolvers=self._answering, servers=_servers())

    def scenario(self, path: str) -> "Scenario":
        """The scenario of a file; --resolve goes before its `results`, and they before --resolve-with."""
        from docasm.scenario import load_scenario

        scenario = load_scenario(path, resolvers=self._answering, servers=_servers())
        results = {**scenario.results, **self.results()}
        return replace(scenario, results=results, provider=self.provider or scenario.provider)

    def results(self) -> Mapping[str, Any]:
        """The results that files hold, by the name of the tool; raises DocasmError."""
        from docasm.json_text import parse_json

        return {tool: parse_json(read_source(file)) for tool, file in self.files.items()}

    @property
    def _answering(self) -> "Resolvers | None":
        from docasm.cli.tool_command import ToolCommand

        return ToolCommand(self.command, self.timeout) if self.command else None


def _servers() -> "Servers":
    """Who talks to MCP servers; they end with the command."""
    from docasm.mcp import Servers

    return click.get_current_context().with_resource(Servers())


def _files(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    """Each `NAME=FILE` once."""
    found: dict[str, str] = {}
    for value in values:
        name, _, file = value.partition("=")
        if not (name and file):
            message = f"`{value}` does not name a tool and a file; write NAME=FILE"
            raise click.BadParameter(message, ctx, param)
        if name in found:
            raise click.BadParameter(f"`{name}` is given twice", ctx, param)
        found[name] = file
    return found


def _words(ctx: click.Context, param: click.Parameter, value: str | None) -> Sequence[str]:
    """A command's words, as a shell would read them."""
    if value is None:
        return ()
    try:
        words = shlex.split(value)
    except ValueError as error:
        raise click.BadParameter(f"cannot read `{value}`: {error}", ctx, param) from None
    if not words:
        raise click.BadParameter("the command is empty", ctx, param)
    return words


_OPTIONS = (
    click.option(
        "--resolve",
        "files",
        multiple=True,
        callback=_files,
        metavar="NAME=FILE",
        help="A tool's result, in a file of JSON; may be repeated.",
    ),
    click.option(
        "--resolve-with",
        "command",
        callback=_words,
        metavar="COMMAND",
        help="Answers for other tools: JSON in, JSON out.",
    ),
    click.option(
        "--resolve-timeout",
        "timeout",
        type=click.FloatRange(min=0, max=86_400, min_open=True),
        metavar="SECONDS",
        help="How long COMMAND may take for one tool (default: 30).",
    ),
    click.option("--provider", metavar="NAME", help="Whom the document is for (default: openai)."),
)


def resolving_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the options, which it gets as `resolving`."""

    @wraps(function)
    def with_options(
        *args: Any,
        files: Mapping[str, str],
        command: Sequence[str],
        timeout: float | None,
        provider: str | None,
        **options: Any,
    ) -> Any:
        if timeout is not None and not command:
            raise click.UsageError("--resolve-timeout belongs to --resolve-with")
        resolving = Resolving(files, command, DEFAULT_TIMEOUT if timeout is None else timeout, provider)
        return function(*args, resolving=resolving, **options)

    decorated: Callable[..., Any] = with_options
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
