"""How other programs reach a team: keys for the JSON API, webhook endpoints, and interviews a partner asked for."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import JSON, ForeignKey, Index, String, UniqueConstraint, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.models.base import Base, UtcDateTime


class ApiKey(Base):
    """A key of a team. Its hash is compared on the way in; `sealed`, encrypted, is what a partner wants sent back."""

    __tablename__ = "api_keys"
    __table_args__ = (Index(None, "team_id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    team_id: Mapped[UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(120))
    scopes: Mapped[list[str]] = mapped_column(JSON)
    prefix: Mapped[str] = mapped_column(String(16))  # the start of the key, to recognise it in a list
    key_hash: Mapped[str] = mapped_column(String(64), unique=True)
    sealed: Mapped[str] = mapped_column(String(500), default="")
    callback_hosts: Mapped[list[str]] = mapped_column(JSON, default=list)  # where a partner's URL may lead
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"))
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class WebhookEndpoint(Base):
    """Where a team wants to be told. Secrets are encrypted; the previous one signs too while it rotates."""

    __tablename__ = "webhook_endpoints"
    __table_args__ = (Index(None, "team_id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    team_id: Mapped[UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    url: Mapped[str] = mapped_column(String(2000))
    events: Mapped[list[str]] = mapped_column(JSON)
    secret: Mapped[str] = mapped_column(String(500))
    previous_secret: Mapped[str] = mapped_column(String(500), default="")
    rotated_at: Mapped[datetime | None] = mapped_column(UtcDateTime)  # while the previous secret signs too
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    disabled_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class PartnerInterview(Base):
    """What a partner asked for. The same team and URL is the same interview, however often it is asked."""

    __tablename__ = "partner_interviews"
    __table_args__ = (UniqueConstraint("team_id", "url"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    team_id: Mapped[UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    api_key_id: Mapped[UUID] = mapped_column(ForeignKey("api_keys.id"))
    invitation_id: Mapped[UUID] = mapped_column(ForeignKey("invitations.id", ondelete="CASCADE"), unique=True)
    url: Mapped[str] = mapped_column(String(2000))
    profile_url: Mapped[str] = mapped_column(String(2000), default="")  # the candidate's page at the partner
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


def interview_of_invitation(session: Session, invitation_id: UUID) -> PartnerInterview | None:
    """Return the interview that a partner asked for with an invitation, or `None`."""
    return session.scalar(select(PartnerInterview).where(PartnerInterview.invitation_id == invitation_id))


def key_by_hash(session: Session, key_hash: str) -> ApiKey | None:
    """Return an API key that is not revoked, or `None`."""
    return session.scalar(select(ApiKey).where(ApiKey.key_hash == key_hash, ApiKey.revoked_at.is_(None)))
