"""Up to where an API may keep a prompt in its cache: the ends of what stays the same."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence

from docasm.providers.names import digest
from docasm.providers.request import Request
from docasm.tokens import ESTIMATE, measure

End = tuple[int, int]
"""The position of an entry, and how many code points of its content come before the end."""


def stable_end(request: Request, roles: Collection[str]) -> End | None:
    """Where that ends which is the same in every request; None if nothing is.

    Only system text in front and entries of `roles` can be marked.
    """
    end: End | None = None
    leading = len(request.leading)
    for at, entry in enumerate(request.entries):
        if entry.calls or entry.role == "tool":
            break
        can = entry.role in roles or at < leading
        if can and entry.content[: entry.stable].strip():
            end = (at, entry.stable)
        if entry.stable < len(entry.content):
            break
    return end


def system_end(request: Request) -> End | None:
    """Where the system text in front ends: the same for as long as a conversation lasts."""
    said = [at for at, entry in enumerate(request.leading) if entry.content.strip()]
    return (said[-1], len(request.leading[said[-1]].content)) if said else None


def prefix_ends(request: Request, roles: Collection[str]) -> Mapping[int, Sequence[int]]:
    """Both ends, those of one entry together and in order."""
    found: dict[int, list[int]] = {}
    for at, length in sorted({end for end in (stable_end(request, roles), system_end(request)) if end}):
        found.setdefault(at, []).append(length)
    return found


def pieces(content: str, ends: Sequence[int]) -> Iterator[tuple[str, bool]]:
    """The content cut at its ends, each piece with whether a mark belongs at its end; none is empty."""
    start = 0
    for end in ends:
        yield content[start:end], bool(content[start:end].strip())
        start = end
    if content[start:] or not ends:
        yield content[start:], False


def cache_key(request: Request) -> str:
    """A name for the requests whose tools and system text start alike; "" if they have none."""
    end = stable_end(request, ()) or system_end(request)
    if end is None and not request.tools:
        return ""
    return f"docasm-{digest(_before(request, end or (0, 0)))[:32]}"


def note_short(request: Request, roles: Collection[str]) -> None:
    """Notes what is too short for the model to cache; that does no harm, and no good."""
    least, model = request.facts.cache_min_tokens, request.params["model"]
    texts = [entry.content for entry in request.entries]
    calls = [f"{call.name}{call.arguments}" for entry in request.entries for call in entry.calls]
    whole = _tokens(_before(request, (0, 0)), *texts, *calls)
    end = stable_end(request, roles)
    if whole < least:
        told = f"the prompt has about {whole:,} tokens: `{model}` caches none of fewer than {least:,}"
        request.note(told)
    elif end and (alike := _tokens(_before(request, end))) < least:
        told = f"what every request has alike is about {alike:,} tokens: `{model}` caches from {least:,} on"
        request.note(told)


def _before(request: Request, end: End) -> str:
    """The text before an end: of the tools, and of the entries up to it."""
    at, length = end
    tools = [(tool.name, tool.description, dict(tool.parameters)) for tool in request.tools]
    contents = [entry.content for entry in request.entries[:at]]
    contents += [entry.content[:length] for entry in request.entries[at : at + 1]]
    return "\n".join([json.dumps(tools, default=str), *contents]) if tools else "\n".join(contents)


def _tokens(*texts: str) -> int:
    count = measure(ESTIMATE, None).count
    return sum(map(count, texts))
