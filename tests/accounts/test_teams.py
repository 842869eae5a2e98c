"""Teams: who may join, and that an owner is always left."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import select

from app.accounts import teams
from app.accounts.sign_in import make_account
from app.db import Database, open_database
from app.models import Account, AuditEntry, Team
from app.models.team import Role, membership_of
from tests.databases import url_for

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(url_for(tmp_path))
    yield database
    database.dispose()


def account(database: Database, email: str) -> Account:
    with database.writing() as session:
        return make_account(session, email=email, name=email, password_hash="-", person=None, now=NOW)


@pytest.fixture
def owner(database: Database) -> Account:
    return account(database, "owner@example.org")


@pytest.fixture
def team(database: Database, owner: Account) -> Team:
    with database.writing() as session:
        return teams.create_team(session, owner, " Vision  group ", "Europe/Berlin", NOW)


def joined(database: Database, team: Team, by: UUID, who: Account, role: Role) -> str:
    with database.writing() as session:
        _, link = teams.invite_member(session, team, by, NOW, email=who.email, role=role, base_url="https://site")
    secret = link.rpartition("/")[2]
    with database.writing() as session:
        teams.accept(session, secret, session.get_one(Account, who.id), NOW)
    return secret


def role_of(database: Database, team: Team, who: Account) -> str | None:
    with database.reading() as session:
        found = membership_of(session, team.id, who.id)
        return None if found is None else found.role


def test_name_is_tidied_and_its_maker_owns_the_team(database: Database, team: Team, owner: Account) -> None:
    assert team.name == "Vision group"
    assert role_of(database, team, owner) == Role.OWNER


@pytest.mark.parametrize(("name", "zone"), [("", "UTC"), ("x" * 121, "UTC"), ("ok", "Mars/Base"), ("ok", "../etc")])
def test_name_and_zone_that_cannot_be_used_are_refused(
    database: Database, owner: Account, name: str, zone: str
) -> None:
    with database.writing() as session, pytest.raises(teams.InvalidTeamError):
        teams.create_team(session, owner, name, zone, NOW)


def test_invitation_is_good_once_and_until_it_expires_or_is_withdrawn(
    database: Database, team: Team, owner: Account
) -> None:
    guest = account(database, "guest@example.org")
    secret = joined(database, team, owner.id, guest, Role.AUTHOR)
    assert role_of(database, team, guest) == Role.AUTHOR
    with database.writing() as session, pytest.raises(teams.MemberInvitationGoneError):
        teams.accept(session, secret, guest, NOW)
    with database.writing() as session:
        invitation, link = teams.invite_member(
            session, team, owner.id, NOW, email="late@example.org", role=Role.REVIEWER, base_url="https://site"
        )
        later = NOW + timedelta(days=teams.INVITATION_DAYS)
        with pytest.raises(teams.MemberInvitationGoneError):
            teams.find_member_invitation(session, link.rpartition("/")[2], later)
        teams.revoke_member_invitation(session, team, owner.id, NOW, invitation_id=invitation.id)
        with pytest.raises(teams.MemberInvitationGoneError):
            teams.find_member_invitation(session, link.rpartition("/")[2], NOW)


def test_joining_again_keeps_the_role_one_has(database: Database, team: Team, owner: Account) -> None:
    joined(database, team, owner.id, owner, Role.REVIEWER)
    assert role_of(database, team, owner) == Role.OWNER


def test_last_owner_can_neither_step_down_nor_leave(database: Database, team: Team, owner: Account) -> None:
    with database.writing() as session, pytest.raises(teams.LastOwnerError):
        teams.change_role(session, team, owner.id, NOW, account_id=owner.id, role=Role.REVIEWER)
    with database.writing() as session, pytest.raises(teams.LastOwnerError):
        teams.remove_member(session, team, owner.id, NOW, account_id=owner.id)
    other = account(database, "other@example.org")
    joined(database, team, owner.id, other, Role.OWNER)
    with database.writing() as session:
        teams.remove_member(session, team, owner.id, NOW, account_id=owner.id)
    assert role_of(database, team, owner) is None


def test_every_act_is_in_the_audit(database: Database, team: Team, owner: Account) -> None:
    joined(database, team, owner.id, account(database, "guest@example.org"), Role.AUTHOR)
    with database.reading() as session:
        acts = set(session.scalars(select(AuditEntry.action).where(AuditEntry.team_id == team.id)))
    assert acts == {"team.created", "member.invited", "member.joined"}
