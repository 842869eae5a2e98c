"""Which probes ask the same thing in other words: same shape, and equal values on every run that was made.

Wrong options are all false, so equal truth values say nothing. What is compared is the two sides of every comparison:
`second == first` and `second == (first + again) / 2` cannot be told apart while `first` and `again` are the same.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.bank.item import Item, SpotTheError, TrueFalse
from app.bank.parsing import parse
from app.bank.values import same
from app.sandbox.protocol import Observation


@dataclass(frozen=True, slots=True)
class Form:
    """A probe as a shape with holes, and the expressions that fill them."""

    shape: str
    sides: tuple[str, ...]


def form_of(probe: str) -> Form:
    """Split a probe into its shape and the sides of its comparisons."""
    taker = _SideTaker()
    shape = ast.dump(taker.visit(parse(probe.strip(), "eval")))
    return Form(shape, tuple(taker.sides))


class _SideTaker(ast.NodeTransformer):
    def __init__(self) -> None:
        self.sides: list[str] = []

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        hole = ast.Constant("hole")
        self.sides += [ast.unparse(side) for side in (node.left, *node.comparators)]
        return ast.Compare(hole, node.ops, [hole for _ in node.comparators])

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.GeneratorExp:
        return node  # what is inside depends on the loop variable


def probes_by_part(item: Item) -> Mapping[str, Sequence[str]]:
    """Return the probes of the options that are judged on one and the same run."""
    match item:
        case TrueFalse():
            return {"reason": [reason.holds for reason in item.reasons]}
        case SpotTheError():
            return {"symptom": [symptom.holds for symptom in item.symptoms]}
    return {}


def sides_of(item: Item) -> tuple[str, ...]:
    """Return every expression that the comparison of an item's probes needs."""
    probes = [probe for listed in probes_by_part(item).values() for probe in listed]
    return tuple(dict.fromkeys(side for probe in probes for side in form_of(probe).sides))


def alike(one: str, other: str, seen: Mapping[str, Observation]) -> bool:
    """Say whether one run cannot tell two probes apart; `seen` has what their sides gave on it."""
    left, right = form_of(one), form_of(other)
    if left.shape != right.shape or len(left.sides) != len(right.sides):
        return False
    return all(_equal(seen.get(a), seen.get(b)) for a, b in zip(left.sides, right.sides, strict=True))


def _equal(one: Observation | None, other: Observation | None) -> bool:
    if one is None or other is None:
        return False
    if one.raised is not None or other.raised is not None:
        return one.raised is not None and other.raised is not None and one.raised.type == other.raised.type
    return same(one.value, other.value)


def perturbed(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters moved off the values their author chose, each by an amount of its own."""
    return {name: _moved(value, place) for place, (name, value) in enumerate(parameters.items(), 1)}


def _moved(value: Any, place: int) -> Any:
    if isinstance(value, list):
        return [_moved(element, place + index) for index, element in enumerate(value)]
    if isinstance(value, float):
        return round(value * (1.25 + 0.0625 * place) + 0.125 * place, 6)
    return value


def doubles(items: Iterable[Item]) -> Iterator[tuple[str, str]]:
    """Yield (item id, sentence) for items that ask what another one asks: the same title, or snippet and question."""
    titles: dict[str, str] = {}
    questions: dict[str, str] = {}
    for item in items:
        if item.superseded_by or item.status == "retracted":
            continue
        title = " ".join(item.title.lower().split())
        asked = " ".join((item.snippet + _question(item)).split())
        for text, seen, what in ((title, titles, "title"), (asked, questions, "snippet and question")):
            other = seen.setdefault(text, item.id)
            if other != item.id:
                yield item.id, f"`{other}` has the same {what}. Make them differ, or retract one."


def _question(item: Item) -> str:
    return str(getattr(item, "question", getattr(item, "statement", "")))
