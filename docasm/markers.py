r"""Role markers: a sequence of messages as one text, and back again, exactly.

A marker is a line `system:`, `user:` or `assistant:` outside closed fences. So that nothing in a content can
look like one, `join` escapes and `split` unescapes:

- a line `ROLE:`, `ROLE\:`, `ROLE\\:` ... gets one more backslash before the colon;
- a fence line led by backslashes, and an opener that nothing in the same content closes, get one more
  backslash before the fence characters, so that an escaped content closes every fence it opens.

Lines in a closed fence are neither markers nor escaped. Escaping makes and unmakes no closed fence, so those
of the joined text are those of its contents: both functions see the same lines.

A fence is CommonMark's (0.31.2, section 4.5), except that an opener without a closer is ordinary text, that
only LF ends a line, and that a CR may follow a closer: a text with CRLF line ends holds the same messages.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docasm.errors import DocasmError, did_you_mean, failure

ROLES = ("system", "user", "assistant")
"""The roles that a marker can name."""

_BLANK = " \t\r"
"""What a blank line holds, and what may follow a marker or a closer on its line."""

_BLANK_OR_END = ("", *_BLANK, "\n")

# A pattern starts with the LF before its line because `re` finds a literal several times as fast as `^`; the
# lookahead only makes it leave most lines early. Repeats are possessive: no line is read over and over.
_REST = rf"[{_BLANK}]*+(?![^\n])"
_FENCE = r"(?P<fence>`{3,}+(?![^\n]*`)|~{3,}+)"
_LINE = re.compile(
    rf"\n(?=[sua \\`~])(?:(?P<role>{'|'.join(ROLES)})| {{0,3}}+)(?P<slashes>\\*+)(?(role):{_REST}|{_FENCE})"
)
"""A marker or a fence line, or one that backslashes keep from being one."""
_CLOSER = re.compile(rf"\n(?=[ `~]) {{0,3}}+{_FENCE}{_REST}")
"""A line that closes a fence of the same character that is no longer."""

_ESCAPED = ("\\:", "\\```", "\\~~~")
"""One of these is in every text that has something to unescape."""

_Closers = dict[str, deque[tuple[int, int]]]


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """One message of a conversation with a model."""

    role: str
    """One of ROLES."""
    content: str
    """Its text, as the model reads it."""

    def __init__(self, role: str, content: str) -> None:
        _set_role(self, role)
        _set_content(self, content)


# Every render makes messages, and `object.__setattr__` takes half as long again.
_set_role = Message.__dict__["role"].__set__
_set_content = Message.__dict__["content"].__set__


@dataclass(frozen=True, slots=True)
class Section:
    r"""A marker and what follows it; lines are 0-based indexes into `text.split("\n")`."""

    role: str | None
    """One of ROLES; None for what stands before the first marker."""
    marker: int | None
    """The marker's line; None for what stands before the first marker."""
    first: int
    """The content's first line; equal to `end` where the content has no lines."""
    end: int
    """One past the content's last line."""


def split(text: str) -> tuple[Message, ...]:
    """The messages of a text: unescaped, without blank lines at their ends, empty ones included.

    What stands before the first marker is a system message if it is not blank. No text is an error.
    """
    messages: list[Message] = []
    role, start = "", 0
    for next_role, line_start, line_end in (*_markers(text), ("", len(text), len(text))):
        content = trim(text[start:line_start])
        if role or content:
            messages.append(Message(role or "system", unescape(content)))
        role, start = next_role, line_end + 1
    return tuple(messages)


def join(messages: Iterable[Message]) -> str:
    """The text that `split` reads as these messages; of no messages, the empty text.

    Blank lines at a content's ends are written as they are, and `split` drops them. Raises DocasmError
    (`unknown-role`) for a role that is not one of ROLES.
    """
    return "\n".join(_written(message) for message in messages)


def sections(text: str) -> tuple[Section, ...]:
    """Where `split` finds its messages: what precedes the first marker (always there), then each marker's.

    Each line is either a marker or in the content of one section. Contents are as the text has them: not
    unescaped, and with the blank lines at their ends.
    """
    roles: list[str] = []
    lines: list[int] = []
    line, counted = 0, 0
    for role, start, _ in _markers(text):
        line, counted = line + text.count("\n", counted, start), start
        roles.append(role)
        lines.append(line)
    ends = [*lines, line + text.count("\n", counted) + 1]
    marked = zip(roles, lines, ends[1:], strict=True)
    return (Section(None, None, 0, ends[0]), *(Section(role, at, at + 1, end) for role, at, end in marked))


def escape(content: str) -> str:
    """One message's content as `join` writes it: with one more backslash on each line that needs it."""
    for each in _TELLTALES:
        if each in content:
            text = "\n" + content
            return _edited(text, _outside_fences(text), removed=0, added="\\")
    return content


_TELLTALES = ("```", "~~~", *(f"{role}{after}" for role in ROLES for after in (":", "\\")))
"""One of these is in every text that could have something to escape."""


def escapable(content: str) -> int:
    """The most code points that `escape` adds to a content's lines, whatever lines stand around them."""
    for each in _TELLTALES:
        if each in content:
            return sum(1 for _ in _LINE.finditer("\n" + content))
    return 0


def escapes(content: str) -> tuple[int, ...]:
    """The offsets of a content at which `escape` adds a backslash, in order."""
    if not escapable(content):
        return ()
    return tuple(line.end("slashes") - 1 for line in _outside_fences("\n" + content))


def unescape(content: str) -> str:
    """The inverse of `escape`: one backslash fewer on each line with an escaped marker or fence."""
    return _without_backslash(content, "slashes")


def unescape_markers(content: str) -> str:
    r"""The content with one backslash fewer on each line `ROLE\:` outside closed fences, and nowhere else.

    For sources: an author writes `user\:` for a line that is no marker, and has no need to escape a fence.
    """
    return _without_backslash(content, "role")


def trim(text: str) -> str:
    """The text from its first to its last line that is not blank, these two lines unchanged.

    A blank line holds only spaces, tabs and CR. A text of only blank lines gives the empty text.
    """
    if text[:1] not in _BLANK_OR_END and text[-1:] not in _BLANK_OR_END:
        return text
    kept = len(text.rstrip(_BLANK + "\n"))
    if not kept:
        return ""
    first = len(text) - len(text.lstrip(_BLANK + "\n"))
    end = text.find("\n", kept)
    return text[text.rfind("\n", 0, first) + 1 : end if end >= 0 else None]


def _written(message: Message) -> str:
    if not isinstance(message, Message) or not isinstance(message.content, str):
        raise failure("bad-message", "expected a Message whose content is text")
    if message.role not in ROLES:
        raise _unknown_role(message.role)
    return f"{message.role}:\n{escape(message.content)}\n"


def _unknown_role(role: str) -> DocasmError:
    expected = ", ".join(f"`{each}`" for each in ROLES)
    message = f"unknown role `{role}`; expected one of {expected}"
    return failure("unknown-role", message, hint=did_you_mean(role, ROLES, kind="roles"))


def _markers(text: str) -> Iterator[tuple[str, int, int]]:
    """Each marker's role, with the offsets of its line's start and of the LF (or the end) after it."""
    for found in _outside_fences("\n" + text):
        if found["role"] and not found["slashes"]:
            yield found["role"], found.start(), found.end() - 1


def _outside_fences(text: str) -> Iterator[re.Match[str]]:
    """The matches of _LINE that are no line of a closed fence, in a text that an LF was put before."""
    closers = _closers(text)
    opener = ""
    for found in _LINE.finditer(text):
        fence: str | None = found["fence"]
        if opener:
            # The prefix says: the same character, at least as often.
            if fence and fence.startswith(opener) and _CLOSER.match(text, found.start()):
                opener = ""
        elif fence and not found["slashes"] and _is_closed(fence, found.start(), closers[fence[0]]):
            opener = fence
        else:
            yield found


def _closers(text: str) -> _Closers:
    """The offset and length, in order, of each closer longer than all later ones of its character."""
    closers: _Closers = {"`": deque(), "~": deque()}
    for found in _CLOSER.finditer(text):
        fence: str = found["fence"]
        length, longest = len(fence), closers[fence[0]]
        while longest and longest[-1][1] <= length:
            longest.pop()
        longest.append((found.start(), length))
    return closers


def _is_closed(fence: str, start: int, longest: deque[tuple[int, int]]) -> bool:
    """Whether a closer follows the opener at `start`; asked in order, so that what lies behind can go."""
    while longest and longest[0][0] <= start:
        longest.popleft()
    return bool(longest) and longest[0][1] >= len(fence)


def _without_backslash(content: str, group: str) -> str:
    """The content with one backslash fewer on each line that has some and on which `group` is found."""
    if "\\" not in content or not any(escaped in content for escaped in _ESCAPED):
        return content
    text = "\n" + content
    lines = (found for found in _outside_fences(text) if found["slashes"] and found[group])
    return _edited(text, lines, removed=1, added="")


def _edited(text: str, lines: Iterable[re.Match[str]], *, removed: int, added: str) -> str:
    """The text without the LF put before it, and with the last backslashes of `lines` changed."""
    pieces: list[str] = []
    copied = 1
    for line in lines:
        end = line.end("slashes")
        pieces.append(text[copied : end - removed])
        copied = end
    return added.join([*pieces, text[copied:]])
