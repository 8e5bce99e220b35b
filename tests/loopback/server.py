"""A server on this machine that answers as the providers' APIs do, and refuses what they refuse."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import MappingProxyType

from pydantic import ValidationError

from tests.loopback import anthropic, chat, gemini, mistral, ollama, responses
from tests.loopback.api import Api, Asked, Body, NotAllowedError, NotFoundError, RefusedError, Reply
from tests.loopback.replies import sampled

APIS: Mapping[str, Api] = MappingProxyType(
    {
        "openai": chat.API,
        "responses": responses.API,
        "anthropic": anthropic.API,
        "gemini": gemini.API,
        "ollama": ollama.API,
        "mistral": mistral.API,
    }
)
"""By what docasm calls them."""


@dataclass(slots=True)
class Loopback:
    """A server that runs; each provider's API stands below a folder of its name."""

    root: str
    """Its address."""
    bodies: list[Body] = field(default_factory=list)
    """What it was sent, oldest first."""

    def url(self, provider: str) -> str:
        """Where a provider's API is, as its client wants it without a version."""
        return f"{self.root}/{provider}"

    @property
    def environment(self) -> dict[str, str]:
        """What makes clients of openai and anthropic ask this server."""
        return {
            "OPENAI_BASE_URL": f"{self.url('openai')}/v1",
            "OPENAI_API_KEY": "no secret",
            "ANTHROPIC_BASE_URL": self.url("anthropic"),
            "ANTHROPIC_API_KEY": "no secret",
        }


@contextmanager
def serving(say: Callable[[Asked], Reply] = sampled) -> Iterator[Loopback]:
    """A server, for as long as it is needed."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            status, made = _answered(self, say, loopback.bodies)
            content = json.dumps(made).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Connection", "close")  # so that no client leaves one open
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing: what went wrong is in the answer."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    loopback = Loopback(f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield loopback
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answered(
    request: BaseHTTPRequestHandler, say: Callable[[Asked], Reply], bodies: list[Body]
) -> tuple[int, Body]:
    """The status and the body of the answer."""
    content = request.rfile.read(int(request.headers.get("Content-Length", 0)))
    provider, _, path = request.path.removeprefix("/").partition("?")[0].partition("/")
    api = APIS.get(provider)
    if api is None:
        return 404, {"error": f"there is no API {provider!r}"}
    try:
        body = _read(api, f"/{path}", {key.lower() for key in request.headers}, content)
        bodies.append(body)
        api.check(body)
        return 200, api.answer(body, say(api.asked(body)))
    except RefusedError as error:
        return error.status, api.error(error.status, str(error))
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError) as error:
        return 400, api.error(400, f"{type(error).__name__}: {error}")


def _read(api: Api, path: str, headers: set[str], content: bytes) -> Body:
    if not api.path.fullmatch(path):
        raise NotFoundError(f"there is no {path}")
    if missing := {*api.headers} - headers:
        raise NotAllowedError(f"missing headers: {sorted(missing)}")
    body = json.loads(content)
    if not isinstance(body, dict):
        raise RefusedError("the body must be an object")
    return body
