"""Which skills have a say in a document, those that others include among them."""

import re
from collections.abc import Iterable, Iterator

from docasm.compiler import Compiler
from docasm.source import Source

_INCLUDE = re.compile(r"<<([a-z0-9-]+)>>")


def reached(compiler: Compiler, names: Iterable[str]) -> dict[str, None]:
    """Some skills and all that they include, and so on; what only may be an include counts as one."""
    waiting, found = list(names)[::-1], dict[str, None]()
    while waiting:
        name = waiting.pop()
        if name not in found and name in compiler.skills.found:
            found[name] = None
            skill = compiler.skills.found[name]
            waiting += [*included([skill.body])][::-1] if skill.template else ()
    return found


def included(texts: Iterable[Source]) -> Iterator[str]:
    """The names in texts that could be includes."""
    return (name for text in texts for name in _INCLUDE.findall(text.text))


def included_by_layouts(compiler: Compiler) -> Iterator[str]:
    """The skills that layouts include, those of souls and pipelines among them."""
    bodies = (body for layout in compiler.layouts.found.values() for body in layout.bodies)
    return included(text for body in bodies for text in body.texts)
