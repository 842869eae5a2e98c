"""A team: who may draft quizzes, invite candidates and read reports, each with a role."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, UniqueConstraint, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.models.account import Account
from app.models.base import Base, UtcDateTime


class Role(StrEnum):
    """What a member may do: an owner everything, an author draft and invite, a reviewer read and mark."""

    OWNER = "owner"
    AUTHOR = "author"
    REVIEWER = "reviewer"


ALLOWED = {
    Role.OWNER: frozenset(Role),
    Role.AUTHOR: frozenset({Role.AUTHOR, Role.REVIEWER}),
    Role.REVIEWER: frozenset({Role.REVIEWER}),
}


class Team(Base):
    """A group of people who hire together. Times of its quizzes are shown in its `time_zone` (an IANA name)."""

    __tablename__ = "teams"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(120))
    time_zone: Mapped[str] = mapped_column(String(64), default="UTC")
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Membership(Base):
    """The role of one account in one team."""

    __tablename__ = "memberships"
    __table_args__ = (
        CheckConstraint("role IN ('owner', 'author', 'reviewer')", name="role_known"),
        Index(None, "account_id"),
    )

    team_id: Mapped[UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True)
    role: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    def may(self, role: Role) -> bool:
        """Say whether this member may do what `role` may."""
        return role in ALLOWED[Role(self.role)]


class MemberInvitation(Base):
    """A link to join a team: stored hashed, for one address, good once."""

    __tablename__ = "member_invitations"
    __table_args__ = (
        CheckConstraint("role IN ('owner', 'author', 'reviewer')", name="role_known"),
        UniqueConstraint("token_hash"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    team_id: Mapped[UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), index=True)
    email: Mapped[str] = mapped_column(String(254))
    role: Mapped[str] = mapped_column(String(20))
    token_hash: Mapped[str] = mapped_column(String(64))
    invited_by: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    accepted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


def membership_of(session: Session, team_id: UUID, account_id: UUID) -> Membership | None:
    """Return the role of an account in a team, or `None` where it has none."""
    return session.get(Membership, (team_id, account_id))


def teams_of(session: Session, account_id: UUID) -> Sequence[tuple[Team, Membership]]:
    """Return the teams of an account with its role in each, by name."""
    query = select(Team, Membership).join(Membership, Membership.team_id == Team.id)
    rows = session.execute(query.where(Membership.account_id == account_id).order_by(Team.name, Team.id))
    return [(row[0], row[1]) for row in rows]


def members_of(session: Session, team_id: UUID) -> Sequence[tuple[Account, Membership]]:
    """Return the members of a team, the oldest first."""
    query = select(Account, Membership).join(Membership, Membership.account_id == Account.id)
    rows = session.execute(query.where(Membership.team_id == team_id).order_by(Membership.created_at, Account.id))
    return [(row[0], row[1]) for row in rows]
