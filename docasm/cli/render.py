"""`docasm render`: a document, from a scenario or from options that say the same."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from docasm.cli.streams import write_text
from docasm.cli.subject import rendered, with_request
from docasm.cli.talk import tell_about

if TYPE_CHECKING:
    from docasm.render import Render


def _messages(render: "Render") -> str:
    from docasm.cli.message_list import as_json, plain

    return as_json(plain(render.messages))


def _payload(render: "Render", repairs: Sequence[str], cache: bool) -> str:
    """The body of the render's own provider; what was done to it is told."""
    from docasm.cli.message_list import as_json
    from docasm.cli.talk import tell_problems

    made = render.payload(repair=repairs, cache=cache)
    tell_problems(made.notes)
    return as_json(made.body)


PROVIDERS = ("openai", "responses", "anthropic", "gemini", "ollama", "mistral")
"""As in `docasm.providers`, which takes its time to import."""


FORMATS: Mapping[str, Callable[["Render"], str]] = MappingProxyType(
    {
        "markdown": lambda render: render.markdown,
        "messages": _messages,
    }
)
"""What a render can be printed as, besides the request for a provider."""


@click.command("render", short_help="Print the document that a model would read.")
@click.option(
    "--format",
    "form",
    type=click.Choice([*FORMATS, *PROVIDERS]),
    default="markdown",
    help="The document (default), its messages as JSON, or the request for a provider.",
)
@click.option(
    "--repair",
    "repairs",
    multiple=True,
    metavar="NAME",
    help="Mend what the provider would refuse; may be repeated.",
)
@click.option("--cache", is_flag=True, help="Mark how far the provider can cache the prompt.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout.")
@with_request
def command(
    scenario: str | None, form: str, repairs: Sequence[str], cache: bool, output: str | None, **options: Any
) -> None:
    """Print the document that a model would read.

    SCENARIO is a YAML file with a trigger and its surroundings; --var, --layout,
    --model and --now go before what it says. Without one, give --bundle and one
    of --dm, --cron and --event.

    \b
    docasm render bot/dm.yaml
    docasm render bot/dm.yaml --format openai -o request.json
    docasm render bot/dm.yaml --model gpt-5 --layout short
    docasm render bot/dm.yaml --format anthropic --repair params --cache
    docasm render --bundle bot --dm "Good morning!" --sender ann
    docasm render --bundle bot --cron "0 8 * * *" --now now
    docasm render --bundle bot --event event.json --var name=value
    docasm render bot/dm.yaml --resolve get_weather=weather.json
    """
    if repairs and form not in PROVIDERS:
        raise click.UsageError("--repair belongs to a --format that names a provider")
    if cache and form not in PROVIDERS:
        raise click.UsageError("--cache belongs to a --format that names a provider")
    render = rendered(scenario, **options)
    if form in PROVIDERS:
        render = render.for_provider(form)
    text = FORMATS[form](render) if form in FORMATS else _payload(render, repairs, cache)
    tell_about(render)
    write_text(text, output)
