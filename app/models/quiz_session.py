"""A quiz session: one candidate taking a quiz under a deadline; what was saved, and what grading made of it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    UniqueConstraint,
    and_,
    func,
    select,
)
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.models.base import Base, UtcDateTime, append_only
from app.models.quiz import PoolVariant


class QuizSession(Base):
    """The clock and the state of one candidate. Copies of the quiz's own settings are frozen at the start.

    Closing goes: `closed_at` set (nothing counts any more), graded, then `to_grade` cleared. Whoever looks next
    finishes what a crash left: a session that is closed and still `to_grade`, or one past its deadline.
    """

    __tablename__ = "quiz_sessions"
    __table_args__ = (
        CheckConstraint("added_minutes >= 0 AND added_minutes <= 1440", name="added_range"),
        Index(None, "quiz_id", "started_at"),
        Index(None, "closed_at", "deadline"),
        Index(None, "to_grade"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    quiz_id: Mapped[UUID] = mapped_column(ForeignKey("quizzes.id", ondelete="CASCADE"))
    invitation_id: Mapped[UUID] = mapped_column(ForeignKey("invitations.id", ondelete="CASCADE"), unique=True)
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    minutes: Mapped[int] = mapped_column(Integer)
    extra_percent: Mapped[int] = mapped_column(Integer)
    added_minutes: Mapped[int] = mapped_column(Integer, default=0)
    window_end: Mapped[datetime | None] = mapped_column(UtcDateTime)  # only where the window cuts running sessions
    deadline: Mapped[datetime] = mapped_column(UtcDateTime)  # always what `hiring.deadlines.deadline_of` gives
    epoch: Mapped[int] = mapped_column(Integer, default=0)  # of the page that was opened last; only it may save
    closed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    submitted: Mapped[bool] = mapped_column(default=False)  # whether the candidate ended it, and not the clock
    to_grade: Mapped[bool] = mapped_column(default=False)
    revision: Mapped[int] = mapped_column(Integer, default=0)  # of its newest grades; 0 where there are none
    points: Mapped[float | None] = mapped_column(Float)  # of the newest grades
    points_possible: Mapped[float | None] = mapped_column(Float)
    standard_error: Mapped[float | None] = mapped_column(Float)  # of the score as a share, from 0 to 1
    released_at: Mapped[datetime | None] = mapped_column(UtcDateTime)  # when the report became final


class SessionItem(Base):
    """The item at one position of a session: a checked variant of the pool, and what it is worth."""

    __tablename__ = "session_items"

    session_id: Mapped[UUID] = mapped_column(ForeignKey("quiz_sessions.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(Integer, primary_key=True)  # from 1, as shown
    pool_variant_id: Mapped[UUID] = mapped_column(ForeignKey("pool_variants.id"), index=True)
    points: Mapped[float] = mapped_column(Float)
    flagged: Mapped[bool] = mapped_column(default=False)  # by the candidate, to come back to


@append_only
class SavedResponse(Base):
    """What a candidate had entered at one moment. The newest (epoch, sequence) of a position is the response.

    `late` ones came after the deadline and its grace: they never count and are kept for the reviewer to see.
    """

    __tablename__ = "saved_responses"
    __table_args__ = (UniqueConstraint("session_id", "position", "epoch", "sequence"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    session_id: Mapped[UUID] = mapped_column(ForeignKey("quiz_sessions.id", ondelete="CASCADE"))
    position: Mapped[int] = mapped_column(Integer)
    epoch: Mapped[int] = mapped_column(Integer)
    sequence: Mapped[int] = mapped_column(Integer)
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)
    response: Mapped[dict[str, Any]] = mapped_column(JSON)
    reason: Mapped[str] = mapped_column(String(4000), default="")  # free text where the quiz asks for it
    late: Mapped[bool] = mapped_column(default=False)


@append_only
class SessionEvent(Base):
    """Something that happened in a session besides saving: an item opened, minutes added, focus lost, a reopening."""

    __tablename__ = "session_events"
    __table_args__ = (Index(None, "session_id", "at"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    session_id: Mapped[UUID] = mapped_column(ForeignKey("quiz_sessions.id", ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    kind: Mapped[str] = mapped_column(String(40))
    position: Mapped[int | None] = mapped_column(Integer)
    detail: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)


@append_only
class Grade(Base):
    """The outcome of one position in one revision of a session's grading."""

    __tablename__ = "grades"
    __table_args__ = (
        UniqueConstraint("session_id", "revision", "position"),
        CheckConstraint("credit >= 0 AND credit <= 1", name="credit_range"),
    )

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    session_id: Mapped[UUID] = mapped_column(ForeignKey("quiz_sessions.id", ondelete="CASCADE"))
    revision: Mapped[int] = mapped_column(Integer)
    position: Mapped[int] = mapped_column(Integer)
    credit: Mapped[float] = mapped_column(Float)
    points: Mapped[float] = mapped_column(Float)  # possible here; earned are credit * points
    outcome: Mapped[dict[str, Any]] = mapped_column(JSON)
    response_id: Mapped[int | None] = mapped_column(ForeignKey("saved_responses.id"))  # none: nothing was entered
    rescore_id: Mapped[UUID | None] = mapped_column(ForeignKey("rescores.id"))  # whose key was used, not the pool's
    at: Mapped[datetime] = mapped_column(UtcDateTime)


@append_only
class Rescore(Base):
    """A decision to grade an item anew: another key for some pool variants, or full credit after a retraction."""

    __tablename__ = "rescores"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    quiz_id: Mapped[UUID] = mapped_column(ForeignKey("quizzes.id", ondelete="CASCADE"), index=True)
    item_id: Mapped[str] = mapped_column(String(120))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    author_id: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"))
    reason: Mapped[str] = mapped_column(String(1000))
    never_lower: Mapped[bool] = mapped_column()
    retracted: Mapped[bool] = mapped_column()  # everybody gets the points; `readings` is empty then
    readings: Mapped[dict[str, Any]] = mapped_column(JSON)  # pool variant id -> new key and evidence


@append_only
class ReviewMark(Base):
    """What a reviewer thinks of a free text: which rubric points it names, and a note. The newest one counts."""

    __tablename__ = "review_marks"
    __table_args__ = (Index(None, "session_id", "position"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    session_id: Mapped[UUID] = mapped_column(ForeignKey("quiz_sessions.id", ondelete="CASCADE"))
    position: Mapped[int] = mapped_column(Integer)
    reviewer_id: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    points_named: Mapped[list[int]] = mapped_column(JSON)  # places in the item's rubric, from 1
    note: Mapped[str] = mapped_column(String(2000), default="")


@append_only
class CandidateNote(Base):
    """What a candidate told the team: a problem with the item at `position`, or, without one, of the whole quiz."""

    __tablename__ = "candidate_notes"
    __table_args__ = (Index(None, "session_id"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    session_id: Mapped[UUID] = mapped_column(ForeignKey("quiz_sessions.id", ondelete="CASCADE"))
    position: Mapped[int | None] = mapped_column(Integer)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    text: Mapped[str] = mapped_column(String(2000))


def session_of_invitation(session: Session, invitation_id: UUID) -> QuizSession | None:
    """Return the session that an invitation was started with, or `None`."""
    return session.scalar(select(QuizSession).where(QuizSession.invitation_id == invitation_id))


def items_of_session(session: Session, session_id: UUID) -> Sequence[tuple[SessionItem, PoolVariant]]:
    """Return the items of a session in their order, without the large columns of their variants."""
    query = select(SessionItem, PoolVariant).join(PoolVariant, PoolVariant.id == SessionItem.pool_variant_id)
    rows = session.execute(query.where(SessionItem.session_id == session_id).order_by(SessionItem.position))
    return [(row[0], row[1]) for row in rows]


def frozen_variant(session: Session, session_id: UUID, position: int) -> dict[str, Any] | None:
    """Return the variant at a position of a session as JSON data, or `None`."""
    query = select(PoolVariant.variant).join(SessionItem, SessionItem.pool_variant_id == PoolVariant.id)
    return session.scalar(query.where(SessionItem.session_id == session_id, SessionItem.position == position))


def newest_responses(session: Session, session_id: UUID) -> dict[int, SavedResponse]:
    """Return the response of each position: the highest (epoch, sequence) that was not late; older ones stay unread."""
    place = func.row_number().over(
        partition_by=SavedResponse.position, order_by=(SavedResponse.epoch.desc(), SavedResponse.sequence.desc())
    )
    ranked = (
        select(SavedResponse.id, place.label("place"))
        .where(SavedResponse.session_id == session_id, SavedResponse.late.is_(False))
        .subquery()
    )
    newest = select(SavedResponse).join(ranked, ranked.c.id == SavedResponse.id).where(ranked.c.place == 1)
    return {row.position: row for row in session.scalars(newest.order_by(SavedResponse.position))}


def newest_response(session: Session, session_id: UUID, position: int) -> SavedResponse | None:
    """Return the response of one position, as `newest_responses` has it."""
    query = select(SavedResponse).where(
        SavedResponse.session_id == session_id, SavedResponse.position == position, SavedResponse.late.is_(False)
    )
    return session.scalar(query.order_by(SavedResponse.epoch.desc(), SavedResponse.sequence.desc()).limit(1))


def newest_sequence(session: Session, session_id: UUID, position: int, epoch: int) -> int:
    """Return the highest sequence stored for a position in an epoch, 0 where there is none."""
    query = select(func.max(SavedResponse.sequence)).where(
        SavedResponse.session_id == session_id, SavedResponse.position == position, SavedResponse.epoch == epoch
    )
    return session.scalar(query) or 0


def newest_grades(session: Session, session_ids: Sequence[UUID]) -> Sequence[Grade]:
    """Return the grades of the newest revision of each session, by position."""
    query = select(Grade).join(
        QuizSession, and_(QuizSession.id == Grade.session_id, QuizSession.revision == Grade.revision)
    )
    return session.scalars(query.where(Grade.session_id.in_(session_ids)).order_by(Grade.position)).all()


def unfinished(session: Session, now: datetime, limit: int, but: Collection[UUID] = ()) -> Sequence[UUID]:
    """Return sessions to close or to go on closing: past their deadline and open, or closed and not graded."""
    expired = and_(QuizSession.closed_at.is_(None), QuizSession.deadline < now)
    query = select(QuizSession.id).where(expired | QuizSession.to_grade.is_(True), QuizSession.id.not_in(but))
    return session.scalars(query.order_by(QuizSession.deadline, QuizSession.id).limit(limit)).all()
