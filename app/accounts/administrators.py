"""Accounts that whoever runs the site makes or changes at its machine, such as the first administrator."""

from datetime import datetime

from sqlalchemy.exc import IntegrityError

from app.accounts.passwords import check_new, hash_password
from app.accounts.recovery import store_password
from app.accounts.sign_in import EmailTakenError, make_account
from app.addresses import read_email
from app.db import Database
from app.errors import NotFoundError
from app.models import Account
from app.models.account import account_by_email
from app.models.audit_entry import record


def refuse_taken(database: Database, email: str) -> str:
    """Return the address as it is stored.

    Raises `InvalidEmailError` or `EmailTakenError`.
    """
    email = read_email(email)
    with database.reading() as session:
        if account_by_email(session, email) is not None:
            raise _taken(email)
    return email


def create_account(
    database: Database, *, email: str, name: str, password: str, administrator: bool, now: datetime
) -> None:
    """Make an account.

    Raises `InvalidEmailError`, `WeakPasswordError` or `EmailTakenError`.
    """
    email = refuse_taken(database, email)
    check_new(password, email, name)
    password_hash = hash_password(password)
    try:
        with database.writing() as session:
            account = make_account(
                session, email=email, name=name.strip()[:120], password_hash=password_hash, person=None, now=now
            )
            account.is_admin = administrator
            record(session, now, "account.created", actor_id=account.id, administrator=administrator)
    except (IntegrityError, EmailTakenError) as error:  # somebody signed up with it in between
        raise _taken(email) from error


def _taken(email: str) -> EmailTakenError:
    return EmailTakenError(
        f"{email} has an account already. `gradproof user admin` lets it run the site, and `gradproof user password` "
        "gives it another password."
    )


def set_password(database: Database, *, email: str, password: str, now: datetime) -> None:
    """Give an account another password and sign out its browsers, for somebody who can get no mail.

    Raises `NotFoundError` or `WeakPasswordError`.
    """
    account = find_account(database, email)
    check_new(password, account.email, account.name)
    store_password(database, account.id, hash_password(password), now, keep=None)


def find_account(database: Database, email: str) -> Account:
    """Return the account of an address, or raise `NotFoundError`."""
    with database.reading() as session:
        account = account_by_email(session, email)
    if account is None:
        raise NotFoundError(f"{email.strip()} has no account. `gradproof user create` makes one.")
    return account


def set_administrator(database: Database, email: str, now: datetime, *, administrator: bool) -> None:
    """Let an account run the site, or no longer.

    Raises `NotFoundError`.
    """
    account_id = find_account(database, email).id
    with database.writing() as session:
        account = session.get_one(Account, account_id)
        if account.is_admin != administrator:
            account.is_admin = administrator
            record(session, now, "account.administrator", actor_id=account.id, administrator=administrator)
