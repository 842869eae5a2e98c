"""Teams: making one, inviting members, changing roles. A team always keeps an owner."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo, available_timezones

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.addresses import read_email
from app.errors import ConflictError, GradproofError, NotFoundError
from app.models import Account, MemberInvitation, Membership, Team
from app.models.audit_entry import record
from app.models.delivery import Channel, enqueue
from app.models.team import Role, membership_of
from app.tokens import hash_secret, new_secret

INVITATION_DAYS = 14


class InvalidTeamError(GradproofError):
    """A name or a time zone cannot be used."""

    status = 422
    title = "The team could not be saved"


class LastOwnerError(ConflictError):
    """A team would be left without an owner."""

    title = "A team needs an owner"


class MemberInvitationGoneError(NotFoundError):
    """The invitation was used, revoked or has expired, or it never was."""

    title = "This invitation does not work any more"


def read_time_zone(name: str) -> str:
    """Return an IANA time zone that exists, or raise `InvalidTeamError`."""
    if name not in available_timezones():
        raise InvalidTeamError("Choose a time zone such as Europe/Berlin or UTC.")
    return ZoneInfo(name).key


def create_team(session: Session, owner: Account, name: str, time_zone: str, now: datetime) -> Team:
    """Make a team with its first owner.

    Raises `InvalidTeamError`.
    """
    team = Team(id=uuid4(), name=_name(name), time_zone=read_time_zone(time_zone), created_at=now)
    session.add(team)
    session.flush()
    session.add(Membership(team_id=team.id, account_id=owner.id, role=Role.OWNER, created_at=now))
    record(session, now, "team.created", team_id=team.id, actor_id=owner.id)
    return team


def change_team(session: Session, team: Team, actor: UUID, now: datetime, *, name: str, time_zone: str) -> None:
    """Rename a team or move its clock; times are stored in UTC, so nothing else changes."""
    team.name, team.time_zone = _name(name), read_time_zone(time_zone)
    record(session, now, "team.changed", team_id=team.id, actor_id=actor)


def _name(text: str) -> str:
    name = " ".join(text.split())
    if not 1 <= len(name) <= 120:
        raise InvalidTeamError("A team needs a name of at most 120 characters.")
    return name


def invite_member(
    session: Session, team: Team, actor: UUID, now: datetime, *, email: str, role: Role, base_url: str
) -> tuple[MemberInvitation, str]:
    """Invite an address into a team: the link is sent by mail, and returned to be shown once.

    Raises `InvalidEmailError`.
    """
    secret = new_secret()
    invitation = MemberInvitation(
        id=uuid4(),
        team_id=team.id,
        email=read_email(email),
        role=role,
        token_hash=hash_secret(secret),
        invited_by=actor,
        created_at=now,
        expires_at=now + timedelta(days=INVITATION_DAYS),
    )
    session.add(invitation)
    link = f"{base_url}/join/{secret}"
    text = f"You are invited to the team {team.name} on Gradproof.\n\n{link}\n\nIt works for {INVITATION_DAYS} days."
    enqueue(
        session,
        now,
        Channel.MAIL,
        invitation.email,
        {"subject": f"Join {team.name} on Gradproof", "text": text},
        team_id=team.id,
        subject_id=invitation.id,
    )
    record(session, now, "member.invited", team_id=team.id, actor_id=actor, subject=invitation.id, role=role)
    return invitation, link


def find_member_invitation(session: Session, secret: str, now: datetime) -> MemberInvitation:
    """Return an invitation that can be accepted, or raise `MemberInvitationGoneError`."""
    found = session.scalar(select(MemberInvitation).where(MemberInvitation.token_hash == hash_secret(secret)))
    if found is None or found.accepted_at or found.revoked_at or found.expires_at <= now:
        raise MemberInvitationGoneError("It was used, withdrawn, or is too old. Ask the team for a new one.")
    return found


def accept(session: Session, secret: str, account: Account, now: datetime) -> Team:
    """Make an account a member; somebody who is one already keeps the role they have.

    Raises `MemberInvitationGoneError`.
    """
    invitation = find_member_invitation(session, secret, now)
    invitation.accepted_at = now
    team = session.get_one(Team, invitation.team_id)
    if membership_of(session, team.id, account.id) is None:
        session.add(Membership(team_id=team.id, account_id=account.id, role=invitation.role, created_at=now))
    record(session, now, "member.joined", team_id=team.id, actor_id=account.id, role=invitation.role)
    return team


def revoke_member_invitation(session: Session, team: Team, actor: UUID, now: datetime, *, invitation_id: UUID) -> None:
    """Withdraw an invitation; one that was accepted or withdrawn before stays as it is.

    Raises `NotFoundError` where the team has no such invitation.
    """
    invitation = session.get(MemberInvitation, invitation_id)
    if invitation is None or invitation.team_id != team.id:
        raise NotFoundError("The team has no such invitation.")
    if invitation.accepted_at is None and invitation.revoked_at is None:
        invitation.revoked_at = now
        record(session, now, "member.uninvited", team_id=team.id, actor_id=actor, subject=invitation_id)


def change_role(session: Session, team: Team, actor: UUID, now: datetime, *, account_id: UUID, role: Role) -> None:
    """Give a member another role.

    Raises `NotFoundError` or `LastOwnerError`.
    """
    membership = _member(session, team, account_id)
    if membership.role == Role.OWNER and role != Role.OWNER:
        _keep_an_owner(session, team)
    membership.role = role
    record(session, now, "member.role_changed", team_id=team.id, actor_id=actor, subject=account_id, role=role)


def remove_member(session: Session, team: Team, actor: UUID, now: datetime, *, account_id: UUID) -> None:
    """Take a member out of a team; members may leave by themselves.

    Raises `NotFoundError` or `LastOwnerError`.
    """
    membership = _member(session, team, account_id)
    if membership.role == Role.OWNER:
        _keep_an_owner(session, team)
    session.delete(membership)
    record(session, now, "member.removed", team_id=team.id, actor_id=actor, subject=account_id)


def _member(session: Session, team: Team, account_id: UUID) -> Membership:
    membership = membership_of(session, team.id, account_id)
    if membership is None:
        raise NotFoundError("The team has no such member.")
    return membership


def _keep_an_owner(session: Session, team: Team) -> None:
    owners = (
        select(func.count()).select_from(Membership).where(Membership.team_id == team.id, Membership.role == Role.OWNER)
    )
    if (session.scalar(owners) or 0) <= 1:
        raise LastOwnerError("Make somebody else an owner first.")
