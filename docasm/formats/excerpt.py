"""A text in a YAML or JSON file as a Source of its own, which knows where in the file it stands."""

from docasm.settings import Setting
from docasm.source import Source


def excerpt(setting: Setting) -> Source:
    """The text of a setting. Where the file does not have it line by line, all of it is one line's."""
    text = str(setting.value)
    return _line(text, setting) or _block(text, setting) or beside(setting, text)


def beside(setting: Setting, text: str) -> Source:
    """A text that the file does not have, as if it stood where the setting does."""
    return Source(setting.source.path, text, setting.line, setting.column - 1, setting.source, one_line=True)


def _block(text: str, setting: Setting) -> Source | None:
    """Lines below the setting, all indented alike: a literal block of YAML."""
    if _file_line(setting.source, setting.line)[setting.column - 1 :][:1] not in ("|", "&", "!"):
        return None
    lines = text.rstrip("\n").split("\n")
    first = setting.line + 1
    found = [_file_line(setting.source, first + number) for number in range(len(lines))]
    full = next((number for number, line in enumerate(lines) if line.strip()), None)
    if full is None or not found[full].endswith(lines[full]):
        return None
    indent = len(found[full]) - len(lines[full])
    if found[full][:indent].strip() or any(
        there[indent:] != line for there, line in zip(found, lines, strict=True)
    ):
        return None
    return Source(setting.source.path, text, first, indent, setting.source)


def _line(text: str, setting: Setting) -> Source | None:
    """One line, as the file has it."""
    at = _file_line(setting.source, setting.line).find(text, setting.column - 1)
    if at < 0 or "\n" in text:
        return None
    return Source(setting.source.path, text, setting.line, at, setting.source)


def _file_line(source: Source, line: int) -> str:
    """A line of the file; empty past its end."""
    number = line - source.first_line
    return source.text[source.lines.start(number) : max(0, source.lines.start(number + 1) - 1)]
