"""An audit entry: who did what to what, and when. Append-only; names nobody but by id."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import JSON, Index, String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.models.base import Base, UtcDateTime, append_only


@append_only
class AuditEntry(Base):
    """One act. Ids are plain values and no foreign keys: an entry stays when what it names is erased."""

    __tablename__ = "audit_entries"
    __table_args__ = (Index(None, "team_id", "at"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    team_id: Mapped[UUID | None] = mapped_column()
    actor_id: Mapped[UUID | None] = mapped_column()  # an account or an API key; none where others acted
    action: Mapped[str] = mapped_column(String(60))  # noun.verb, such as quiz.published
    subject: Mapped[str] = mapped_column(String(120), default="")
    detail: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)


def record(
    session: Session,
    at: datetime,
    action: str,
    *,
    team_id: UUID | None = None,
    actor_id: UUID | None = None,
    subject: object = "",
    **detail: Any,
) -> None:
    """Add an entry in this transaction; it is stored if and only if what it tells of is."""
    session.add(
        AuditEntry(
            id=uuid4(), at=at, team_id=team_id, actor_id=actor_id, action=action, subject=str(subject), detail=detail
        )
    )


def entries_of(session: Session, team_id: UUID, limit: int, offset: int = 0) -> Sequence[AuditEntry]:
    """Return the entries of a team, newest first."""
    query = select(AuditEntry).where(AuditEntry.team_id == team_id).order_by(AuditEntry.at.desc(), AuditEntry.id)
    return session.scalars(query.offset(offset).limit(limit)).all()
