"""Names of tools and ids of calls that an API takes: changed where they must be, never two to the same."""

import re
from collections.abc import Iterable
from hashlib import sha256

from docasm.providers.request import Rules


def renamed(names: Iterable[str], rules: Rules) -> dict[str, str]:
    """For each name one that the API takes: itself, else one like it that no other has."""
    names = list(dict.fromkeys(names))
    found = {name: name for name in names if rules.tool_name.fullmatch(name)}
    taken = set(found)
    for name in names:
        if name not in found:
            found[name] = _free(_plain(name, rules), taken, rules.longest_name)
            taken.add(found[name])
    return found


def _plain(name: str, rules: Rules) -> str:
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    return (plain if re.match(r"[A-Za-z_]", plain) else f"_{plain}")[: rules.longest_name]


def _free(name: str, taken: set[str], longest: int) -> str:
    number = 1
    made = name
    while made in taken:
        number += 1
        end = f"_{number}"
        made = f"{name[: longest - len(end)]}{end}"
    return made


def with_ids(ids: Iterable[str], rules: Rules) -> dict[str, str]:
    """For each call's id one that the API takes, itself where it does."""
    ids = list(dict.fromkeys(ids))
    found = {id_: id_ for id_ in ids if rules.call_id.fullmatch(id_)}
    taken = set(found)
    for id_ in ids:
        if id_ in found:
            continue
        made, number = rules.make_id(id_), 0
        while made in taken:
            number += 1
            made = rules.make_id(f"{number}:{id_}:{digest(id_)}")
        found[id_] = made
        taken.add(made)
    return found


def shortened(id_: str, longest: int) -> str:
    """The start of an id, and what makes it differ from others that start so."""
    return f"{id_[: longest - 9]}_{digest(id_)[:8]}"


def digest(text: str) -> str:
    """Letters and digits that stand for a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
