"""The load test itself: that it runs for real, finds what is lost, and does not call an outage an error."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.clock import now
from app.loadtest.crowd import FailedError, Tally, read_sheet
from app.loadtest.run import Outcome, Plan, percentiles
from app.loadtest.server import Server
from app.loadtest.stage import Stage, Written
from app.models import SavedResponse
from tests.hiring.content import Hiring
from tests.served import command, environment

BANK = Path(__file__).parents[2] / "question_bank"


def test_a_short_one_with_a_kill_loses_nothing(tmp_path: Path) -> None:
    ran = subprocess.run(
        command("quiz", "loadtest", "--candidates", "6", "--seconds", "9", "--kills", "1", "--json"),
        cwd=tmp_path,
        env=environment(tmp_path, var=str(tmp_path / "var")),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = json.loads(ran.stdout)
    assert (found["candidates"], found["starts"], found["kills"]) == (6, 6, 1)
    assert (found["errors"], found["lost"]) == (0, 0)
    assert found["acknowledged"] == found["saves"] >= 6
    assert 0 < found["save_ms"]["p50"] <= found["save_ms"]["p95"] <= found["save_ms"]["p99"]
    assert "killed 1 of 1 times" in ran.stderr
    assert not (tmp_path / "var" / "gradproof.db").exists()  # the site's own database is not touched


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path, BANK)
    yield made
    made.close()


def test_write_that_is_missing_or_another_one_is_lost(hiring: Hiring, stage: Stage) -> None:
    session_id = hiring.started(hiring.published())
    stage._database.dispose()
    stage._database = hiring.database
    kept = SavedResponse(
        session_id=session_id,
        position=1,
        epoch=2,
        sequence=3,
        received_at=now(),
        response={},
        reason="kept",
        late=False,
    )
    late = SavedResponse(
        session_id=session_id, position=1, epoch=2, sequence=4, received_at=now(), response={}, reason="late", late=True
    )
    with hiring.database.writing() as session:
        session.add_all([kept, late])
    there = Written(session_id, 1, 2, 3, "kept")
    missing = [
        Written(session_id, 1, 2, 3, "another"),
        Written(session_id, 1, 2, 4, "late"),
        Written(uuid4(), 1, 2, 3, "kept"),
    ]
    assert stage.lost([there, *missing]) == missing


def test_outage_counts_from_the_kill_until_it_answers(tmp_path: Path) -> None:
    server = Server(tmp_path, "sqlite://", BANK)
    assert not server.was_down(0.0)
    server._outages.append((10.0, 12.0))
    assert server.was_down(9.0)
    assert server.was_down(11.0)
    assert not server.was_down(12.5)
    server._down_since = 20.0
    assert server.was_down(12.5)


def test_page_is_read_as_its_script_reads_it() -> None:
    page = """<a href="/sessions/x/items/1">1</a><a href="/sessions/x/items/2">2</a>
    <form data-session data-save-url="/sessions/x/responses/1" data-epoch="7">
    <input type="radio" name="verdict" value="true"><input type="radio" name="verdict" value="false">
    <input type="hidden" name="epoch" value="7"></form>"""
    sheet = read_sheet(page)
    assert (sheet.count, sheet.save_url, sheet.epoch) == (2, "/sessions/x/responses/1", 7)
    assert sheet.fields == {"verdict": ["true", "false"]}
    with pytest.raises(FailedError):
        read_sheet("<p>You are too late.</p>")


def test_outcome_is_good_without_errors_and_losses_only() -> None:
    plan, one = Plan(1, 1, 0), Written(UUID(int=1), 1, 1, 1, "")
    assert Outcome(plan, Tally(), 0, []).ok
    assert not Outcome(plan, Tally(errors=["x"]), 0, []).ok
    assert not Outcome(plan, Tally(), 0, [one]).ok


def test_percentiles_are_those_of_the_values() -> None:
    assert percentiles([]) is None
    assert percentiles([5.0]) == {"p50": 5.0, "p95": 5.0, "p99": 5.0}
    assert percentiles([float(n) for n in range(101)]) == {"p50": 50.0, "p95": 95.0, "p99": 99.0}
