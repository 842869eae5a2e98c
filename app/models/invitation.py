"""An invitation: one link for one candidate; and a public link, which makes one for whoever opens it."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, Integer, String, and_, or_, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.models.base import Base, UtcDateTime
from app.models.quiz_session import QuizSession


class Invitation(Base):
    """A candidate's way in. The link holds a random token of which only the hash is stored here."""

    __tablename__ = "invitations"
    __table_args__ = (
        CheckConstraint("extra_percent >= 0 AND extra_percent <= 400", name="extra_range"),
        Index(None, "quiz_id", "created_at"),
        Index(None, "quiz_id", "email"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    quiz_id: Mapped[UUID] = mapped_column(ForeignKey("quizzes.id", ondelete="CASCADE"))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    email: Mapped[str] = mapped_column(String(254), default="")
    name: Mapped[str] = mapped_column(String(120), default="")
    time_zone: Mapped[str] = mapped_column(String(64), default="")  # of the candidate, once their page told it
    extra_percent: Mapped[int] = mapped_column(Integer, default=0)  # extra time, of the quiz's minutes
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"))
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)  # the last moment to start
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    sent_at: Mapped[datetime | None] = mapped_column(UtcDateTime)  # the last time its mail was handed over
    public_link_id: Mapped[UUID | None] = mapped_column(ForeignKey("public_links.id", ondelete="SET NULL"))
    # When its candidate was erased: it and its session are copies that are nobody's, for the item statistics.
    erased_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class PublicLink(Base):
    """A link anybody may use, for at most `cap` candidates."""

    __tablename__ = "public_links"
    __table_args__ = (
        CheckConstraint("cap >= 1 AND cap <= 100000", name="cap_range"),
        CheckConstraint("used >= 0 AND used <= cap", name="used_range"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    quiz_id: Mapped[UUID] = mapped_column(ForeignKey("quizzes.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    cap: Mapped[int] = mapped_column(Integer)
    used: Mapped[int] = mapped_column(Integer, default=0)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


def invitation_by_token(session: Session, token_hash: str) -> Invitation | None:
    """Return the invitation of a link, whatever its state, or `None`."""
    return session.scalar(select(Invitation).where(Invitation.token_hash == token_hash))


def public_link_by_token(session: Session, token_hash: str) -> PublicLink | None:
    """Return the public link of a token, whatever its state, or `None`."""
    return session.scalar(select(PublicLink).where(PublicLink.token_hash == token_hash))


def invitations_of(session: Session, quiz_id: UUID, limit: int, offset: int = 0) -> Sequence[Invitation]:
    """Return the invitations of a quiz whose candidates were not erased, newest first."""
    query = select(Invitation).where(Invitation.quiz_id == quiz_id, Invitation.erased_at.is_(None))
    return session.scalars(
        query.order_by(Invitation.created_at.desc(), Invitation.id).offset(offset).limit(limit)
    ).all()


def page_of_invitations(
    session: Session, quiz_id: UUID, limit: int, after: Invitation | None
) -> Sequence[tuple[Invitation, QuizSession | None]]:
    """Return some invitations of a quiz with their sessions, newest first, those that follow one of them."""
    query = select(Invitation, QuizSession).outerjoin(QuizSession, QuizSession.invitation_id == Invitation.id)
    query = query.where(Invitation.quiz_id == quiz_id, Invitation.erased_at.is_(None))
    query = query.order_by(Invitation.created_at.desc(), Invitation.id)
    if after is not None:
        same = and_(Invitation.created_at == after.created_at, Invitation.id > after.id)
        query = query.where(or_(Invitation.created_at < after.created_at, same))
    return [(row[0], row[1]) for row in session.execute(query.limit(limit))]
