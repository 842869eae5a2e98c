"""The commands of authors: new, schema, coverage, export, import."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.bank.loader import load
from app.cli import app
from tests.banks import ITEMS, write_bank

Gradproof = Callable[..., Result]
ROOT = Path(__file__).parent.parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_bank(tmp_path / "bank")


@pytest.fixture
def gradproof(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: Path) -> Gradproof:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADPROOF_BANK", str(folder))
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, list(arguments))


def test_new_writes_a_file_and_says_what_comes_next(gradproof: Gradproof, folder: Path) -> None:
    result = gradproof("bank", "new", "why", "--topic", "basics", "--id", "a-first-item")
    assert result.exit_code == 0
    assert (folder / "basics" / "a-first-item.yaml").is_file()
    assert "gradproof bank verify a-first-item" in result.stdout
    again = gradproof("bank", "new", "why", "--topic", "basics", "--id", "a-first-item")
    assert "taken" in str(again.exception)


def test_schema_is_written_beside_the_topics(gradproof: Gradproof, folder: Path) -> None:
    assert gradproof("bank", "schema", "--write").exit_code == 0
    assert json.loads((folder / "item.schema.json").read_text())["$schema"].startswith("https://json-schema.org/")
    assert load(folder).problems == ()


def test_coverage_fails_while_a_claim_has_no_item(gradproof: Gradproof, folder: Path) -> None:
    shutil.copy(ROOT / "question_bank" / "claims.yaml", folder)
    result = gradproof("bank", "coverage")
    assert result.exit_code == 1
    assert "97 claims, 0 with an item, 97 without" in result.stdout
    assert "There is no folder" in str(gradproof("bank", "coverage", "--write").exception)
    (folder.parent / "docs").mkdir()
    gradproof("bank", "coverage", "--write")
    assert "| TF3 | conditional |" in (folder.parent / "docs" / "coverage.md").read_text()


@pytest.mark.parametrize("form", ["moodle", "gift"])
def test_bank_leaves_and_comes_back_as_drafts(gradproof: Gradproof, folder: Path, form: str) -> None:
    left = gradproof("bank", "export", form, "bank.out")
    assert left.exit_code == 0
    assert "carries every key" in left.stdout
    assert "not kept: two-walks: parameters" in left.output
    back = gradproof("bank", "import", form, "bank.out", "--into", str(folder / "basics"))
    assert back.exit_code == 0
    assert "Wrote 10 drafts" in back.stdout
    bank = load(folder)
    assert (len(bank.items), len(bank.drafts), bank.problems) == (len(ITEMS), 10, ())


def test_deck_is_written(gradproof: Gradproof, tmp_path: Path) -> None:
    assert gradproof("bank", "export", "anki", "bank.apkg", "--topic", "basics").exit_code == 0
    assert (tmp_path / "bank.apkg").is_file()


def test_export_overwrites_nothing_and_knows_its_topics(gradproof: Gradproof, tmp_path: Path) -> None:
    (tmp_path / "there.xml").write_text("mine")
    assert "nothing is overwritten" in str(gradproof("bank", "export", "moodle", "there.xml").exception)
    assert (tmp_path / "there.xml").read_text() == "mine"
    assert "basics" in str(gradproof("bank", "export", "moodle", "new.xml", "--topic", "nowhere").exception)
    assert "cannot be written" in str(gradproof("bank", "export", "gift", "no/such/folder.gift").exception)


def test_import_of_what_is_no_such_file_is_a_sentence(gradproof: Gradproof, tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text("<quiz>\n<quiz>")
    assert "bad.xml: line 2" in str(gradproof("bank", "import", "moodle", "bad.xml", "--into", "bank/basics").exception)
    missing = gradproof("bank", "import", "gift", "none.gift", "--into", "bank/basics")
    assert "none.gift cannot be read" in str(missing.exception)
