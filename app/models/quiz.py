"""A quiz: a team's timed selection of items; its slots, and the pool of checked variants that publishing fills."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
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
    or_,
    select,
)
from sqlalchemy.orm import Mapped, Session, mapped_column, undefer

from app.models.base import Base, UtcDateTime, append_only


class QuizState(StrEnum):
    """Draft, then filling its pool, then open to candidates, then closed to new ones."""

    DRAFT = "draft"
    PUBLISHING = "publishing"
    PUBLISHED = "published"
    CLOSED = "closed"


class Shown(StrEnum):
    """When a candidate sees their score, or the items with their answers."""

    NEVER = "never"
    AFTER_SUBMIT = "after_submit"
    AFTER_WINDOW = "after_window"


class DrawnFrom(StrEnum):
    """Whose items a draw asks. Everybody can read the public ones, so a quiz that uses them is open book."""

    PUBLIC = "public"
    OWN = "own"
    BOTH = "both"


class Quiz(Base):
    """What a team decides. Once it left `draft` only window, visibility, retention and state may change."""

    __tablename__ = "quizzes"
    __table_args__ = (
        CheckConstraint("state IN ('draft', 'publishing', 'published', 'closed')", name="state_known"),
        CheckConstraint("minutes >= 1 AND minutes <= 480", name="minutes_range"),
        CheckConstraint("verdict_only >= 0 AND verdict_only <= 1", name="verdict_only_range"),
        CheckConstraint("pass_mark IS NULL OR (pass_mark >= 0 AND pass_mark <= 1)", name="pass_mark_range"),
        CheckConstraint("opens_at IS NULL OR closes_at IS NULL OR opens_at < closes_at", name="window_order"),
        CheckConstraint("show_score IN ('never', 'after_submit', 'after_window')", name="show_score_known"),
        CheckConstraint("show_items IN ('never', 'after_submit', 'after_window')", name="show_items_known"),
        Index(None, "team_id", "created_at"),
        Index(None, "state"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    team_id: Mapped[UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"))
    state: Mapped[str] = mapped_column(String(20), default=QuizState.DRAFT)
    title: Mapped[str] = mapped_column(String(200))
    introduction: Mapped[str] = mapped_column(String(4000), default="")  # Markdown, shown before the start
    minutes: Mapped[int] = mapped_column(Integer)
    opens_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    closes_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    window_cuts: Mapped[bool] = mapped_column(default=False)  # whether `closes_at` also ends running sessions
    shuffled: Mapped[bool] = mapped_column(default=True)
    verdict_only: Mapped[float] = mapped_column(Float, default=0.0)  # credit of a right verdict for a wrong reason
    repeat_misconceptions: Mapped[bool] = mapped_column(default=False)  # whether a draw may ask one mistake twice
    show_score: Mapped[str] = mapped_column(String(20), default=Shown.NEVER)
    show_items: Mapped[str] = mapped_column(String(20), default=Shown.NEVER)
    pass_mark: Mapped[float | None] = mapped_column(Float)  # a share of the points, from 0 to 1
    retake_days: Mapped[int | None] = mapped_column(Integer)  # days after which one address may be invited again
    ask_reasons: Mapped[bool] = mapped_column(default=False)  # a free text beside every item, marked by a reviewer
    signals: Mapped[bool] = mapped_column(default=False)  # note when the page loses focus; disclosed when on
    retention_days: Mapped[int | None] = mapped_column(Integer)  # after which candidates' data is erased
    frozen_at: Mapped[datetime | None] = mapped_column(UtcDateTime)  # it asks the team's items of that moment
    published_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    pool_wanted: Mapped[int] = mapped_column(Integer, default=0)  # variants to check while publishing
    problem: Mapped[str] = mapped_column(String(500), default="")  # why publishing stopped, for its author


class QuizSlot(Base):
    """One place of a quiz: a fixed item of the bank or of the team, or `count` items drawn by a filter."""

    __tablename__ = "quiz_slots"
    __table_args__ = (
        UniqueConstraint("quiz_id", "position"),
        CheckConstraint("count >= 1 AND count <= 50", name="count_range"),
        CheckConstraint("points > 0 AND points <= 100", name="points_range"),
        CheckConstraint("level >= 0 AND level <= 3", name="level_range"),
        CheckConstraint("drawn_from IN ('public', 'own', 'both')", name="drawn_from_known"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    quiz_id: Mapped[UUID] = mapped_column(ForeignKey("quizzes.id", ondelete="CASCADE"))
    position: Mapped[int] = mapped_column(Integer)
    item_id: Mapped[str] = mapped_column(String(120), default="")  # fixed: an item of the bank …
    team_item_id: Mapped[UUID | None] = mapped_column(ForeignKey("team_items.id"))  # … or one of the team
    topic: Mapped[str] = mapped_column(String(120), default="")  # a draw: empty fields leave everything
    kind: Mapped[str] = mapped_column(String(40), default="")
    level: Mapped[int] = mapped_column(Integer, default=0)
    drawn_from: Mapped[str] = mapped_column(String(10), default=DrawnFrom.PUBLIC)
    count: Mapped[int] = mapped_column(Integer, default=1)
    points: Mapped[float] = mapped_column(Float, default=1.0)  # of each item


@append_only
class PoolVariant(Base):
    """A variant that was checked live while its quiz was published: all its text, its key and the evidence."""

    __tablename__ = "pool_variants"
    __table_args__ = (Index(None, "quiz_id", "slot_id"), UniqueConstraint("slot_id", "item_id", "number"))

    id: Mapped[UUID] = mapped_column(primary_key=True)
    quiz_id: Mapped[UUID] = mapped_column(ForeignKey("quizzes.id", ondelete="CASCADE"))
    slot_id: Mapped[UUID] = mapped_column(ForeignKey("quiz_slots.id", ondelete="CASCADE"))
    item_id: Mapped[str] = mapped_column(String(120))
    team_item_id: Mapped[UUID | None] = mapped_column(ForeignKey("team_items.id"))
    number: Mapped[int] = mapped_column(Integer)  # which of the item's variants, from 0
    content_hash: Mapped[str] = mapped_column(String(64))
    kind: Mapped[str] = mapped_column(String(40))
    topic: Mapped[str] = mapped_column(String(120))
    level: Mapped[int] = mapped_column(Integer)
    title: Mapped[str] = mapped_column(String(200))
    misconceptions: Mapped[list[str]] = mapped_column(JSON)
    torch: Mapped[str] = mapped_column(String(40))
    checked_at: Mapped[datetime] = mapped_column(UtcDateTime)
    variant: Mapped[dict[str, Any]] = mapped_column(JSON, deferred=True)
    words: Mapped[dict[str, Any]] = mapped_column(JSON, deferred=True)
    reading: Mapped[dict[str, Any]] = mapped_column(JSON, deferred=True)  # key and evidence


def quizzes_of(session: Session, team_id: UUID) -> Sequence[Quiz]:
    """Return a team's quizzes, newest first."""
    return session.scalars(select(Quiz).where(Quiz.team_id == team_id).order_by(Quiz.created_at.desc(), Quiz.id)).all()


def page_of_quizzes(session: Session, team_id: UUID, limit: int, after: Quiz | None) -> Sequence[Quiz]:
    """Return some of a team's quizzes, newest first, those that follow one of them."""
    query = select(Quiz).where(Quiz.team_id == team_id).order_by(Quiz.created_at.desc(), Quiz.id).limit(limit)
    if after is not None:
        same = and_(Quiz.created_at == after.created_at, Quiz.id > after.id)
        query = query.where(or_(Quiz.created_at < after.created_at, same))
    return session.scalars(query).all()


def quiz_of(session: Session, team_id: UUID, quiz_id: UUID) -> Quiz | None:
    """Return a quiz of this very team, or `None`."""
    return session.scalar(select(Quiz).where(Quiz.id == quiz_id, Quiz.team_id == team_id))


def slots_of(session: Session, quiz_id: UUID) -> Sequence[QuizSlot]:
    """Return the slots of a quiz in their order."""
    return session.scalars(select(QuizSlot).where(QuizSlot.quiz_id == quiz_id).order_by(QuizSlot.position)).all()


def pool_of(session: Session, quiz_id: UUID) -> Sequence[PoolVariant]:
    """Return the pool of a quiz without its large columns, in a stable order."""
    query = select(PoolVariant).where(PoolVariant.quiz_id == quiz_id)
    return session.scalars(query.order_by(PoolVariant.slot_id, PoolVariant.item_id, PoolVariant.number)).all()


def pool_size(session: Session, quiz_id: UUID) -> int:
    """Return how many checked variants a quiz has."""
    return session.scalar(select(func.count()).select_from(PoolVariant).where(PoolVariant.quiz_id == quiz_id)) or 0


def whole_variants(session: Session, ids: Sequence[UUID]) -> dict[UUID, PoolVariant]:
    """Return pool variants with all their columns, by id, in one query."""
    query = select(PoolVariant).where(PoolVariant.id.in_(ids))
    found = session.scalars(
        query.options(undefer(PoolVariant.variant), undefer(PoolVariant.words), undefer(PoolVariant.reading))
    )
    return {one.id: one for one in found}


def public_items_of(session: Session, quiz_id: UUID) -> Sequence[str]:
    """Return the titles of the public items that the pool of a quiz has, each once, by title."""
    query = select(PoolVariant.title).where(PoolVariant.quiz_id == quiz_id, PoolVariant.team_item_id.is_(None))
    return session.scalars(query.distinct().order_by(PoolVariant.title)).all()


def counts_of(session: Session, quiz_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Return how many items each quiz asks."""
    query = select(QuizSlot.quiz_id, func.sum(QuizSlot.count)).where(QuizSlot.quiz_id.in_(quiz_ids))
    return {row[0]: row[1] for row in session.execute(query.group_by(QuizSlot.quiz_id))}
