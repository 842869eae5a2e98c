"""What a live check has to run: the snippet with everything that is asked of it, then each patched snippet."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.bank.item import EdgeCase, Item, RepairMatrix, SpotTheError, TrueFalse, Why
from app.bank.parts import bug_part
from app.bank.snippets import operands, patched, quotes
from app.bank.variants import Variant
from app.sandbox.protocol import Program


@dataclass(frozen=True, slots=True)
class Step:
    """What a program is run for: `truth`, or what `option` names.

    That is a `repair`, an `also_heals` line, a `cause`, a `bug` alone, or a cell of a matrix, whose role is its part.
    """

    role: str
    option: str = ""
    patch: dict[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The programs of one live check in order, the truth run first, and what each is run for."""

    programs: tuple[Program, ...]
    steps: tuple[Step, ...]


def plan(variant: Variant) -> Plan:
    """Return the programs that give a variant its key and its evidence."""
    item = variant.item
    steps = (Step("truth"), *_patched_steps(item))
    programs = [Program(item.snippet, truth_expressions(item))]
    programs += [Program(patched(item.snippet, step.patch or {}), _expressions([goal(item)])) for step in steps[1:]]
    return Plan(tuple(programs), steps)


def truth_expressions(item: Item) -> tuple[str, ...]:
    """Return what the truth run observes: probes first, then what they compare, then what the explanation quotes."""
    return tuple(dict.fromkeys([*_expressions(truth_probes(item)), *quotes(item.explanation), "raised"]))


def truth_probes(item: Item) -> tuple[str, ...]:
    """Return the probes of the truth run, each once, in file order."""
    match item:
        case TrueFalse():
            probes = [item.holds, *(reason.holds for reason in item.reasons)]
        case SpotTheError():
            probes = [item.healthy, *(symptom.holds for symptom in item.symptoms)]
        case EdgeCase():
            probes = [*item.asks]
        case RepairMatrix():
            probes = [item.healthy]
        case Why():
            probes = [item.effect]
    return tuple(dict.fromkeys(probes))


def goal(item: Item) -> str:
    """Return the probe of the patched runs, or an empty text where a kind has none."""
    if isinstance(item, SpotTheError | RepairMatrix):
        return item.healthy
    return item.effect if isinstance(item, Why) else ""


def _expressions(probes: Iterable[str]) -> tuple[str, ...]:
    """Return probes, then the operands of all: an operand can then not disturb a probe."""
    listed = list(probes)
    return tuple(dict.fromkeys([*listed, *(operand for probe in listed for operand in operands(probe))]))


def _patched_steps(item: Item) -> list[Step]:
    if isinstance(item, Why):
        return [Step("cause", str(place), cause.without) for place, cause in enumerate(item.causes, 1)]
    if isinstance(item, RepairMatrix):
        return _matrix_steps(item)
    if not isinstance(item, SpotTheError):
        return []
    repairs = [Step("repair", str(place), repair.patch) for place, repair in enumerate(item.repairs, 1)]
    return repairs + [Step("also_heals", str(line), {line: text}) for line, text in item.also_heals.items()]


def _matrix_steps(item: RepairMatrix) -> list[Step]:
    """Return each bug alone, then each repair of it; a repair of the same line takes the bug's place there."""
    steps = []
    for place, bug in enumerate(item.bugs, 1):
        steps.append(Step("bug", str(place), bug.patch))
        for number, repair in enumerate(item.repairs, 1):
            steps.append(Step(bug_part(place), str(number), {**bug.patch, **repair.patch}))
    return steps
