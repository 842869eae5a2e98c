"""The bench asks the real site for real pages: each history is as long as it says, and takes two queries."""

import json
from pathlib import Path

import pytest
from sqlalchemy import func, select
from typer.testing import CliRunner

from app.bank.loader import load
from app.cli import app
from app.db import open_database
from app.history_bench import fill
from app.models import Attempt, AttemptBelief, PracticeTotal
from tests.banks import write_bank
from tests.databases import url_for


def test_rows_say_how_long_each_history_took(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADPROOF_BANK", str(write_bank(tmp_path / "bank")))
    lengths = ["--attempts", "30", "--attempts", "60"]
    result = CliRunner().invoke(app, ["history", "bench", *lengths, "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [row["attempts"] for row in rows] == [30, 60]
    assert [row["queries"] for row in rows] == [2, 2]
    assert all(row["median_ms"] > 0 for row in rows)
    table = CliRunner().invoke(app, ["history", "bench", "--attempts", "1"])
    assert "median ms" in table.stdout


def test_a_made_up_history_is_counted_as_a_real_one(tmp_path: Path) -> None:
    database = open_database(url_for(tmp_path))
    person = fill(database, load(write_bank(tmp_path / "bank")), 1200)
    with database.reading() as session:
        assert session.scalar(select(func.count()).select_from(Attempt)) == 1200
        days = select(func.sum(PracticeTotal.attempts)).where(
            PracticeTotal.person_id == person, PracticeTotal.span == "day"
        )
        assert session.scalar(days.where(PracticeTotal.belief == "")) == 1200
        shown = session.scalar(select(func.count()).select_from(AttemptBelief))
        assert session.scalar(days.where(PracticeTotal.belief != "")) == shown
        assert shown
    database.dispose()
