"""Every probe of every option of every variant, run and compared with what the files expect.

`verify` is given a function that runs programs, so that this room knows no sandbox. What it cannot judge (the prose,
whether a question is worth asking) stays with the author; what it leaves out it says in `Report.not_run`.
"""

import ast
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

from app.bank.catalog import Bank
from app.bank.evidence import Reading
from app.bank.item import EdgeCase, Item, SpotTheError, Why
from app.bank.parts import answers, culprit_lines, show_answer
from app.bank.plans import Plan, plan, truth_probes
from app.bank.probing import ended_alike, read, truth_of
from app.bank.reports import Report
from app.bank.similar import alike, perturbed, probes_by_part, sides_of
from app.bank.snippets import dropped
from app.bank.values import same, show_observation
from app.bank.variants import NoVariantError, Variant, size, survey, with_parameters
from app.bank.wording import outcome_words
from app.sandbox.protocol import JobResult, Observation, Program, RunResult, Verdict

Run: TypeAlias = Callable[[Sequence[Program]], JobResult]
Progress: TypeAlias = Callable[[int, int, str], None]

BATCH = 16
THREADS = 2
DEFAULT_LIMIT = 64
ALONE = 2


def verify(
    bank: Bank,
    run: Run,
    ids: Iterable[str] | None = None,
    *,
    limit: int = DEFAULT_LIMIT,
    progress: Progress | None = None,
) -> Report:
    """Run the items of `ids` (all if `None`) and report what is wrong with them.

    Every variant is run up to `limit` per item, then a seeded sample of that many. `run` is called from two threads
    with at most 16 programs; what it raises is raised here. `progress` hears (items done, items in all, item id).
    """
    report, started = Report(), time.monotonic()
    wanted = list(bank.items) if ids is None else list(ids)
    for problem in bank.problems if ids is None else ():
        report.error(problem.file, f"line {problem.line}: {problem.field}: {problem.message}")
    with ThreadPoolExecutor(THREADS) as pool:
        for done, item_id in enumerate(wanted, 1):
            item = bank.get(item_id)
            if item is None:
                report.error(item_id, "The bank has no item of this id. Correct the id, or the problems of its file.")
            else:
                _verify_item(item, _Lab(run, pool, report), report, limit)
            if progress is not None:
                progress(done, len(wanted), item_id)
    crowded = sum(1 for count in report.variants_of.values() if count > ALONE)
    if crowded:
        report.not_run.append(f"Probes were run alone on {ALONE} variants per item; {crowded} items have more.")
    report.seconds = round(time.monotonic() - started, 3)
    return report


@dataclass(slots=True)
class _Lab:
    """Runs programs in batches and remembers their results; the same program is run once."""

    run: Run
    pool: ThreadPoolExecutor
    report: Report
    results: dict[Program, RunResult] = field(default_factory=dict)

    def execute(self, programs: Iterable[Program]) -> None:
        fresh = [program for program in dict.fromkeys(programs) if program not in self.results]
        batches = [fresh[start : start + BATCH] for start in range(0, len(fresh), BATCH)]
        for batch, job in zip(batches, self.pool.map(self.run, batches), strict=True):
            missing = [RunResult(Verdict.INTERNAL, reason="no result came back")] * len(batch)
            self.results.update(zip(batch, [*job.results, *missing], strict=False))
            self.report.torch, self.report.python, self.report.layers = job.torch, job.python, job.layers
        self.report.programs += len(fresh)
        self.report.probes += sum(len(program.observe) for program in fresh)

    def job(self, programs: Iterable[Program]) -> JobResult:
        results = tuple(self.results[program] for program in programs)
        return JobResult(results, self.report.torch, self.report.python, self.report.layers, 0.0)

    def seen(self, program: Program) -> dict[str, Observation]:
        return dict(zip(program.observe, self.results[program].observations, strict=False))


def _verify_item(item: Item, lab: _Lab, report: Report, limit: int) -> None:
    report.items += 1
    for word in outcome_words(item):
        report.warn(item.id, f"`{word}` in the id or the title may tell the outcome. Name the situation instead.")
    try:
        found = survey(item, limit)
    except NoVariantError as error:
        report.error(item.id, error.message)
        return
    for variant in found.refused:
        for flaw in variant.flaws:
            report.warn(item.id, f"{flaw} Such a variant is never drawn.", parameters=_shown(variant))
    if not found.variants:
        report.error(item.id, "In every variant options collide, so that none can be drawn.")
        return
    if not found.exhaustive:
        tried, total = len(found.variants), size(item)
        report.not_run.append(f"{item.id}: a sample of {tried} variants was run, of {total} combinations.")
    report.variants += len(found.variants)
    report.variants_of[item.id] = len(found.variants)
    plans = [plan(variant) for variant in found.variants]
    lab.execute(program for planned in plans for program in planned.programs)
    pairs = list(zip(found.variants, plans, strict=True))
    readings = [read(variant, planned, lab.job(planned.programs)) for variant, planned in pairs]
    for (variant, planned), reading in zip(pairs, readings, strict=True):
        _judge(variant, planned, reading, lab, report)
    report.memorisation[item.id] = memorisation(found.variants, readings)
    _check_alone(found.variants, plans, lab, report)
    _check_meaning(item, found.variants, lab, report)
    _check_lines(found.variants[0], lab, report)


def _shown(variant: Variant) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in variant.parameters.items())


def _judge(variant: Variant, planned: Plan, reading: Reading, lab: _Lab, report: Report) -> None:
    """Report where the run contradicts the file, and what it cannot have meant."""
    item, shown = variant.item, _shown(variant)
    for entry in reading.disagreements:
        message = f"The file expects: {entry.expected}. Observed: {entry.observed}."
        report.error(item.id, message, entry.part, shown)
    for sentence in reading.undecided:
        report.error(item.id, sentence, "undecided", shown)
    truth = lab.results[planned.programs[0]]
    if truth.exception is not None and not _mentions_exceptions(item):
        message = f"The snippet raises {truth.exception.type} in line {truth.exception.line}, and no probe looks at it."
        report.warn(item.id, message, parameters=shown)
    if isinstance(item, Why):
        for step, program in zip(planned.steps[1:], planned.programs[1:], strict=True):
            ended = lab.results[program]
            if ended.exception is not None and not ended_alike(item, truth, ended):
                message = (
                    f"Without it the snippet raises {ended.exception.type}, which shows nothing. Patch it otherwise."
                )
                report.warn(item.id, message, f"cause {step.option}", shown)


def _mentions_exceptions(item: Item) -> bool:
    if isinstance(item, EdgeCase) and any(isinstance(v, dict) and "exception" in v for v in answers(item).values()):
        return True
    return any("raised" in probe for probe in truth_probes(item))


def memorisation(variants: Sequence[Variant], readings: Sequence[Reading]) -> float:
    """Return the best share of variants answered right by somebody who knows the key of one and gives it always."""
    known = Counter(_key_text(variant, reading) for variant, reading in zip(variants, readings, strict=True))
    return round(max(known.values()) / len(readings), 4) if readings else 0.0


def _key_text(variant: Variant, reading: Reading) -> str:
    """Return the right options as the person sees them."""
    item = variant.item
    if isinstance(item, EdgeCase):
        right = reading.key.right["value"]
        values = answers(item)
        return "; ".join(show_answer(item, values[option]) for option in right)
    texts = {(part.name, option.id): option.text for part in variant.parts for option in part.options}
    keys = reading.key.right.items()
    return "; ".join(texts.get((part, option), option) for part, right in keys for option in right)


def _check_alone(variants: Sequence[Variant], plans: Sequence[Plan], lab: _Lab, report: Report) -> None:
    """Run each probe in a child of its own: what it says may not depend on the probes before it."""
    chosen = list(zip(variants, plans, strict=True))[:ALONE]
    alone = [Program(v.item.snippet, (probe,)) for v, _ in chosen for probe in truth_probes(v.item)]
    lab.execute(alone)
    for variant, planned in chosen:
        together = lab.seen(planned.programs[0])
        for probe in truth_probes(variant.item):
            one = lab.seen(Program(variant.item.snippet, (probe,))).get(probe)
            other = together.get(probe)
            if one is not None and other is not None and not _agree(one, other):
                message = f"`{probe}` gives {show_observation(one)} alone, and {show_observation(other)} after others."
                report.error(variant.item.id, f"{message} Make it pure.", "probe", _shown(variant))


def _agree(one: Observation, other: Observation) -> bool:
    if one.raised is not None or other.raised is not None:
        return one.raised is not None and other.raised is not None and one.raised.type == other.raised.type
    return one.value == other.value or same(one.value, other.value)


def _check_meaning(item: Item, variants: Sequence[Variant], lab: _Lab, report: Report) -> None:
    """Warn of options that no run tells apart, on the item's own values and on perturbed ones."""
    _check_patches(variants[0], report)
    moved = _perturbed(item, variants[0])
    judged = [*variants, *([moved] if moved is not None else [])]
    programs = [Program(variant.item.snippet, sides_of(variant.item)) for variant in judged]
    if not programs[0].observe:
        return
    lab.execute(programs)
    seen = [lab.seen(program) for program in programs]
    if moved is not None and lab.results[programs[-1]].verdict is not lab.results[programs[0]].verdict:
        judged, seen = judged[:-1], seen[:-1]  # the perturbed values do another thing altogether
    for part, probes in probes_by_part(item).items():
        for one, other in combinations(range(len(probes)), 2):
            if all(_alike_on(variant, part, one, other, found) for variant, found in zip(judged, seen, strict=True)):
                message = f"Options {one + 1} and {other + 1} probe the same thing on every run. Make them differ."
                report.warn(item.id, message, part)


def _alike_on(variant: Variant, part: str, one: int, other: int, seen: Mapping[str, Observation]) -> bool:
    probes = probes_by_part(variant.item)[part]
    return alike(probes[one], probes[other], seen)


def _perturbed(item: Item, variant: Variant) -> Variant | None:
    try:
        return with_parameters(item, perturbed(variant.parameters)) if variant.parameters else None
    except NoVariantError:
        return None


def _check_patches(variant: Variant, report: Report) -> None:
    """Warn of two repairs or two causes whose patched snippets are the same program."""
    planned = plan(variant)
    steps = [(step, program.code) for step, program in zip(planned.steps, planned.programs, strict=True)]
    for (one, code), (other, other_code) in combinations(steps, 2):
        if one.role == other.role and ast.dump(ast.parse(code)) == ast.dump(ast.parse(other_code)):
            message = f"{one.option} and {other.option} are the same change. Make them differ."
            report.warn(variant.item.id, message, one.role)


def _check_lines(variant: Variant, lab: _Lab, report: Report) -> None:
    """Warn of lines whose removal heals although the author names no such cure."""
    item = variant.item
    if not isinstance(item, SpotTheError):
        return
    named = set(item.also_heals) | set(item.expect.culprit)
    programs = {
        option.id: Program(code, (item.healthy,))
        for option in culprit_lines(item)
        if int(option.id) not in named and (code := dropped(item.snippet, int(option.id))) is not None
    }
    lab.execute(programs.values())
    for line, program in programs.items():
        found = lab.seen(program).get(item.healthy)
        if found is not None and truth_of(found):
            message = f"Dropping line {line} heals as well. Name it under `also_heals`, or tighten `healthy`."
            report.warn(item.id, message, "culprit", _shown(variant))
