"""Signing in against a real database: lockout that is counted before it refuses, and sessions that can be forgotten."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import select

from app.accounts import recovery, sign_in
from app.accounts.passwords import WeakPasswordError
from app.addresses import InvalidEmailError
from app.db import Database, open_database
from app.errors import TooManyRequestsError
from app.models import Account, Delivery, LoginSession, PasswordReset, SignInFailure
from app.models.account import account_by_token
from app.tokens import hash_secret
from tests.databases import url_for

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
EMAIL, PASSWORD = "ada@example.org", "four random words here"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(url_for(tmp_path))
    yield database
    database.dispose()


def sign_up(database: Database, **changes: object) -> sign_in.SignedIn:
    fields = {"email": EMAIL, "name": "Ada", "password": PASSWORD, "person": None, "now": NOW} | changes
    return sign_in.sign_up(database, **fields)  # type: ignore[arg-type]  # a dict of mixed values


def enter(database: Database, password: str, at: datetime = NOW, email: str = EMAIL) -> sign_in.SignedIn:
    return sign_in.sign_in(database, email=email, password=password, address="192.0.2.1", now=at)


def test_signing_up_keeps_the_anonymous_profile(database: Database) -> None:
    person = uuid4()
    assert sign_up(database, person=person).person_id == person


def test_profile_of_another_account_is_left_to_it(database: Database) -> None:
    person = sign_up(database).person_id
    assert sign_up(database, email="other@example.org", person=person).person_id != person


def test_address_is_taken_in_whatever_case_it_is_written(database: Database) -> None:
    sign_up(database)
    with pytest.raises(sign_in.EmailTakenError):
        sign_up(database, email=" ADA@Example.org ")


@pytest.mark.parametrize(
    "email", ["", "ada", "ada@localhost", "a b@example.org", "ada@example.org\nbcc: x@y.z", "@x.y"]
)
def test_address_that_is_none_is_refused(database: Database, email: str) -> None:
    with pytest.raises(InvalidEmailError):
        sign_up(database, email=email)


@pytest.mark.parametrize("password", ["short", "aaaaaaaaaaaa", EMAIL, "x" * 201])
def test_password_that_is_guessed_soon_is_refused(database: Database, password: str) -> None:
    with pytest.raises(WeakPasswordError):
        sign_up(database, password=password)


def test_only_hashes_of_password_and_token_are_stored(database: Database) -> None:
    opened = sign_up(database)
    with database.reading() as session:
        account, login = session.scalars(select(Account)).one(), session.scalars(select(LoginSession)).one()
    assert account.password_hash.startswith("$argon2id$")
    assert PASSWORD not in account.password_hash
    assert login.token_hash == hash_secret(opened.token) != opened.token


@pytest.mark.parametrize("email", [EMAIL, "nobody@example.org"])
def test_failures_wait_longer_each_time_whether_the_address_is_known_or_not(database: Database, email: str) -> None:
    sign_up(database)
    waits = []
    at = NOW
    for _ in range(sign_in.FREE_TRIES + 3):
        with pytest.raises(sign_in.WrongPasswordError):
            enter(database, "not this one", at, email)
        with database.reading() as session:
            key = sign_in._key("email", email)
            until = session.get_one(SignInFailure, key).locked_until
        waits.append(0 if until is None else int((until - at).total_seconds()))
        if until is not None:
            with pytest.raises(TooManyRequestsError):
                enter(database, PASSWORD, at, email)
            at = until
    assert waits == [0] * (sign_in.FREE_TRIES - 1) + [1, 2, 4, 8]


def test_right_password_clears_the_count_and_a_day_forgets_it(database: Database) -> None:
    sign_up(database)
    for _ in range(sign_in.FREE_TRIES - 1):
        with pytest.raises(sign_in.WrongPasswordError):
            enter(database, "not this one")
    enter(database, PASSWORD)
    with database.reading() as session:
        assert session.scalars(select(SignInFailure)).all() == []


def test_session_ends_by_itself_by_signing_out_and_everywhere(database: Database) -> None:
    first, second, third = sign_up(database), enter(database, PASSWORD), enter(database, PASSWORD)

    def signed_in(opened: sign_in.SignedIn, at: datetime = NOW) -> bool:
        with database.reading() as session:
            return account_by_token(session, hash_secret(opened.token), at) is not None

    assert signed_in(first)
    assert not signed_in(first, NOW + timedelta(days=sign_in.SESSION_DAYS))
    with database.writing() as session:
        sign_in.sign_out(session, first.token)
    assert [signed_in(one) for one in (first, second, third)] == [False, True, True]
    with database.writing() as session:
        sign_in.sign_out_everywhere(session, second.account_id, NOW)
    assert [signed_in(one) for one in (second, third)] == [False, False]


def asked_reset(database: Database, at: datetime = NOW, email: str = EMAIL) -> list[str]:
    with database.writing() as session:
        recovery.request_reset(session, email, "https://site.example", at)
    with database.reading() as session:
        mails = session.scalars(select(Delivery).order_by(Delivery.created_at, Delivery.id)).all()
    return [mail.payload["text"].partition("/reset/")[2].split()[0] for mail in mails]


def test_reset_link_works_once_and_signs_every_other_browser_out(database: Database) -> None:
    before = sign_up(database)
    (secret,) = asked_reset(database)
    opened = recovery.reset_password(database, secret, "another four words", NOW + timedelta(hours=1))
    with database.reading() as session:
        assert account_by_token(session, hash_secret(before.token), NOW) is None
        assert account_by_token(session, hash_secret(opened.token), NOW) is not None
    enter(database, "another four words")
    with pytest.raises(recovery.ResetGoneError):
        recovery.reset_password(database, secret, "a third set of words", NOW + timedelta(hours=1))


def test_reset_link_is_too_old_after_two_hours(database: Database) -> None:
    sign_up(database)
    (secret,) = asked_reset(database)
    with pytest.raises(recovery.ResetGoneError):
        recovery.reset_password(database, secret, "another four words", NOW + timedelta(hours=recovery.RESET_HOURS))


def test_unknown_address_gets_no_mail_and_a_known_one_at_most_three_an_hour(database: Database) -> None:
    sign_up(database)
    assert asked_reset(database, email="nobody@example.org") == []
    for _ in range(5):
        secrets = asked_reset(database)
    assert len(secrets) == recovery.RESETS_PER_HOUR
    with database.reading() as session:
        stored = {one.token_hash for one in session.scalars(select(PasswordReset))}
    assert stored == {hash_secret(secret) for secret in secrets}
