"""Tables for a terminal, or for a pipe; rich is loaded where one is made."""

import io
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from docasm.cli.words import harmless

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

SHARE = "share"
"""The column of bars."""
BAR = 10
"""How many characters a bar is wide."""


def console() -> "Console":
    """Where tables are written: no markup, no guesses at what is a number."""
    from rich.console import Console

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # no letter that a locale lacks keeps a table away
    return Console(markup=False, highlight=False, emoji=False, soft_wrap=False)


def table(columns: Sequence[str], *, numbers: Sequence[str] = ()) -> "Table":
    """An empty table; `numbers` are the columns that stand to the right."""
    from rich.table import Table

    made = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in columns:
        is_number = name in numbers
        justify: Literal["left", "right"] = "right" if is_number else "left"
        made.add_column(name, justify=justify, no_wrap=is_number or name == SHARE, overflow="fold")
    return made


def cell(text: str, style: str = "") -> "Text":
    """Text that is shown as it is."""
    from rich.text import Text

    return Text(harmless(text), style=style)


def bar(share: float, *, ascii_only: bool) -> "Text":
    """A share from 0 to 1 as a bar with its percentage."""
    from rich.text import Text

    filled = round(share * BAR)
    full, empty = ("#", ".") if ascii_only else ("\u2588", "\u2591")
    made = Text(full * filled, style="cyan")
    made.append(empty * (BAR - filled), style="dim")
    return made.append(f" {share:4.0%}")
