"""Reading options that are more than text; what cannot be read is a usage error."""

from collections.abc import Sequence
from datetime import UTC, datetime

import click


def moment(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    """A time in ISO 8601, UTC where it has no zone; or `now`, the one thing that reads the clock."""
    if value is None:
        return None
    if value == "now":
        return datetime.now(UTC).replace(microsecond=0)
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        message = f"`{value}` is no time; write 2026-11-30T12:00:00Z, or `now`"
        raise click.BadParameter(message, ctx, param) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def assignments(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    """Each `NAME=VALUE` once, where NAME is one that a template can use."""
    found: dict[str, str] = {}
    for value in values:
        name, equals, text = value.partition("=")
        wrong = _wrong_name(name) if equals else f"`{value}` has no `=`; write NAME=VALUE"
        if wrong or name in found:
            raise click.BadParameter(wrong or f"`{name}` is given twice", ctx, param)
        found[name] = text
    return found


def _wrong_name(name: str) -> str:
    from docasm.skill import VARIABLE

    if VARIABLE.fullmatch(name):
        return ""
    return f"`{name}` is no name for a variable: a letter, then letters, digits and underscores"
