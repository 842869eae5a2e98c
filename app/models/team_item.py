"""An item of a team's own: its versions, what verification found of each, and how many candidates have seen it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    JSON,
    ColumnElement,
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

from app.models.base import Base, UtcDateTime
from app.models.quiz import PoolVariant
from app.models.quiz_session import SessionEvent, SessionItem


class TeamItem(Base):
    """One version of an item that a team uploaded: private to it.

    waiting -> being verified   the sweeper began: `verifying_at`, and `runs` counts; after a restart it begins again
    being verified -> verified  `verified_at`; `problems` says why no quiz may use it, and is empty where one may
    any -> archived             by hand, or because a newer version was uploaded; quizzes keep their frozen copies
    """

    __tablename__ = "team_items"
    __table_args__ = (UniqueConstraint("team_id", "item_id", "content_hash"), Index(None, "team_id", "created_at"))

    id: Mapped[UUID] = mapped_column(primary_key=True)
    team_id: Mapped[UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    item_id: Mapped[str] = mapped_column(String(120))
    content_hash: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(40))
    topic: Mapped[str] = mapped_column(String(120))
    level: Mapped[int] = mapped_column(Integer)
    source: Mapped[str] = mapped_column(String(100_000), deferred=True)  # the YAML as uploaded
    problems: Mapped[list[str]] = mapped_column(JSON, default=list)
    warnings: Mapped[list[str]] = mapped_column(JSON, default=list)  # what its author may want to look at
    runs: Mapped[int] = mapped_column(Integer, default=0)  # made by the verification that is under way, or was last
    attempts: Mapped[int] = mapped_column(Integer, default=0)  # how often verification was begun
    memorisation: Mapped[float | None] = mapped_column(Float)
    verifying_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    verified_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"))
    archived_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    @property
    def usable(self) -> bool:
        """Say whether a quiz may ask it."""
        return self.verified_at is not None and not self.problems


def team_items_of(session: Session, team_id: UUID) -> Sequence[TeamItem]:
    """Return the current items of a team, newest first, without their source."""
    query = select(TeamItem).where(TeamItem.team_id == team_id, TeamItem.archived_at.is_(None))
    return session.scalars(query.order_by(TeamItem.created_at.desc(), TeamItem.item_id)).all()


def versions_of(session: Session, item: TeamItem) -> Sequence[TeamItem]:
    """Return every version of an item, newest first, without their source."""
    query = select(TeamItem).where(TeamItem.team_id == item.team_id, TeamItem.item_id == item.item_id)
    return session.scalars(query.order_by(TeamItem.created_at.desc(), TeamItem.id)).all()


def usable_items_of(session: Session, team_id: UUID, at: datetime | None = None) -> Sequence[TeamItem]:
    """Return the items that quizzes of a team may use, with their source; those current at a time where one is given.

    So what a quiz asks stays the same while its pool is filled, whatever is uploaded or archived meanwhile.
    """
    current: list[ColumnElement[bool]] = [TeamItem.archived_at.is_(None)]
    if at is not None:
        current = [TeamItem.created_at <= at, or_(*current, TeamItem.archived_at > at)]
    query = select(TeamItem).where(TeamItem.team_id == team_id, TeamItem.verified_at.is_not(None), *current)
    rows = session.scalars(query.options(undefer(TeamItem.source)).order_by(TeamItem.item_id, TeamItem.created_at))
    return [row for row in rows if row.usable]


@dataclass(frozen=True, slots=True)
class Exposure:
    """How many candidates have been shown an item, and in how many quizzes, all its versions together."""

    candidates: int = 0
    quizzes: int = 0


def exposures_of(session: Session, team_id: UUID) -> Mapping[str, Exposure]:
    """Return the exposure of each item of a team that anybody has been shown, by its id.

    An item counts as shown once its page was opened; one that a candidate never came to does not.
    """
    shown = (
        select(
            TeamItem.item_id, func.count(SessionItem.session_id.distinct()), func.count(PoolVariant.quiz_id.distinct())
        )
        .join(PoolVariant, PoolVariant.team_item_id == TeamItem.id)
        .join(SessionItem, SessionItem.pool_variant_id == PoolVariant.id)
        .join(
            SessionEvent,
            and_(
                SessionEvent.session_id == SessionItem.session_id,
                SessionEvent.position == SessionItem.position,
                SessionEvent.kind == "opened",
            ),
        )
        .where(TeamItem.team_id == team_id)
        .group_by(TeamItem.item_id)
    )
    return {row[0]: Exposure(row[1], row[2]) for row in session.execute(shown)}
