"""Where problems stand, for programs that look at a whole checkout and not from where the user does."""

import os
import re
from pathlib import Path, PurePath

_SURROGATE = re.compile("[\ud800-\udfff]")


def text(value: str) -> str:
    """A text that every program can read: half of a surrogate pair, which is none, becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", value)


def within(path: str) -> tuple[str, bool]:
    """A path with `/` between its steps, and whether it is below the current folder.

    It is relative to that folder if it is below, else absolute; links are not followed.
    """
    whole = os.path.abspath(path.replace("\0", "\ufffd"))
    try:
        return Path(whole).relative_to(Path.cwd()).as_posix(), True
    except (OSError, ValueError):  # OSError: the current folder is gone
        return PurePath(whole).as_posix(), False
