"""A form's fields and a variant, both ways: what the page offers under which value, and the response it sends back.

A form carries *positions* as the page shows them, never the places of the file: an author tends to write the right
option first, and the page's source must not tell.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.bank.entries import EntryError, parse_entry
from app.bank.item import EdgeCase, Item, Why
from app.bank.parts import Part
from app.bank.variants import Variant
from app.errors import BadRequestError
from app.grading.grade import Confidence, Response

BY_ID = {"verdict", "culprit"}  # nothing to hide: true or false, and line numbers
LONGEST_TEXT = 4000

CONFIDENCE_LABELS = {
    Confidence.GUESS: "guess",
    Confidence.FAIRLY_SURE: "fairly sure",
    Confidence.CERTAIN: "certain",
}
PART_LEGENDS = {
    "verdict": "True or false?",
    "reason": "Because",
    "culprit": "The line",
    "symptom": "What happens",
    "repair": "A repair that works",
    "value": "The value",
    "cause": "The cause",
}
PART_QUESTIONS = {
    "verdict": "Say whether it is true or false.",
    "reason": "Choose the reason.",
    "culprit": "Choose the line.",
    "symptom": "Choose what happens.",
    "repair": "Choose the repair.",
    "value": "Choose the value.",
    "cause": "Choose the cause.",
}
BUG_QUESTION = "Choose a repair, or none."


@dataclass(frozen=True, slots=True)
class Answer:
    """What a form says: the response, and a sentence per field that is missing or unreadable."""

    response: Response
    errors: dict[str, str] = field(default_factory=dict)


def option_values(part: Part) -> dict[str, str]:
    """Return, in display order, the form value of each option and the option id it stands for."""
    if part.name in BY_ID:
        return {option.id: option.id for option in part.options}
    return {str(place): option.id for place, option in enumerate(part.options, start=1)}


def asked_parts(variant: Variant) -> tuple[Part, ...]:
    """Return the parts with options to choose from; a part without any is typed in."""
    return tuple(part for part in variant.parts if part.options)


def entry_names(item: Item) -> list[str]:
    """Return the field names of the values to type in; none where options are chosen."""
    if isinstance(item, EdgeCase) and item.entry == "enter":
        return [f"entry-{place}" for place in range(1, len(item.asks) + 1)]
    return []


def read_answer(variant: Variant, fields: Mapping[str, str]) -> Answer:
    """Return what a form says about a variant, whole or not.

    Raises `BadRequestError` for a confidence that no page offers.
    """
    choices: dict[str, str] = {}
    errors: dict[str, str] = {}
    for part in asked_parts(variant):
        option = option_values(part).get(fields.get(part.name, ""))
        if option is None:
            errors[part.name] = PART_QUESTIONS.get(part.name, BUG_QUESTION)
        else:
            choices[part.name] = option
    entries = tuple(fields.get(name, "").strip() for name in entry_names(variant.item))
    for name, entry in zip(entry_names(variant.item), entries, strict=True):
        errors |= _entry_errors(name, entry)
    own_words = fields.get("own_words", "").strip() if isinstance(variant.item, Why) else ""
    if len(own_words) > LONGEST_TEXT:
        errors["own_words"] = f"Shorten it to {LONGEST_TEXT} characters."
    confidence = _confidence(fields.get("confidence", ""))
    return Answer(Response(choices, entries, own_words, confidence), errors)


def _entry_errors(name: str, entry: str) -> dict[str, str]:
    if not entry:
        return {name: "Enter the value."}
    try:
        parse_entry(entry)
    except EntryError as error:
        return {name: str(error)}
    return {}


def _confidence(text: str) -> Confidence | None:
    if not text:
        return None
    try:
        return Confidence(text)
    except ValueError as error:
        raise BadRequestError(
            f"The confidence is none of the three: {', '.join(Confidence)}, or left out. Nothing was stored."
        ) from error
