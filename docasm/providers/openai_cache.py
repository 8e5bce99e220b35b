"""The breakpoints of OpenAI's prompt cache, and its key, in Chat Completions and in Responses alike.

The API sets one breakpoint by itself, at the end of the newest message, and takes up to three explicit ones.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from docasm.providers.cache import cache_key, note_short, pieces, prefix_ends
from docasm.providers.request import Request


def breakpoints(request: Request, roles: Collection[str]) -> Mapping[int, Sequence[int]]:
    """By position of an entry, the ends in it that get a breakpoint: none if the model takes none."""
    if not request.cache:
        return {}
    note_short(request, roles)
    if request.facts.cache_breakpoints:
        return prefix_ends(request, roles)
    request.note(f"no place of the prompt is marked: `{request.params['model']}` caches by itself, if at all")
    return {}


def in_parts(content: str, ends: Sequence[int], kind: str) -> list[dict[str, Any]]:
    """A message's text as parts of a kind, with breakpoints at the ends."""
    mark = {"prompt_cache_breakpoint": {"mode": "explicit"}}
    return [
        {"type": kind, "text": piece, **(mark if has_mark else {})}
        for piece, has_mark in pieces(content, ends)
    ]


def with_key(made: dict[str, Any], request: Request) -> dict[str, Any]:
    """The request with a key of its own for all that start alike, where the API has one and none is given."""
    if request.cache and request.facts.cache_key and (key := cache_key(request)):
        made.setdefault("prompt_cache_key", key)
    return made
