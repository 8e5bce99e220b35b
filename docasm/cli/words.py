"""Figures and cuts in words."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docasm.report import Report, SectionReport
    from docasm.tell import Cut

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a file or a value could use to take a terminal over, or to turn its text round."""
_LEADING = re.compile(r"\A(?=\s*::)")
_LINE_ENDS = re.compile(r"[\t\n\u2028\u2029]")


def harmless(text: str) -> str:
    """The text with its control characters shown and not obeyed."""
    return _CONTROL.sub("\ufffd", text)


def escaped(json: str) -> str:
    """JSON with its control characters escaped, which means the same."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", json)


def no_command(text: str) -> str:
    """The text without what the log of a GitHub workflow obeys: `::` at its start, `##[` anywhere."""
    return _LEADING.sub("./", text).replace("##[", "#\ufffd[")


def one_line(text: str) -> str:
    """The same, where a line end would be one too many."""
    return harmless(_LINE_ENDS.sub("\ufffd", text))


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 error", "2,000 errors"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def cut_in_words(cut: "Cut") -> str:
    """What a limit took away: "1,234 characters of the skill `pdf` (max_per_skill)"."""
    missing = counted(cut.missing, cut.what)
    if not cut.skill:
        return f"{missing} of the {cut.slot} ({cut.limit})"
    whole = ", which is all of it" if cut.whole else ""
    return f"{missing} of the skill `{cut.skill}`{whole} ({cut.limit})"


def section_name(section: "SectionReport") -> str:
    """A section as people call it: "history", "skills: chat"."""
    return f"{section.name}: {section.skill}" if section.skill else section.name


def tokens_in_words(tokens: int, report: "Report") -> str:
    """Tokens and who counted them: "462 tokens (estimate)", "439 tokens (exact: o200k_base)"."""
    label = report.tokenizer.removesuffix(" (estimate)")
    if not label.startswith("estimate"):
        label = f"{'exact' if report.exact else 'estimate'}: {label}"
    return f"{counted(tokens, 'token')} ({label})"
