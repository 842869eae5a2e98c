"""The outbox: what is due is claimed, sent with no transaction open, and settled.

    waiting -> waiting     claimed: one more try is counted and the next one is put off, before anything is sent
    waiting -> delivered   settled without a failure: `done_at`, and no `error`
    waiting -> waiting     settled with a failure; `error` says which
    waiting -> given up    a failure that no repetition mends, or one three days after the first: `done_at` and `error`
    given up -> waiting    by hand

A crash between claim and settling costs that one try. So a message leaves at least once, and twice where the crash came
just after it left: mails carry the same Message-ID and webhooks the same id each time, by which a receiver can tell.
"""

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.db import Database
from app.errors import ConflictError
from app.models import Delivery
from app.models.audit_entry import record
from app.models.delivery import Channel, due

log = structlog.get_logger()

BATCH = 8
FIRST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(hours=12)
GIVE_UP_AFTER = timedelta(days=3)
FORGET_AFTER = timedelta(days=30)
OUR_MISTAKE = "Something broke on our side while it was sent; it was logged."

_random = secrets.SystemRandom()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a try did not deliver; `final` where another one cannot either."""

    message: str
    final: bool = False


def pause_after(tries: int, chance: float) -> timedelta:
    """Return how long to wait after so many tries: three times longer each time, and up to half of it less by `chance`.

    `chance` is from 0 to 1. What failed together must not come back together.
    """
    whole: timedelta = min(FIRST_PAUSE * 3 ** min(tries - 1, 20), LONGEST_PAUSE)
    return whole * (1 - chance / 2)


def claim(database: Database, channel: Channel, now: datetime, limit: int = BATCH) -> Sequence[Delivery]:
    """Return what this call is to send now; nobody else gets the same for this try."""
    with database.reading() as session:  # most often nothing is due, and then nothing is written
        if not due(session, channel, now, 1):
            return ()
    with database.writing() as session:
        claimed = due(session, channel, now, limit, lock=True)
        for one in claimed:
            one.tries += 1
            one.next_try_at = now + pause_after(one.tries, _random.random())
    return claimed


def settle(database: Database, delivery_id: UUID, now: datetime, failure: Failure | None) -> None:
    """Keep what became of a try; a message that was erased meanwhile stays erased."""
    with database.writing() as session:
        delivery = session.get(Delivery, delivery_id)
        if delivery is None:
            return
        delivery.error = "" if failure is None else _without(delivery, failure.message)[:500]
        if failure is None or failure.final or now - delivery.created_at >= GIVE_UP_AFTER:
            delivery.done_at = now
        if delivery.done_at is not None and delivery.channel == Channel.MAIL:
            delivery.payload = {}  # a link in it is a key
    if failure is not None:
        log.warning("not_delivered", id=str(delivery_id), channel=delivery.channel, error=delivery.error)


def _without(delivery: Delivery, message: str) -> str:
    """Return what the other side said without whom it was about: servers repeat addresses, and logs are kept."""
    return message.replace(delivery.target, "…") if delivery.target else message


def retry(session: Session, delivery: Delivery, actor: UUID, now: datetime) -> None:
    """Try a message once more at once, also one that was given up; after three days a failure gives it up again.

    It may leave twice where a try is under way just now; its id is the same.
    Raises `ConflictError` for one that was delivered.
    """
    if delivery.done_at is not None and not delivery.error:
        raise ConflictError("It was delivered already.")
    delivery.done_at, delivery.next_try_at = None, now
    record(session, now, "delivery.retried", team_id=delivery.team_id, actor_id=actor, subject=delivery.id)


def forget_old(database: Database, now: datetime) -> int:
    """Delete messages that were settled long ago, since each holds an address; return how many."""
    old = (Delivery.done_at.is_not(None), Delivery.done_at < now - FORGET_AFTER)
    with database.reading() as session:
        if session.scalar(select(Delivery.id).where(*old).limit(1)) is None:
            return 0
    with database.writing() as session:
        return len(session.scalars(delete(Delivery).where(*old).returning(Delivery.id)).all())


def send_side_by_side(
    database: Database, claimed: Sequence[Delivery], now: datetime, send: Callable[[Delivery], Failure | None]
) -> int:
    """Send each in a thread of its own and settle it, so that a slow receiver holds up nobody; return how many."""

    def work(delivery: Delivery) -> None:
        try:
            failure = send(delivery)
        except Exception:  # the edge of a thread, where it would be lost
            log.exception("delivery_broke", id=str(delivery.id))
            failure = Failure(OUR_MISTAKE)
        settle(database, delivery.id, now, failure)

    threads = [threading.Thread(target=work, args=(one,), name="delivery", daemon=True) for one in claimed]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(claimed)
