"""Guesses that take runs: cures nobody named, reasons that explain nothing, parameters that change nothing.

None of these proves a mistake, so each is a warning marked as a heuristic. They look at one variant each, but for the
parameters, which take what all variants showed.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.bank.item import Item, SpotTheError, TrueFalse
from app.bank.lab import Lab
from app.bank.parsing import parse
from app.bank.parts import culprit_lines
from app.bank.plans import Plan
from app.bank.probing import truth_of
from app.bank.reports import ItemReport
from app.bank.showing import show_observation
from app.bank.snippets import PARAMETER, dropped, lines_of, patched, syntax_flaw
from app.bank.variants import Variant
from app.sandbox.protocol import Program, Verdict

MOST_CLONES = 32
_NOT_CLONED = frozenset({"grad", "data", "grad_fn"})


def check_cures(variant: Variant, lab: Lab, report: ItemReport) -> None:
    """Warn of lines that heal when they are dropped, or when what they use is cloned, and that no field names."""
    item = variant.item
    if not isinstance(item, SpotTheError):
        return
    named = set(item.also_heals) | set(item.expect.culprit)
    cures = [(line, "Dropping it", code) for line, code in _drops(item) if line not in named]
    cures += [(line, f"Cloning `{name}` there", code) for line, name, code in clones(item.snippet) if line not in named]
    programs = [Program(code, (item.healthy,)) for _, _, code in cures]
    lab.execute(programs)
    for (line, how, _), program in zip(cures, programs, strict=True):
        found = lab.seen(program).get(item.healthy)
        if found is not None and truth_of(found):
            message = (
                f"Line {line}: {how.lower()} heals as well. Name the line under `also_heals`, or tighten `healthy`."
            )
            report.suspect(message, "culprit", shown(variant))


def _drops(item: SpotTheError) -> Iterator[tuple[int, str]]:
    for option in culprit_lines(item):
        code = dropped(item.snippet, int(option.id))
        if code is not None:
            yield int(option.id), code


def clones(snippet: str) -> list[tuple[int, str, str]]:
    """Return (line, name, code) per use of a name that the snippet binds, with `.clone()` after that very use.

    The line of a use inside of a longer statement is where the use stands. At most 32 are returned.
    """
    tree = parse(snippet)
    bound = _bound(tree)
    skipped = set(_uncloned(tree))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in bound and node not in skipped:
            line = lines_of(snippet)[node.lineno - 1]
            end = len(line.encode()[: node.end_col_offset].decode())
            code = patched(snippet, {node.lineno: f"{line[:end]}.clone(){line[end:]}"})
            if syntax_flaw(code) is None:
                found.append((node.lineno, node.id, code))
    return sorted(found)[:MOST_CLONES]


def _bound(tree: ast.AST) -> set[str]:
    """Return the names that a snippet binds."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _uncloned(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield uses that a clone would not keep: what is called, and the owner of `.grad` and the like."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node.func
        elif isinstance(node, ast.Attribute) and node.attr in _NOT_CLONED:
            yield node.value


def check_reason(variant: Variant, lab: Lab, report: ItemReport) -> None:
    """Warn of a right reason that stays true wherever dropping a line turns the statement around."""
    item = variant.item
    if not isinstance(item, TrueFalse):
        return
    reason = item.reasons[item.expect.reason - 1].holds
    codes = [code for number, _ in enumerate(lines_of(item.snippet), 1) if (code := dropped(item.snippet, number))]
    as_shown, *programs = (Program(code, (item.holds, reason)) for code in (item.snippet, *codes))
    lab.execute([as_shown, *programs])
    ended = lab.result(as_shown).verdict
    turned = [lab.seen(program) for program in programs if _turns(item, program, ended, lab)]
    if turned and all(truth_of(seen[reason]) for seen in turned):
        message = (
            f"Reason {item.expect.reason} stays true in each of {len(turned)} runs without one line in which the "
            "statement turns around, so it may not be the reason. Sharpen its probe."
        )
        report.suspect(message, "reason", shown(variant))


def _turns(item: TrueFalse, program: Program, ended: Verdict, lab: Lab) -> bool:
    """Say whether a run ended as the truth run did, decided both probes, and gave the statement the other truth."""
    if lab.result(program).verdict is not ended:
        return False
    decided = [truth_of(observation) for observation in lab.seen(program).values()]
    return bool(decided) and None not in decided and decided[0] is not item.expect.verdict


def check_symptom(variant: Variant, planned: Plan, lab: Lab, report: ItemReport) -> None:
    """Warn of a right symptom that is there as well once a working repair was made."""
    item = variant.item
    if not isinstance(item, SpotTheError):
        return
    symptom = item.symptoms[item.expect.symptom - 1].holds
    for step, program in zip(planned.steps, planned.programs, strict=True):
        found = lab.seen(program).get(item.healthy)
        if step.role != "repair" or found is None or not truth_of(found):
            continue
        healed = Program(program.code, (symptom,))
        lab.execute([healed])
        still = lab.seen(healed).get(symptom)
        if still is not None and truth_of(still):
            message = f"The symptom is still there after repair {step.option}, which heals. Sharpen its probe."
            report.suspect(message, "symptom", shown(variant))


def check_constant_probes(probes: Sequence[str], report: ItemReport) -> None:
    """Warn of probes that look at nothing of the run; `probes` are as the file has them, parameters included."""
    for probe in probes:
        tree = parse(PARAMETER.sub(r"_\1", probe).strip(), "eval")
        if not any(isinstance(node, ast.Name) and node.id != "torch" for node in ast.walk(tree)):
            report.suspect(f"`{probe}` looks at nothing of the run, so it says nothing about it.", "probe")
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and ast.dump(node.left) == ast.dump(node.comparators[0]):
                report.suspect(f"`{ast.unparse(node)}` compares an expression with itself.", "probe")


def check_parameters(
    item: Item, variants: Sequence[Variant], plans: Sequence[Plan], lab: Lab, report: ItemReport
) -> None:
    """Warn of variants that read the same, and of parameters without an effect on anything that was observed."""
    if len(variants) > 1 and len({variant.item.snippet for variant in variants}) < len(variants):
        report.suspect("Some variants are the same snippet. Remove the double values of a parameter.", "parameters")
    outcomes = [_outcome(planned, lab) for planned in plans]
    idle = [name for name in item.parameters if _is_idle(name, variants, outcomes)]
    if not idle:
        return
    looks = [Program(variant.item.snippet, tuple(sorted(_bound(parse(variant.item.snippet))))) for variant in variants]
    lab.execute(looks)
    outcomes = [f"{outcome} {_seen(look, lab)}" for outcome, look in zip(outcomes, looks, strict=True)]
    for name in idle:
        if _is_idle(name, variants, outcomes):
            report.suspect(f"`${name}` changes no value of the snippet. Let it matter, or remove it.", "parameters")


def _is_idle(name: str, variants: Sequence[Variant], outcomes: Sequence[str]) -> bool:
    """Say whether no two variants that differ in one parameter alone showed anything else; no such two say nothing."""
    groups: dict[str, list[str]] = {}
    for variant, outcome in zip(variants, outcomes, strict=True):
        rest = repr({other: value for other, value in variant.parameters.items() if other != name})
        groups.setdefault(rest, []).append(outcome)
    compared = [group for group in groups.values() if len(group) > 1]
    return bool(compared) and all(len(set(group)) == 1 for group in compared)


def _outcome(planned: Plan, lab: Lab) -> str:
    """Return everything that the runs of one variant showed, as text."""
    return " ".join(_seen(program, lab) for program in planned.programs)


def _seen(program: Program, lab: Lab) -> str:
    one = lab.result(program)
    ended = one.verdict, one.exception and one.exception.type, one.stdout
    return repr((ended, [show_observation(seen) for seen in one.observations]))


def check_stderr(variant: Variant, planned: Plan, lab: Lab, report: ItemReport) -> None:
    """Warn of what a run that ended well, or one before its traceback, writes to stderr."""
    for step, program in zip(planned.steps, planned.programs, strict=True):
        result = lab.result(program)
        said = result.stderr.partition("Traceback (most recent call last)")[0].strip()
        if said and result.verdict in (Verdict.OK, Verdict.ERROR):
            first = said.splitlines()[0][:160]
            writer = "A probe" if first.startswith("<observe>") else "The run"
            report.warn(f"{writer} writes to stderr: {first}", named(step.role, step.option), shown(variant))


def named(role: str, option: str) -> str:
    """Return what a program was run for, as an author reads it."""
    return "snippet" if role == "truth" else f"{role} {option}".strip()


def shown(variant: Variant) -> str:
    """Return the parameters of a variant as text."""
    parameters: Mapping[str, Any] = variant.parameters
    return ", ".join(f"{name}={value!r}" for name, value in parameters.items())
