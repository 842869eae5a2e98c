"""What leaves the server later: mails, webhooks and calls to partners, kept until they are delivered or given up."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import JSON, Index, Integer, String, delete, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.errors import NotFoundError
from app.models.base import Base, UtcDateTime


class Channel(StrEnum):
    """How a delivery travels."""

    MAIL = "mail"
    WEBHOOK = "webhook"
    PARTNER = "partner"


class Delivery(Base):
    """One message in the outbox. It is written in the transaction of what it tells of, so that neither is alone.

    `payload` of a mail is `{"subject", "text"}`; it is emptied once delivered, since a link in it is a key.
    """

    __tablename__ = "deliveries"
    __table_args__ = (Index(None, "done_at", "next_try_at"), Index(None, "team_id", "created_at"))

    id: Mapped[UUID] = mapped_column(primary_key=True)
    team_id: Mapped[UUID | None] = mapped_column()
    channel: Mapped[str] = mapped_column(String(20))
    target: Mapped[str] = mapped_column(String(2000))  # an address, or a URL
    subject_id: Mapped[UUID | None] = mapped_column(index=True)  # the invitation, session or endpoint it is about
    payload: Mapped[dict[str, Any]] = mapped_column(JSON)
    dedupe: Mapped[str | None] = mapped_column(String(200), unique=True)  # one message per reason, where it is set
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    next_try_at: Mapped[datetime] = mapped_column(UtcDateTime)
    tries: Mapped[int] = mapped_column(Integer, default=0)
    done_at: Mapped[datetime | None] = mapped_column(UtcDateTime)  # delivered, or given up where `error` says why
    error: Mapped[str] = mapped_column(String(500), default="")  # of the last try


class Lease(Base):
    """Which process does a sweeper's work for now, so that two web processes never do it both."""

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(String(60), primary_key=True)
    holder: Mapped[str] = mapped_column(String(64))
    until: Mapped[datetime] = mapped_column(UtcDateTime)


def enqueue(
    session: Session,
    now: datetime,
    channel: Channel,
    target: str,
    payload: dict[str, Any],
    *,
    team_id: UUID | None = None,
    subject_id: UUID | None = None,
    dedupe: str | None = None,
) -> Delivery:
    """Put a message into the outbox in this transaction; raise `IntegrityError` at flush for a `dedupe` seen before."""
    delivery = Delivery(
        id=uuid4(),
        team_id=team_id,
        channel=channel,
        target=target,
        subject_id=subject_id,
        payload=payload,
        dedupe=dedupe,
        created_at=now,
        next_try_at=now,
    )
    session.add(delivery)
    return delivery


def due(session: Session, channel: Channel, now: datetime, limit: int, *, lock: bool = False) -> Sequence[Delivery]:
    """Return what should be tried now, the longest waiting first; with `lock`, only what nobody else has locked."""
    query = select(Delivery).where(Delivery.channel == channel, Delivery.done_at.is_(None), Delivery.next_try_at <= now)
    query = query.order_by(Delivery.next_try_at, Delivery.id).limit(limit)
    return session.scalars(query.with_for_update(skip_locked=True) if lock else query).all()


def take_lease(session: Session, name: str, holder: str, now: datetime, until: datetime) -> bool:
    """Take a lease, or keep it for longer, unless somebody else's has not ended; return whether `holder` has it.

    Raises `IntegrityError` at flush where two make the first one at once.
    """
    lease = session.get(Lease, name, with_for_update=True)
    if lease is None:
        session.add(Lease(name=name, holder=holder, until=until))
        session.flush()
        return True
    if lease.holder != holder and lease.until > now:
        return False
    lease.holder, lease.until = holder, until
    return True


def lease_taken(session: Session, name: str, holder: str, now: datetime) -> bool:
    """Say whether somebody else has a lease now, without a write."""
    lease = session.get(Lease, name)
    return lease is not None and lease.holder != holder and lease.until > now


def give_back_lease(session: Session, name: str, holder: str) -> None:
    """End a lease before its time, where `holder` has it."""
    session.execute(delete(Lease).where(Lease.name == name, Lease.holder == holder))


def log_of(session: Session, team_id: UUID, channels: Sequence[Channel], limit: int) -> Sequence[Delivery]:
    """Return what was or will be sent for a team over some channels, newest first."""
    query = select(Delivery).where(Delivery.team_id == team_id, Delivery.channel.in_(channels))
    return session.scalars(query.order_by(Delivery.created_at.desc(), Delivery.id).limit(limit)).all()


def find_delivery(session: Session, team_id: UUID, channels: Sequence[Channel], delivery_id: UUID) -> Delivery:
    """Return a delivery of this very team over one of some channels, or raise `NotFoundError`."""
    delivery = session.get(Delivery, delivery_id)
    if delivery is None or delivery.team_id != team_id or delivery.channel not in channels:
        raise NotFoundError("The team has no such delivery.")
    return delivery
