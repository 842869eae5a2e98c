"""Keys under several versions of torch: which items move, and which versions an item says it holds for."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.bank.catalog import Bank
from app.bank.item import Item
from app.bank.reports import ItemReport, Report

_CLAUSE = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)\s*", re.ASCII)
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True, slots=True)
class Move:
    """An item whose key is not the same under every version; `keys` has what each version gave, as text."""

    item: str
    parameters: str
    keys: dict[str, str]
    declared: bool


def readable(spec: str) -> bool:
    """Say whether a `torch:` field can be read: clauses such as `>=2.9`, separated by commas."""
    return all(_CLAUSE.fullmatch(clause) for clause in spec.split(","))


def holds_under(item: Item, version: str) -> bool:
    """Say whether an item claims to hold under a version of torch; one that says nothing holds under all."""
    if item.torch is None or not readable(item.torch):
        return True
    clauses = [match for clause in item.torch.split(",") if (match := _CLAUSE.fullmatch(clause))]
    return all(_COMPARE[match[1]](*_padded(version, match[2])) for match in clauses)


def _padded(version: str, other: str) -> tuple[list[int], list[int]]:
    """Return two versions as lists of equal length; what follows the numbers (`+cpu`, `rc1`) is left out."""
    left, right = ([int(part) for part in re.findall(r"\d+", text.partition("+")[0])[:3]] for text in (version, other))
    size = max(len(left), len(right))
    return left + [0] * (size - len(left)), right + [0] * (size - len(right))


def moves(bank: Bank, reports: Mapping[str, Report]) -> list[Move]:
    """Return one entry per item whose key differs between versions, on the first variant where it does."""
    found = []
    for item_id, item in bank.items.items():
        known = {version: report.found[item_id] for version, report in reports.items() if item_id in report.found}
        move = _move(item, known)
        found += [move] if move is not None else []
    return found


def _move(item: Item, known: Mapping[str, ItemReport]) -> Move | None:
    shared = list(dict.fromkeys(name for one in known.values() for name in one.keys))
    for parameters in shared:
        keys = {version: one.keys.get(parameters, {}) for version, one in known.items()}
        bare = [{part: right for part, right in key.items() if part != "observed"} for key in keys.values()]
        if any(one != bare[0] for one in bare[1:]):
            declared = item.status == "version_dependent"
            return Move(item.id, parameters, {version: _text(key) for version, key in keys.items()}, declared)
    return None


def _text(key: Mapping[str, list[str]]) -> str:
    if not key:
        return "no key"
    return "; ".join(f"{part}: {', '.join(right) or 'none of the options'}" for part, right in key.items())


def forgive(bank: Bank, report: Report, version: str) -> None:
    """Turn the errors of items that do not claim to hold under a version into sentences of what was left out."""
    outside = {name for name in report.found if not holds_under(bank.items[name], version)}
    for name in sorted(outside & report.failed):
        claimed = bank.items[name].torch
        report.not_run.append(f"{name}: it holds for torch {claimed}, so what {version} gives is no error.")
    report.errors = [finding for finding in report.errors if finding.item not in outside]


def flag(found: list[Move], reports: Mapping[str, Report]) -> dict[str, list[str]]:
    """Add an error for each undeclared move, and return the versions that moved it per content hash of all items.

    An item that held has no versions there, so that an older finding about it goes.
    """
    moved = {move.item: move for move in found}
    flagged: dict[str, list[str]] = {}
    for report in reports.values():
        for name, one in report.found.items():
            flagged[one.content_hash] = sorted(moved[name].keys) if name in moved else []
            report.quiz[name] = "no" if name in moved else report.quiz[name]
            if name in moved and not moved[name].declared:
                report.error(name, "Its key moves between versions of torch. Declare `status: version_dependent`.")
    return flagged
