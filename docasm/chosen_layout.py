"""The layout of a document: the one of a name, as a profile has it for a model."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from docasm.errors import DocasmError, Problem, did_you_mean
from docasm.fields import Fields
from docasm.layout import Layout
from docasm.layout_file import merged_profiles, with_profile
from docasm.library import Library
from docasm.settings import Setting
from docasm.skill import read_variables

RENDER_NAMES = frozenset(("event", "model", "now", "provider", "sender"))
"""The variables that every render may bring."""
DEFAULT_PROFILE = "default"
"""The profile of a model that has none of its own."""


@dataclass(frozen=True, slots=True)
class Known:
    """What decides, beside the files, which variables are constants."""

    overridden: frozenset[str] = frozenset()
    """The variables that the render sets."""
    wording: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """What a profile sets, before the bundle's variables."""
    profile: Hashable = None
    """Where the wording is from."""


@dataclass(frozen=True, slots=True)
class ChosenLayout:
    """A layout as the model's profile has it."""

    layout: Layout
    provider: str | None
    """The provider, if the layout has a text for it."""
    wording: Mapping[str, Any]
    key: tuple[str, str | None, str | None]
    """Its name, the profile's and the provider's."""


def known_of(chosen: ChosenLayout, overridden: frozenset[str] = frozenset()) -> Known:
    """What a layout, as a model's profile has it, makes known to all files of its documents."""
    return Known(overridden, chosen.wording, chosen.key[:2] if chosen.wording else None)


def choose_layout(
    layouts: Library[Layout], general: Mapping[str, Setting], name: str, model: str | None, provider: str
) -> ChosenLayout:
    """The layout of a name as a profile, its own or a general one, has it for a model; raises DocasmError."""
    layout = _layout(layouts, name)
    profiles = merged_profiles(layout.profiles, general)
    pattern = matching(profiles, model)
    wording: Mapping[str, Any] = {}
    if pattern is not None:
        fields = Fields(profiles[pattern], [], "")
        other = fields.get("layout")
        layout = with_profile(_layout(layouts, other.value, other) if other else layout, profiles[pattern])
        wording = read_variables(fields)
    if layout.needs_profile:
        raise DocasmError([_no_profile(layout, model)])
    has_text = any(provider in body.by_provider for body in layout.bodies)
    shown = provider if has_text else None
    return ChosenLayout(layout, shown, wording, (name, pattern, shown))


def models_of(layouts: Library[Layout], general: Mapping[str, Setting], name: str) -> Sequence[str | None]:
    """Models of which each has another profile with a layout; None for one that has none of its own."""
    return (None, *merged_profiles(_layout(layouts, name).profiles, general))


def _layout(layouts: Library[Layout], name: str, named_by: Setting | None = None) -> Layout:
    try:
        return layouts.get(name)
    except KeyError:
        raise DocasmError([_unknown_layout(layouts.names(), name, named_by)]) from None


def _unknown_layout(known: Sequence[str], name: str, named_by: Setting | None) -> Problem:
    hint = did_you_mean(name, known, kind="layouts")
    message = f"there is no layout `{name}`"
    if named_by is None:
        return Problem("unknown-layout", message, hint=hint)
    return named_by.problem("unknown-layout", message, hint=hint)


def matching(profiles: Mapping[str, Setting], model: str | None) -> str | None:
    """The name of the profile for a model: its own, else the first pattern that fits, else `default`."""
    if model is not None:
        if model in profiles:
            return model
        for pattern in profiles:
            if "*" in pattern and fnmatchcase(model, pattern):
                return pattern
    return DEFAULT_PROFILE if DEFAULT_PROFILE in profiles else None


def _no_profile(layout: Layout, model: str | None) -> Problem:
    """That the layout is for other models only."""
    known = ", ".join(f"`{name}`" for name in layout.profiles)
    message = (
        f"no profile is for the model `{model}`" if model else "no model is named to choose a profile by"
    )
    hint = f"add a profile `{DEFAULT_PROFILE}`, or name a model of these: {known}"
    return layout.source.problem_at("no-profile", message, 0, hint=hint)
