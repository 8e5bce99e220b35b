"""What the options of `docasm render` ask for, and what they leave out or contradict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING

import click

from docasm.cli.resolving import Resolving
from docasm.cli.streams import STANDARD_STREAM, read_source

if TYPE_CHECKING:
    from docasm.render import Render
    from docasm.trigger import Trigger

TRIGGERS = ("dm", "cron", "event")
BESIDE_SCENARIO = ("--var", "--layout", "--model", "--now")
"""What goes before what a scenario says."""


@dataclass(frozen=True, slots=True)
class Request:
    """The options that stand for a scenario; None, or no variables, for those not given."""

    bundle: str | None
    dm: str | None
    sender: str | None
    cron: str | None
    created_at: int | None
    event: str | None
    history: str | None
    variables: Mapping[str, str]
    layout: str | None
    model: str | None
    now: datetime | None

    def given(self) -> tuple[str, ...]:
        """The options given, as they are written."""
        names = {field.name: getattr(self, field.name) for field in fields(self)}
        return tuple(_option(name) for name, value in names.items() if value not in (None, {}))

    def check(self, scenario: str | None) -> None:
        """Raises a usage error where the options make no sense beside a scenario, or without one."""
        given = self.given()
        if scenario is not None:
            other = [each for each in given if each not in BESIDE_SCENARIO]
            if other:
                verb = "belongs" if len(other) == 1 else "belong"
                raise click.UsageError(f"{_listed(other)} {verb} to --bundle; a SCENARIO brings its own")
            return
        triggers = [each for each in given if each[2:] in TRIGGERS]
        if not given:
            raise click.UsageError("give a SCENARIO, or --bundle with one of --dm, --cron and --event")
        if self.bundle is None:
            raise click.UsageError(f"give --bundle DIR too, with {_listed(given)}")
        if len(triggers) != 1:
            found = f"; {_listed(triggers)} were given" if triggers else ""
            raise click.UsageError(f"--bundle needs one of --dm, --cron and --event{found}")
        self._check_company()

    def _check_company(self) -> None:
        """Raises a usage error for an option without the one that it belongs to."""
        if self.sender is not None and self.dm is None:
            raise click.UsageError("--sender belongs to --dm")
        if self.created_at is not None and self.cron is None:
            raise click.UsageError("--created-at belongs to --cron")
        if self.cron is not None and self.created_at is None and self.now is None:
            raise click.UsageError("--cron needs --created-at UNIX or --now, for when it fired")
        if self.event == self.history == STANDARD_STREAM:
            raise click.UsageError("--event and --history cannot both read stdin")

    def render(self, scenario: str | None, resolving: Resolving) -> "Render":
        """The document of a scenario, or of what stands for one; raises DocasmError."""
        if scenario is None:
            return self._render(resolving)
        found = resolving.scenario(scenario)
        return found.render(variables=self.variables, layout=self.layout, model=self.model, now=self.now)

    def _render(self, resolving: Resolving) -> "Render":
        from docasm.cli.history_file import read_history_file

        assert self.bundle is not None
        return resolving.bundle(self.bundle).render(
            self._trigger(),
            history=() if self.history is None else read_history_file(self.history),
            variables=self.variables,
            layout=self.layout,
            model=self.model,
            now=self.now,
            provider=resolving.provider,
            resolvers=resolving.results(),
        )

    def _trigger(self) -> "Trigger":
        from docasm.json_text import parse_json
        from docasm.trigger import Trigger

        if self.dm is not None:
            return Trigger.dm(self.dm, sender="admin" if self.sender is None else self.sender)
        if self.cron is not None:
            return Trigger.cron(self.cron, created_at=self._fired_at())
        assert self.event is not None
        return Trigger.event(parse_json(read_source(self.event)))

    def _fired_at(self) -> int:
        if self.created_at is not None:
            return self.created_at
        assert self.now is not None
        return int(self.now.timestamp())


def _option(name: str) -> str:
    return "--var" if name == "variables" else f"--{name.replace('_', '-')}"


def _listed(options: Sequence[str]) -> str:
    *first, last = options
    return f"{', '.join(first)} and {last}" if first else last
