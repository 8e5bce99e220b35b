"""Tables for a terminal, or for a pipe; rich is loaded where one is made."""

import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from docasm.cli.words import one_line
from docasm.errors import failure

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

SHARE = "share"
"""The column of bars."""
BAR = 10
"""How many characters a bar is wide."""
NARROW = 72
"""The columns from which on there is room for bars."""


def console() -> "Console":
    """What tables are made for: stdout, its width and its colours; no markup, no guesses at numbers."""
    from rich.console import Console

    colours: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    out = sys.stdout or io.StringIO()
    return Console(file=out, color_system=colours, markup=False, highlight=False, emoji=False)


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

    return Text(one_line(text), style=style)


def bar(share: float, out: "Console") -> "Text":
    """A share from 0 to 1 as a bar with its percentage; without the bar where there is little room."""
    from rich.text import Text

    percent = f"{share:4.0%}"
    if out.width < NARROW:
        return Text(percent)
    filled = round(share * BAR)
    full, empty = ("#", ".") if out.options.ascii_only else ("\u2588", "\u2591")
    return Text.assemble((full * filled, "cyan"), (empty * (BAR - filled), "dim"), f" {percent}")


def as_text(made: "Table", out: "Console") -> str:
    """A table's lines, with their colours and without blanks at their ends."""
    with out.capture() as captured:
        out.print(made)
    lines = captured.get().split("\n")[:-1]
    return "".join(f"{line.rstrip(' ')}\n" for line in lines)


def show(text: str) -> None:
    """Writes text for people to stdout, its colours decided; raises DocasmError if it cannot."""
    if sys.stdout is None:
        raise failure("unwritable-file", "cannot write to stdout: it is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # no letter that a locale lacks keeps a table away
    sys.stdout.write(text)
    sys.stdout.flush()
