"""What an item asks, part by part, and the options of each; which options cannot be told apart."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from app.bank.author_values import to_plain
from app.bank.expressions import ExpressionError
from app.bank.item import EdgeCase, Item, RepairMatrix, SpotTheError, TrueFalse
from app.bank.showing import show
from app.bank.snippets import lines_of
from app.bank.values import same
from app.sandbox.protocol import Plain

NONE = "none"  # the option of a bug that no repair here cures


def bug_part(place: int) -> str:
    """Return the name of the part that asks which repair cures a bug."""
    return f"bug-{place}"


@dataclass(frozen=True, slots=True)
class Option:
    """One choice. `id` is its place in the file, `true`/`false`, or a line number; `code` asks for monospace."""

    id: str
    text: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One question of an item. No options means that the answer is typed.

    Authors tend to write the right option first, so a page that is answered shows positions and never ids: the id
    would give the key away.
    """

    name: str
    legend: str
    options: tuple[Option, ...]


def option_ids(item: Item) -> dict[str, tuple[str, ...]]:
    """Return the option ids of every part whose order is drawn, in file order."""
    match item:
        case TrueFalse():
            return {"reason": _places(len(item.reasons))}
        case SpotTheError():
            return {"symptom": _places(len(item.symptoms)), "repair": _places(len(item.repairs))}
        case EdgeCase():
            return {} if item.entry == "enter" else {"value": _places(1 + len(item.distractors))}
        case RepairMatrix():
            return {bug_part(place): _places(len(item.repairs)) for place, _ in enumerate(item.bugs, 1)}
    return {"cause": _places(len(item.causes))}


def _places(count: int) -> tuple[str, ...]:
    return tuple(str(place) for place in range(1, count + 1))


def parts_of(item: Item, orders: Mapping[str, Sequence[str]]) -> tuple[Part, ...]:
    """Return the parts of an item with options in the order given; what is not listed there keeps its own."""
    listed = {name: _ordered(options, orders.get(name, ())) for name, options in _listed(item).items()}
    match item:
        case TrueFalse():
            verdict = Part("verdict", "Is the statement true?", (Option("true", "True"), Option("false", "False")))
            return verdict, Part("reason", "Why?", listed["reason"])
        case SpotTheError():
            return (
                Part("culprit", "Which line is the culprit?", culprit_lines(item)),
                Part("symptom", "What happens?", listed["symptom"]),
                Part("repair", "Which change repairs it?", listed["repair"]),
            )
        case EdgeCase():
            return (Part("value", item.question, listed.get("value", ())),)
        case RepairMatrix():
            bugs = ((bug_part(place), bug.text) for place, bug in enumerate(item.bugs, 1))
            return tuple(Part(name, text, (*listed[name], Option(NONE, "None of these."))) for name, text in bugs)
    return (Part("cause", item.question, listed["cause"]),)


def culprit_lines(item: SpotTheError) -> tuple[Option, ...]:
    """Return the lines of a snippet that are not blank; their ids are their numbers."""
    lines = enumerate(lines_of(item.snippet), 1)
    return tuple(Option(str(number), line, code=True) for number, line in lines if line.strip())


def answers(item: EdgeCase) -> dict[str, Plain]:
    """Return the value of each option by id: "1" is what the file expects, the distractors follow.

    Several asks make one list. Raises `ExpressionError` where a value cannot be computed.
    """
    values = [item.expect, *(distractor.value for distractor in item.distractors)]
    return {str(place): to_plain(value) for place, value in enumerate(values, 1)}


def show_answer(item: EdgeCase, value: Plain) -> str:
    """Return a value as a person reads it; the values of several asks stand side by side."""
    if not isinstance(item.ask, str) and isinstance(value, dict) and "list" in value:
        return ", ".join(map(show, value["list"]))
    return show(value)


def flaws_of(item: Item) -> tuple[str, ...]:
    """Return a sentence per pair of options that a person cannot tell apart."""
    try:
        listed = _listed(item)
        values = answers(item) if isinstance(item, EdgeCase) else {}
    except ExpressionError as error:
        return (error.message,)
    flaws = [
        f"Options {one.id} and {other.id} of {name} read the same."
        for name, options in listed.items()
        for one, other in combinations(options, 2)
        if one.text.split() == other.text.split()
    ]
    alike = [(one, other) for one, other in combinations(values, 2) if same(values[one], values[other])]
    return (*flaws, *(f"Options {one} and {other} of value are the same value." for one, other in alike))


def _listed(item: Item) -> dict[str, tuple[Option, ...]]:
    """Return the options of every part whose order is drawn, in file order."""
    match item:
        case TrueFalse():
            return {"reason": _texts(reason.text for reason in item.reasons)}
        case SpotTheError():
            return {
                "symptom": _texts(symptom.text for symptom in item.symptoms),
                "repair": _texts(repair.text for repair in item.repairs),
            }
        case EdgeCase():
            if item.entry == "enter":
                return {}
            shown = answers(item).items()
            return {"value": tuple(Option(place, show_answer(item, value), code=True) for place, value in shown)}
        case RepairMatrix():
            repairs = _texts(repair.text for repair in item.repairs)
            return {bug_part(place): repairs for place, _ in enumerate(item.bugs, 1)}
    return {"cause": _texts(cause.text for cause in item.causes)}


def _texts(texts: Iterable[str]) -> tuple[Option, ...]:
    return tuple(Option(str(place), text) for place, text in enumerate(texts, 1))


def _ordered(options: tuple[Option, ...], order: Sequence[str]) -> tuple[Option, ...]:
    places = {option_id: place for place, option_id in enumerate(order)}
    return tuple(sorted(options, key=lambda option: places.get(option.id, len(places))))
