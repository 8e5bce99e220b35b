"""Requests for the APIs of providers, as the keyword arguments of their SDKs."""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from types import MappingProxyType
from typing import Any

from docasm.dialogue import Entry, entries_of
from docasm.errors import did_you_mean, failure
from docasm.markers import Message
from docasm.params import check_params
from docasm.providers import anthropic, gemini, mistral, ollama, openai, responses
from docasm.providers.check import check
from docasm.providers.facts import NO_MODELS, Models, facts_of
from docasm.providers.how_much import note_long
from docasm.providers.names import renamed, with_ids
from docasm.providers.repair import BEFORE_PLACING, repaired, wanted
from docasm.providers.request import Payload as Payload
from docasm.providers.request import Request, Rules, numbered, translated
from docasm.providers.system_text import placed
from docasm.tools import Tool

PROVIDERS: Mapping[str, Rules] = MappingProxyType(
    {
        "openai": openai.RULES,
        "responses": responses.RULES,
        "anthropic": anthropic.RULES,
        "gemini": gemini.RULES,
        "ollama": ollama.RULES,
        "mistral": mistral.RULES,
    }
)


def payload(
    provider: str,
    messages: Sequence[Message | Entry],
    tools: Sequence[Tool],
    params: Mapping[str, Any],
    *,
    repair: Iterable[str] = (),
    models: Models = NO_MODELS,
    cache: bool = False,
    stable: Sequence[int] = (),
) -> Payload:
    """The request for a provider, ready to be sent and the caller's to edit.

    What the API would refuse raises DocasmError, with the index of the message and the id of the call;
    `repair` names what may be mended instead (REPAIRS). `models` go before what docasm knows of models.
    With `cache` the request says how far its prompt can be cached, where the API lets it; `stable` is how
    many code points at the start of each message's content are the same in every request.
    """
    if provider not in PROVIDERS:
        hint = did_you_mean(provider, PROVIDERS, kind="providers")
        raise failure("unknown-provider", f"there is no provider `{provider}`", hint=hint)
    model = params.get("model")
    if not isinstance(model, str) or not model:
        hint = "set `params.model` in docasm.yaml or pass --model"
        raise failure("model-missing", f"a request for `{provider}` needs a model", hint=hint)
    check_params(params)
    names, rules = wanted(repair), PROVIDERS[provider]
    entries = [each if isinstance(each, Entry) else entries_of((each,))[0] for each in messages]
    given = {key: deepcopy(value) for key, value in params.items() if value is not None}
    facts = facts_of(provider, model, models)
    request = Request(numbered(entries, stable), tuple(tools), given, facts, cache=cache)
    request = repaired(request, names.intersection(BEFORE_PLACING), rules)
    request = repaired(placed(request, rules), names.difference(BEFORE_PLACING), rules)
    check(request, rules)
    note_long(request)
    if cache and not rules.caches:
        request.note(f"`cache` changes nothing: the API of `{provider}` caches by itself, if at all")
    return _written(request, rules)


def _written(request: Request, rules: Rules) -> Payload:
    calls = [call for entry in request.entries for call in entry.calls]
    names = renamed([*(tool.name for tool in request.tools), *(call.name for call in calls)], rules)
    ids = with_ids([call.id for call in calls], rules)
    for old, new in names.items():
        if old != new:
            request.note(f"the tool `{old}` is called `{new}`")
    for old, new in ids.items():
        if old != new:
            request.note(f"the call `{old}` has the id `{new}`")
    made = Payload(rules.write(translated(request, names, ids)))
    made.model = request.params["model"]
    made.notes = tuple(request.notes)
    made.tool_names = {new: old for old, new in names.items()}
    made.call_ids = {new: request.given_ids.get(old, old) for old, new in ids.items()}
    return made
