"""Mutation check of the verifier: items with another key, options in another order, or a changed snippet get caught.

What a mutant's key is, is decided here from raw observations, not by the code under test: a mutant whose observed key
is what its file expects is equivalent and left out. Results of runs are remembered, so that mutants that share a
snippet with their item cost nothing.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import ValidationError

from app.bank.catalog import Bank
from app.bank.item import EdgeCase, Item, RepairMatrix, SpotTheError, TrueFalse, Why, dump_item, read_item_json
from app.bank.loader import load
from app.bank.parts import answers
from app.bank.plans import goal, plan
from app.bank.snippets import lines_of, syntax_flaw
from app.bank.values import same
from app.bank.variants import Variant, variants
from app.bank.verify import verify
from app.sandbox.client import SandboxClient
from app.sandbox.protocol import JobResult, Observation, Program, RunResult
from app.settings import default_bank

LIMIT = 2
SAMPLE = {
    "two-passes": 4,
    "a-shift-before-backward": 5,
    "two-steps-of-sgd": 5,
    "a-square-and-a-product": 5,
    "one-snippet-three-bugs": 3,
    "a-square-twice": 3,
    "three-leaves-one-loss": 3,
    "clearing-before-the-next-step": 3,
    "an-array-in-a-block": 3,
    "x-and-its-twin": 3,
    "a-running-mean": 2,
    "a-loss-made-by-hand": 3,
    "one-added-to-a-leaf": 3,
    "a-batch-in-two-parts": 3,
    "there-and-back": 3,
    "two-layers-in-a-row": 2,
    "a-step-before-the-loss": 2,
}  # item -> how many mutants of its snippet are tried
LISTS = ("reasons", "symptoms", "repairs", "causes", "distractors", "bugs")
LEAST_CAUGHT = 0.99

Check = Callable[[Item], bool]


@dataclass(slots=True)
class Memory:
    """The real sandbox, asking it for each program once."""

    sandbox: SandboxClient
    results: dict[Program, RunResult] = field(default_factory=dict)

    def run(self, programs: Sequence[Program]) -> JobResult:
        fresh = [program for program in dict.fromkeys(programs) if program not in self.results]
        if fresh:
            self.results.update(zip(fresh, self.sandbox.run(fresh).results, strict=True))
        return JobResult(tuple(self.results[program] for program in programs), "2", "3", (), 0.0)


@pytest.fixture(scope="module")
def memory(sandbox_address: str) -> Iterator[Memory]:
    client = SandboxClient(sandbox_address)
    yield Memory(client)
    client.close()


@pytest.fixture(scope="module")
def bank() -> Bank:
    return load(default_bank())


def other_keys(item: Item) -> Iterator[dict[str, Any]]:
    """Yield the item with each other `expect` that its kind allows."""
    for key in _keys(item):
        yield {**dump_item(item), "expect": key}


def _keys(item: Item) -> Iterator[Any]:
    key = dump_item(item)["expect"]
    if isinstance(item, TrueFalse):
        yield {**key, "verdict": not item.expect.verdict}
        yield from ({**key, "reason": place} for place in places(item.reasons) if place != item.expect.reason)
    elif isinstance(item, SpotTheError):
        for name, listed in (("symptom", item.symptoms), ("repair", item.repairs)):
            yield from ({**key, name: place} for place in places(listed))
        yield from ({**key, "culprit": number} for number in places(lines_of(item.snippet)))
    elif isinstance(item, Why):
        yield from ({"cause": place} for place in places(item.causes))
        yield {"cause": list(places(item.causes))}
    elif isinstance(item, EdgeCase):
        yield from (dump_item(item)["distractors"][place - 1]["value"] for place in places(item.distractors))
    elif isinstance(item, RepairMatrix):
        for bug, _ in enumerate(item.bugs):
            for place in places(item.repairs):
                repairs = deepcopy(key["repairs"])
                repairs[bug] = [place]
                yield {"repairs": repairs}


def places(listed: Sequence[Any]) -> range:
    """Return the places of a list, from 1."""
    return range(1, len(listed) + 1)


def swapped_options(item: Item) -> Iterator[dict[str, Any]]:
    """Yield the item with two neighbours of a list of options in each other's place, and the key as it was."""
    for name in LISTS:
        for place in range(len(getattr(item, name, ())) - 1):
            data = deepcopy(dump_item(item))
            listed = data[name]
            listed[place], listed[place + 1] = listed[place + 1], listed[place]
            yield data
    if isinstance(item, EdgeCase) and item.distractors:
        data = deepcopy(dump_item(item))
        data["expect"], data["distractors"][0]["value"] = data["distractors"][0]["value"], data["expect"]
        yield data


def changed_snippets(item: Item, most: int) -> Iterator[dict[str, Any]]:
    """Yield the item with one constant or operator of its snippet changed, or one line dropped."""
    snippets: list[str] = []
    for number, line in enumerate(lines_of(item.snippet)):
        for changed in _changed_lines(line):
            rows = lines_of(item.snippet)
            rows[number] = changed
            snippets.append("\n".join(rows) + "\n")
    good = [text for text in dict.fromkeys(snippets) if syntax_flaw(text.replace("$", "")) is None]
    step = max(1, len(good) // most)
    for text in good[::step][:most]:
        yield {**dump_item(item), "snippet": text}


def _changed_lines(line: str) -> Iterator[str]:
    for old, new in ((" + ", " - "), (" * ", " + "), (" - ", " + "), ("True", "False"), ("3.0", "4.5"), ("(2)", "(3)")):
        if old in line:
            yield line.replace(old, new, 1)
    indentation = line[: len(line) - len(line.lstrip())]
    if "backward()" in line or "add_" in line or "zero" in line:
        yield f"{indentation}pass"


def mutants(item: Item, most: int) -> Iterator[Item]:
    """Yield every mutant that is still an item."""
    for data in [*other_keys(item), *swapped_options(item), *changed_snippets(item, most)]:
        try:
            mutant = read_item_json(json.dumps(data))
        except ValidationError:
            continue
        if mutant != item and all(f"${name}" in mutant.snippet for name in mutant.parameters):
            yield mutant


def key_changed(mutant: Item, memory: Memory) -> bool:
    """Say whether, in some variant, what the runs show is not what the file expects."""
    return any(_differs(variant, memory) for variant in variants(mutant, LIMIT))


def _differs(variant: Variant, memory: Memory) -> bool:
    item, planned = variant.item, plan(variant)
    results = memory.run(planned.programs).results
    seen = [
        dict(zip(program.observe, one.observations, strict=False))
        for program, one in zip(planned.programs, results, strict=True)
    ]
    if any(not one for one in seen):
        return True
    healed = {
        (step.role, step.option): truth(run.get(goal(item)))
        for step, run in zip(planned.steps, seen, strict=True)
        if step.role != "truth"
    }
    match item:
        case TrueFalse():
            reasons = [place for place in places(item.reasons) if truth(seen[0][item.reasons[place - 1].holds])]
            return truth(seen[0][item.holds]) is not item.expect.verdict or reasons != [item.expect.reason]
        case SpotTheError():
            return _spot_differs(item, seen[0], healed)
        case RepairMatrix():
            return _matrix_differs(item, seen[0], healed)
        case EdgeCase():
            return _edge_differs(item, seen[0], results[0])
    return _why_differs(item, seen, results)


def _matrix_differs(item: RepairMatrix, seen: dict[str, Observation], healed: dict[tuple[str, str], bool]) -> bool:
    cures = [[place for place in places(item.repairs) if healed[f"bug-{bug}", str(place)]] for bug in places(item.bugs)]
    sick = not any(healed["bug", str(bug)] for bug in places(item.bugs))
    return cures != [sorted(one) for one in item.expect.repairs] or not sick or not truth(seen[item.healthy])


def _edge_differs(item: EdgeCase, seen: dict[str, Observation], result: RunResult) -> bool:
    asked, expected = [seen[ask] for ask in item.asks], answers(item)
    may_raise = any(isinstance(value, dict) and "exception" in value for value in expected.values())
    if any(one.raised for one in asked) and not (may_raise and result.exception):
        return True
    observed: Any = asked[0].value if isinstance(item.ask, str) else {"list": [one.value for one in asked]}
    if result.exception is not None and may_raise:
        observed = seen["raised"].value
    return [option for option, value in expected.items() if same(observed, value)] != ["1"]


def _spot_differs(item: SpotTheError, seen: dict[str, Observation], healed: dict[tuple[str, str], bool]) -> bool:
    symptoms = [place for place in places(item.symptoms) if truth(seen[item.symptoms[place - 1].holds])]
    repairs = [place for place in places(item.repairs) if healed["repair", str(place)]]
    touched = {line for place in repairs for line in item.repairs[place - 1].patch}
    others = {line for line in item.also_heals if healed["also_heals", str(line)]}
    accepted = touched | (others if item.accept_other_lines else set())
    wrong = symptoms != [item.expect.symptom] or repairs != sorted(item.expect.repair)
    return (
        wrong
        or set(item.expect.culprit) not in (touched, accepted)
        or others != set(item.also_heals)
        or truth(seen[item.healthy])
    )


def _why_differs(item: Why, seen: Sequence[dict[str, Observation]], results: Sequence[RunResult]) -> bool:
    def name(one: RunResult) -> str:
        return one.exception.type if one.exception is not None else ""

    causes = []
    for place in places(item.causes):
        ended, before = name(results[place]), name(results[0])
        alike = ended == before or (not ended and "raised" in item.effect)
        found = seen[place][item.effect]
        causes += [place] if alike and found.raised is None and not truth(found) else []
    return causes != sorted(item.expect.cause) or not truth(seen[0][item.effect])


def truth(seen: Observation | None) -> bool:
    """Return whether a probe gave a true bool, a 0-d bool tensor included."""
    value = seen.value if seen is not None else None
    return (value["tensor"]["values"] if isinstance(value, dict) and "tensor" in value else value) is True


@dataclass(slots=True)
class Score:
    """How many key-changing mutants were caught; `missed` names the others."""

    caught: int = 0
    equivalent: int = 0
    missed: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        return self.caught / max(1, self.caught + len(self.missed))


def score(items: Sequence[tuple[Item, int]], memory: Memory, catches: Check) -> Score:
    """Try every mutant of some items."""
    found = Score()
    for item, most in items:
        for mutant in mutants(item, most):
            if not key_changed(mutant, memory):
                found.equivalent += 1
            elif catches(mutant):
                found.caught += 1
            else:
                found.missed.append(f"{mutant.id}: {dump_item(mutant)['expect']} of\n{mutant.snippet}")
    return found


def by_verify(memory: Memory) -> Check:
    """Return what says whether `verify` reports an error of an item."""
    return lambda item: not verify(Bank(items={item.id: item}), memory.run, limit=LIMIT).ok


@pytest.fixture(scope="module")
def sample(bank: Bank) -> list[tuple[Item, int]]:
    return [(bank.item(name), most) for name, most in SAMPLE.items()]


@pytest.mark.timeout(600)
def test_mutants_with_another_key_are_caught(sample: list[tuple[Item, int]], memory: Memory) -> None:
    found = score(sample, memory, by_verify(memory))
    total = found.caught + len(found.missed)
    print(f"\nmutants: {found.caught} of {total} caught ({found.share:.1%}), {found.equivalent} equivalent")
    assert total >= 120
    assert found.share >= LEAST_CAUGHT, "\n".join(found.missed)


@pytest.mark.timeout(600)
def test_a_verifier_that_overlooks_one_part_does_not_pass(sample: list[tuple[Item, int]], memory: Memory) -> None:
    def blind(item: Item) -> bool:
        report = verify(Bank(items={item.id: item}), memory.run, limit=LIMIT)
        return any(finding.part not in ("reason", "repair") for finding in report.errors)

    assert score(sample[:3], memory, blind).share < LEAST_CAUGHT


def test_items_of_the_sample_are_right_as_they_are(sample: list[tuple[Item, int]], memory: Memory) -> None:
    assert [item.id for item, _ in sample if key_changed(item, memory)] == []
