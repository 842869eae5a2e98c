"""Whether a run shows the same again: with another seed, and, where that differs, once more with the same one.

What decides a key must not depend on either. What is only shown (a value the explanation quotes, stdout) may differ
from run to run without making the key wrong, and is a warning.
"""

from collections.abc import Sequence

from app.bank.item import EdgeCase
from app.bank.lab import FIRST, REPEATED, RESEEDED, Lab
from app.bank.plans import Plan, Step, goal, truth_probes
from app.bank.reports import ItemReport
from app.bank.showing import show_observation
from app.bank.snippets import quotes
from app.bank.suspicions import named, shown
from app.bank.values import same
from app.bank.variants import Variant
from app.sandbox.protocol import Observation, Program, RunResult


def agree(one: Observation, other: Observation) -> bool:
    """Say whether two observations of one expression are the same, floats within their tolerance."""
    if one.raised is not None or other.raised is not None:
        return one.raised is not None and other.raised is not None and one.raised.type == other.raised.type
    return one.value == other.value or same(one.value, other.value)


def check_repeats(pairs: Sequence[tuple[Variant, Plan]], lab: Lab, report: ItemReport) -> None:
    """Compare the two runs of each program; where they differ make a third, to tell chance from flakiness."""
    differing = [
        (variant, step, program)
        for variant, planned in pairs
        for step, program in zip(planned.steps, planned.programs, strict=True)
        if _differences(variant, step, program, lab, RESEEDED)
    ]
    lab.execute([program for _, _, program in differing], (REPEATED,))
    for variant, step, program in differing:
        flaky = _differences(variant, step, program, lab, REPEATED)
        for sentence, decides in flaky or _differences(variant, step, program, lab, RESEEDED):
            why = "although the seed is the same: it is flaky" if flaky else "with another seed"
            part = f"{'flaky' if flaky else 'nondeterministic'}, {named(step.role, step.option)}"
            say = report.error if decides else report.warn
            say(f"{sentence} {why}. Seed it in the snippet, or ask what chance does not decide.", part, shown(variant))


def _differences(variant: Variant, step: Step, program: Program, lab: Lab, attempt: int) -> list[tuple[str, bool]]:
    """Return (sentence, whether it decides the key) for what an attempt showed otherwise than the first."""
    item = variant.item
    one, other = lab.result(program), lab.result(program, attempt)
    found = [] if _ended(one) == _ended(other) else [(f"It ends with {_said(one)}, then with {_said(other)}", True)]
    deciding = truth_probes(item) if step.role == "truth" else (goal(item),)
    shown_too = quotes(item.explanation) if step.role == "truth" else ()
    before, after = lab.seen(program, FIRST), lab.seen(program, attempt)
    for expression in dict.fromkeys([*deciding, *shown_too]):
        left, right = before.get(expression), after.get(expression)
        if left is not None and right is not None and not agree(left, right):
            sentence = f"`{expression}` gives {show_observation(left)}, then {show_observation(right)}"
            found.append((sentence, expression in deciding))
    if one.stdout != other.stdout:
        found.append(("It prints something else", isinstance(item, EdgeCase) and "stdout" in " ".join(item.asks)))
    return found


def _ended(result: RunResult) -> tuple[object, ...]:
    raised = result.exception
    return result.verdict, raised and raised.type, raised and raised.line


def _said(result: RunResult) -> str:
    return result.exception.type if result.exception is not None else result.verdict.value
