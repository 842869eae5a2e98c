"""The bank that ships: it loads without a problem, covers what it must, and every item proves itself in the sandbox."""

from collections import Counter

import pytest

from app.bank.catalog import Bank
from app.bank.item import KINDS
from app.bank.loader import load
from app.bank.verify import verify
from app.sandbox.client import SandboxClient
from app.settings import default_bank


@pytest.fixture(scope="module")
def bank() -> Bank:
    return load(default_bank())


def test_every_file_loads_without_a_problem(bank: Bank) -> None:
    assert bank.problems == ()


def test_every_kind_and_level_is_there(bank: Bank) -> None:
    kinds = Counter(item.kind for item in bank.items.values())
    assert len(bank.items) >= 20
    assert set(kinds) == set(KINDS)
    assert min(count for kind, count in kinds.items() if kind != "repair_matrix") >= 20
    assert {item.level for item in bank.items.values()} == {1, 2, 3}


@pytest.mark.parametrize(
    ("reference", "status"),
    [("SE4", "disputed"), ("SE2", "conditional"), ("SE2", "disputed"), ("TF2", "conditional"), ("DEF4", "disputed")],
)
def test_claim_that_fails_keeps_its_source_and_says_how(bank: Bank, reference: str, status: str) -> None:
    found = [
        item
        for item in bank.items.values()
        if item.source and item.source.reference == reference and item.status == status
    ]
    assert found
    assert all(item.source and item.source.answer for item in found)


@pytest.mark.parametrize("reference", ["GP1", "G1", "G2.1", "G3.1", "LAB1", "LAB3"])
def test_exercise_of_the_sources_is_there(bank: Bank, reference: str) -> None:
    references = [item.source.reference for item in bank.items.values() if item.source]
    assert any(reference in reference_ for reference_ in references)


def test_every_item_has_interview_notes_and_most_have_parameters(bank: Bank) -> None:
    items = bank.items.values()
    assert [item.id for item in items if item.interview is None] == []
    assert sum(bool(item.parameters) for item in items) >= 0.6 * len(bank.items)


@pytest.mark.timeout(300)
def test_every_probe_of_two_variants_of_each_item_holds_in_the_real_sandbox(bank: Bank, sandbox: SandboxClient) -> None:
    report = verify(bank, sandbox.run, limit=2)  # every item; `gradproof bank verify` runs every variant
    assert [str(error) for error in report.errors] == []
    assert report.items == len(bank.items)
    assert report.probes > report.programs > report.variants > report.items
