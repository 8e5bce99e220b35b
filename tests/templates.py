"""Lines of templates: all that means something to CommonMark, with holes wherever a hole can stand.

An H is a hole, a W a word of the author, a ⏎ a line end inside what is written here as one line, a → a tab
and a ␣ a space at the end. A line written twice is drawn twice as often.
There is no `<!a` and no `<textarea>`: the judge, cmarkgfm, knows CommonMark 0.29, where these were no HTML.
"""

HOLES = (
    "{{ x }}",
    "{{ y }}",
    "{{ x | oneline }}",
    "{{ y | quote }}",
    "{{ x | fence }}",
    '{{ x | fence("json") }}',
    "{{ x | upper }}",
    "{{ x ~ y }}",
    "{{ y | default('- a') }}",
    "{{ absent | default('# a') }}",
    "{{ x if y else y }}",
    "{{ x[0] }}",
    "{{ xs }}",
    "{{ xs | join('\\n') }}",
    "{{ n }}",
    "{{- x }}",
    "{{ x -}}",
    "{{ x | trim }}",
    "{{ sender }}",
    "{{ event.text }}",
    "{{ now }}",
    "{{ model }}",
    "{{ event | tojson(2) }}",
)

PREFIXES = (
    "",
    " ",
    "  ",
    "   ",
    "    ",
    "\t",
    "- ",
    "-  ",
    "-\t",
    "-     ",
    "* ",
    "* * ",
    " - ",
    "  - ",
    "1. ",
    "2. ",
    "10) ",
    "> ",
    "> - ",
    "> > ",
    "\xa0",
)

LINES = tuple(
    line.replace("⏎", "\n").replace("→", "\t").replace("␣", " ")
    for line in r"""
# H
#H
## W H w #
# W H
####### H
#→H
# H #
# W
## W
#
# W HH
===
===
---
---
  ===
-
=
***
* * *
_ _ _
W
W
W H
W H
H
H
H
H
H W
H W
H  W
H.
H. W
H) W
HW
H H
HH
W H W H
**H** W
H ***
***H
W␣␣
H␣␣
H→
W H␣␣
 H
  H
→H
→W H
W:
:
&H;
\H
\H W
W \H
W\
W H\
H\
\# H
&#35; H
| W | H |
|---|---|
1H
- H
- H
- W H
-H
- - H
1. H
1. W H
> H
> W H
- [ ] W H
- H W
`H`
`W H` W
H`
``` H
```
```
````
~~~
~~~
~~~H
```js
```W H
```W` H
```H`
<div>
</div>
<div
<H>
<a H
<a W H
<a href="W">
<a href="H">W
<b>W</b>
<b>
<custom>
</H
<!-- W
-->
<!-- H -->
<!--W-->
<pre>
</pre>
<pre>H
<script>
</script>
<style>W</style>
<?php
?>
<![CDATA[
]]>
<!A
>
<!DOCTYPE H>
W -->
W ?> H
<W
W>
[W]: /u
[W]: /H
[H]: /u
[W]: H
[W]:
[W]
[W H
[W]H
[W]HH
[W\H
[W]: /u "H
[W]: /u "W
"W H
H W"
'W'
"W
W"
(W H
(W
/u
/H
/W "H
W]: /u
W]: /H
H W]: /u
[a]: javascript:W
[W](H) H
[H](W) W
{% if x %}a{% endif %}
W {% if x %}a{% endif %}
{% if x %}a{% endif %} W
{% if x %}H{% endif %}
{% if xs %}⏎a⏎{% endif %}
{% if x %}⏎- a {{ x }}⏎{% endif %}
{% if x %}⏎# a⏎{% endif %}
{% if x %}⏎a{% if y %}b⏎{% endif %}⏎{% endif %}
{% if x %}⏎{% if y %}⏎a H⏎{% endif %}⏎{% else %}⏎a⏎{% endif %}
{% for c in xs %}⏎- {{ c }}⏎{% endfor %}
{% for c in xs %}⏎{{ c }}⏎{% endfor %}
{% for c in xs %}⏎{{ c }}⏎⏎{% endfor %}
{% for c in xs %}{{ c }}{% endfor %}
{% for c in xs %}{{ c }}⏎{% endfor %}
W {% for c in xs %}{{ c }}, {% endfor %}W
# W {% for c in xs %}{{ c }} {% endfor %}
# {% for c in xs %}{{ c }} {% endfor %}
{% for c in x %}⏎a {{ c }}⏎- {{ c }}⏎{% endfor %}
{% for c in x %}{{ c }}a{% endfor %}
{% for c in xs %}⏎{{ c }}{{ c }}⏎{% endfor %}
{% for c in xs %}⏎{{ c }}⏎===⏎{% endfor %}
{% for c in xs %}⏎```⏎{{ c }}⏎```⏎{% endfor %}
{% for c in xs -%}⏎{{ c }}⏎{%- endfor %}
{% for c in xs %}⏎{{ c | oneline }}⏎{% endfor %}
{% if now %}⏎a {{ now }}⏎{% endif %}
{% set z = x %}
{% set z = x ~ y %}
{% set z = "a" %}
{{ z }}
W {{ z }}
{{ z }} W
{% raw %}{{ x }}{% endraw %}
{# c #}
{# c #} H
W {% if x %}{% endif %}
{{ k }}
{{ k }} W
{{ k }}H
H{{ k }}
{{ e }}{% if x %}⏎a⏎{% endif %}
{{ e }}H
H{{ e }}
{{ m }}
# {{ k }} H
{{ k }}{{ e }}
<<inner>>
<<inner>>
<<other>>
<<other>>
 <<inner>>
W <<inner>> W
<<inner>> H
H <<inner>>
# <<inner>>
- <<inner>>
> <<other>>
""".strip("\n").split("\n")
)

SLOTS = (
    "<<history>>",
    "<<tools>>",
    "<<history>>",
    "<<tools>>",
    " <<history>>",
    "  <<history>>",
    "    <<history>>",
    "- <<tools>>",
    "## W\n\n<<tools>>\n",
    "## W\n\n<<history>>\n",
    "## W\n<<tools>>\n",
)

CONSTANTS = {"k": "kk", "e": "", "m": "a\nb", "z": "zz"}
"""A word, an empty text, two lines, and what a template may set anew."""

STARTS = (
    *(
        "",
        "",
        " ",
        "#",
        "-",
        "=",
        "a",
        "]:",
        "]: /u",
        "b]: /u",
        "/u",
        "[a]: /u",
        "[",
        "(",
        ")",
        "'",
        '"',
        '"t"',
        "<",
    ),
    *(
        "<b",
        "<!--",
        "-->",
        ">",
        "> a",
        "`",
        "```",
        "~~~",
        "===",
        "---",
        "- ",
        "- a",
        "1.",
        "1. a",
        "0",
        "12) a",
    ),
    *(
        "\n",
        "\n\n",
        "\t",
        "    a",
        "\\",
        "*",
        "***",
        "_",
        "+",
        "\r",
        "\0",
        "\ufeff",
        "\ufeff# a",
        "\ufeff- a",
    ),
    *(
        "\ufeff    a",
        "\ufeff```",
        "\x0c# a",
        "\x0b- a",
        "\xa0",
        "<div>",
        "<?",
        "?>",
        "]]>",
        "<script>",
        "</pre>",
    ),
    *(
        "<custom>",
        "# a",
        "## a",
        "a\n===",
        "a\n---",
        "[a]:\n/u\n",
        '"\n',
        "'t'\n",
        "- a\n\n  ```",
        "- a\n  <!--",
    ),
    *("| a |", ":", "&", "{{ x }}", "<<inner>>", "user:", "system:"),
)
"""What would start, end or go on with a block where a value stands."""
