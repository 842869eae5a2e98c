"""The one caller of the sandbox: what it remembers, whom it lets wait, and that pages never wait for its health."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.bank.catalog import Bank
from app.bank.loader import load
from app.bank.variants import content_hash, draw
from app.errors import UnavailableError
from app.livecheck import PLACES_TO_SHOW, SHOW_S, TRIES, CheckBrokenError, ItemWithheldError, LiveCheck, check_bank
from app.main import STOP_S
from app.practice import Filter, choose_next, in_doubt, matching
from app.sandbox.client import SandboxAwayError, SandboxBusyError, SandboxClient
from app.sandbox.protocol import Health, JobResult, Verdict
from app.sandbox.supervisor import Supervisor
from app.settings import Settings
from tests.banks import ITEMS, write_bank
from tests.fakes import FakeSandbox
from tests.live import LiveSite, running, words_of

WRONG = {"two-walks": ITEMS["two-walks"] | {"expect": {"verdict": True, "reason": 2}}}


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    loaded = load(write_bank(tmp_path / "bank", ITEMS | WRONG))
    assert not loaded.problems
    return loaded


@pytest.fixture
def livecheck(fake: FakeSandbox) -> LiveCheck:
    return LiveCheck(fake)


def states_of(bank: Bank, livecheck: LiveCheck) -> dict[str, str]:
    return {item_id: livecheck.state_of(digest) for item_id, digest in bank.hashes.items()}


def test_every_item_is_checked_and_one_that_is_wrong_does_not_stop_the_others(bank: Bank, livecheck: LiveCheck) -> None:
    check_bank(livecheck, bank, threading.Event())
    states = states_of(bank, livecheck)
    assert states.pop("two-walks") == "withheld"
    assert set(states.values()) == {"verified"}


def test_checking_the_bank_waits_for_a_sandbox_that_is_away_and_then_goes_on(
    bank: Bank, livecheck: LiveCheck, fake: FakeSandbox
) -> None:
    fake.failure = UnavailableError("away")
    checking = threading.Thread(target=check_bank, args=(livecheck, bank, threading.Event()))
    checking.start()
    checking.join(0.6)
    assert checking.is_alive()
    assert fake.jobs == 0
    fake.failure = None
    checking.join(60)
    assert not checking.is_alive()
    assert livecheck.state_of(bank.hashes["three-leaves"]) == "verified"


def test_checking_the_bank_ends_when_it_is_told_to(bank: Bank, livecheck: LiveCheck, fake: FakeSandbox) -> None:
    fake.failure = UnavailableError("away")
    stop = threading.Event()
    checking = threading.Thread(target=check_bank, args=(livecheck, bank, stop))
    checking.start()
    stop.set()
    checking.join(10)
    assert not checking.is_alive()


def fail_first(fake: FakeSandbox, failures: int, error: UnavailableError) -> None:
    """Let the first runs fail, of a sandbox that says it is ready."""

    def fail() -> None:
        fake.failure = error if fake.jobs <= failures else None

    fake.before = fail
    fake.health = fake.behind.health  # type: ignore[method-assign]  # busy is not away


def test_busy_sandbox_is_tried_again(bank: Bank, livecheck: LiveCheck, fake: FakeSandbox) -> None:
    fail_first(fake, 2, SandboxBusyError("busy"))
    check_bank(livecheck, bank, threading.Event())
    assert "not checked yet" not in states_of(bank, livecheck).values()


def test_item_that_cannot_be_run_is_given_up_and_the_others_go_on(
    bank: Bank, livecheck: LiveCheck, fake: FakeSandbox
) -> None:
    fail_first(fake, TRIES, SandboxAwayError("it ends whenever this item is run"))
    check_bank(livecheck, bank, threading.Event())
    assert list(states_of(bank, livecheck).values()).count("not checked yet") == 1


def test_fault_of_ours_in_one_item_leaves_the_others_checked(
    bank: Bank, livecheck: LiveCheck, fake: FakeSandbox
) -> None:
    def break_once() -> None:
        if fake.jobs == 1:
            raise KeyError("a fault nobody thought of")

    fake.before = break_once
    check_bank(livecheck, bank, threading.Event())
    first = next(iter(bank.hashes.values()))
    assert list(states_of(bank, livecheck).values()).count("not checked yet") == 1
    assert set(livecheck.doubts()) == {first}


def cut_short(job: JobResult) -> JobResult:
    return replace(job, results=tuple(replace(one, verdict=Verdict.TIME_LIMIT) for one in job.results))


def test_item_is_in_doubt_while_its_runs_are_cut_short_and_no_longer(
    bank: Bank, livecheck: LiveCheck, fake: FakeSandbox
) -> None:
    item = bank.item("three-leaves")
    fake.change = cut_short
    with pytest.raises(CheckBrokenError):
        livecheck.assure(draw(item, 0))
    assert in_doubt(bank, livecheck) == {"three-leaves"}
    assert livecheck.state_of(bank.hashes["three-leaves"]) == "not checked yet"
    fake.change = None
    livecheck.assure(draw(item, 0))
    assert in_doubt(bank, livecheck) == frozenset()


def test_withheld_item_is_neither_listed_nor_next(bank: Bank, livecheck: LiveCheck) -> None:
    assert "two-walks" in {item.id for item in matching(bank, Filter(), livecheck)}
    with pytest.raises(ItemWithheldError):
        livecheck.check(draw(bank.item("two-walks"), 0))
    left = matching(bank, Filter(kind="true_false"), livecheck)
    assert left == []
    assert choose_next(left, {}) is None


def test_item_whose_kept_verification_has_errors_is_withheld_without_a_run(bank: Bank, fake: FakeSandbox) -> None:
    item = bank.item("three-leaves")
    health = fake.health()
    livecheck = LiveCheck(fake, {(health.torch, health.python): frozenset({content_hash(item)})})
    livecheck.refresh_health()
    with pytest.raises(ItemWithheldError) as refused:
        livecheck.assure(draw(item, 0))
    assert refused.value.reading is None
    assert fake.jobs == 0
    assert item not in matching(bank, Filter(), livecheck)
    fake.failure = SandboxAwayError("away")  # says no version, and changes nothing
    livecheck.refresh_health()
    assert item not in matching(bank, Filter(), livecheck)


def test_kept_verification_counts_even_before_the_health_is_known(bank: Bank, fake: FakeSandbox) -> None:
    item = bank.item("three-leaves")
    health = fake.behind.health()
    livecheck = LiveCheck(fake, {(health.torch, health.python): frozenset({content_hash(item)})})
    with pytest.raises(ItemWithheldError):
        livecheck.check(draw(item, 0))


def test_kept_verification_of_another_torch_forbids_nothing(bank: Bank, fake: FakeSandbox) -> None:
    item = bank.item("three-leaves")
    livecheck = LiveCheck(fake, {("0.0.1", "2.7"): frozenset({content_hash(item)})})
    livecheck.assure(draw(item, 0))
    assert livecheck.state_of(content_hash(item)) == "verified"


def test_variant_of_a_sandbox_that_stands_still_is_not_even_tried(
    bank: Bank, livecheck: LiveCheck, fake: FakeSandbox
) -> None:
    fake.failure = SandboxAwayError("stands still")
    livecheck.refresh_health()
    with pytest.raises(SandboxAwayError):
        livecheck.assure(draw(bank.item("three-leaves"), 0))
    assert fake.jobs == 0
    fake.failure = None
    livecheck.assure(draw(bank.item("three-leaves"), 0))  # that it came back is seen at once


def test_who_asks_for_the_health_meanwhile_shares_the_answer(livecheck: LiveCheck, fake: FakeSandbox) -> None:
    asked, inside, leave = [], threading.Event(), threading.Event()

    def slow() -> Health:
        asked.append(1)
        inside.set()
        assert leave.wait(60)
        return Health("ready", "2", "3")

    fake.health = slow  # type: ignore[method-assign]  # it takes as long as we want
    threads = [threading.Thread(target=livecheck.refresh_health) for _ in range(8)]
    threads[0].start()
    assert inside.wait(60)
    for thread in threads[1:]:
        thread.start()
    started = time.monotonic()
    assert livecheck.health().state == "starting"
    assert time.monotonic() - started < 1
    time.sleep(0.2)  # all of them wait by now
    leave.set()
    for thread in threads:
        thread.join(60)
    assert len(asked) == 1
    assert livecheck.health().state == "ready"


def test_variant_that_agreed_is_not_run_again_and_another_one_is(
    bank: Bank, livecheck: LiveCheck, fake: FakeSandbox
) -> None:
    item = bank.item("three-leaves")
    seeds = {draw(item, seed).parameters["factor"]: seed for seed in range(40)}
    one, other = list(seeds.values())[:2]
    livecheck.assure(draw(item, one))
    livecheck.assure(draw(item, one))
    assert fake.jobs == 1
    livecheck.assure(draw(item, other))
    assert fake.jobs == 2


def test_pages_beyond_the_places_are_told_to_come_back(bank: Bank, livecheck: LiveCheck, fake: FakeSandbox) -> None:
    inside, leave = threading.Semaphore(0), threading.Event()

    def hold() -> None:
        inside.release()
        leave.wait(60)

    fake.before = hold
    item = bank.item("three-leaves")
    threads = [threading.Thread(target=livecheck.assure, args=(draw(item, 0),)) for _ in range(PLACES_TO_SHOW)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert inside.acquire(timeout=60)
    with pytest.raises(SandboxBusyError) as refused:
        livecheck.assure(draw(item, 0))
    assert refused.value.retry_after
    leave.set()
    for thread in threads:
        thread.join(60)
    fake.before = None
    livecheck.assure(draw(item, 0))


@pytest.fixture
def stopped(settings: Settings, tmp_path: Path) -> Iterator[tuple[LiveSite, int]]:
    """A site, and the process id of its sandbox service, which goes on when the test ends."""
    socket = tmp_path / "s.sock"
    with Supervisor(socket) as supervisor:
        client = SandboxClient(f"unix:{socket}")
        while LiveCheck(client).refresh_health().state != "ready":
            time.sleep(0.05)
        assert supervisor._process is not None
        with running(settings, client) as live:
            yield live, supervisor._process.pid
        client.close()


def test_service_that_stands_still_does_not_hold_up_the_pages(stopped: tuple[LiveSite, int]) -> None:
    live, service = stopped
    os.kill(service, signal.SIGSTOP)
    try:
        visitor = live.visitor()
        visitor.timeout = 5  # far less than a run may take
        said = ""
        until = time.monotonic() + 60
        while "away" not in said and time.monotonic() < until:
            pages = [visitor.get(path) for path in ("/", "/practice", "/history", "/nothing-here")]
            assert [page.status_code for page in pages] == [200, 200, 200, 404]
            said = visitor.get("/").text
        assert "sandbox away" in said
    finally:
        os.kill(service, signal.SIGCONT)


def test_many_who_open_items_of_a_service_that_stands_still_do_not_hold_up_the_others(
    stopped: tuple[LiveSite, int],
) -> None:
    live, service = stopped
    items = list(live.site.bank.items)[:3]
    statuses: list[int] = []

    def open_one(item: str) -> None:
        statuses.append(live.visitor().get(f"/practice/{item}").status_code)

    openers = [threading.Thread(target=open_one, args=(items[place % 3],)) for place in range(60)]
    os.kill(service, signal.SIGSTOP)
    try:
        for opener in openers:
            opener.start()
        visitor = live.visitor()
        visitor.timeout = 5
        for _ in range(20):
            assert visitor.get("/history").status_code == 200
        for opener in openers:
            opener.join(SHOW_S + 20)
        assert statuses == [503] * len(openers)
    finally:
        os.kill(service, signal.SIGCONT)
    until = time.monotonic() + 60
    while live.visitor().get(f"/practice/{items[0]}").status_code != 200:
        assert time.monotonic() < until


@pytest.fixture
def checking(settings: Settings, tmp_path: Path) -> Settings:
    """Settings of a site that checks its bank at start."""
    bank = write_bank(tmp_path / "bank", ITEMS | WRONG)
    return settings.model_copy(update={"bank": bank, "check_bank_at_start": True})


def test_site_checks_its_bank_when_it_starts(checking: Settings, fake: FakeSandbox) -> None:
    with running(checking, fake) as live, live.visitor() as visitor:
        until = time.monotonic() + 60
        while "0 not checked yet" not in (words := words_of(visitor.get("/bank"))):
            assert time.monotonic() < until
        assert f"{len(ITEMS) - 1} verified, 1 withheld" in words
        assert visitor.get("/practice/next?kind=true_false").headers["location"] == "/practice?kind=true_false"


def test_site_stops_soon_while_a_check_takes_its_time(checking: Settings, fake: FakeSandbox) -> None:
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        inside.set()
        leave.wait(60)

    fake.before = hold
    with running(checking, fake):
        assert inside.wait(60)
        started = time.monotonic()
    assert time.monotonic() - started < STOP_S + 8
    checker = next(thread for thread in threading.enumerate() if thread.name == "bank")
    leave.set()
    checker.join(60)
    assert not checker.is_alive()
    assert fake.jobs == 1
