"""Outcomes, keys and times in words."""

from datetime import datetime

from app.bank.evidence import Key
from app.bank.item import EdgeCase, Item, RepairMatrix, SpotTheError, TrueFalse, Why
from app.bank.parts import NONE, bug_part
from app.bank.showing import show_observation
from app.grading.grade import Outcome, Response
from app.web.views import YOU, Tone, Voice


def show_time(moment: datetime) -> str:
    """Return a time as a person reads it, in UTC."""
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def tone_of(outcome: Outcome) -> Tone:
    """Return how an outcome feels."""
    if outcome.all_right:
        return Tone.RIGHT
    return Tone.PARTLY if outcome.credit > 0 or outcome.verdict_only else Tone.WRONG


def outcome_words(outcome: Outcome) -> str:
    """Return an outcome in a few words."""
    if outcome.all_right:
        return "right"
    if outcome.verdict_only:
        return "verdict only"
    if outcome.right_parts and len(outcome.parts) > 2:
        return f"{outcome.right_parts} of {len(outcome.parts)} parts"
    return "wrong"


def verdict_sentence(item: Item, response: Response, outcome: Outcome, key: Key, voice: Voice = YOU) -> str:
    """Return the first sentence of a reveal: what is so, and whether the person said it."""
    if isinstance(item, TrueFalse):
        return _true_false(response, outcome, key, voice)
    if isinstance(item, SpotTheError):
        return _spot(outcome, key)
    if isinstance(item, EdgeCase):
        return _edge(outcome)
    if isinstance(item, RepairMatrix):
        return _matrix(outcome, voice)
    if outcome.all_right:
        return "Right: take that away, and the effect is gone."
    return "No: take that away, and the effect stays."


def _true_false(response: Response, outcome: Outcome, key: Key, voice: Voice) -> str:
    verdict = key.right["verdict"][0]
    if outcome.all_right:
        return f"Right: it is {verdict}, and for the right reason."
    if outcome.verdict_only:
        return f"It is {verdict}, as {voice.subject} said, but for another reason."
    if response.choices.get("reason") in key.right["reason"]:
        return f"No: it is {verdict}, and the reason {voice.subject} chose says why."
    return f"No: it is {verdict}."


def _spot(outcome: Outcome, key: Key) -> str:
    lines = " or ".join(key.right["culprit"])
    if outcome.all_right:
        return f"Right: line {lines}, what it does, and a repair that works."
    missed = [part.name for part in outcome.parts if not part.right]
    if len(missed) == len(outcome.parts):
        return f"No: the culprit is line {lines}."
    names = " and ".join(f"the {name}" for name in missed)
    return f"Partly: {names} {'are' if len(missed) > 1 else 'is'} not what the runs show; the culprit is line {lines}."


def _matrix(outcome: Outcome, voice: Voice) -> str:
    if outcome.all_right:
        return f"Right: each of {voice.possessive} repairs cures its bug."
    if outcome.right_parts:
        return f"Partly: {outcome.right_parts} of {len(outcome.parts)} bugs are cured by what {voice.subject} chose."
    return f"No: none of {voice.possessive} repairs cures its bug."


def _edge(outcome: Outcome) -> str:
    if outcome.all_right:
        return "Right: that is what the run shows."
    if outcome.right_parts:
        return f"Partly: {outcome.right_parts} of {len(outcome.parts)} values are what the run shows."
    return "No: the run shows something else."


def observed_words(item: Item, key: Key) -> str:
    """Return the observed key as Markdown, to stand beside a source's answer."""
    if isinstance(item, TrueFalse):
        reason = item.reasons[int(key.right["reason"][0]) - 1].text
        return f"The statement is {key.right['verdict'][0]}. {reason}"
    if isinstance(item, SpotTheError):
        symptom = item.symptoms[int(key.right["symptom"][0]) - 1].text
        return f"The culprit is line {' or '.join(key.right['culprit'])}. {symptom}"
    if isinstance(item, Why):
        return " ".join(item.causes[int(place) - 1].text for place in key.right["cause"])
    if isinstance(item, RepairMatrix):
        return " ".join(
            f"{bug.text} Cured by: {_cures(item, key.right[bug_part(place)])}."
            for place, bug in enumerate(item.bugs, start=1)
        )
    pairs = zip(item.asks, key.values, strict=True)
    return ", ".join(f"`{ask}` is `{show_observation(value)}`" for ask, value in pairs)


def _cures(item: RepairMatrix, places: tuple[str, ...]) -> str:
    return (
        ", ".join(item.repairs[int(place) - 1].text.rstrip(".") for place in places if place != NONE) or "none of these"
    )
