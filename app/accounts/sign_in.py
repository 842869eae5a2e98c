"""Signing up, in and out. A browser holds a random token; the server holds its hash and can forget it at any time.

Failures are counted in the database, for the address that was typed and for the client's: both wait longer after each
one, whether the address has an account or not, so that nothing is learnt from how it is refused. The count is
committed before the refusal is raised. Passwords are hashed with no transaction open.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.accounts.passwords import check_new, hash_password, verify
from app.addresses import read_email
from app.db import Database
from app.errors import ConflictError, GradproofError, TooManyRequestsError
from app.models import Account, LoginSession, SignInFailure
from app.models.account import account_by_email
from app.models.audit_entry import record
from app.models.person import ensure_person
from app.tokens import hash_secret, new_secret

SESSION_DAYS = 30
FREE_TRIES = 5
FREE_TRIES_ADDRESS = 20
LONGEST_WAIT = timedelta(minutes=15)
FORGET_AFTER = timedelta(hours=24)


class EmailTakenError(ConflictError):
    """The address has an account."""

    title = "This address has an account"


class WrongPasswordError(GradproofError):
    """Address and password do not belong together; which of the two is wrong is not said."""

    status = 401
    title = "Address or password is wrong"


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A browser that was just signed in: the token for its cookie, and until when it holds."""

    token: str
    account_id: UUID
    person_id: UUID
    expires_at: datetime


def sign_up(
    database: Database, *, email: str, name: str, password: str, person: UUID | None, now: datetime, agent: str = ""
) -> SignedIn:
    """Make an account and sign its browser in; the anonymous profile `person` becomes the account's.

    Raises `InvalidEmailError`, `WeakPasswordError` or `EmailTakenError`.
    """
    email, name = read_email(email), name.strip()[:120]
    check_new(password, email, name)
    password_hash = hash_password(password)
    try:
        with database.writing() as session:
            account = make_account(session, email=email, name=name, password_hash=password_hash, person=person, now=now)
            record(session, now, "account.signed_up", actor_id=account.id)
            return open_session(session, account, now, agent)
    except IntegrityError as error:  # another request made the same account in between
        raise _taken() from error


def make_account(
    session: Session, *, email: str, name: str, password_hash: str, person: UUID | None, now: datetime
) -> Account:
    """Store an account in this transaction; a profile that another account has is left to it.

    Raises `EmailTakenError`.
    """
    if account_by_email(session, email) is not None:
        raise _taken()
    claimed = person is not None and session.scalar(select(Account.id).where(Account.person_id == person)) is not None
    owner = ensure_person(session, uuid4() if person is None or claimed else person, now)
    account = Account(
        id=uuid4(), person_id=owner.id, email=email, name=name, password_hash=password_hash, created_at=now
    )
    session.add(account)
    session.flush()
    return account


def sign_in(database: Database, *, email: str, password: str, address: str, now: datetime, agent: str = "") -> SignedIn:
    """Sign a browser in.

    Raises `WrongPasswordError`, or `TooManyRequestsError` after several failures in a row.
    """
    keys = {_key("email", email.strip().lower()): FREE_TRIES, _key("address", address): FREE_TRIES_ADDRESS}
    with database.reading() as session:
        _refuse_locked(session, list(keys), now)
        account = account_by_email(session, email)
    fits, newer = verify(password, account.password_hash if account else None)
    if account is None or not fits:
        with database.writing() as session:  # committed before the refusal
            for key, free in keys.items():
                _count_failure(session, key, free, now)
        raise WrongPasswordError("Check both and try again, or ask for a link to choose a new password.")
    with database.writing() as session:
        session.execute(delete(SignInFailure).where(SignInFailure.key.in_(keys)))
        stored = session.get_one(Account, account.id)
        stored.password_hash = newer or stored.password_hash
        record(session, now, "account.signed_in", actor_id=account.id)
        return open_session(session, stored, now, agent)


def open_session(session: Session, account: Account, now: datetime, agent: str) -> SignedIn:
    """Add a login session in this transaction."""
    token = new_secret()
    opened = LoginSession(
        id=uuid4(),
        account_id=account.id,
        token_hash=hash_secret(token),
        created_at=now,
        expires_at=now + timedelta(days=SESSION_DAYS),
        agent=agent[:200],
    )
    session.add(opened)
    return SignedIn(token, account.id, account.person_id, opened.expires_at)


def sign_out(session: Session, token: str) -> None:
    """Forget one browser; a token that is unknown is no error."""
    session.execute(delete(LoginSession).where(LoginSession.token_hash == hash_secret(token)))


def sign_out_everywhere(session: Session, account_id: UUID, now: datetime, keep: UUID | None = None) -> None:
    """Forget every browser of an account, but for the login session `keep`."""
    query = delete(LoginSession).where(LoginSession.account_id == account_id)
    session.execute(query if keep is None else query.where(LoginSession.id != keep))
    record(session, now, "account.signed_out_everywhere", actor_id=account_id)


def _taken() -> EmailTakenError:
    return EmailTakenError("Sign in instead, or ask for a link to choose a new password.")


def _key(kind: str, value: str) -> str:
    return hash_secret(f"{kind}:{value}")


def forget_failures(session: Session, email: str) -> None:
    """Forget how often signing in failed with an address."""
    session.execute(delete(SignInFailure).where(SignInFailure.key == _key("email", email)))


def _refuse_locked(session: Session, keys: list[str], now: datetime) -> None:
    locks = session.scalars(select(SignInFailure.locked_until).where(SignInFailure.key.in_(keys)))
    until = max((lock for lock in locks if lock is not None), default=now)
    if until > now:
        seconds = int((until - now).total_seconds()) + 1
        raise TooManyRequestsError(
            f"Signing in failed several times. Try again in {seconds} seconds, or ask for a link to choose a new "
            "password.",
            retry_after=seconds,
        )


def _count_failure(session: Session, key: str, free: int, now: datetime) -> None:
    """Count one more failure; after `free` of them each doubles the wait, from one second up to `LONGEST_WAIT`."""
    failure = session.get(SignInFailure, key)
    if failure is None:
        failure = SignInFailure(key=key, count=0, last_at=now)
        session.add(failure)
    if now - failure.last_at > FORGET_AFTER:
        failure.count = 0
    failure.count += 1
    failure.last_at = now
    over = failure.count - free
    if over >= 0:
        failure.locked_until = now + min(timedelta(seconds=2 ** min(over, 20)), LONGEST_WAIT)
