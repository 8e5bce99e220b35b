"""Bundles made in memory, and templates and values that try to break what docasm promises."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from docasm.bundle import Bundle
from docasm.compiler import Compiler
from docasm.contents import Adopted, Contents
from docasm.layout import Layout, read_layout
from docasm.library import Library
from docasm.skill import Skill, read_skill
from docasm.source import Source
from docasm.trigger import KINDS, Rule, Rules

PLAIN_LAYOUT = "system:\n<<skills>>\n\nuser:\n<<input>>\n"
_ANY_TRIGGER = tuple(Rule(kind) for kind in KINDS)


def bundle(
    skills: Mapping[str, str],
    layout: str = PLAIN_LAYOUT,
    *,
    adopted: tuple[str, ...] | None = None,
    variables: Mapping[str, Any] | None = None,
) -> Bundle:
    """A bundle of these texts, front matter included; each adopted skill (all) answers every trigger."""
    found = {name: _skill(name, text) for name, text in skills.items()}
    chosen = tuple(found) if adopted is None else adopted
    compiler = Compiler(Library(found), Library({"layout": _layout(layout)}), variables or {})
    contents = Contents(
        adopted=tuple(Adopted(name, _ANY_TRIGGER, MappingProxyType({})) for name in chosen),
        rules=Rules.of((index, rule) for index in range(len(chosen)) for rule in _ANY_TRIGGER),
        layout_of=dict.fromkeys(KINDS, "layout"),
        tools=(),
        labels={},
        params={},
        compiler=compiler,
    )
    return Bundle(Path(), found, contents, ())


def _skill(name: str, text: str) -> Skill:
    skill, problems = read_skill(Source(f"{name}.md", text), name, agent_skill=False)
    assert not problems, problems
    return skill


def _layout(text: str) -> Layout:
    layout, problems = read_layout(Source("layout.md", text), "layout")
    assert not problems, problems
    return layout


WORD = re.compile(r"w\d+q")
"""The author's words: no value holds one."""

HOLES = (
    *("{{ x }}", "{{ x }}", "{{ x }}", "{{ y }}", "{{ y }}", "{{ x | oneline }}", "{{ x | oneline }}"),
    *("{{ y | quote }}", "{{ x | fence }}", '{{ x | fence("json") }}', "{{ x | upper }}", "{{ x ~ y }}"),
    *("{{ y | default('- a') }}", "{{ absent | default('# a') }}", "{{ x if y else y }}", "{{ x[0] }}"),
    *("{{ xs }}", "{{ xs | join('\\n') }}", "{{ n }}", "{{- x }}", "{{ x -}}", "{{ x | trim }}"),
    *("{{ sender }}", "{{ event.text }}", "{{ now }}", "{{ model }}", "{{ event | tojson(2) }}"),
)

PREFIXES = (
    *("",) * 9,
    *(" ", "  ", "   ", "    ", "\t", "- ", "-  ", "-\t", "-     ", "* ", "* * ", " - ", "  - ", "1. ", "2. "),
    *("10) ", "> ", "> - ", "> > ", "\xa0"),
)

LINES = (
    # Headings and what underlines them; H is a hole, W a word of the author.
    *("# H", "#H", "## W H w #", "# W H", "####### H", "#\tH", "# H #", "# W", "## W", "#", "# W HH", "===", "==="),
    *("---", "---", "  ===", "-", "=", "***", "* * *", "_ _ _"),
    # Text.
    *("W", "W", "W H", "W H", "H", "H", "H", "H", "H W", "H W", "H  W", "H.", "H. W", "H) W", "HW", "H H", "HH"),
    *("W H W H", "**H** W", "H ***", "***H", "W  ", "H  ", "H\t", "W H  ", " H", "  H", "\tH", "\tW H", "W:", ":"),
    *("&H;", "\\H", "\\H W", "W \\H", "W\\", "W H\\", "H\\", "\\# H", "&#35; H", "| W | H |", "|---|---|", "1H"),
    # Lists and quotes.
    *("- H", "- H", "- W H", "-H", "- - H", "1. H", "1. W H", "> H", "> W H", "- [ ] W H", "- H W"),
    # Code.
    *("`H`", "`W H` W", "H`", "``` H", "```", "```", "````", "~~~", "~~~", "~~~H", "```js", "```W H", "```W` H"),
    *("```H`",),
    # HTML of all kinds.
    *("<div>", "</div>", "<div", "<H>", "<a H", "<a W H", '<a href="W">', '<a href="H">W', "<b>W</b>", "<b>"),
    *("<custom>", "</H", "<!-- W", "-->", "<!-- H -->", "<!--W-->", "<pre>", "</pre>", "<pre>H", "<script>"),
    *("</script>", "<style>W</style>", "<textarea>", "<?php", "?>", "<![CDATA[", "]]>", "<!a", "<!A", ">"),
    *("<!DOCTYPE H>", "W -->", "W ?> H", "<W", "W>"),
    # Link definitions, whole and in pieces.
    *("[W]: /u", "[W]: /H", "[H]: /u", "[W]: H", "[W]:", "[W]", "[W H", '[W]: /u "H', '[W]: /u "W', '"W H', 'H W"'),
    *("'W'", '"W', 'W"', "(W H", "(W", "/u", "/H", '/W "H', "W]: /u", "W]: /H", "H W]: /u", "[a]: javascript:W"),
    *("[W](H) H", "[H](W) W"),
    # Statements.
    *("{% if x %}a{% endif %}", "W {% if x %}a{% endif %}", "{% if x %}a{% endif %} W", "{% if x %}H{% endif %}"),
    *("{% if xs %}\na\n{% endif %}", "{% if x %}\n- a {{ x }}\n{% endif %}", "{% if x %}\n# a\n{% endif %}"),
    "{% if x %}\na{% if y %}b\n{% endif %}\n{% endif %}",
    "{% if x %}\n{% if y %}\na H\n{% endif %}\n{% else %}\na\n{% endif %}",
    *("{% for c in xs %}\n- {{ c }}\n{% endfor %}", "{% for c in xs %}\n{{ c }}\n{% endfor %}"),
    *("{% for c in xs %}\n{{ c }}\n\n{% endfor %}", "{% for c in xs %}{{ c }}{% endfor %}"),
    *("{% for c in xs %}{{ c }}\n{% endfor %}", "W {% for c in xs %}{{ c }}, {% endfor %}W"),
    *("# W {% for c in xs %}{{ c }} {% endfor %}", "# {% for c in xs %}{{ c }} {% endfor %}"),
    *("{% for c in x %}\na {{ c }}\n- {{ c }}\n{% endfor %}", "{% for c in x %}{{ c }}a{% endfor %}"),
    *("{% for c in xs %}\n{{ c }}{{ c }}\n{% endfor %}", "{% for c in xs %}\n{{ c }}\n===\n{% endfor %}"),
    *("{% for c in xs %}\n```\n{{ c }}\n```\n{% endfor %}", "{% for c in xs -%}\n{{ c }}\n{%- endfor %}"),
    *("{% for c in xs %}\n{{ c | oneline }}\n{% endfor %}", "{% if now %}\na {{ now }}\n{% endif %}"),
    *("{% set z = x %}", "{% set z = x ~ y %}", '{% set z = "a" %}', "{{ z }}", "W {{ z }}", "{{ z }} W"),
    *("{% raw %}{{ x }}{% endraw %}", "{# c #}", "{# c #} H", "W {% if x %}{% endif %}"),
    # Constants: k is a word, e is empty, m has two lines.
    *("{{ k }}", "{{ k }} W", "{{ k }}H", "H{{ k }}", "{{ e }}{% if x %}\na\n{% endif %}", "{{ e }}H", "H{{ e }}"),
    *("{{ m }}", "# {{ k }} H", "{{ k }}{{ e }}"),
    # Includes.
    *("<<inner>>", "<<inner>>", "<<other>>", "<<other>>", " <<inner>>", "W <<inner>> W", "<<inner>> H"),
    *("H <<inner>>", "# <<inner>>", "- <<inner>>", "> <<other>>"),
)
"""Lines that mean something to CommonMark, with holes wherever a hole can stand."""

SLOTS = (
    *("<<history>>", "<<tools>>", "<<history>>", "<<tools>>", " <<history>>", "  <<history>>", "    <<history>>"),
    *("- <<tools>>", "## W\n\n<<tools>>\n", "## W\n\n<<history>>\n", "## W\n<<tools>>\n"),
)

CONSTANTS = {"k": "kk", "e": "", "m": "a\nb"}

Choose = Callable[[tuple[str, ...]], str]
"""Picks one of some texts."""


class Author:
    """Writes templates: draws lines, and puts a hole for each H and a new word for each W."""

    def __init__(self, choose: Choose) -> None:
        self.choose = choose
        self.words = 0

    def template(self, most: int, *, slots: bool = False) -> str:
        """Up to `most` lines, with blank lines between some of them."""
        count = int(self.choose(tuple(map(str, range(1, most + 1)))))
        text = "".join(self._line(slots) for _ in range(count)).removesuffix("\n")
        return f"\n{text}" if text.startswith("---") else text

    def _line(self, slots: bool) -> str:
        end = self.choose(("\n", "\n", "\n\n"))
        if slots and self.choose(("slot", "", "", "")):
            return self._filled(self.choose(SLOTS)) + end
        return self.choose(PREFIXES) + self._filled(self.choose(LINES)) + end

    def _filled(self, line: str) -> str:
        return re.sub(r"(?<![A-Za-z])[HW](?![A-Z]*[a-z])|(?<=W)H|(?<=H)W", self._piece, line)

    def _piece(self, found: re.Match[str]) -> str:
        if found[0] == "H":
            return self.choose(HOLES)
        self.words += 1
        return f"w{self.words}q"
