"""Words in an id or a title that tell the outcome before the person answers. A heuristic: it only ever warns."""

import re

from app.bank.item import Item

_WORDS = frozenset(
    [
        "accumulates",
        "accumulated",
        "aliased",
        "always",
        "breaks",
        "broken",
        "buggy",
        "bug",
        "copied",
        "corrupts",
        "crash",
        "crashes",
        "detached",
        "disappears",
        "doubles",
        "doubled",
        "error",
        "errors",
        "exception",
        "fail",
        "fails",
        "failing",
        "false",
        "forgotten",
        "forgets",
        "frozen",
        "illegal",
        "ignored",
        "ignores",
        "infinite",
        "invalid",
        "leak",
        "leaks",
        "lost",
        "missing",
        "nan",
        "never",
        "none",
        "nothing",
        "overwritten",
        "overwrites",
        "raise",
        "raises",
        "raised",
        "severed",
        "silent",
        "silently",
        "stale",
        "trap",
        "true",
        "unchanged",
        "unused",
        "vanishes",
        "vanishing",
        "works",
        "wrong",
        "zeroed",
    ]
)
_EXCEPTION = re.compile(r"[A-Za-z]+(Error|Exception|Warning)\b")


def outcome_words(item: Item) -> tuple[str, ...]:
    """Return the words of an item's id and title that may give its answer away."""
    words = re.findall(r"[a-z]+", f"{item.id} {item.title}".lower())
    found = [word for word in words if word in _WORDS] + [match[0] for match in _EXCEPTION.finditer(item.title)]
    return tuple(dict.fromkeys(found))
