"""The turns before this one, as a Markdown list that can be read back exactly.

A turn is one item of the list. A one-line turn is `- **You**: text`, an empty one `- **You**:`; any other is
the label alone, a blank line, and the text with every line that is not empty indented by two. So column 0
belongs to the items, and what a turn opens (a fence, a comment, a quote) ends with its item.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from docasm.errors import DocasmError, did_you_mean, failure

ROLES = ("user", "assistant")
"""The roles a turn can have."""
DEFAULT_LABELS: Mapping[str, str] = MappingProxyType({"assistant": "You", "user": "User"})
"""What the list calls each role where no other label is given."""

_ITEM = "- **"
_LINE = re.compile(r"[^\r\n]+")
_INDENTED = re.compile(r"  ([^\r\n]*)")


@dataclass(frozen=True, slots=True, init=False)
class Turn:
    """What one side of a conversation said, once."""

    role: str
    """One of ROLES."""
    content: str
    """The words, exactly."""
    name: str | None
    """Who said it, where that is not plain from the role."""

    def __init__(self, role: str, content: str, *, name: str | None = None) -> None:
        """Raises DocasmError for another role, and for values that are not text."""
        if role != "user" and role != "assistant":
            raise unknown_role("a turn", role)
        if not isinstance(content, str) or not (name is None or isinstance(name, str)):
            raise failure("bad-message", "the content and the name of a turn must be text")
        _set_role(self, role)
        _set_content(self, content)
        _set_name(self, name)


# A turn is made for every message of every render, and `object.__setattr__` takes a third longer.
_set_role = Turn.__dict__["role"].__set__
_set_content = Turn.__dict__["content"].__set__
_set_name = Turn.__dict__["name"].__set__


def to_markdown(turns: Iterable[Turn], labels: Mapping[str, str]) -> str:
    """A Markdown list of the turns, without a line end after the last; "" for no turns.

    `labels` says what to call each role. A label is the turn's name if it has one, as one line without `*`.
    """
    return "\n".join(to_items(turns, labels))


def to_items(turns: Iterable[Turn], labels: Mapping[str, str]) -> list[str]:
    """The items of that list, without line ends after them."""
    starts = _starts(labels.get("user", ""), labels.get("assistant", ""))
    items = []
    for turn in turns:
        text = turn.content
        if turn.name is not None or not text or "\n" in text or "\r" in text or text.strip() != text:
            items.append(_item(turn, starts))
        else:
            items.append(starts[turn.role] + text)
    return items


@lru_cache(maxsize=64)
def _starts(user: str, assistant: str) -> Mapping[str, str]:
    """How the item of a role starts, for the roles' labels."""
    labels = {"user": user, "assistant": assistant}
    return {role: f"- **{_label(labels[role], DEFAULT_LABELS[role])}**: " for role in ROLES}


def _item(turn: Turn, starts: Mapping[str, str]) -> str:
    """A turn that has a name, or is not just one line of text.

    A name comes from outside: one that is the label of the other role does not count.
    """
    labels = {role: start[len(_ITEM) : -len("**: ")] for role, start in starts.items()}
    text, label = turn.content, labels[turn.role]
    if turn.name is not None and _label(turn.name, label) not in labels.values():
        label = _label(turn.name, label)
    if text and "\n" not in text and "\r" not in text and text == text.strip():
        return f"- **{label}**: {text}"
    return f"- **{label}**:{_block(text)}"


def parse(text: str) -> tuple[tuple[str, str], ...]:
    """The label and the content of each turn that `to_markdown` wrote, exactly.

    Raises DocasmError for a text that is not such a list.
    """
    if not text:
        return ()
    if not text.startswith(_ITEM):
        raise _not_a_list(text)
    return tuple(_parse_item(item) for item in text[len(_ITEM) :].split("\n" + _ITEM))


@lru_cache(maxsize=256)
def _label(text: str, instead: str) -> str:
    """The text as one line without `*`; another label where that leaves nothing."""
    return " ".join(text.replace("*", "").split()) or instead


def _block(content: str) -> str:
    return "\n\n" + _LINE.sub(r"  \g<0>", content) if content else ""


def _parse_item(item: str) -> tuple[str, str]:
    label, separator, rest = item.partition("**:")
    if rest.startswith("\n\n"):
        content = _INDENTED.sub(r"\1", rest[2:])
        is_written_so = _block(content) == rest
    else:
        content = rest[1:]
        is_written_so = _LINE.fullmatch(item) is not None and rest[:1] in ("", " ")
    if not separator or not is_written_so:
        raise _not_a_list(item)
    return label, content


def _not_a_list(text: str) -> DocasmError:
    return failure("bad-history", f"this is no turn of a history list: {text[:80]!r}")


def unknown_role(where: str, role: object) -> DocasmError:
    """That something has a role which no turn has."""
    hint = did_you_mean(role, ROLES, kind="roles of a turn") if isinstance(role, str) else ""
    known = " or ".join(f"`{each}`" for each in ROLES)
    shown = repr(role[:40] if isinstance(role, str) else role)
    if role in ("system", "developer"):
        hint = "leave it out: docasm writes the system message"
    return failure("unknown-role", f"{where} has the role {shown}; expected {known}", hint=hint)
