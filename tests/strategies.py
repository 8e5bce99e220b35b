"""Hostile text: what the tests feed to everything that data must not bend.

The text is made of lines that mean something to some reader (role markers, CommonMark, HTML, includes,
templates, YAML) and of characters that some reader takes for a line end. Random characters would hardly ever
make one of these.
"""

from itertools import product

from hypothesis import strategies as st

from docasm.markers import ROLES, Message, trim

INVISIBLE = (
    "\r",
    "\x00",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x85",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\u200b",
    "\xa0",
    "\t",
)
"""Characters that are not line ends here, though `str.splitlines` and others take many of them for one."""

BLOCKS = (
    "<!--",
    "-->",
    "<!-- note -->",
    "<div>",
    "</div>",
    "<pre>",
    "</pre>",
    "<script>",
    "</script>",
    "<?php",
    "<![CDATA[",
    "]]>",
    "===",
    "---",
    "-",
    "=",
    "***",
    "# h",
    "## h ##",
    "#",
    "####### h",
    "- item",
    "  - item",
    "* item",
    "+ item",
    "1. item",
    "2) item",
    "-",
    "> quote",
    ">",
    "> user:",
    "> ```",
    "- ```",
    "    code",
    "\tcode",
    "[x]: /url",
    "[x]: /url 'title",
    "| a | b |",
    "|---|---|",
)
"""Lines that start, end or continue a block of CommonMark."""

TEMPLATES = (
    "<<identity>>",
    "\\<<identity>>",
    "<<<x>>>",
    "<<x",
    "<<EOF",
    "<<history>>",
    "{{ x }}",
    "{{ message }}",
    "{{",
    "}}",
    "{% if x %}",
    "{% endif %}",
    "{% raw %}",
    "{# x #}",
)
"""What includes, slots and Jinja2 templates look like."""

PROSE = (
    "",
    " ",
    "\t ",
    "word",
    "Two words.",
    "  indented",
    "trailing  ",
    "backslash \\",
    "`code`",
    "**bold**",
    "name: a --- b",
    "User:",
    "user: hello",
    "the user:",
    "system",
    ":",
    "\\",
    "🙂",
    "é中",
    "&amp;",
)
"""Plain lines, and lines that are nearly markers."""

_BACKSLASHES = ("", "\\", "\\\\", "\\\\\\")

MARKERS = tuple(
    map(
        "".join,
        product(ROLES, _BACKSLASHES, ":", ("", " ", "\t", "\r", " \t\r", " x", "\x0b", "\u2028")),
    )
)
"""Lines that are markers, escaped markers or, with what may not follow one, neither."""

FENCES = tuple(
    indent + slashes + character * length + info
    for info, slashes, indent, length, character in product(
        ("", " ", "\r", " \t\r", "python", "x`y", "~", "\\", "\u2028"),
        _BACKSLASHES,
        ("", " ", "   ", "    ", "\t"),
        (3, 4, 5, 2, 20),
        "`~",
    )
)
"""Fence lines, escaped ones, and those too short, too deep or with a backtick too many to be one."""

RUNS = tuple(
    character * length + end
    for end, length, character in product(("", "user:", "x"), (4, 17, 300), " \t\\`~-=#>*[<:")
)
"""Long runs of one character, which a careless pattern reads again and again."""

_PLAIN = (
    *(f"{role}:" for role in ROLES),
    *("```", "````", "`````", "~~~", "~~~~", "~~~~~"),
    *("``` x", "~~~~ x", "   ```", "\\```", "\\~~~", "user\\:"),
)

_LINE_ENDS = ("\n", "\n", "\n", "\n", "\n\n", "\r\n", "\r", "", "\u2028", "\x85", "\x0c")


def structural_line() -> st.SearchStrategy[str]:
    """A marker or a fence, an escaped one, or nearly one; most often the plainest, for these must meet."""
    return st.sampled_from(_PLAIN) | st.sampled_from(MARKERS) | st.sampled_from(FENCES)


def hostile_line() -> st.SearchStrategy[str]:
    """One line without LF, though perhaps with what others take for a line end."""
    known = st.sampled_from(BLOCKS + TEMPLATES + PROSE + INVISIBLE)
    random = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=8)
    mixed = st.lists(known | random | st.sampled_from(MARKERS), max_size=3).map("".join)
    return structural_line() | known | mixed | st.sampled_from(RUNS)


def hostile_text() -> st.SearchStrategy[str]:
    """Up to a dozen hostile lines; most end with LF, some with a CR, a Unicode separator or nothing."""
    pieces = st.tuples(hostile_line(), st.sampled_from(_LINE_ENDS)).map("".join)
    return st.lists(pieces, max_size=12).map("".join)


def structural_text() -> st.SearchStrategy[str]:
    """Up to sixteen lines of nothing but markers, fences and blank lines: the structure, thick."""
    return st.lists(structural_line() | st.sampled_from(("", " ", "x")), max_size=16).map("\n".join)


def messages() -> st.SearchStrategy[list[Message]]:
    """Messages with hostile contents that have no blank lines at their ends; some are empty."""
    content = (hostile_text() | structural_text()).map(trim)
    return st.lists(st.builds(Message, st.sampled_from(ROLES), content), max_size=5)
