"""Options that no run tells apart: probes that ask the same thing in other words, patches that are the same change."""

import ast
from collections.abc import Mapping, Sequence
from itertools import combinations

from app.bank.item import Item
from app.bank.lab import Lab
from app.bank.parsing import parse
from app.bank.plans import plan
from app.bank.reports import ItemReport
from app.bank.similar import alike, perturbed, probes_by_part, sides_of
from app.bank.variants import NoVariantError, Variant, with_parameters
from app.sandbox.protocol import Observation, Program


def check_meaning(item: Item, variants: Sequence[Variant], lab: Lab, report: ItemReport) -> None:
    """Warn of options that no run tells apart, on the item's own values and on perturbed ones."""
    _check_patches(variants[0], report)
    moved = _perturbed(item, variants[0])
    judged = [*variants, *([moved] if moved is not None else [])]
    programs = [Program(variant.item.snippet, sides_of(variant.item)) for variant in judged]
    if not programs[0].observe:
        return
    lab.execute(programs)
    seen = [lab.seen(program) for program in programs]
    if moved is not None and lab.result(programs[-1]).verdict is not lab.result(programs[0]).verdict:
        judged, seen = judged[:-1], seen[:-1]  # the perturbed values do another thing altogether
    for part, probes in probes_by_part(item).items():
        for one, other in combinations(range(len(probes)), 2):
            if all(_alike_on(variant, part, one, other, found) for variant, found in zip(judged, seen, strict=True)):
                message = f"Options {one + 1} and {other + 1} probe the same thing on every run. Make them differ."
                report.suspect(message, part)


def _alike_on(variant: Variant, part: str, one: int, other: int, seen: Mapping[str, Observation]) -> bool:
    probes = probes_by_part(variant.item)[part]
    return alike(probes[one], probes[other], seen)


def _perturbed(item: Item, variant: Variant) -> Variant | None:
    try:
        return with_parameters(item, perturbed(variant.parameters)) if variant.parameters else None
    except NoVariantError:
        return None


def _check_patches(variant: Variant, report: ItemReport) -> None:
    """Warn of two repairs or two causes whose patched snippets are the same program."""
    planned = plan(variant)
    steps = [(step, program.code) for step, program in zip(planned.steps, planned.programs, strict=True)]
    for (one, code), (other, other_code) in combinations(steps, 2):
        if one.role.startswith("bug-") and one.patch != other.patch:
            continue  # in a cell, two repairs of the bug's own line may come to the same; elsewhere they differ
        if one.role == other.role and ast.dump(parse(code)) == ast.dump(parse(other_code)):
            report.warn(f"{one.option} and {other.option} are the same change. Make them differ.", one.role)
