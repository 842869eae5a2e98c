"""Sweeping in several processes over one database: one of them does a job, and another one where that one dies."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.clock import now
from app.db import Database
from app.main import open_site, prepare
from app.models import Delivery, Lease
from app.models.delivery import Channel, enqueue, give_back_lease, lease_taken, take_lease
from app.sandbox.client import SandboxClient
from app.settings import Settings
from app.sweeping import JOBS, STOP_S, Job, Sweeper
from app.web.dependencies import Site
from tests.banks import write_bank
from tests.delivery.mailbox import open_mailbox

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
SOON = timedelta(seconds=0.02)


@pytest.fixture
def site(settings: Settings, tmp_path: Path) -> Iterator[Site]:
    settings = settings.model_copy(update={"bank": write_bank(tmp_path / "bank")})
    prepare(settings)
    client = SandboxClient("unix:/nowhere")
    site = open_site(settings, client)
    yield site
    client.close()
    site.database.dispose()


@pytest.fixture
def other(site: Site) -> Iterator[Site]:
    """A second process's view: the same file through connections of its own."""
    database = Database(site.database.url)
    yield replace(site, database=database)
    database.dispose()


def until(true: Callable[[], bool], seconds: float = 10) -> None:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not become true"
        time.sleep(0.01)


def leases(site: Site) -> dict[str, str]:
    with site.database.reading() as session:
        return {one.name: one.holder for one in session.query(Lease)}


def test_lease_is_one_holders_until_it_ends_or_is_given_back(site: Site) -> None:
    def take(holder: str, at: datetime) -> bool:
        with site.database.writing() as session:
            return take_lease(session, "job", holder, at, at + timedelta(seconds=30))

    def taken(holder: str, at: datetime) -> bool:
        with site.database.reading() as session:
            return lease_taken(session, "job", holder, at)

    assert take("a", NOW)
    assert taken("b", NOW)
    assert not taken("a", NOW)
    assert not take("b", NOW + timedelta(seconds=29))
    assert take("a", NOW + timedelta(seconds=20))  # renewed
    assert not take("b", NOW + timedelta(seconds=49))
    assert take("b", NOW + timedelta(seconds=50))
    assert not take("a", NOW + timedelta(seconds=51))
    with site.database.writing() as session:
        give_back_lease(session, "job", "a")
    assert taken("a", NOW + timedelta(seconds=51))
    with site.database.writing() as session:
        give_back_lease(session, "job", "b")
    assert take("a", NOW + timedelta(seconds=51))


def test_two_sweepers_never_do_the_same_job_at_once(site: Site, other: Site) -> None:
    busy, overlaps, rounds = threading.Lock(), [], []

    def work(by: Site, _at: datetime) -> int:
        if not busy.acquire(blocking=False):
            overlaps.append(by)
            return 0
        time.sleep(0.01)
        rounds.append(by)
        busy.release()
        return len(rounds) % 3

    sweepers = [Sweeper(one, [Job("work", work, every=SOON)], timedelta(seconds=3)) for one in (site, other)]
    for one in sweepers:
        one.start()
    until(lambda: len(rounds) >= 12)
    for one in sweepers:
        one.stop()
    assert overlaps == []


def test_process_that_waits_writes_nothing(site: Site, other: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise each process would take the write lock of SQLite for every job, every second."""
    writes: list[str] = []
    for name, one in (("holds", site), ("waits", other)):

        def writing(name: str = name, real: Callable[[], object] = one.database.writing) -> object:
            writes.append(name)
            return real()

        monkeypatch.setattr(one.database, "writing", writing)
    sweepers = [Sweeper(one, [Job("work", lambda *_: 0, every=SOON)]) for one in (site, other)]
    sweepers[0].start()
    until(lambda: bool(leases(site)))  # committed, not only begun
    sweepers[1].start()
    time.sleep(2.5)
    assert writes == ["holds"]
    for sweeper in sweepers:
        sweeper.stop()


def test_stopping_hands_over_at_once(site: Site, other: Site) -> None:
    did: list[Site] = []

    def work(by: Site, _at: datetime) -> int:
        did.append(by)
        return 0

    first, second = (Sweeper(one, [Job("work", work, every=SOON)], timedelta(minutes=10)) for one in (site, other))
    first.start()
    until(lambda: site in did)
    second.start()
    time.sleep(1.2)
    assert other not in did
    first.stop()
    assert leases(other) == {} or other in did
    until(lambda: other in did, seconds=3)
    second.stop()
    assert leases(site) == {}


def test_long_round_keeps_its_lease(site: Site, other: Site) -> None:
    release, began = threading.Event(), []

    def work(by: Site, _at: datetime) -> int:
        began.append(by)
        release.wait(10)
        return 0

    sweepers = [Sweeper(one, [Job("long", work, every=SOON)], timedelta(seconds=1.2)) for one in (site, other)]
    sweepers[0].start()
    until(lambda: len(began) == 1)
    sweepers[1].start()
    time.sleep(3)  # more than two leases
    assert began == [site]
    release.set()
    for one in sweepers:
        one.stop()


def test_failing_job_is_tried_again_and_holds_up_no_other(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.sweeping.AFTER_FAILURE", timedelta(seconds=0.05))
    failures, rounds = [], []

    def fail(_site: Site, _at: datetime) -> int:
        failures.append(1)
        raise RuntimeError("on purpose")

    def work(_site: Site, _at: datetime) -> int:
        rounds.append(1)
        return 0

    sweeper = Sweeper(site, [Job("fails", fail, every=SOON), Job("works", work, every=SOON)], timedelta(seconds=0.6))
    sweeper.start()
    until(lambda: len(failures) >= 2 and len(rounds) >= 2)
    sweeper.stop()


def test_database_that_is_away_does_not_end_the_sweeping(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.sweeping.AFTER_FAILURE", timedelta(seconds=0.05))
    rounds: list[int] = []
    real, broken = site.database.reading, threading.Event()

    def work(_site: Site, _at: datetime) -> int:
        rounds.append(1)
        return 0

    def reading() -> object:
        if not broken.is_set():
            broken.set()
            raise OSError("the database went away")
        return real()

    monkeypatch.setattr(site.database, "reading", reading)
    sweeper = Sweeper(site, [Job("work", work, every=SOON)], timedelta(seconds=0.6))
    sweeper.start()
    until(lambda: bool(rounds))
    assert broken.is_set()
    sweeper.stop()


def test_stop_does_not_wait_for_what_never_ends_and_keeps_its_lease(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.sweeping.STOP_S", 0.3)
    release, began = threading.Event(), threading.Event()

    def work(_site: Site, _at: datetime) -> int:
        began.set()
        release.wait(10)
        return 0

    sweeper = Sweeper(site, [Job("stuck", work, every=SOON)])
    sweeper.start()
    assert began.wait(5)
    start = time.monotonic()
    sweeper.stop()
    assert time.monotonic() - start < STOP_S / 2
    assert list(leases(site)) == ["stuck"]  # nobody else may begin while it is under way
    release.set()


def test_round_under_way_is_finished_and_no_other_begins(site: Site) -> None:
    rounds: list[str] = []
    began = threading.Event()

    def work(_site: Site, _at: datetime) -> int:
        began.set()
        time.sleep(0.3)
        rounds.append("done")
        return 1

    sweeper = Sweeper(site, [Job("work", work)])
    sweeper.start()
    assert began.wait(5)
    sweeper.stop()
    assert rounds == ["done"]


def spawn(database: Database, notes: Path, lease_s: float) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.sweeper_process", database.url, str(notes), str(lease_s)]
    return subprocess.Popen(command, cwd=Path(__file__).parent.parent)


def test_killed_process_is_followed_by_another_once_its_lease_ends(site: Site, tmp_path: Path) -> None:
    notes, lease_s = tmp_path / "notes", 4.0
    notes.touch()
    processes = [spawn(site.database, notes, lease_s) for _ in range(2)]

    def seen() -> list[tuple[str, int, float]]:
        lines = [line.split() for line in notes.read_text().splitlines()]
        return [(what, int(pid), float(at)) for what, pid, at in lines]

    try:
        until(lambda: len(seen()) >= 10, seconds=30)
        (first,) = {pid for _, pid, _ in seen()}
        killed = next(one for one in processes if one.pid == first)
        killed.kill()
        killed.wait()
        at = time.time()
        until(lambda: any(pid != first for _, pid, _ in seen()), seconds=20)
        taken_over = next(when for _, pid, when in seen() if pid != first)
        assert 0.5 < taken_over - at < lease_s + 5
    finally:
        for one in processes:
            one.kill()
            one.wait()


def test_running_site_sends_what_a_request_put_into_the_outbox(site: Site) -> None:
    """The jobs as they are registered, with a real mail server."""
    with open_mailbox() as mailbox:
        sweeper = Sweeper(replace(site, settings=mailbox.settings(site.settings)))
        with site.database.writing() as session:
            for number in range(20):
                enqueue(session, now(), Channel.MAIL, f"c{number}@example.org", {"subject": "Hi", "text": "Hello."})
        sweeper.start()
        until(lambda: len(mailbox.arrived) >= 20)
        sweeper.stop()
    assert len({receivers[0] for receivers, _ in mailbox.arrived}) == len(mailbox.arrived) == 20
    with site.database.reading() as session:
        assert all(one.done_at and not one.error for one in session.query(Delivery))


def test_every_job_has_a_name_of_its_own_and_does_nothing_where_nothing_waits(site: Site) -> None:
    assert len({job.name for job in JOBS}) == len(JOBS)
    assert [job.run(site, now()) for job in JOBS] == [0] * len(JOBS)
