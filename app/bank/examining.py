"""One item, run and judged: every variant against what the file expects, each program twice with other seeds."""

from collections import Counter
from collections.abc import Sequence

from app.bank.checks import MAX_COLUMNS, MAX_LINES
from app.bank.evidence import Reading
from app.bank.item import EdgeCase, Item, Why
from app.bank.lab import FIRST, RESEEDED, Lab, Run
from app.bank.meaning import check_meaning
from app.bank.moves import readable
from app.bank.parts import answers, show_answer
from app.bank.plans import Plan, plan, truth_probes
from app.bank.probing import ended_alike, read
from app.bank.repeats import agree, check_repeats
from app.bank.reports import ItemReport
from app.bank.showing import show_observation
from app.bank.snippets import lines_of
from app.bank.suspicions import (
    check_constant_probes,
    check_cures,
    check_parameters,
    check_reason,
    check_stderr,
    check_symptom,
    shown,
)
from app.bank.variants import NoVariantError, Variant, content_hash, size, survey
from app.bank.wording import long_texts, missing_fields, outcome_words, statement_restated, words_to_read
from app.sandbox.protocol import Program

ALONE = 2


def examine(item: Item, run: Run, limit: int) -> ItemReport:
    """Run an item's variants, up to `limit` or a seeded sample of that many, and return what they showed."""
    report = ItemReport(item.id, content_hash(item))
    lab = Lab(run)
    variants = _variants(item, limit, report)
    if variants:
        _check_words(item, variants[0], report)
        _run(item, variants, lab, report)
    report.programs, report.runs, report.probes = lab.programs, lab.runs, lab.probes
    report.torch, report.python, report.layers = lab.torch, lab.python, lab.layers
    return report


def _variants(item: Item, limit: int, report: ItemReport) -> Sequence[Variant]:
    """Return the variants to run; report those that are never drawn, and what a sample leaves out."""
    try:
        found = survey(item, limit)
    except NoVariantError as error:
        report.error(error.message)
        return ()
    for variant in found.refused:
        for flaw in variant.flaws:
            report.warn(f"{flaw} Such a variant is never drawn.", parameters=shown(variant))
    if not found.variants:
        report.error("In every variant options collide, so that none can be drawn.")
    elif not found.exhaustive:
        tried, total = len(found.variants), size(item)
        report.not_run.append(f"{item.id}: a sample of {tried} variants was run, of {total} combinations.")
    report.variants = len(found.variants)
    return found.variants


def _check_words(item: Item, variant: Variant, report: ItemReport) -> None:
    for word in outcome_words(item):
        report.suspect(f"`{word}` in the id or the title may tell the outcome. Name the situation instead.")
    for sentence in long_texts(variant.item, variant.parts):
        report.suspect(sentence, "length")
    if item.torch is not None and not readable(item.torch):
        report.error(f"`{item.torch}` names no versions. Write clauses such as `>=2.9, <2.14`.", "torch")
    for sentence in missing_fields(item):
        report.warn(sentence, "missing")
    if statement_restated(item):
        report.suspect("The right reason's probe is the statement's own, so it explains nothing.", "reason")
    report.words = words_to_read(variant.item, variant.parts)


def _run(item: Item, variants: Sequence[Variant], lab: Lab, report: ItemReport) -> None:
    plans = [plan(variant) for variant in variants]
    lab.execute((program for planned in plans for program in planned.programs), (FIRST, RESEEDED))
    pairs = list(zip(variants, plans, strict=True))
    readings = [read(variant, planned, lab.job(planned.programs)) for variant, planned in pairs]
    for (variant, planned), reading in zip(pairs, readings, strict=True):
        _judge(variant, planned, reading, lab, report)
        _check_lines(variant, planned, report)
        check_stderr(variant, planned, lab, report)
    check_repeats(pairs, lab, report)
    report.memorisation = memorisation(variants, readings)
    _check_alone(pairs[:ALONE], lab, report)
    check_meaning(item, variants, lab, report)
    check_parameters(item, variants, plans, lab, report)
    check_constant_probes(truth_probes(item), report)
    check_cures(variants[0], lab, report)
    check_reason(variants[0], lab, report)
    check_symptom(variants[0], plans[0], lab, report)


def _judge(variant: Variant, planned: Plan, reading: Reading, lab: Lab, report: ItemReport) -> None:
    """Report where the run contradicts the file, and what it cannot have meant; keep the key."""
    item, seen_on = variant.item, shown(variant)
    for entry in reading.disagreements:
        report.error(f"The file expects: {entry.expected}. Observed: {entry.observed}.", entry.part, seen_on)
    for sentence in reading.undecided:
        report.error(sentence, "undecided", seen_on)
    observed = [show_observation(value) for value in reading.key.values]
    right = {part: list(options) for part, options in reading.key.right.items()}
    report.keys[seen_on] = right | ({"observed": observed} if observed else {})
    truth = lab.result(planned.programs[0])
    if truth.exception is not None and not _mentions_exceptions(item):
        message = f"The snippet raises {truth.exception.type} in line {truth.exception.line}, and no probe looks at it."
        report.warn(message, parameters=seen_on)
    if isinstance(item, Why):
        for step, program in zip(planned.steps[1:], planned.programs[1:], strict=True):
            ended = lab.result(program)
            if ended.exception is not None and not ended_alike(item, truth, ended):
                message = f"Without it the snippet raises {ended.exception.type}, which shows nothing."
                report.warn(f"{message} Patch it otherwise.", f"cause {step.option}", seen_on)


def _mentions_exceptions(item: Item) -> bool:
    if isinstance(item, EdgeCase) and any(isinstance(v, dict) and "exception" in v for v in answers(item).values()):
        return True
    return any("raised" in probe for probe in truth_probes(item))


def _check_lines(variant: Variant, planned: Plan, report: ItemReport) -> None:
    """Report a snippet that is too long or wide for a page, as shown or patched."""
    for step, program in zip(planned.steps, planned.programs, strict=True):
        lines = lines_of(program.code)
        wide = [number for number, line in enumerate(lines, 1) if len(line) > MAX_COLUMNS]
        say = report.error if step.role == "truth" else report.warn
        part = "snippet" if step.role == "truth" else f"{step.role} {step.option}"
        if len(lines) > MAX_LINES:
            say(f"The snippet has {len(lines)} lines. Shorten it to {MAX_LINES}.", part, shown(variant))
        for number in wide:
            say(f"Line {number} is wider than {MAX_COLUMNS} columns. Break it.", part, shown(variant))
    notes = variant.item.interview
    for follow_up in notes.follow_ups if notes else ():
        if any(len(line) > MAX_COLUMNS for line in lines_of(follow_up.snippet or "")):
            report.warn(f"A line of the follow-up is wider than {MAX_COLUMNS} columns. Break it.", "follow_ups")


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


def _check_alone(pairs: Sequence[tuple[Variant, Plan]], lab: Lab, report: ItemReport) -> None:
    """Run each probe in a child of its own: what it says may not depend on the probes before it."""
    lab.execute(Program(v.item.snippet, (probe,)) for v, _ in pairs for probe in truth_probes(v.item))
    for variant, planned in pairs:
        together = lab.seen(planned.programs[0])
        for probe in truth_probes(variant.item):
            one = lab.seen(Program(variant.item.snippet, (probe,))).get(probe)
            other = together.get(probe)
            if one is not None and other is not None and not agree(one, other):
                message = f"`{probe}` gives {show_observation(one)} alone, and {show_observation(other)} after others."
                report.error(f"{message} Make it pure.", "probe", shown(variant))
