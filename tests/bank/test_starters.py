"""Starters load without a problem and verify in the real sandbox; nothing is overwritten."""

from pathlib import Path

import pytest

from app.bank.item import KINDS
from app.bank.loader import load
from app.bank.starters import starter, write_starter
from app.bank.verify import verify
from app.errors import BadRequestError, ConflictError, NotFoundError
from app.sandbox.client import SandboxClient
from tests.bank.content import TRUE_FALSE, write_bank


@pytest.mark.parametrize("kind", KINDS)
def test_starter_loads_without_a_problem_and_verifies(kind: str, tmp_path: Path, sandbox_address: str) -> None:
    write_bank(tmp_path)
    path = write_starter(tmp_path, load(tmp_path), kind, "", "")
    bank = load(tmp_path)
    assert bank.problems == ()
    client = SandboxClient(sandbox_address)
    report = verify(bank, client.run, ids=[path.stem])
    client.close()
    assert report.errors == []
    # A starter cannot know the misconceptions of its bank: what is missing is left to say.
    assert [one for one in report.warnings if one.part != "missing"] == []


@pytest.mark.parametrize("kind", KINDS)
def test_starter_explains_itself_in_comments(kind: str) -> None:
    assert starter(kind, "leaves", "an-item").count("# ") >= 4


def test_second_starter_gets_an_id_of_its_own(tmp_path: Path) -> None:
    write_bank(tmp_path)
    first, second = (write_starter(tmp_path, load(tmp_path), "why", "leaves", "") for _ in range(2))
    assert (first.stem, second.stem) == ("a-new-item", "a-new-item-2")
    assert first.parent.name == "leaves"


def test_taken_id_is_refused_and_the_file_kept(tmp_path: Path) -> None:
    bank = load(write_bank(tmp_path, TRUE_FALSE))
    with pytest.raises(ConflictError, match="never used twice"):
        write_starter(tmp_path, bank, "why", "leaves", "two-passes")
    assert (tmp_path / "accumulation" / "two-passes.yaml").read_text() == TRUE_FALSE


@pytest.mark.parametrize("item_id", ["Two Passes", "../outside", "a_b", "x" * 90])
def test_id_that_is_no_file_name_is_refused(tmp_path: Path, item_id: str) -> None:
    with pytest.raises(BadRequestError, match=r"kebab-case|80"):
        write_starter(tmp_path, load(write_bank(tmp_path)), "why", "leaves", item_id)


def test_unknown_kind_and_topic_are_named(tmp_path: Path) -> None:
    bank = load(write_bank(tmp_path))
    with pytest.raises(BadRequestError, match="true_false"):
        write_starter(tmp_path, bank, "essay", "leaves", "")
    with pytest.raises(NotFoundError, match="accumulation"):
        write_starter(tmp_path, bank, "why", "nowhere", "")
