"""Items as questions of other programs: one question per part of one drawn variant, keyed by what the file expects."""

from collections.abc import Iterable

from app.bank.catalog import Bank, options_of
from app.bank.item import EdgeCase, Item, RepairMatrix, SpotTheError, TrueFalse, Why
from app.bank.parts import NONE, Option, Part, answers, bug_part, show_answer
from app.bank.snippets import QUOTED
from app.bank.variants import NoVariantError, Variant, draw
from app.exchange.questions import Answer, Parcel, Question

SPOT_QUESTION = "One line is the culprit."
MATRIX_QUESTION = "The snippet is healthy, and each bug breaks it."
_KEPT = frozenset(
    {"id", "kind", "topic", "level", "title", "prompt", "snippet", "explanation", "expect", "question", "statement"}
    | {"ask", "entry", "reasons", "symptoms", "repairs", "causes", "bugs", "distractors"}
)
_REASONS = {
    "parameters": "one variant is exported, with its values filled in",
    "where": "one variant is exported, so there is nothing left to restrict",
    "holds": "a probe is Python, which no other program runs",
    "healthy": "a probe is Python, which no other program runs",
    "effect": "a probe is Python, which no other program runs",
    "also_heals": "a patch is Python, which no other program runs",
    "accept_other_lines": "only the culprit lines that the file expects are keyed",
}
NO_FIELD = "the format has no field for it"
PROBES = "every option's probe or patch stays behind, as no other program runs Python"


def export(bank: Bank, topic: str | None = None) -> Parcel:
    """Return the current items of a bank, or of one topic, as questions, with everything that was left behind."""
    parcel = Parcel()
    for item in bank.select(topic=topic):
        try:
            variant = draw(item, 0)
        except NoVariantError as error:
            parcel.lose(item.id, "the item", error.message)
            continue
        for question in questions_of(variant):
            parcel.take(question)
        _list_losses(item, parcel)
    return parcel


def questions_of(variant: Variant) -> list[Question]:
    """Return a question per part of a variant."""
    parts, right = variant.parts, expected(variant.item)
    return [_question(variant.item, part, right[part.name], alone=len(parts) == 1) for part in parts]


def expected(item: Item) -> dict[str, frozenset[str]]:
    """Return the option ids that the file expects to be right, per part."""
    match item:
        case TrueFalse():
            return {"verdict": frozenset({str(item.expect.verdict).lower()}), "reason": _ids([item.expect.reason])}
        case SpotTheError():
            key = item.expect
            return {"culprit": _ids(key.culprit), "symptom": _ids([key.symptom]), "repair": _ids(key.repair)}
        case EdgeCase():
            return {"value": frozenset({"1"})}
        case Why():
            return {"cause": _ids(item.expect.cause)}
        case RepairMatrix():
            rows = enumerate(item.expect.repairs, 1)
            return {bug_part(place): _ids(cures) or frozenset({NONE}) for place, cures in rows}


def _ids(places: Iterable[int]) -> frozenset[str]:
    return frozenset(map(str, places))


def _question(item: Item, part: Part, right: frozenset[str], *, alone: bool) -> Question:
    is_verdict = isinstance(item, TrueFalse) and part.name == "verdict"
    typed = isinstance(item, EdgeCase) and not part.options
    options = tuple(Answer(_text(option), option.id in right) for option in part.options)
    value = f"{show_answer(item, answers(item)['1'])}" if isinstance(item, EdgeCase) and typed else ""
    return Question(
        id=item.id if alone else f"{item.id}-{part.name}",
        title=item.title if alone else f"{item.title} ({part.name.replace('-', ' ')})",
        form="true_false" if is_verdict else "short" if typed else "choice",
        text=_asked(item, part, alone=alone),
        answers=(Answer(value, right=True),) if typed else options,
        snippet=item.snippet.rstrip("\n"),
        explanation=QUOTED.sub(lambda match: f"`{match[1].strip()}`", item.explanation).strip(),
        tags=(item.topic, f"level {item.level}", item.kind),
    )


def _text(option: Option) -> str:
    if not option.code:
        return option.text
    ticks = "``" if "`" in option.text else "`"
    return f"{ticks}{option.text.strip()}{ticks}" if ticks == "`" else f"{ticks} {option.text.strip()} {ticks}"


def _asked(item: Item, part: Part, *, alone: bool) -> str:
    """Return prompt and question; the legend of a part that is one of several asks for that part."""
    if isinstance(item, TrueFalse):
        legend = "" if part.name == "verdict" else part.legend
        return _joined(item.prompt, item.statement, legend)
    question = item.question if isinstance(item, EdgeCase | Why) else _OVERALL[type(item)]
    return _joined(item.prompt, question, "" if alone else part.legend)


_OVERALL: dict[type, str] = {SpotTheError: SPOT_QUESTION, RepairMatrix: MATRIX_QUESTION}


def _joined(*texts: str) -> str:
    return "\n\n".join(text.strip() for text in texts if text.strip())


def _list_losses(item: Item, parcel: Parcel) -> None:
    for name in sorted(item.model_fields_set - _KEPT):
        if getattr(item, name) not in (None, (), {}):
            parcel.lose(item.id, name, _REASONS.get(name, NO_FIELD))
    if any(option.misconception for _, option in options_of(item)):
        parcel.lose(item.id, "options[].misconception", NO_FIELD)
    if not isinstance(item, EdgeCase):
        parcel.lose(item.id, "options[]", PROBES)
    elif item.entry == "enter":
        parcel.lose(item.id, "entry", "what is typed is compared as text there, so other spellings of the value fail")
    if isinstance(item, RepairMatrix):
        parcel.lose(item.id, "bugs[].patch", "the lines of a bug are not shown")
    if QUOTED.search(item.explanation):
        parcel.lose(item.id, "explanation", "it quotes what the run gave; the expressions stand in their place")
