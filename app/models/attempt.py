"""An attempt: one stored (variant, response, outcome) of one person at one time, with its evidence. Append-only."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, CheckConstraint, Date, Float, ForeignKey, Index, Integer, String, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.models.base import Base, UtcDateTime, append_only

CONFIDENCES = ("guess", "fairly_sure", "certain")


class Mode(StrEnum):
    """How an item came to be answered."""

    PRACTICE = "practice"
    DECK = "deck"
    CHECK = "check"  # the self-check at the end of a topic
    MOCK = "mock"  # a quiz taken for oneself


@append_only
class Attempt(Base):
    """One answer. Everything its reveal shows is in the row, so that it reads the same for ever."""

    __tablename__ = "attempts"
    __table_args__ = (
        CheckConstraint("credit >= 0 AND credit <= 1", name="credit_range"),
        CheckConstraint("level >= 1 AND level <= 3", name="level_range"),
        CheckConstraint("confidence IN ('guess', 'fairly_sure', 'certain')", name="confidence_known"),
        CheckConstraint("mode IN ('practice', 'deck', 'check', 'mock')", name="mode_known"),
        Index("ix_attempts_listed", "person_id", "created_at", "id", "topic", "kind", "mode"),
        Index(None, "person_id", "item_id", "created_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    person_id: Mapped[UUID] = mapped_column(ForeignKey("people.id"))
    nonce: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    day: Mapped[date] = mapped_column(Date)  # of `created_at` in the person's zone then; it stays when the zone changes
    mode: Mapped[str] = mapped_column(String(20), default=Mode.PRACTICE)
    seconds: Mapped[int] = mapped_column(Integer)  # from showing the form to committing the response
    item_id: Mapped[str] = mapped_column(String(120))
    content_hash: Mapped[str] = mapped_column(String(64))
    kind: Mapped[str] = mapped_column(String(40))
    topic: Mapped[str] = mapped_column(String(120))
    level: Mapped[int] = mapped_column(Integer)
    title: Mapped[str] = mapped_column(String(200))
    credit: Mapped[float] = mapped_column(Float)
    confidence: Mapped[str | None] = mapped_column(String(20))
    torch: Mapped[str] = mapped_column(String(40))
    variant: Mapped[dict[str, Any]] = mapped_column(JSON, deferred=True)  # the frozen variant, all its text
    words: Mapped[dict[str, Any]] = mapped_column(JSON, deferred=True)  # topic title and misconceptions, as shown
    response: Mapped[dict[str, Any]] = mapped_column(JSON, deferred=True)
    outcome: Mapped[dict[str, Any]] = mapped_column(JSON)
    reading: Mapped[dict[str, Any]] = mapped_column(JSON, deferred=True)  # key and evidence of the live check


@dataclass(frozen=True, slots=True)
class LastAttempt:
    """How a person last did on an item."""

    item_id: str
    credit: float
    created_at: datetime
    outcome: dict[str, Any]


def by_nonce(session: Session, nonce: str) -> Attempt | None:
    """Return the attempt that a form led to, or `None`."""
    return session.scalar(select(Attempt).where(Attempt.nonce == nonce))


def of_person(session: Session, person_id: UUID, attempt_id: UUID) -> Attempt | None:
    """Return one whole attempt of a person, or `None` where it is not theirs."""
    query = select(Attempt).where(Attempt.id == attempt_id, Attempt.person_id == person_id)
    return session.scalar(query.execution_options(populate_existing=True))


def count_of(session: Session, person_id: UUID) -> int:
    """Return how many attempts a person has."""
    return session.scalar(select(func.count()).select_from(Attempt).where(Attempt.person_id == person_id)) or 0


def last_of_each_item(session: Session, person_id: UUID) -> dict[str, LastAttempt]:
    """Return how a person last did on each item they answered."""
    newest = (
        select(Attempt.item_id, func.max(Attempt.created_at).label("at"))
        .where(Attempt.person_id == person_id)
        .group_by(Attempt.item_id)
        .subquery()
    )
    query = (
        select(Attempt.item_id, Attempt.credit, Attempt.created_at, Attempt.outcome)
        .join(newest, (Attempt.item_id == newest.c.item_id) & (Attempt.created_at == newest.c.at))
        .where(Attempt.person_id == person_id)
    )
    return {
        row.item_id: LastAttempt(row.item_id, row.credit, row.created_at, row.outcome) for row in session.execute(query)
    }
