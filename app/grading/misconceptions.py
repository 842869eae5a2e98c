"""Which misconceptions a response shows: those of the wrong options that were chosen, and of the values typed in.

An author names the misconception of whoever chooses an option wrongly. A response shows it where that option, or the
value of that distractor, was entered and is not right in this variant. What an item is about in general is not held
against anybody: a wrong answer without such an option shows nothing.
"""

from app.bank.author_values import elements, to_plain
from app.bank.entries import EntryError, parse_entry
from app.bank.evidence import Key
from app.bank.expressions import ExpressionError
from app.bank.item import Distractor, EdgeCase, Item, RepairMatrix
from app.bank.values import same
from app.grading.grade import Response, grade
from app.sandbox.protocol import Plain

LISTS = {"reason": "reasons", "symptom": "symptoms", "repair": "repairs", "cause": "causes", "value": "distractors"}
FIRST = {"value": 2}  # option 1 of a value is what the file expects; the distractors follow


def misconception_of(item: Item, part: str, option_id: str) -> str | None:
    """Return the misconception of whoever chooses an option wrongly, `None` where its author names none."""
    listed = "repairs" if isinstance(item, RepairMatrix) else LISTS.get(part, "")
    options = getattr(item, listed, ()) if option_id.isdecimal() else ()
    place = int(option_id) - FIRST.get(part, 1) if options else 0
    name: str | None = options[place].misconception if 0 <= place < len(options) else None
    return name


def shown_by(item: Item, response: Response, key: Key) -> tuple[str, ...]:
    """Return the misconceptions that a response shows, each once, in the order of the parts."""
    wrong = [(part, chosen) for part, chosen in response.choices.items() if chosen not in key.right.get(part, ())]
    names = [misconception_of(item, part, chosen) for part, chosen in wrong]
    if isinstance(item, EdgeCase) and any(response.entries) and not grade(response, key).all_right:
        names += [one.misconception for one in item.distractors if _typed(item, one, response.entries)]
    return tuple(dict.fromkeys(name for name in names if name))


def _typed(item: EdgeCase, distractor: Distractor, entries: tuple[str, ...]) -> bool:
    """Say whether what was typed is the value, or all the values, of a distractor."""
    try:
        value = to_plain(distractor.value)
        values: list[Plain] = [value] if isinstance(item.ask, str) else elements(value) or []
        typed = [parse_entry(entry) for entry in entries]
    except (EntryError, ExpressionError):
        return False
    return len(values) == len(typed) and all(same(one, other) for one, other in zip(values, typed, strict=True))
