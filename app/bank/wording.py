"""Words in an id or a title that tell the outcome before the person answers. A heuristic: it only ever warns."""

import re

from app.bank.item import Item

_TELLING = """
accumulated accumulates aliased always breaks broken bug buggy copied corrupts crash crashes
detached disappears doubled doubles error errors exception fail failing fails false forgets
forgotten frozen ignored ignores illegal infinite invalid leak leaks lost missing nan never none
nothing overwrites overwritten raise raised raises severed silent silently stale trap true unchanged
unused vanishes vanishing works wrong zeroed
"""
_EXCEPTION = re.compile(r"[A-Za-z]+(Error|Exception|Warning)\b")


def outcome_words(item: Item) -> tuple[str, ...]:
    """Return the words of an item's id and title that may give its answer away."""
    telling = set(_TELLING.split())
    words = re.findall(r"[a-z]+", f"{item.id} {item.title}".lower())
    found = [word for word in words if word in telling] + [match[0] for match in _EXCEPTION.finditer(item.title)]
    return tuple(dict.fromkeys(found))
