"""Bundles, small or of a megabyte, that would take for ever or all memory if a template had no budget."""

import json
from collections.abc import Mapping
from typing import Any

LAYOUT = "system:\n<<skills>>\n\nuser:\n<<input>>\n"
VARIABLES = "variables: {x: ab, n: 3, l: [1, 2], m: {a: 1}, v: null}"


def bundle(body: str, front_matter: str = VARIABLES, **others: str) -> Mapping[str, str]:
    files = {"layouts/dm.md": LAYOUT, "skills/a.md": f"---\ntriggers: [dm]\n{front_matter}\n---\n{body}"}
    return {**files, **{f"skills/{name}.md": text for name, text in others.items()}}


def twins(start: str, step: str) -> str:
    """Two equal values, each doubled ninety times: as a tree they have 2**90 leaves."""
    sets = [f"{{% set {name} = {start} %}}" for name in "ab"]
    return "".join(sets + [f"{{% set {name} = {step.replace('_', name)} %}}" for name in "ab"] * 90)


def chain(text: str, links: int = 40) -> Mapping[str, str]:
    """Skills that each include the next: `text` with NEXT for its name."""
    names = [f"s{index}" for index in range(links)]
    bodies = [text.replace("NEXT", name) for name in [*names[1:], "end"]]
    return bundle("x <<s0>>", **dict(zip(names, bodies, strict=True)), end="")


TWO_LONG_TEXTS = "{% set a = 'x' * 1000000 %}{% set b = ('x' * 999999) ~ 'x' %}"
MANY_TIMES = "{{% for i in range(9000) %}}{{{{ {} }}}}{{% endfor %}}"
NESTED_LISTS = twins("[1]", "[_, _]")

CONSTANT: Mapping[str, str] = {
    "a long range": "A {{ range(10**9) }}",
    "a long loop": "{% for i in range(10**9) %}x{% endfor %}",
    "nested loops": "{% for i in range(50000) %}{% for j in range(50000) %}x{% endfor %}{% endfor %}",
    "nested outputs": "A {% for i in l * 900 %}{% for j in l * 900 %}{{ i * j }}{% endfor %}{% endfor %}",
    "a long text": "A {{ 'a' * 10**9 }}",
    "a text at the limit": "A {{ 'a' * 7900000 }}",
    "a text of wide characters": "A {{ '🙂' * 10**7 }}",
    "a long list": "A {{ [1] * 10**9 }}",
    "doubled text": "A {% set a = 'xx' %}" + "{% set a = a ~ a %}" * 40 + "{{ a }}",
    "doubled list": "A {% set a = [1] %}" + "{% set a = a + a %}" * 40 + "{{ a | length }}",
    "a list of lists written": NESTED_LISTS + "A {{ a }}",
    "a list of lists as JSON": NESTED_LISTS + "A {{ a | tojson }}",
    "a list of lists as text": NESTED_LISTS + "A {{ a | string | length }}",
    "lists of lists compared": NESTED_LISTS + "A {{ a == b }}",
    "lists of lists looked for": NESTED_LISTS + "A {{ a in [b] }}",
    "lists of lists sorted": NESTED_LISTS + "A {{ [a, b] | sort }}",
    "a power": "A {{ 10 ** 10 ** 9 }}",
    "squares of squares": "A {% set a = 3 %}" + "{% set a = a * a %}" * 60 + "{{ a }}",
    "rounding": "A {{ 5 | round(-1000000000) }}",
    "a text formatted by a test": "A {{ '%1000000000d' is even }}{{ '%1000000000d' is divisibleby 3 }}",
    "a text formatted by %": "A {{ '%1000000000d' % 3 }}",
    "a text formatted by format": "A {{ '{:>1000000000}'.format(3) }}",
    "filters that pad": "A {{ 'x' | center(10**9) }}{{ 'x' | indent(10**9) }}",
    "JSON indented": "A {{ (['x' * 10000] * 1000) | tojson(10**9) | length }}",
    "replacing": "A {{ ('x' * 5000000) | replace('x', 'y' * 5000000) }}",
    "replacing nothing": "A {{ ('x' * 1000000) | replace('', 'y' * 1000) }}",
    "joining a shared text": "A {{ ([('x' * 1000000)] * 1000) | join }}",
    "joining with a long text": "A {{ ([1] * 100000) | join('x' * 1000000) }}",
    "joining characters": "A {{ ('x' * 7000000) | join('') }}",
    "sorting long texts": TWO_LONG_TEXTS + "A {{ ([a, b] * 100000) | sort | length }}",
    "unique long texts": TWO_LONG_TEXTS + "A {{ ([a, b] * 100000) | unique | length }}",
    "the greatest of long texts": TWO_LONG_TEXTS + "A {{ ([a, b] * 100000) | max | length }}",
    "looking for long texts": TWO_LONG_TEXTS + "A {{ a in ([b] * 100000) }}",
    "comparing long texts": TWO_LONG_TEXTS + "A {{ ([a] * 100000) == ([b] * 100000) }}",
    "comparing again and again": TWO_LONG_TEXTS + "A " + MANY_TIMES.format("a == b"),
    "looking again and again": TWO_LONG_TEXTS + "A " + MANY_TIMES.format("'y' in a"),
    "calling again and again": TWO_LONG_TEXTS + "A " + MANY_TIMES.format("a.upper() | length"),
    "slicing again and again": TWO_LONG_TEXTS + "A " + MANY_TIMES.format("a[1:] | length"),
    "numbers again and again": "{% set a = '1' * 4000 %}A " + MANY_TIMES.format("a | int"),
    "ranges again and again": "A " + MANY_TIMES.format("range(50000) | max"),
    "items again and again": "{% set a = m.items() %}A " + MANY_TIMES.format("a | max"),
    "a number of many digits": "A {{ ('1' * 7000000) | int }}",
    "a fraction of many digits": "A {{ ('1' * 7000000) | float }}",
    "counting words": "A {{ ('ab ' * 2000000) | wordcount }}",
    "a loop around much text": "A {% for i in range(40000) %}" + "x" * 100_000 + "{% endfor %}",
    "a loop around many comments": "A {% for i in range(40000) %}" + "a{##}" * 20_000 + "{% endfor %}",
    "a loop that writes headings": "{% for i in range(9000) %}\n# {{ i }}\n\n{% endfor %}\n",
    "a loop that writes quotes": "{% for i in range(9000) %}> {% endfor %}x\n",
}
"""What a template does with what it knows when it is compiled; all of it in one skill."""

NOTATION: Mapping[str, str] = {
    "brackets": "A {{ " + "(" * 100_000 + "1" + ")" * 100_000 + " }}",
    "lists in lists": "A {{ " + "[" * 100_000 + "1" + "]" * 100_000 + " }}",
    "a long sum": "A {{ " + "1+" * 50_000 + "1 }}",
    "a long `~`": "A {{ " + "1~" * 20_000 + "1 }}",
    "many `not`": "A {{ " + "not " * 50_000 + "1 }}",
    "many `else`": "A {{ " + "1 if v else " * 20_000 + "2 }}",
    "many comparisons": "A {{ " + "1 < " * 50_000 + "2 }}",
    "many dots": "A {{ m" + ".a" * 50_000 + " }}",
    "many filters": "A {{ x" + " | upper" * 20_000 + " }}",
    "a long list of numbers": "A {{ [" + "1," * 100_000 + "] | length }}",
    "`if` in `if`": "A " + "{% if x %}" * 3_000 + "a" + "{% endif %}" * 3_000,
    "`for` in `for`": "A " + "{% for i in l %}" * 90 + "a" + "{% endfor %}" * 90,
    "many `elif`": "A {% if v %}a" + "{% elif v %}b" * 20_000 + "{% endif %}",
    "many `set`": "".join(f"{{% set a{i} = v %}}" for i in range(3_000)) + "A {{ a1 }}\n" * 3_000,
    "many tags": "A {{ x }}\n" * 20_000,
    "many expressions": "".join(f"A {{{{ n + {i} }}}}\n" for i in range(9_000)),
    "a megabyte of `{{`": "{{" * 500_000,
    "a megabyte of `{%`": "{%" * 500_000,
    "a megabyte of `{#`": "{#" * 500_000,
    "a megabyte of `{`": "{" * 1_000_000,
    "a megabyte of `}`": "}" * 1_000_000,
    "an unclosed tag": "a\n" * 100_000 + "{% if x",
    "an unclosed text": "A {{ '" + "\\" * 300_000 + " }}",
    "many digits": "A {{ " + "1" * 300_000 + " }}",
    "a long name": "A {{ " + "a" * 300_000 + " }}",
    "much white space": " " * 1_000_000 + "{% if x %}",
    "white space before tags": " \n" * 300_000 + "{%- if x %}a{% endif %}",
}
"""How a template is written."""

GIVEN: Mapping[str, tuple[str, Any]] = {
    "a text multiplied": ("A {{ v * 10**9 }}", "ab"),
    "a text joined": ("A {{ v | join('') }}", "x" * 8_000_000),
    "the characters of a text": ("A {% for c in v %}{{ c }}{% endfor %}", "x" * 1_000_000),
    "a text that formats": ("A {{ v is even }}", "%1000000000d"),
    "a text that formats with %": ("A {{ v % 3 }}", "%1000000000d"),
    "a text that replaces itself": ("A {{ v | replace('x', v) }}", "x" * 100_000),
    "a text in many tags": ("A {{ v }}\n" * 1_000, "x" * 1_000_000),
    "a number of rounds": ("A {% for i in range(v) %}x{% endfor %}", 10**9),
    "rounds in each of many loops": ("A {% for i in range(v) %}x{% endfor %}\n\n" * 500, 40_000),
    "multiplied in many tags": ("A {{ (v * 1000000) | length }}\n" * 500, "abcdefgh"),
    "an exponent": ("A {{ 10 ** v }}", 10**8),
    "digits to round to": ("A {{ 5 | round(v) }}", -(10**9)),
    "a list sorted": ("A {{ v | sort | length }}", list(range(200_000, 0, -1))),
    "a list written": ("A {{ v }}", [list(range(1_000))] * 1_000),
    "a list nested deep": ("A {{ v == [v] }}", json.loads("[" * 900 + "]" * 900)),
}
"""What a template does with a value of the render."""

WRITTEN: Mapping[str, Mapping[str, str]] = {
    "includes that double": chain("a <<NEXT>> b <<NEXT>>"),
    "includes that double nothing": chain("<<NEXT>><<NEXT>>"),
    "includes that double holes": chain("<<NEXT>> a {{ sender }} <<NEXT>>"),
    "includes of much text": bundle("x <<b>>\n" * 10_000, b="y" * 100_000),
    "ten thousand includes on lines": bundle("<<b>>\n\n" * 10_000, b="hi"),
    "ten thousand includes in a line": bundle("x <<b>> " * 10_000, b="hi"),
    "ten thousand includes in a paragraph": bundle("x <<b>>\n" * 10_000, b="hi"),
    "ten thousand includes in headings": bundle("x <<b>>\n===\n\n" * 10_000, b="hi"),
    "includes beside backticks": bundle("".join("`" * (i % 300) + " <<b>>" for i in range(10_000)), b="hi"),
    "includes after white space": bundle(" " * 1_000_000 + "<<b>> " * 10_000, b="hi"),
    "ten thousand headings": bundle("# x\n\n" * 10_000),
    "ten thousand underlined headings": bundle("x\n===\n\n" * 10_000),
    "a long heading": bundle("x\n" * 50_000 + "===\n"),
    "holes in paragraphs": bundle("x {{ sender }}\n\n" * 5_000),
    "holes in one paragraph": bundle("x {{ sender }}\n" * 5_000),
    "holes in one line": bundle("x {{ sender }} " * 5_000),
    "holes in a link label": bundle("[" + "a {{ sender }}\n" * 5_000),
    "holes among blank lines": bundle(("x {{ sender }}\n" + "\n" * 100) * 1_000),
    "runs of backticks": bundle("".join("`" * (i % 300 + 1) + "a" for i in range(50_000))),
    "backslashes": bundle("\\" * 1_000_000 + "<<b>>", b="hi"),
    "half an include": bundle("<<a-" * 250_000),
    "a long name of an include": bundle("<<" + "a-" * 500_000),
    "brackets": bundle("[" * 500_000),
    "link definitions": bundle("[a]: <b> 'c\n" * 20_000),
    "fences": bundle("```\n" * 50_000),
    "fences of two kinds": bundle("~~~ x\n```\n" * 20_000),
    "quotes": bundle("> " * 100_000),
    "lists": bundle("".join("  " * i + "- x\n" for i in range(500))),
    "open comments": bundle("<!--" * 200_000),
    "HTML": bundle("<div>\n" * 20_000),
    "markers": bundle("user:\nx\n\nassistant:\ny\n\n" * 2_000 + "user:\nz"),
    "markers alone": bundle("user:\n" * 10_000),
    "escaped markers": bundle("user\\:\n" * 20_000),
    "blank lines": bundle("\n" * 500_000 + "x" + " \n" * 500_000),
    "aliases of aliases": bundle(
        "x", "metadata:\n" + "".join(f"  a{i}: &a{i} [{f'*a{i - 1},' * 10 if i else 1}]\n" for i in range(12))
    ),
    "YAML brackets": bundle("x", "metadata: " + "{a: " * 100_000),
    "YAML question marks": bundle("x", "? " * 50_000),
    "YAML keys": bundle("x", "".join(f"k{i}: 1\n" for i in range(5_000))),
    "YAML digits": bundle("x", "metadata: " + "1" * 300_000),
}
"""What is linear only if nothing is read again and again."""
