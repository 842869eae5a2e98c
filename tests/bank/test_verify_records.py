"""Records: an unchanged item is not run again, anything that could change a result makes it run, damage is ignored."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.bank.catalog import Bank
from app.bank.reports import ItemReport, Report
from app.bank.verified import KEPT_S, MOVED, Circumstances, Records, circumstances, here
from app.bank.verify import Cache, verify
from app.sandbox.protocol import JobResult, Program
from tests.bank.content import EDGE, TRUE_FALSE, bank_of
from tests.bank.runs import job
from tests.bank.test_verify import three_leaves, two_passes

UNDER = circumstances("2.13.0", "3.11", 64)  # what the stand-in says of itself


class Counting:
    """Answers as torch does and counts programs."""

    def __init__(self) -> None:
        self.programs = 0

    def __call__(self, programs: Sequence[Program]) -> JobResult:
        self.programs += len(programs)
        return job([two_passes(one) if "second" in one.code else three_leaves(one) for one in programs])


def again(bank: Bank, folder: Path, under: Circumstances = UNDER, *, fresh: bool = False) -> tuple[Report, int]:
    """Verify a bank with the records of a folder; return the report and how many programs were run."""
    run = Counting()
    return verify(bank, run, cache=Cache(Records(folder), under, fresh)), run.programs


def test_unchanged_bank_is_answered_from_records_alone(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, EDGE, TRUE_FALSE)
    first, runs = again(bank, tmp_path / "verified")
    second, none = again(bank, tmp_path / "verified")
    assert (runs > 0, none, second.runs_made, second.cached) == (True, 0, 0, ["two-passes", "three-leaves"])
    kept = {"seconds": 0, "cached": [], "runs_made": 0, "runs_per_s": 0}
    assert first.to_json() | kept == second.to_json() | kept


def test_fresh_asks_no_record(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, EDGE)
    again(bank, tmp_path / "verified")
    assert again(bank, tmp_path / "verified", fresh=True)[1] > 0


@pytest.mark.parametrize(
    "other",
    [
        replace(UNDER, torch="2.14.1"),
        replace(UNDER, python="3.12"),
        replace(UNDER, sandbox="edited"),
        replace(UNDER, verifier="edited"),
    ],
)
def test_other_circumstances_run_it_again(tmp_path: Path, other: Circumstances) -> None:
    bank = bank_of(tmp_path, EDGE)
    again(bank, tmp_path / "verified")
    assert again(bank, tmp_path / "verified", other)[1] > 0


def test_other_number_of_variants_runs_it_again(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, EDGE)
    again(bank, tmp_path / "verified")
    assert again(bank, tmp_path / "verified", replace(UNDER, limit=1))[1] > 0


def test_only_the_edited_item_runs_again(tmp_path: Path) -> None:
    again(bank_of(tmp_path, EDGE, TRUE_FALSE), tmp_path / "verified")
    edited = bank_of(tmp_path, EDGE.replace("Two leaves, one loss.", "Two leaves and a loss."), TRUE_FALSE)
    assert again(edited, tmp_path / "verified")[0].cached == ["two-passes"]


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"report": {}}', "\x00", '{"content_hash": 3}'])
def test_damaged_record_is_ignored_and_written_anew(tmp_path: Path, damage: str) -> None:
    bank, folder = bank_of(tmp_path, EDGE), tmp_path / "verified"
    again(bank, folder)
    for path in folder.iterdir():
        path.write_text(damage, encoding="utf-8")
    assert again(bank, folder)[1] > 0
    assert again(bank, folder)[1] == 0


def test_record_whose_content_was_exchanged_is_ignored(tmp_path: Path) -> None:
    bank, folder = bank_of(tmp_path, EDGE), tmp_path / "verified"
    again(bank, folder)
    (path,) = folder.iterdir()
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "report": {**data["report"], "errors": [{"item": 1}]}}))
    assert again(bank, folder)[1] > 0


def test_records_are_for_their_owner_only_and_leave_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "verified"
    again(bank_of(tmp_path, EDGE), folder)
    assert folder.stat().st_mode & 0o077 == 0
    (path,) = folder.iterdir()
    assert path.stat().st_mode & 0o077 == 0


def test_failed_item_is_recorded_with_its_errors(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, TRUE_FALSE.replace("verdict: false", "verdict: true"))
    again(bank, tmp_path / "verified")
    second, runs = again(bank, tmp_path / "verified")
    assert runs == 0
    assert second.failed == {"two-passes"}


def test_items_with_errors_are_found_by_content_whatever_the_limit_was(tmp_path: Path) -> None:
    good, folder = bank_of(tmp_path, EDGE), tmp_path / "verified"
    again(good, folder)
    assert Records(folder).failed() == {}
    wrong = bank_of(tmp_path, TRUE_FALSE.replace("verdict: false", "verdict: true"))
    again(wrong, folder, replace(UNDER, limit=2))
    assert Records(folder).failed() == {("2.13.0", "3.11"): frozenset({wrong.hashes["two-passes"]})}


def test_records_of_other_code_and_damaged_ones_say_nothing_of_errors(tmp_path: Path) -> None:
    wrong, folder = bank_of(tmp_path, TRUE_FALSE.replace("verdict: false", "verdict: true")), tmp_path / "verified"
    again(wrong, folder)
    (path,) = folder.iterdir()
    (folder / "not-json.json").write_text("{")
    (folder / "not-a-record.json").write_text('{"under": {}, "report": []}')
    assert Records(folder).failed() != {}
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"under": data["under"] | {"verifier": "edited"}}))
    assert Records(folder).failed() == {}
    assert Records(tmp_path / "nowhere").failed() == {}


@pytest.mark.parametrize("errors", ["few", "many"])
def test_record_of_most_variants_decides(tmp_path: Path, errors: str) -> None:
    records, report = Records(tmp_path), ItemReport("an-item", content_hash="a" * 64)
    failed = ItemReport("an-item", content_hash="a" * 64)
    failed.error("It differs.")
    records.keep(failed if errors == "few" else report, replace(UNDER, limit=2))
    records.keep(failed if errors == "many" else report, replace(UNDER, limit=64))
    assert bool(records.failed()) == (errors == "many")


def test_old_records_are_pruned_and_others_stay(tmp_path: Path) -> None:
    records = Records(tmp_path)
    for name in ("old", "new"):
        records.keep(ItemReport(name, content_hash=name * 20), UNDER)
    (old,) = tmp_path.glob("oldold*")
    os.utime(old, (0, 0))
    records.prune(now=KEPT_S + 1)
    assert records.find("old" * 20, UNDER) is None
    assert records.find("new" * 20, UNDER) is not None


def test_what_moved_is_kept_per_item_and_bars_it_from_quizzes(tmp_path: Path) -> None:
    bank, records = bank_of(tmp_path, EDGE), Records(tmp_path / "verified")
    report, _ = again(bank, records.folder)
    name = report.found["three-leaves"].content_hash
    records.keep_moved({"another": ["2.9.1"]})
    records.keep_moved({name: ["2.14.1", "2.13.0"]})
    assert records.moved() == {"another": ["2.9.1"], name: ["2.13.0", "2.14.1"]}
    assert again(bank, records.folder)[0].quiz == {"three-leaves": "no"}
    records.keep_moved({name: []})
    assert again(bank, records.folder)[0].quiz == {"three-leaves": "any"}
    (records.folder / MOVED).write_text("{")
    assert records.moved() == {}


def test_circumstances_of_this_installation_name_its_torch_and_sources() -> None:
    own = here(64)
    assert own.torch.startswith("2.")
    assert len(own.sandbox) == len(own.verifier) == 32
    assert own.sandbox != own.verifier
