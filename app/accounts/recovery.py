"""Choosing another password: signed in, or by a link that was sent by mail."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.accounts.passwords import check_new, hash_password, verify
from app.accounts.sign_in import SignedIn, WrongPasswordError, open_session, sign_out_everywhere
from app.db import Database
from app.errors import NotFoundError
from app.models import Account, PasswordReset
from app.models.account import account_by_email
from app.models.audit_entry import record
from app.models.delivery import Channel, enqueue
from app.tokens import hash_secret, new_secret

RESET_HOURS = 2
RESETS_PER_HOUR = 3


class ResetGoneError(NotFoundError):
    """The link was used, is too old, or was never made."""

    title = "This link does not work any more"


def change_password(
    database: Database, account_id: UUID, *, old: str, new: str, keep: UUID | None, now: datetime
) -> None:
    """Change the password of somebody who is signed in, and sign out every browser but the login session `keep`.

    Raises `WrongPasswordError` or `WeakPasswordError`.
    """
    with database.reading() as session:
        account = session.get_one(Account, account_id)
    if not verify(old, account.password_hash)[0]:
        raise WrongPasswordError("The password you have now is another one. Nothing was changed.")
    check_new(new, account.email, account.name)
    store_password(database, account_id, hash_password(new), now, keep)


def store_password(database: Database, account_id: UUID, password_hash: str, now: datetime, keep: UUID | None) -> None:
    """Replace a password, and sign out every browser but the login session `keep`."""
    with database.writing() as session:
        session.get_one(Account, account_id).password_hash = password_hash
        sign_out_everywhere(session, account_id, now, keep)
        record(session, now, "account.password_changed", actor_id=account_id)


def request_reset(session: Session, email: str, base_url: str, now: datetime) -> None:
    """Send a link to an address that has an account; of an address without one nothing is said to anybody."""
    account = account_by_email(session, email)
    if account is None or _asked_often(session, account.id, now):
        return
    secret = new_secret()
    reset = PasswordReset(
        id=uuid4(),
        account_id=account.id,
        token_hash=hash_secret(secret),
        created_at=now,
        expires_at=now + timedelta(hours=RESET_HOURS),
    )
    session.add(reset)
    text = (
        f"Somebody, probably you, asked to choose a new password for Gradproof.\n\n{base_url}/reset/{secret}\n\n"
        f"The link works once and for {RESET_HOURS} hours. If it was not you, do nothing: your password stays as it is."
    )
    enqueue(session, now, Channel.MAIL, account.email, {"subject": "Choose a new password", "text": text})
    record(session, now, "account.reset_requested", actor_id=account.id)


def _asked_often(session: Session, account_id: UUID, now: datetime) -> bool:
    recent = select(PasswordReset.id).where(
        PasswordReset.account_id == account_id, PasswordReset.created_at > now - timedelta(hours=1)
    )
    return len(session.scalars(recent).all()) >= RESETS_PER_HOUR


def find_reset(session: Session, secret: str, now: datetime) -> PasswordReset:
    """Return a reset that can be used, or raise `ResetGoneError`."""
    reset = session.scalar(select(PasswordReset).where(PasswordReset.token_hash == hash_secret(secret)))
    if reset is None or reset.used_at is not None or reset.expires_at <= now:
        raise ResetGoneError("It works once and for two hours. Ask for a new one.")
    return reset


def reset_password(database: Database, secret: str, new: str, now: datetime, agent: str = "") -> SignedIn:
    """Set a new password by a link, sign out every browser, and sign this one in.

    Raises `ResetGoneError` or `WeakPasswordError`.
    """
    with database.reading() as session:
        account = session.get_one(Account, find_reset(session, secret, now).account_id)
    check_new(new, account.email, account.name)
    password_hash = hash_password(new)
    with database.writing() as session:
        reset = find_reset(session, secret, now)  # once more: two requests may hold the same link
        stored = session.get_one(Account, reset.account_id)
        stored.password_hash = password_hash
        session.execute(
            update(PasswordReset)
            .where(PasswordReset.account_id == stored.id, PasswordReset.used_at.is_(None))
            .values(used_at=now)
        )
        sign_out_everywhere(session, stored.id, now)
        record(session, now, "account.password_reset", actor_id=stored.id)
        return open_session(session, stored, now, agent)
