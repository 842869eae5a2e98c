"""What has expired goes, and nothing that still means something does."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app.accounts import recovery, sign_in, teams
from app.accounts.forgetting import forget_expired
from app.db import Database, open_database
from app.errors import TooManyRequestsError
from app.models import Account, LoginSession, MemberInvitation, PasswordReset, SignInFailure
from app.models.team import Role
from tests.databases import url_for

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
EMAIL, PASSWORD = "ada@example.org", "four random words here"
EXPIRING = (LoginSession, PasswordReset, MemberInvitation, SignInFailure)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(url_for(tmp_path))
    yield database
    database.dispose()


def fail(database: Database, at: datetime) -> None:
    with pytest.raises((sign_in.WrongPasswordError, TooManyRequestsError)):
        sign_in.sign_in(database, email="nobody@example.org", password="wrong", address="192.0.2.1", now=at)


def counts(database: Database) -> list[int]:
    with database.reading() as session:
        return [session.scalar(select(func.count()).select_from(table)) or 0 for table in EXPIRING]


@pytest.fixture
def used(database: Database) -> Database:
    """A site with a browser, a link for a password, an invitation and failures of signing in."""
    sign_in.sign_up(database, email=EMAIL, name="Ada", password=PASSWORD, person=None, now=NOW)
    with database.writing() as session:
        recovery.request_reset(session, EMAIL, "https://x", NOW)
        owner = session.scalars(select(Account)).one()
        team = teams.create_team(session, owner, "Vision", "UTC", NOW)
        teams.invite_member(session, team, owner.id, NOW, email="b@x.org", role=Role.AUTHOR, base_url="https://x")
    for _ in range(sign_in.FREE_TRIES):
        fail(database, NOW)
    return database


def test_what_expired_is_deleted_in_its_time_and_the_account_stays(used: Database) -> None:
    assert counts(used) == [1, 1, 1, 2]
    assert forget_expired(used, NOW + timedelta(hours=1)) == 0
    assert counts(used) == [1, 1, 1, 2]
    assert forget_expired(used, NOW + timedelta(hours=2)) == 1
    assert counts(used) == [1, 0, 1, 2]
    forget_expired(used, NOW + timedelta(hours=25))
    assert counts(used) == [1, 0, 1, 0]
    forget_expired(used, NOW + timedelta(days=14))
    assert counts(used) == [1, 0, 0, 0]
    forget_expired(used, NOW + timedelta(days=30))
    assert counts(used) == [0, 0, 0, 0]
    sign_in.sign_in(used, email=EMAIL, password=PASSWORD, address="192.0.2.1", now=NOW + timedelta(days=31))


def test_nobody_is_unlocked_by_it(used: Database) -> None:
    with used.writing() as session:
        locked = session.scalars(select(SignInFailure).order_by(SignInFailure.count.desc())).first()
        assert locked is not None
        locked.locked_until = NOW + sign_in.LONGEST_WAIT
    at = NOW + sign_in.LONGEST_WAIT - timedelta(seconds=1)
    forget_expired(used, at)
    with pytest.raises(TooManyRequestsError):
        sign_in.sign_in(used, email="nobody@example.org", password="wrong", address="192.0.2.1", now=at)
