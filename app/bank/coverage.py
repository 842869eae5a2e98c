"""Which items test which claim of the sources: `claims.yaml` against every item's `source.reference`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.bank.catalog import Bank
from app.bank.documents import MAX_LIST_BYTES, read_file
from app.bank.item import Item
from app.bank.rows import Columns, read_rows
from app.errors import GradproofError

CLAIMS = "claims.yaml"
COLUMNS = Columns(("id", "verdict", "summary"))
# What the status of at least one item has to be, so that the page says what the run showed of the claim.
FITTING: Mapping[str, frozenset[str]] = {
    "holds": frozenset({"verified", "conditional", "version_dependent", "disputed"}),
    "conditional": frozenset({"conditional", "version_dependent", "disputed"}),
    "false": frozenset({"disputed"}),
}
HEAD = """\
# Coverage: every claim of the sources and its items

Made by `gradproof bank coverage --write` from `question_bank/claims.yaml` and the `source.reference` of the items; do
not edit it. The verdict is what runs showed of the claim: *holds*, *conditional* (true only under a condition that the
source leaves out) or *false*. A conditional claim needs an item whose status says so, a false one a disputed item.
"""


class ClaimsError(GradproofError):
    """claims.yaml cannot be used; the message has every problem with its line."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a source: its id, what runs showed of it, and a summary in our words."""

    id: str
    verdict: str
    summary: str


@dataclass(frozen=True, slots=True)
class Covered:
    """A claim and the items that name it."""

    claim: Claim
    items: tuple[Item, ...]

    @property
    def missing(self) -> bool:
        """Say whether no item tests the claim."""
        return not self.items

    @property
    def fits(self) -> bool:
        """Say whether the status of an item says what the runs showed."""
        return any(item.status in FITTING[self.claim.verdict] for item in self.items)


def read_claims(folder: Path) -> tuple[Claim, ...]:
    """Return the claims of a bank's folder in their order.

    Raises `ClaimsError` with every problem of the file.
    """
    document = read_file(folder / CLAIMS, CLAIMS, MAX_LIST_BYTES)
    claims = read_rows(document, COLUMNS, Claim)
    for index, claim in enumerate(claims.values()):
        if claim.verdict not in FITTING:
            document.report((index, "verdict"), 'The verdict is holds, conditional or "false" (in quotes).')
    if document.problems:
        raise ClaimsError("\n".join(map(str, document.problems)))
    return tuple(claims.values())


def named_in(reference: str) -> tuple[str, ...]:
    """Return the words of a reference that may be claim ids: `GP6, G2.1` names two."""
    return tuple(word.strip(".-") for word in re.split(r"[^A-Za-z0-9.\-]+", reference))


def cover(bank: Bank, claims: Iterable[Claim]) -> tuple[Covered, ...]:
    """Return each claim with its current items."""
    by_claim: dict[str, list[Item]] = {claim.id: [] for claim in claims}
    for item in bank.select():
        for name in dict.fromkeys(named_in(item.source.reference) if item.source is not None else ()):
            if name in by_claim:
                by_claim[name].append(item)
    return tuple(Covered(claim, tuple(by_claim[claim.id])) for claim in claims)


def table(rows: Sequence[Covered]) -> str:
    """Return the coverage as a Markdown document."""
    missing = sum(row.missing for row in rows)
    unfit = sum(not row.missing and not row.fits for row in rows)
    counts = f"{len(rows)} claims, {len(rows) - missing} with an item, {missing} without, {unfit} with another status."
    lines = [HEAD, counts, "", "| claim | verdict | what it says | items | status |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*lines, *map(_line, rows)]) + "\n"


def _line(row: Covered) -> str:
    claim = row.claim
    items = ", ".join(f"[{item.id}](../question_bank/{item.topic}/{item.id}.yaml)" for item in row.items)
    statuses = ", ".join(dict.fromkeys(item.status.replace("_", " ") for item in row.items))
    note = "**missing**" if row.missing else statuses if row.fits else f"**{statuses}**"
    return f"| {claim.id} | {claim.verdict} | {claim.summary} | {items} | {note} |"
