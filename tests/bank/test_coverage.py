"""Every claim of the sources has an item whose status says what the runs showed, and the table is current."""

from pathlib import Path

import pytest

from app.bank.catalog import Bank
from app.bank.coverage import Claim, ClaimsError, cover, named_in, read_claims, table
from app.bank.loader import load
from tests.bank.content import TRUE_FALSE, bank_of

ROOT = Path(__file__).parents[2]
BANK = ROOT / "question_bank"
SOURCE = "source: {document: guide, reference: '%s', answer: It adds.}\n"


@pytest.fixture(scope="module")
def shipped() -> Bank:
    return load(BANK)


def test_the_claims_are_all_there() -> None:
    claims = read_claims(BANK)
    assert len(claims) == 97
    verdicts = [claim.verdict for claim in claims]
    assert [verdicts.count(verdict) for verdict in ("holds", "conditional", "false")] == [60, 33, 4]


def test_every_claim_has_an_item(shipped: Bank) -> None:
    assert [row.claim.id for row in cover(shipped, read_claims(BANK)) if row.missing] == []


def test_every_claim_has_an_item_whose_status_says_what_runs_showed(shipped: Bank) -> None:
    rows = [row for row in cover(shipped, read_claims(BANK)) if not row.missing]
    unfit = {row.claim.id: [(item.id, item.status) for item in row.items] for row in rows if not row.fits}
    assert unfit == {}


def test_checked_in_table_is_current(shipped: Bank) -> None:
    made = table(cover(shipped, read_claims(BANK)))
    assert (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8") == made, "run: gradproof bank coverage --write"


def test_reference_names_claims_between_commas_and_words() -> None:
    assert {"GP6", "G2.1", "LAB-run"} <= set(named_in("GP6, G2.1 (and LAB-run)."))
    assert "G1" not in named_in("G1.2")


def test_claim_without_item_is_missing_and_one_of_another_status_stands_out(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, TRUE_FALSE + SOURCE % "A1, A2")
    claims = (Claim("A1", "holds", "It adds."), Claim("A2", "false", "It never adds."), Claim("A3", "holds", "More."))
    first, second, third = cover(bank, claims)
    assert (first.missing, first.fits, second.fits, third.missing) == (False, True, False, True)
    text = table((first, second, third))
    assert "| A1 | holds | It adds. | [two-passes](../question_bank/accumulation/two-passes.yaml) | verified |" in text
    assert "| **verified** |" in text
    assert "| **missing** |" in text


@pytest.mark.parametrize("row", ["- id: A\n  verdict: false\n  summary: s", "- id: A\n  verdict: maybe\n  summary: s"])
def test_claim_with_another_verdict_is_named_with_its_line(tmp_path: Path, row: str) -> None:
    (tmp_path / "claims.yaml").write_text(row)
    with pytest.raises(ClaimsError, match=r"claims\.yaml:2: \[1\]\.verdict"):
        read_claims(tmp_path)


def test_missing_claims_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ClaimsError, match="cannot be read"):
        read_claims(tmp_path)
