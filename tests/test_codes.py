"""The codes of problems: all that are used are explained, and all that are explained are used."""

import ast
import re
from pathlib import Path

import docasm
from docasm.codes import CODES

PACKAGE = Path(docasm.__file__).parent
_CODE = re.compile(r"[a-z]+(?:-[a-z0-9]+)+")
_OTHER_WORDS = {
    *("agent-skill", "allowed-tools", "utf-8", "utf-8-sig", "utf-16"),
    *("chatgpt-4o", "data-gym-cache", "gpt-35", "gpt-4o", "gpt-5", "gpt-oss"),
}
"""What looks like a code in the source and is none."""


def _words() -> set[str]:
    """Every text constant of the package that has the shape of a code."""
    words = set()
    for path in PACKAGE.rglob("*.py"):
        if path.name == "codes.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _CODE.fullmatch(node.value):
                words.add(node.value)
    return words - _OTHER_WORDS


def test_every_code_that_is_used_is_explained_and_the_reverse() -> None:
    assert _words() == set(CODES)


def test_an_explanation_is_one_sentence() -> None:
    assert all(text[0].isupper() or text[0] in "`d" for text in CODES.values())
    assert all(text.endswith(".") and text.count(". ") == 0 for text in CODES.values())
