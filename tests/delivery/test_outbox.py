"""The outbox between claim and settling: nothing is sent twice at once, and nothing is lost by a crash."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from app.db import Database, open_database
from app.delivery.outbox import (
    GIVE_UP_AFTER,
    OUR_MISTAKE,
    Failure,
    claim,
    forget_old,
    pause_after,
    send_side_by_side,
    settle,
)
from app.models import Delivery
from app.models.delivery import Channel, enqueue
from tests.databases import url_for

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(url_for(tmp_path))
    yield database
    database.dispose()


def put(database: Database, count: int = 1, channel: Channel = Channel.WEBHOOK) -> list[UUID]:
    with database.writing() as session:
        return [enqueue(session, NOW, channel, "https://x", {"n": number}).id for number in range(count)]


def stored(database: Database, delivery_id: UUID) -> Delivery:
    with database.reading() as session:
        return session.get_one(Delivery, delivery_id)


def test_pauses_triple_to_half_a_day_and_chance_takes_at_most_half() -> None:
    whole = [pause_after(tries, 0) for tries in range(1, 15)]
    assert whole[:4] == [timedelta(seconds=one) for one in (10, 30, 90, 270)]
    assert whole == sorted(whole)
    assert whole[-1] == timedelta(hours=12)
    assert [pause_after(tries, 1) for tries in range(1, 15)] == [one / 2 for one in whole]
    assert pause_after(10_000, 0) == timedelta(hours=12)


def test_two_who_claim_at_once_get_different_messages(database: Database) -> None:
    ids = put(database, 12)
    got: list[UUID] = []
    start = threading.Barrier(2)

    def work() -> None:
        other = Database(database.url)
        start.wait()
        got.extend(one.id for one in claim(other, Channel.WEBHOOK, NOW, limit=6))
        other.dispose()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == sorted(ids)


def test_channels_do_not_mix(database: Database) -> None:
    put(database, channel=Channel.MAIL)
    assert claim(database, Channel.WEBHOOK, NOW) == ()
    assert len(claim(database, Channel.MAIL, NOW)) == 1


def test_claim_that_was_never_settled_comes_back(database: Database) -> None:
    (first,) = put(database)
    assert [one.id for one in claim(database, Channel.WEBHOOK, NOW)] == [first]
    assert claim(database, Channel.WEBHOOK, NOW) == ()
    again = claim(database, Channel.WEBHOOK, NOW + timedelta(seconds=10))
    assert [(one.id, one.tries) for one in again] == [(first, 2)]


def test_longest_waiting_goes_first(database: Database) -> None:
    ids = put(database, 3)
    with database.writing() as session:
        session.get_one(Delivery, ids[2]).next_try_at = NOW - timedelta(hours=1)
    assert claim(database, Channel.WEBHOOK, NOW, limit=1)[0].id == ids[2]


def test_failure_is_kept_until_it_is_final_or_three_days_old(database: Database) -> None:
    early, late, final = put(database, 3)
    settle(database, early, NOW + GIVE_UP_AFTER - timedelta(seconds=1), Failure("away"))
    settle(database, late, NOW + GIVE_UP_AFTER, Failure("x" * 1000))
    settle(database, final, NOW, Failure("gone", final=True))
    assert (stored(database, early).done_at, stored(database, early).error) == (None, "away")
    assert (stored(database, late).done_at, stored(database, late).error) == (NOW + GIVE_UP_AFTER, "x" * 500)
    assert (stored(database, final).done_at, stored(database, final).error) == (NOW, "gone")
    assert stored(database, final).payload == {"n": 2}  # a webhook's stays, to be looked at


def test_message_erased_meanwhile_stays_erased(database: Database) -> None:
    (erased,) = put(database)
    claimed = claim(database, Channel.WEBHOOK, NOW)
    with database.writing() as session:
        session.delete(session.get_one(Delivery, erased))
    assert send_side_by_side(database, claimed, NOW, lambda _: None) == 1
    with database.reading() as session:
        assert session.get(Delivery, erased) is None


def test_slow_receiver_does_not_hold_up_the_others_and_a_broken_send_is_kept(database: Database) -> None:
    put(database, 4)
    together = threading.Barrier(4, timeout=10)  # passed only when all four are under way at once

    def send(delivery: Delivery) -> Failure | None:
        together.wait()
        if delivery.payload["n"] == 1:
            raise RuntimeError("on purpose")
        return None

    assert send_side_by_side(database, claim(database, Channel.WEBHOOK, NOW), NOW, send) == 4
    with database.reading() as session:
        errors = {one.payload["n"]: one.error for one in session.query(Delivery)}
    assert errors == {0: "", 1: OUR_MISTAKE, 2: "", 3: ""}


def test_settled_messages_are_forgotten_after_a_month_and_waiting_ones_are_not(database: Database) -> None:
    settled, _waiting = put(database, 2)
    settle(database, settled, NOW, None)
    assert forget_old(database, NOW + timedelta(days=30)) == 0
    assert forget_old(database, NOW + timedelta(days=31)) == 1
    with database.reading() as session:
        assert [one.done_at for one in session.query(Delivery)] == [None]


def test_error_does_not_repeat_whom_the_message_was_for(database: Database, capsys: pytest.CaptureFixture[str]) -> None:
    with database.writing() as session:
        mail = enqueue(session, NOW, Channel.MAIL, "ada@example.org", {"subject": "Hi", "text": "Hello."}).id
    settle(database, mail, NOW, Failure("550 <ada@example.org> is unknown", final=True))
    assert stored(database, mail).error == "550 <…> is unknown"
    said = capsys.readouterr().out
    assert "is unknown" in said
    assert "ada@example.org" not in said
