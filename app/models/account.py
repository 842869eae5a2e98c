"""An account: how a person signs in. The person, with the attempts, is there before it and outlives it."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, Integer, String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.models.base import Base, UtcDateTime


class Account(Base):
    """An address and a password for one person. `email` is stored in lower case and is unique."""

    __tablename__ = "accounts"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    person_id: Mapped[UUID] = mapped_column(ForeignKey("people.id"), unique=True)
    email: Mapped[str] = mapped_column(String(254), unique=True)
    name: Mapped[str] = mapped_column(String(120))
    password_hash: Mapped[str] = mapped_column(String(255))
    time_zone: Mapped[str] = mapped_column(String(64), default="UTC")
    is_admin: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class LoginSession(Base):
    """One browser that is signed in; its cookie holds a random token of which only the hash is stored here."""

    __tablename__ = "login_sessions"
    __table_args__ = (Index(None, "account_id", "expires_at"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    agent: Mapped[str] = mapped_column(String(200), default="")  # the browser as it names itself, to recognise it


class PasswordReset(Base):
    """A link to choose a new password: stored hashed, good once and for a short time."""

    __tablename__ = "password_resets"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class SignInFailure(Base):
    """How often signing in failed in a row for a key: the hash of an address, known or not, or of a client address."""

    __tablename__ = "sign_in_failures"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    count: Mapped[int] = mapped_column(Integer)
    last_at: Mapped[datetime] = mapped_column(UtcDateTime)
    locked_until: Mapped[datetime | None] = mapped_column(UtcDateTime)


def account_by_email(session: Session, email: str) -> Account | None:
    """Return the account of an address, in whatever case it is written, or `None`."""
    return session.scalar(select(Account).where(Account.email == email.strip().lower()))


def account_of_person(session: Session, person_id: UUID) -> Account | None:
    """Return the account of a person, or `None` for an anonymous profile."""
    return session.scalar(select(Account).where(Account.person_id == person_id))


def account_by_token(session: Session, token_hash: str, now: datetime) -> tuple[Account, LoginSession] | None:
    """Return who is signed in with a token, or `None` where it is unknown or has expired."""
    query = select(Account, LoginSession).join(LoginSession, LoginSession.account_id == Account.id)
    row = session.execute(query.where(LoginSession.token_hash == token_hash, LoginSession.expires_at > now)).first()
    return None if row is None else (row[0], row[1])
