"""The one caller of the sandbox: what it remembers, whom it lets wait, and that pages never wait for its health."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bank.catalog import Bank
from app.bank.loader import load
from app.bank.variants import content_hash, draw
from app.errors import UnavailableError
from app.livecheck import PLACES_TO_SHOW, ItemWithheldError, LiveCheck, check_bank
from app.practice import Filter, choose_next, matching
from app.sandbox.client import SandboxBusyError, SandboxClient
from app.sandbox.supervisor import Supervisor
from app.settings import Settings
from tests.banks import ITEMS, write_bank
from tests.fakes import FakeSandbox
from tests.live import LiveSite, running

WRONG = {"two-walks": ITEMS["two-walks"] | {"expect": {"verdict": True, "reason": 2}}}


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    loaded = load(write_bank(tmp_path / "bank", ITEMS | WRONG))
    assert not loaded.problems
    return loaded


@pytest.fixture
def livecheck(fake: FakeSandbox) -> LiveCheck:
    return LiveCheck(fake)


def test_every_item_is_checked_and_one_that_is_wrong_does_not_stop_the_others(bank: Bank, livecheck: LiveCheck) -> None:
    assert check_bank(livecheck, bank, threading.Event()) == 1
    states = {item_id: livecheck.state_of(bank.hashes[item_id]) for item_id in bank.items}
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


def test_busy_sandbox_leaves_one_item_unchecked_and_the_others_go_on(
    bank: Bank, livecheck: LiveCheck, fake: FakeSandbox
) -> None:
    def fail_once() -> None:
        fake.failure = SandboxBusyError("busy") if fake.jobs == 1 else None

    fake.before = fail_once
    fake.health = fake.behind.health  # type: ignore[method-assign]  # busy is not away
    check_bank(livecheck, bank, threading.Event())
    states = [livecheck.state_of(digest) for digest in bank.hashes.values()]
    assert states.count("not checked yet") == 1


def test_withheld_item_is_neither_listed_nor_next(bank: Bank, livecheck: LiveCheck) -> None:
    assert "two-walks" in {item.id for item in matching(bank, Filter(), livecheck)}
    with pytest.raises(ItemWithheldError):
        livecheck.check(draw(bank.item("two-walks"), 0))
    left = matching(bank, Filter(kind="true_false"), livecheck)
    assert left == []
    assert choose_next(left, {}) is None


def test_item_whose_kept_verification_has_errors_is_withheld_without_a_run(bank: Bank, fake: FakeSandbox) -> None:
    item = bank.item("three-leaves")
    livecheck = LiveCheck(fake, frozenset({content_hash(item)}))
    with pytest.raises(ItemWithheldError) as refused:
        livecheck.assure(draw(item, 0))
    assert refused.value.reading is None
    assert fake.jobs == 0
    assert item not in matching(bank, Filter(), livecheck)


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
