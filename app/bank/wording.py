"""What can be said of an item's words without running it. Heuristics, all of it: they only ever warn."""

import re
from collections.abc import Iterator

from app.bank.catalog import options_of
from app.bank.item import Claim, Item, TrueFalse, Why
from app.bank.parts import Part

MOST_WORDS = 160
MOST_OPTION_WORDS = 30
MOST_EXPLANATION_WORDS = 150

_TELLING = """
accumulated accumulates aliased always breaks broken bug buggy copied corrupts crash crashes
detached disappears doubled doubles error errors exception fail failing fails false forgets
forgotten frozen ignored ignores illegal infinite invalid leak leaks lost missing nan never none
nothing overwrites overwritten raise raised raises severed silent silently stale trap true unchanged
unused vanishes vanishing works wrong zeroed
"""
_EXCEPTION = re.compile(r"[A-Za-z]+(Error|Exception|Warning)\b")
_WORD = re.compile(r"[^\W_][\w.'()]*")


def outcome_words(item: Item) -> tuple[str, ...]:
    """Return the words of an item's id and title that may give its answer away."""
    telling = set(_TELLING.split())
    words = re.findall(r"[a-z]+", f"{item.id} {item.title}".lower())
    found = [word for word in words if word in telling] + [match[0] for match in _EXCEPTION.finditer(item.title)]
    return tuple(dict.fromkeys(found))


def words_in(text: str) -> int:
    """Return how many words a text has; a name in code counts as one."""
    return len(_WORD.findall(text))


def words_to_read(item: Item, parts: tuple[Part, ...]) -> int:
    """Return how many words a person reads before answering, code aside."""
    texts = [item.title, item.prompt, getattr(item, "statement", ""), *(part.legend for part in parts)]
    options = [option.text for part in parts for option in part.options if not option.code]
    return sum(map(words_in, [*texts, *options]))


def long_texts(item: Item, parts: tuple[Part, ...]) -> Iterator[str]:
    """Yield a sentence for each text that is longer than a person likes to read."""
    words = words_to_read(item, parts)
    if words > MOST_WORDS:
        yield f"There are {words} words to read before answering. Keep it below {MOST_WORDS}."
    explained = words_in(item.explanation)
    if explained > MOST_EXPLANATION_WORDS:
        yield f"The explanation has {explained} words. Keep it below {MOST_EXPLANATION_WORDS}."
    for part in parts:
        for option in part.options:
            if not option.code and words_in(option.text) > MOST_OPTION_WORDS:
                yield f"Option {option.id} of {part.name} has {words_in(option.text)} words. Say it in fewer."


def missing_fields(item: Item) -> Iterator[str]:
    """Yield a sentence for each thing that an item of the bank has and this one has not."""
    notes = item.interview
    if notes is None:
        yield "There are no `interview` notes. Say what a good answer names, its red flags and follow-ups."
    else:
        for name in ("good_answer", "red_flags", "follow_ups"):
            if not getattr(notes, name):
                yield f"`interview.{name}` is empty. Write it."
    if isinstance(item, Why) and not item.rubric:
        yield "`rubric` is empty. List the points a written reason should make."
    if not item.misconceptions and not any(option.misconception for _, option in options_of(item)):
        yield "No misconception is named, neither of the item nor of a wrong option."


def statement_restated(item: Item) -> bool:
    """Say whether the expected reason's probe is that of the statement, or its plain negation."""
    if not isinstance(item, TrueFalse):
        return False
    right: Claim = item.reasons[item.expect.reason - 1]
    plain, reason = "".join(item.holds.split()), "".join(right.holds.split())
    return reason in (plain, f"not({plain})", f"not{plain}")
