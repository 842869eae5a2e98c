"""Receipts, run for real in a plain interpreter: they print the key that was frozen, or say that it is another."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.bank.catalog import Bank
from app.bank.evidence import Reading
from app.bank.item import KINDS
from app.bank.loader import load
from app.bank.plans import plan
from app.bank.probing import read
from app.bank.receipts import receipt
from app.bank.variants import Variant, draw
from app.sandbox.client import SandboxClient
from tests.banks import ITEMS, write_bank


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return load(write_bank(tmp_path / "bank", ITEMS))


def checked(sandbox: SandboxClient, variant: Variant) -> Reading:
    planned = plan(variant)
    reading = read(variant, planned, sandbox.run(planned.programs))
    assert reading.agrees
    return reading


def run(text: str, folder: Path) -> tuple[int, str]:
    path = folder / "receipt.py"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", path], capture_output=True, text=True, cwd=folder, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def key_in(said: str) -> object:
    return json.loads(next(line for line in said.splitlines() if line.startswith("key ")).removeprefix("key "))


@pytest.mark.parametrize("kind", KINDS)
def test_receipt_of_each_kind_prints_the_frozen_key(
    sandbox: SandboxClient, bank: Bank, tmp_path: Path, kind: str
) -> None:
    variant = draw(next(item for item in bank.items.values() if item.kind == kind), 3)
    reading = checked(sandbox, variant)
    text = receipt(variant, reading)
    assert "import app" not in text
    assert "from app" not in text
    status, said = run(text, tmp_path)
    assert key_in(said) == {part: sorted(right) for part, right in reading.key.right.items()}
    assert (status, "The key is the one that was frozen." in said) == (0, True)


def test_receipt_says_that_the_frozen_key_is_another(sandbox: SandboxClient, bank: Bank, tmp_path: Path) -> None:
    variant = draw(next(item for item in bank.items.values() if item.kind == "true_false"), 0)
    reading = checked(sandbox, variant)
    verdict = "false" if reading.key.right["verdict"] == ("true",) else "true"
    frozen = replace(reading.key, right=reading.key.right | {"verdict": (verdict,)})
    status, said = run(receipt(variant, replace(reading, key=frozen)), tmp_path)
    assert status == 1
    assert "The frozen key is" in said
    assert key_in(said) == {part: sorted(right) for part, right in reading.key.right.items()}
