"""How many tokens a text has: by a model's own tokenizer where one is installed, else by an estimate."""

import os
import string
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from math import ceil
from pathlib import Path
from types import MappingProxyType

from docasm.errors import DocasmError, did_you_mean, failure

Count = Callable[[str], int]
"""From a text to its number of tokens."""

ENCODINGS = ("o200k_base", "cl100k_base")
ESTIMATE = "estimate"

_MODELS = (
    ("text-embedding-ada-002-", "cl100k_base"),
    ("text-embedding-3-", "cl100k_base"),
    ("chatgpt-4o", "o200k_base"),
    ("gpt-3.5", "cl100k_base"),
    ("gpt-4.1", "o200k_base"),
    ("gpt-4.5", "o200k_base"),
    ("gpt-oss", "o200k_base"),
    ("gpt-35", "cl100k_base"),
    ("gpt-4-", "cl100k_base"),
    ("gpt-4o", "o200k_base"),
    ("gpt-5", "o200k_base"),
    ("o1-", "o200k_base"),
    ("o3-", "o200k_base"),
    ("o4-", "o200k_base"),
)
"""How the names of models start, longest first, and what they use; a name ends in "-" here."""

_RANKS = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}
"""The file in which tiktoken keeps an encoding: the SHA-1 of the address that it came from."""

_KEPT_TEXTS, _KEPT_LENGTH = 2048, 4096
"""How many counts are kept, and for texts of up to how many code points: some 8 MB of English at most."""

_QUARTERS = (string.ascii_letters + " ").encode() + bytes(range(128, 256))
"""The bytes that the estimate takes for a quarter of a token; the others are half of one."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A way to count tokens, and how far to trust it."""

    name: str
    """One of ENCODINGS, ESTIMATE, or the name of a user's own function."""
    exact: bool
    """Whether a count is the tokenizer's own, and no estimate."""
    factor: float
    """What each count is multiplied by; finite, above 0, with up to six decimals."""
    function: Count = field(compare=False, repr=False)
    per_byte: float | None
    """No text counts more than its UTF-8 bytes times this, rounded up; None where no such bound is known."""

    def count(self, text: str) -> int:
        """The tokens of a text, rounded up; raises DocasmError where the tokenizer fails."""
        if not text:
            return 0
        tokens = self.function(text)
        # Without `round`, 100 * 1.1 comes to a little over 110 and would count 111.
        return tokens if self.factor == 1 else ceil(round(tokens * self.factor, 6))

    @property
    def label(self) -> str:
        """For people: "o200k_base", "estimate", "o200k_base x 1.11 (estimate)"."""
        if self.factor == 1:
            return self.name
        return f"{self.name} x {self.factor:.10g}{'' if self.name == ESTIMATE else ' (estimate)'}"


def encoding_of(model: str | None) -> str | None:
    """The encoding of an OpenAI model, with or without a provider as in "openai/gpt-4o"; else None."""
    name = (model or "").lower().rpartition("/")[2].removeprefix("openai:").removeprefix("ft:") + "-"
    return next((encoding for prefix, encoding in _MODELS if name.startswith(prefix)), None)


def measure(
    name: str | None, model: str | None, factor: float = 1.0, own: Mapping[str, Count] = MappingProxyType({})
) -> Measure:
    """What counts: the tokenizer called `name`, else that of `model`, else the estimate.

    A function in `own` goes before what docasm has of that name. Raises DocasmError for a name that is none,
    and for an encoding of which no package is installed.
    """
    chosen = (encoding_of(model) or ESTIMATE) if name is None else name
    if chosen in own:
        return Measure(chosen, factor == 1, factor, _kept(_checked(chosen, own[chosen])), None)
    if chosen == ESTIMATE:
        return Measure(ESTIMATE, False, factor, _estimate, 1.0 * factor)
    if chosen not in ENCODINGS:
        hint = did_you_mean(chosen, [*own, *ENCODINGS, ESTIMATE], kind="known tokenizers")
        raise failure("unknown-tokenizer", f"there is no tokenizer `{chosen}`", hint=hint)
    function = _exact(chosen)
    if function is None:
        hint = "install `docasm[tokens]`, or write `tokenizer: estimate`"
        raise failure("tokenizer-missing", f"no package that counts `{chosen}` is installed", hint=hint)
    return Measure(chosen, factor == 1, factor, function, 1.0 * factor)


def report_measure(
    name: str | None, model: str | None, factor: float = 1.0, own: Mapping[str, Count] = MappingProxyType({})
) -> Measure:
    """As `measure`, but with the estimate in place of an encoding of which no package is installed."""
    try:
        return measure(name, model, factor, own)
    except DocasmError as error:
        if error.problems[0].code != "tokenizer-missing":
            raise
        return measure(ESTIMATE, None, factor)


def _estimate(text: str) -> int:
    """A quarter of the UTF-8 bytes, a half of ASCII that is neither letter nor space, rounded up."""
    written = text.encode("utf-8", "surrogatepass")
    return -(-(len(written) + len(written.translate(None, _QUARTERS))) // 4)


def _kept(count: Count) -> Count:
    """The same function, which knows again the short texts that it has counted last."""
    known = lru_cache(maxsize=_KEPT_TEXTS)(count)
    return lambda text: known(text) if len(text) <= _KEPT_LENGTH else count(text)


def _checked(name: str, count: Count) -> Count:
    def checked(text: str) -> int:
        tokens = count(text)
        if type(tokens) is not int or tokens < 0:
            message = (
                f"the tokenizer `{name}` gave {tokens!r}, where a whole number of 0 or more was expected"
            )
            raise failure("bad-tokenizer", message, hint="return an `int`")
        return tokens

    return checked


@cache
def _exact(encoding: str) -> Count | None:
    """A function that counts an encoding, by the first package that can; None where none can."""
    for backend in (_toktok, _tiktoken, _splintr):
        try:
            return _kept(_repaired(backend(encoding)))
        except Exception:  # whatever keeps one package from working, the next may work
            continue
    return None


def _repaired(count: Count) -> Count:
    """A function for text that may hold lone surrogates, which count as U+FFFD."""

    def repaired(text: str) -> int:
        try:
            return count(text)
        except UnicodeEncodeError:
            return count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))

    return repaired


def _toktok(encoding: str) -> Count:
    batch_count = import_module("toktok").batch_count
    return lambda text: int(batch_count([text], encoding, threads=1)[0])


def _tiktoken(encoding: str) -> Count:
    """Raises FileNotFoundError for an encoding that tiktoken would have to download."""
    default = Path(tempfile.gettempdir(), "data-gym-cache")
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR", default))
    Path(folder, _RANKS[encoding]).stat()
    encode = import_module("tiktoken").get_encoding(encoding).encode_ordinary

    def count(text: str) -> int:
        try:
            return len(encode(text))
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # not an Exception, and no module gives it
                raise
            message = f"tiktoken cannot count a text of {len(text)} characters"
            raise failure("bad-tokenizer", message, hint="install `docasm[tokens]`") from None

    return count


def _splintr(encoding: str) -> Count:
    encode = import_module("splintr").Tokenizer.from_pretrained(encoding).encode_ordinary
    return lambda text: len(encode(text))
