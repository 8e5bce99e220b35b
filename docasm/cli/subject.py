"""The document that a command is about: a scenario, or options that say the same."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from docasm.cli.request import Request
from docasm.cli.resolving import Resolving, resolving_options
from docasm.cli.values import assignments, moment

if TYPE_CHECKING:
    from docasm.render import Render

_OPTIONS = (
    click.option("--bundle", metavar="DIR", help="The bundle: a folder with a docasm.yaml."),
    click.option("--dm", metavar="TEXT", help="A direct message arrived."),
    click.option("--sender", metavar="NAME", help="Who sent it (default: admin)."),
    click.option("--cron", metavar="EXPR", help='A cron job fired, as in "0 12 * * *".'),
    click.option("--created-at", type=click.IntRange(min=0), metavar="UNIX", help="When (default: --now)."),
    click.option("--event", metavar="FILE|-", help="An event arrived: a file of JSON, or stdin."),
    click.option("--history", metavar="FILE", help="The turns so far: YAML, or JSON if it is named *.json."),
    click.option(
        "--var",
        "variables",
        multiple=True,
        callback=assignments,
        metavar="NAME=VALUE",
        help="Set a variable; may be repeated.",
    ),
    click.option("--layout", metavar="NAME", help="A layout other than the bundle's choice."),
    click.option("--model", metavar="NAME", help="The model, before any that the bundle names."),
    click.option("--now", callback=moment, metavar="ISO|now", help="The time, UTC if it has no zone."),
)


def with_request(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the argument SCENARIO and the options that stand for one."""
    function = resolving_options(function)
    for option in reversed(_OPTIONS):
        function = option(function)
    return click.argument("scenario", required=False)(function)


def rendered(scenario: str | None, resolving: Resolving, **options: Any) -> "Render":
    """The document of a scenario or of options; raises a usage error or DocasmError."""
    request = Request(**options)
    request.check(scenario)
    return request.render(scenario, resolving)
