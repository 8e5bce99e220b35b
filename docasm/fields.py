"""Typed reading of a settings mapping: what does not fit becomes a problem, not an exception."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from docasm.errors import Problem, did_you_mean
from docasm.settings import Setting


@dataclass(slots=True)
class Fields:
    """The keys of one mapping. A value of the wrong type counts as absent, and `problems` says why."""

    setting: Setting
    problems: list[Problem]
    what: str
    """What the mapping is, for messages: "the front matter"."""

    def __post_init__(self) -> None:
        if self.setting.value is not None and not isinstance(self.setting.value, dict):
            self.wrong(self.setting, f"{self.what} must be a mapping of keys to values")

    @property
    def values(self) -> dict[str, Setting]:
        return self.setting.value if isinstance(self.setting.value, dict) else {}

    def only(self, known: Iterable[str], *, severity: str = "error") -> None:
        """Reports every key that is not one of `known`."""
        known = tuple(known)
        for key in self.values:
            if key not in known:
                message = f"unknown key `{key}` in {self.what}"
                hint = did_you_mean(key, known, kind="known keys")
                problem = self.setting.key_problem("unknown-key", message, key, hint=hint, severity=severity)
                self.problems.append(problem)

    def get(self, key: str) -> Setting | None:
        """The setting of a key; None where it is absent or null."""
        setting = self.values.get(key)
        return None if setting is None or setting.value is None else setting

    def text(self, key: str, default: str = "") -> str:
        return str(self._typed(key, default, "text", lambda value: isinstance(value, str)))

    def boolean(self, key: str, default: bool) -> bool:
        return bool(self._typed(key, default, "true or false", lambda value: isinstance(value, bool)))

    def whole(self, key: str, *, least: int) -> int | None:
        """A whole number of at least `least`."""
        wanted = f"a whole number of {least} or more"
        found: int | None = self._typed(
            key, None, wanted, lambda value: type(value) is int and value >= least
        )
        return found

    def number(self, key: str, default: float, *, above: float = -1e9, most: float = 1e9) -> float:
        """A number above one and at most another."""

        def fits(value: Any) -> bool:
            return type(value) in (int, float) and above < value <= most

        return float(self._typed(key, default, f"a number above {above:g} and up to {most:g}", fits))

    def texts(self, key: str) -> tuple[Setting, ...]:
        """The texts of a list; a single text is a list of one."""
        setting = self.get(key)
        if setting is None:
            return ()
        items = setting.value if isinstance(setting.value, list) else [setting]
        for item in items:
            if not isinstance(item.value, str):
                self.wrong(item, f"`{key}` must be a list of texts")
        return tuple(item for item in items if isinstance(item.value, str))

    def mapping(self, key: str) -> "Fields":
        """The mapping below a key; empty where the key is absent."""
        setting = self.get(key) or Setting(None, self.setting.source, self.setting.line, 1)
        return Fields(setting, self.problems, f"`{key}`")

    def plain(self) -> dict[str, Any]:
        return {key: setting.plain() for key, setting in self.values.items()}

    def wrong(self, setting: Setting, message: str, *, hint: str = "") -> None:
        self.problems.append(setting.problem("wrong-type", message, hint=hint))

    def _typed(self, key: str, default: Any, wanted: str, fits: Callable[[Any], bool]) -> Any:
        setting = self.get(key)
        if setting is None:
            return default
        if not fits(setting.value):
            hint = (
                "put it in quotes" if wanted == "text" and not isinstance(setting.value, list | dict) else ""
            )
            self.wrong(setting, f"`{key}` must be {wanted}", hint=hint)
            return default
        return setting.value
