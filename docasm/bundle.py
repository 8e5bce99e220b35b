"""A bundle: the folder that an agent's owner writes, loaded."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import chain
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any, TypedDict, Unpack

from docasm.asked import asked_of, check_types
from docasm.assemble import assemble
from docasm.check import check_each, check_together
from docasm.contents import Contents
from docasm.disk import Changes, Disk, Origin, changes, read_disk
from docasm.edits import Edits, read_created, read_step
from docasm.errors import DocasmError, Problem
from docasm.render import Render
from docasm.resolve import Resolvers, run, run_async
from docasm.skill import Skill
from docasm.state import State, make_state
from docasm.tokens import Count
from docasm.tool_servers import ToolServers
from docasm.trigger import Trigger


class RenderOptions(TypedDict, total=False):
    """The keyword arguments of `Bundle.render`, `resolvers` apart."""

    history: Iterable[object]
    variables: Mapping[str, Any] | None
    tools: Iterable[object] | None
    model: str | None
    layout: str | None
    now: datetime | str | None
    provider: str | None


_OF_WRONG_TYPES = (AttributeError, KeyError, TypeError, ValueError)
"""What may come of an argument that is not of the type asked for."""


class Bundle:
    """The skills, layouts, tools and settings of an agent. Load one with `Bundle.load`."""

    __slots__ = ("_changing", "_state")

    def __init__(self, state: State) -> None:
        self._state = state  # whoever reads it reads it once; a change puts another one in its place
        self._changing = Lock()

    def __repr__(self) -> str:
        return f"Bundle(path={self.path!r})"

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        resolvers: Resolvers | None = None,
        tokenizers: Mapping[str, Count] | None = None,
        soul: str | Path | None = None,
        pipeline: str | Path | None = None,
        servers: ToolServers | None = None,
    ) -> "Bundle":
        """Reads a folder with a `docasm.yaml`.

        `resolvers` answer for the tools that variables are: a mapping of a tool's name to a function of its
        arguments (or to a result), or a function of name and arguments; they may be async. `tokenizers` are
        functions that count tokens, by the name that layouts use. `soul` and `pipeline` are files, relative
        to the working directory, whose layout all triggers use. `servers` talk to the MCP servers that the
        bundle names: a `docasm.mcp.Servers`.

        Raises DocasmError for what is wrong with the configuration or the tools. A skill or layout that
        cannot be read only fails the renders that use it; `problems` tells of it.
        """
        options = {
            "resolvers": resolvers,
            "tokenizers": tokenizers or {},
            "soul": None if soul is None else Path(soul),
            "pipeline": None if pipeline is None else Path(pipeline),
            "servers": servers,
        }
        bundle, errors = read_bundle(path, **options)
        if errors:
            raise DocasmError(errors)
        return bundle

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self._state.disk.origin.shown)

    @property
    def skills(self) -> Mapping[str, Skill]:
        """Every skill that could be read, by name; a later change does not show in it."""
        return MappingProxyType(self.contents.compiler.skills.found)

    @property
    def contents(self) -> Contents:
        """What the pipeline needs, as it is now."""
        return self._state.contents

    @property
    def disk(self) -> Disk:
        """What the files held when they were read last."""
        return self._state.disk

    @property
    def files(self) -> frozenset[str]:
        """Every file that reading came upon, as problems call it."""
        return frozenset(label for _, _, label in self._state.disk.files)

    @property
    def noticed(self) -> tuple[Problem, ...]:
        """What reading found wrong with single skills and layouts."""
        return self._state.noticed

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the bundle, found by compiling all of it."""
        state = self._state
        alone = check_each(state.contents)
        compiled = chain(alone, check_together(state.contents))
        return tuple(dict.fromkeys([*state.noticed, *chain.from_iterable(compiled)]))

    def render(
        self,
        trigger: Trigger,
        *,
        history: Iterable[object] = (),
        variables: Mapping[str, Any] | None = None,
        tools: Iterable[object] | None = None,
        model: str | None = None,
        layout: str | None = None,
        now: datetime | str | None = None,
        provider: str | None = None,
        resolvers: Resolvers | None = None,
    ) -> Render:
        """The document for a trigger; raises DocasmError with everything that is wrong.

        `history` holds Turns or the messages of an SDK, oldest first; `tools` stand in for the bundle's;
        `variables` go before those of the bundle and are not trusted, as all that a render brings;
        `provider` is whom the payload is for; `resolvers` go before those that the bundle was loaded with.
        """
        contents = self._state.contents
        given = (resolvers, contents.resolvers, contents.answers)
        asked = asked_of(given, trigger, history, variables, tools, model, layout, now, provider)
        try:
            return run(assemble(contents, asked), asked.resolvers, asked.found)
        except _OF_WRONG_TYPES:  # asked only now: a good call pays nothing for it
            check_types(asked)
            raise

    async def arender(
        self, trigger: Trigger, *, resolvers: Resolvers | None = None, **options: Unpack[RenderOptions]
    ) -> Render:
        """As `render`, with resolvers that may be async; they are awaited together."""
        contents = self._state.contents
        asked = asked_of((resolvers, contents.resolvers, contents.answers), trigger, **options)
        try:
            return await run_async(assemble(contents, asked), asked.resolvers, asked.found)
        except _OF_WRONG_TYPES:
            check_types(asked)
            raise

    def refresh(self) -> Changes:
        """Reads the files again, and compiles again only what depends on what changed.

        What was changed in memory stays. Raises DocasmError, and changes nothing, if `load` would raise it.
        """
        with self._changing:
            before = self._state
            disk = read_disk(before.disk.origin, before.disk.files)
            if disk.is_as(before.disk):
                return Changes()
            after = self._state = _sound(*make_state(disk, before.edits, before))
        return changes(before.disk.files, disk.files, _new(before.noticed, after.noticed))

    def create(self, name: str, text: str) -> None:
        """Makes a skill of the text of a `NAME.md`, in place of one of this name; nothing is written.

        It is adopted if the bundle adopts all its skills. Raises DocasmError, and changes nothing, if the
        skill has errors.
        """
        created = read_created(name, text)

        def edited(state: State) -> Edits:
            return state.edits.creating(created, adopted=state.disk.config.adopted is None)

        self._change(edited, check=name)

    def adopt(self, name: str, triggers: object = None, params: Mapping[str, Any] | None = None) -> None:
        """Adopts a skill after all others, or in its place if it is adopted.

        `triggers`, as `docasm.yaml` has them, go before the skill's own, and so do `params`. Raises
        DocasmError, and changes nothing, for what is wrong with them and if there is no such skill.
        """
        step = read_step(name, triggers, params)

        def edited(state: State) -> Edits:
            if not state.knows(name):
                raise state.unknown(name, "adopt")
            return state.edits.adopting(step)

        self._change(edited)

    def remove(self, name: str) -> None:
        """Adopts a skill no longer; others may include it still, unless `create` made it: then it is gone.

        Raises DocasmError if there is no such skill.
        """

        def edited(state: State) -> Edits:
            if not state.knows(name) and all(each.skill != name for each in state.edits.steps):
                raise state.unknown(name, "remove")
            return state.edits.removing(name, lasting=state.is_in_files(name))

        self._change(edited)

    def _change(self, edited: Callable[[State], Edits], *, check: str | None = None) -> None:
        """Changes what is in memory; checks a skill before anybody sees it."""
        with self._changing:
            before = self._state
            after = _sound(*make_state(before.disk, edited(before), before))
            if check is not None:
                after.check(check)
            self._state = after


def read_bundle(path: str | Path, **options: Any) -> tuple[Bundle, tuple[Problem, ...]]:
    """The bundle of a folder as far as it can be read, and what is wrong with its configuration and tools.

    Raises DocasmError where there is no `docasm.yaml`, or none that can be read.
    """
    state, errors = make_state(read_disk(Origin.of(path, **options), {}), Edits())
    return Bundle(state), errors


def _sound(state: State, errors: tuple[Problem, ...]) -> State:
    if errors:
        raise DocasmError(errors)
    return state


def _new(before: Iterable[Problem], after: Iterable[Problem]) -> tuple[Problem, ...]:
    known = frozenset(before)
    return tuple(dict.fromkeys(each for each in after if each not in known))
