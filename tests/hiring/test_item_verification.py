"""Verifying a team's items: the real sandbox says what is wrong, and what attacks or loops is given up early."""

import time
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from app.accounts.sign_in import make_account
from app.accounts.teams import create_team
from app.errors import UnavailableError
from app.hiring import item_verification
from app.hiring.item_verification import next_to_verify, verify_next
from app.hiring.pools import Workshop
from app.hiring.team_items import archive_item, find_item, verify_again
from app.models import TeamItem
from tests.fakes import FakeSandbox
from tests.hiring.content import NOW, Hiring, kept_verifications
from tests.hiring.own_items import file_of, item_of, upload, verify_all


def workshop_of(hiring: Hiring) -> Workshop:
    return Workshop(hiring.database, hiring.livecheck, hiring.bank, kept_verifications())


def test_good_item_is_verified_with_its_memorisation_value(hiring: Hiring) -> None:
    upload(hiring, file_of("own-square"))
    assert not item_of(hiring, "own-square").usable
    assert verify_all(hiring) == 1
    item = item_of(hiring, "own-square")
    assert item.usable
    assert item.memorisation == pytest.approx(1 / 6, abs=1e-4)  # six values of k, six keys
    assert item.verifying_at is None


def test_item_whose_run_contradicts_its_file_says_both_sides(hiring: Hiring) -> None:
    upload(hiring, file_of("own-wrong"))
    verify_all(hiring)
    item = item_of(hiring, "own-wrong")
    assert not item.usable
    assert "The file expects" in item.problems[0]
    assert "Observed" in item.problems[0]
    assert "k=2.0" in item.problems[0]


def test_item_whose_key_can_be_learnt_by_heart_says_so(hiring: Hiring) -> None:
    upload(hiring, file_of("own-one"))
    verify_all(hiring)
    item = item_of(hiring, "own-one")
    assert item.memorisation == 1.0
    assert "by heart is worth 100%" in item.problems[0]
    assert not item.usable


def test_retracted_item_is_not_for_quizzes(hiring: Hiring) -> None:
    upload(hiring, file_of("own-square", status="retracted"))
    verify_all(hiring)
    assert "is not asked" in item_of(hiring, "own-square").problems[0]


def test_item_that_loops_is_given_up_after_a_few_runs(hiring: Hiring) -> None:
    upload(hiring, file_of("own-loop"))
    began = time.monotonic()
    verify_all(hiring)
    item = item_of(hiring, "own-loop")
    assert "takes too long" in item.problems[0]
    assert "given up after 8 runs" in item.problems[0]  # of 24 that would have been made, and again
    assert time.monotonic() - began < 60


ATTACKS = [
    "import os\nos.kill(os.getppid(), 9)\n",
    "import os\nwhile True: os.fork()\n",
    "x = [torch.zeros(1 << 28) for _ in range(64)]\n",
    "import sys\nsys.stdout.write('x' * (1 << 24))\n",
    "import os\nos._exit(0)\n",
    "open('/etc/passwd').read()\n",
    "import socket\nsocket.create_connection(('127.0.0.1', 80))\n",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_item_that_attacks_the_sandbox_has_problems_and_the_next_one_is_verified(hiring: Hiring, attack: str) -> None:
    snippet = f"w = torch.tensor($k, requires_grad=True)\n{attack}w.square().backward()\n"
    upload(hiring, file_of("own-attack", snippet=snippet), file_of("own-square"))
    assert verify_all(hiring) == 2
    assert item_of(hiring, "own-attack").problems
    assert item_of(hiring, "own-square").usable


def test_item_that_takes_too_long_in_all_is_given_up(hiring: Hiring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_verification, "MOST_SECONDS", 0.0)
    upload(hiring, file_of("own-square"))
    verify_all(hiring)
    assert "Give the parameters fewer values" in item_of(hiring, "own-square").problems[0]


def test_verification_that_was_cut_off_begins_again(hiring: Hiring, fake: FakeSandbox) -> None:
    upload(hiring, file_of("own-square"))
    fake.failure = UnavailableError("away")
    with pytest.raises(UnavailableError):
        verify_next(workshop_of(hiring))
    item = item_of(hiring, "own-square")
    assert item.verified_at is None
    assert item.attempts == 1
    fake.failure = None
    verify_all(hiring)
    assert item_of(hiring, "own-square").usable


def test_item_that_never_comes_to_an_end_is_given_up_and_the_next_one_had_its_turn(
    hiring: Hiring, fake: FakeSandbox
) -> None:
    upload(hiring, file_of("own-square"), file_of("own-fourth"))

    def fail_for_the_square() -> None:
        running = item_of(hiring, "own-square")
        fake.failure = UnavailableError("it stopped") if running.verifying_at and not running.verified_at else None

    fake.before = fail_for_the_square
    with pytest.raises(UnavailableError):  # the first one of both by name is the fourth power
        while verify_next(workshop_of(hiring)):
            pass
    assert item_of(hiring, "own-fourth").usable
    for _ in range(item_verification.MOST_ATTEMPTS - 1):
        with pytest.raises(UnavailableError):
            verify_next(workshop_of(hiring))
    verify_all(hiring)
    assert "begun 5 times" in item_of(hiring, "own-square").problems[0]


def test_progress_is_written_while_runs_are_made(
    hiring: Hiring, fake: FakeSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_verification, "NOTED_EVERY_S", 0.0)
    upload(hiring, file_of("own-square"))
    seen = []
    fake.before = lambda: seen.append(item_of(hiring, "own-square").runs)
    verify_all(hiring)
    assert seen[:4] == [0, 4, 8, 12]
    assert item_of(hiring, "own-square").runs >= seen[-1]


def test_item_that_is_archived_meanwhile_is_left_at_once(
    hiring: Hiring, fake: FakeSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_verification, "NOTED_EVERY_S", 0.0)
    (stored,) = upload(hiring, file_of("own-square"))

    def archive() -> None:
        with hiring.database.writing() as session:
            archive_item(session, find_item(session, hiring.team_id, stored.item_id), hiring.actor, NOW)

    fake.before = archive
    assert verify_all(hiring) == 1
    assert fake.jobs == 1


def test_verifying_again_makes_the_runs_anew(hiring: Hiring, fake: FakeSandbox) -> None:
    upload(hiring, file_of("own-square"))
    fake.change = lambda job: replace(job, results=tuple(replace(one, observations=()) for one in job.results))
    verify_all(hiring)
    assert not item_of(hiring, "own-square").usable
    fake.change = None
    with hiring.database.writing() as session:
        item = find_item(session, hiring.team_id, item_of(hiring, "own-square").id)
        verify_again(session, item, hiring.actor, NOW)
    verify_all(hiring)
    assert item_of(hiring, "own-square").usable


def second_team(hiring: Hiring) -> UUID:
    with hiring.database.writing() as session:
        owner = make_account(session, email="b@example.org", name="B", password_hash="-", person=None, now=NOW)
        return create_team(session, owner, "Audio", "UTC", NOW).id


def test_team_with_many_files_holds_up_no_other(hiring: Hiring) -> None:
    upload(hiring, *(file_of(f"own-{number}", title=f"Own {number}") for number in range(3)))
    other = second_team(hiring)
    upload(hiring, file_of("own-square"), team=other)
    order = []
    for minute in range(4):
        with hiring.database.writing() as session:
            item_id = next_to_verify(session)
            assert item_id is not None
            item = session.get_one(TeamItem, item_id)
            item.verified_at = NOW + timedelta(minutes=minute)
            order.append(item.team_id)
    mine = hiring.team_id
    assert sorted(order[:2]) == sorted([mine, other])
    assert order[2:] == [mine, mine]
