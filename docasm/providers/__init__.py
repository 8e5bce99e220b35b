"""Requests for the APIs of providers, as the keyword arguments of their SDKs."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from docasm.errors import did_you_mean, failure
from docasm.markers import Message
from docasm.providers import openai
from docasm.tools import Tool

Provider = Callable[[Sequence[Message], Sequence[Tool], Mapping[str, Any]], dict[str, Any]]
"""Messages, tools and params in; a request out that shares nothing with them. Raises DocasmError for what the
API would refuse."""

PROVIDERS: Mapping[str, Provider] = MappingProxyType({"openai": openai.payload})


def payload(
    provider: str, messages: Sequence[Message], tools: Sequence[Tool], params: Mapping[str, Any]
) -> dict[str, Any]:
    """The request for a provider, ready to be sent and the caller's to edit; raises DocasmError."""
    if provider not in PROVIDERS:
        hint = did_you_mean(provider, PROVIDERS, kind="providers")
        raise failure("unknown-provider", f"there is no provider `{provider}`", hint=hint)
    return PROVIDERS[provider](messages, tools, params)
