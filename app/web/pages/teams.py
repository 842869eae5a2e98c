"""Teams: `/teams`, a team's members, its audit and its settings, and `/join/…` for who was invited."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.accounts import teams
from app.addresses import InvalidEmailError
from app.clock import now
from app.errors import BadRequestError, GradproofError
from app.hiring.api_keys import keys_of
from app.models import Account, MemberInvitation, Membership, Team
from app.models.audit_entry import AuditEntry, entries_of
from app.models.team import Role, members_of, teams_of
from app.web.access import CurrentAccount, TeamAccess, TeamOwner, TeamReviewer
from app.web.account_views import (
    AuditPage,
    AuditRow,
    FormPage,
    LinkView,
    MemberInvitationRow,
    MemberRow,
    MembersPage,
    TeamHeading,
    TeamSettingsPage,
)
from app.web.dependencies import CurrentSite, Db
from app.web.fields import Field, FieldChoice, FormView
from app.web.forms import Form, FormDb
from app.web.pages.choices import time_zone_field
from app.web.pages.shell import make_shell, show
from app.web.pages.times import show_day, show_time

router = APIRouter()

AUDIT_PAGE = 50
ROLES = (
    FieldChoice(Role.OWNER, "owner", "everything, members and settings too"),
    FieldChoice(Role.AUTHOR, "author", "drafts quizzes and invites candidates"),
    FieldChoice(Role.REVIEWER, "reviewer", "reads reports and marks free texts"),
)
TEAM_NAME = Field("name", "Team name", autocomplete="organization", attributes=(("maxlength", "120"),))
INVITED_EMAIL = Field("email", "Mail address", "email", attributes=(("maxlength", "254"),))
INVITED_ROLE = Field("role", "Role", "radios", Role.REVIEWER, choices=ROLES)


def read_role(text: str) -> Role:
    """Return a role, or raise `BadRequestError`."""
    try:
        return Role(text)
    except ValueError as error:
        raise BadRequestError("Choose one of the roles owner, author and reviewer. Nothing was changed.") from error


def team_heading(access: TeamAccess, section: str) -> TeamHeading:
    """Return the heading of a page in `section` of a team, with the sections that the reader may open."""
    url = f"/teams/{access.team.id}"
    sections = [("Quizzes", url), ("Items", f"{url}/items"), ("Members", f"{url}/members")]
    if access.membership.may(Role.OWNER):
        sections += [
            ("Integrations", f"{url}/integrations"),
            ("Audit", f"{url}/audit"),
            ("Settings", f"{url}/settings"),
        ]
    links = tuple(LinkView(target, label) for label, target in sections)
    return TeamHeading(access.team.name, url, section, access.membership.role, links)


@router.get("/teams")
def index(signed_in: CurrentAccount, session: Db) -> Response:
    """Go to one's first team, or to making one."""
    mine = teams_of(session, signed_in.account.id)
    return RedirectResponse(f"/teams/{mine[0][0].id}" if mine else "/teams/new", 303)


def _new_page(request: Request, form: FormView) -> FormPage:
    lead = (
        "A team drafts timed quizzes, invites candidates by link and reads their reports. You are its owner and can "
        "invite others. To practise no team is needed."
    )
    return FormPage(make_shell(request, "teams"), "New team", lead, form)


NEW = FormView("/teams/new", (TEAM_NAME, time_zone_field()), "Make the team")


@router.get("/teams/new")
def new_form(request: Request, signed_in: CurrentAccount) -> HTMLResponse:
    """Ask for the name of a new team."""
    return show(request, _new_page(request, NEW.filled({"time_zone": signed_in.account.time_zone})))


@router.post("/teams/new")
def create(request: Request, signed_in: CurrentAccount, session: FormDb, fields: Form) -> Response:
    """Make a team."""
    try:
        team = teams.create_team(
            session, signed_in.account, fields.get("name", ""), fields.get("time_zone", "UTC"), now()
        )
    except teams.InvalidTeamError as error:
        return show(request, _new_page(request, NEW.filled(fields, {"name": error.message})), error.status)
    return RedirectResponse(f"/teams/{team.id}", 303)


def _invite_form(access: TeamAccess) -> FormView:
    return FormView(f"/teams/{access.team.id}/members", (INVITED_EMAIL, INVITED_ROLE), "Invite")


def _member_row(access: TeamAccess, account: Account, member: Membership) -> MemberRow:
    owner, url = access.membership.may(Role.OWNER), f"/teams/{access.team.id}/members/{account.id}"
    role = Field("role", "Role", "select", member.role, choices=ROLES)
    leaving = account.id == access.account.id
    return MemberRow(
        name=account.name or account.email,
        email=account.email,
        role=member.role,
        since=show_day(member.created_at, access.team.time_zone),
        change=FormView(f"{url}/role", (role,), "Change") if owner else None,
        remove=FormView(f"{url}/remove", (), "Leave" if leaving else "Remove", True) if owner or leaving else None,
    )


def _members_page(
    request: Request, access: TeamAccess, session: Session, form: FormView | None = None, link: str = ""
) -> MembersPage:
    owner = access.membership.may(Role.OWNER)
    waiting = session.scalars(
        select(MemberInvitation)
        .where(
            MemberInvitation.team_id == access.team.id,
            MemberInvitation.accepted_at.is_(None),
            MemberInvitation.revoked_at.is_(None),
            MemberInvitation.expires_at > now(),
        )
        .order_by(MemberInvitation.created_at.desc())
    )
    invited = tuple(
        MemberInvitationRow(
            one.email,
            one.role,
            show_day(one.expires_at, access.team.time_zone),
            FormView(f"/teams/{access.team.id}/member-invitations/{one.id}/revoke", (), "Withdraw", True),
        )
        for one in (waiting if owner else ())
    )
    return MembersPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "members"),
        members=tuple(_member_row(access, *pair) for pair in members_of(session, access.team.id)),
        invited=invited,
        invite=(form or _invite_form(access)) if owner else None,
        link=link,
    )


@router.get("/teams/{team_id}/members")
def members(request: Request, access: TeamReviewer, session: Db) -> HTMLResponse:
    """Show who is in the team."""
    return show(request, _members_page(request, access, session))


@router.post("/teams/{team_id}/members")
def invite(request: Request, site: CurrentSite, access: TeamOwner, session: FormDb, fields: Form) -> HTMLResponse:
    """Invite an address; the link is on the page this once."""
    try:
        _, link = teams.invite_member(
            session,
            access.team,
            access.account.id,
            now(),
            email=fields.get("email", ""),
            role=read_role(fields.get("role", "")),
            base_url=site.base_url,
        )
    except InvalidEmailError as error:
        form = _invite_form(access).filled(fields, {"email": error.message})
        return show(request, _members_page(request, access, session, form), error.status)
    return show(request, _members_page(request, access, session, link=link))


@router.post("/teams/{team_id}/members/{account_id}/role")
def change_role(access: TeamOwner, session: FormDb, fields: Form, account_id: UUID) -> Response:
    """Give a member another role."""
    role = read_role(fields.get("role", ""))
    teams.change_role(session, access.team, access.account.id, now(), account_id=account_id, role=role)
    return RedirectResponse(f"/teams/{access.team.id}/members", 303)


@router.post("/teams/{team_id}/members/{account_id}/remove")
def remove(access: TeamReviewer, session: FormDb, account_id: UUID) -> Response:
    """Take a member out, or leave."""
    leaving = account_id == access.account.id
    if not leaving and not access.membership.may(Role.OWNER):
        raise RemoveOthersError("Only an owner takes others out of a team.")
    teams.remove_member(session, access.team, access.account.id, now(), account_id=account_id)
    return RedirectResponse("/account" if leaving else f"/teams/{access.team.id}/members", 303)


class RemoveOthersError(GradproofError):
    """A member who is no owner wants to take somebody else out."""

    status = 403
    title = "Your role does not allow this"


@router.post("/teams/{team_id}/member-invitations/{invitation_id}/revoke")
def revoke(access: TeamOwner, session: FormDb, invitation_id: UUID) -> Response:
    """Withdraw an invitation."""
    teams.revoke_member_invitation(session, access.team, access.account.id, now(), invitation_id=invitation_id)
    return RedirectResponse(f"/teams/{access.team.id}/members", 303)


def _audit_row(entry: AuditEntry, names: dict[UUID, str], zone: str) -> AuditRow:
    who = names.get(entry.actor_id, "somebody who left") if entry.actor_id else "the site"
    detail = ", ".join(f"{name} {value}" for name, value in entry.detail.items())
    return AuditRow(show_time(entry.at, zone), entry.at.isoformat(), who, entry.action, entry.subject, detail)


@router.get("/teams/{team_id}/audit")
def audit(
    request: Request, access: TeamOwner, session: Db, page: Annotated[int, Query(ge=1, le=10_000)] = 1
) -> HTMLResponse:
    """Show who did what."""
    found = entries_of(session, access.team.id, AUDIT_PAGE + 1, (page - 1) * AUDIT_PAGE)
    names = {account.id: account.email for account, _ in members_of(session, access.team.id)}
    names |= {key.id: f"the API key “{key.name}”" for key in keys_of(session, access.team.id)}
    url = f"/teams/{access.team.id}/audit?page="
    view = AuditPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "audit"),
        rows=tuple(_audit_row(entry, names, access.team.time_zone) for entry in found[:AUDIT_PAGE]),
        newer_url=f"{url}{page - 1}" if page > 1 else None,
        older_url=f"{url}{page + 1}" if len(found) > AUDIT_PAGE else None,
    )
    return show(request, view)


def _settings_form(access: TeamAccess) -> FormView:
    form = FormView(f"/teams/{access.team.id}/settings", (TEAM_NAME, time_zone_field()), "Save")
    return form.filled({"name": access.team.name, "time_zone": access.team.time_zone})


@router.get("/teams/{team_id}/settings")
def settings(request: Request, access: TeamOwner) -> HTMLResponse:
    """Show name and time zone."""
    view = TeamSettingsPage(make_shell(request, "teams"), team_heading(access, "settings"), _settings_form(access))
    return show(request, view)


@router.post("/teams/{team_id}/settings")
def change(request: Request, access: TeamOwner, session: FormDb, fields: Form) -> Response:
    """Save name and time zone."""
    try:
        teams.change_team(
            session,
            session.get_one(Team, access.team.id),
            access.account.id,
            now(),
            name=fields.get("name", ""),
            time_zone=fields.get("time_zone", ""),
        )
    except teams.InvalidTeamError as error:
        form = _settings_form(access).filled(fields, {"name": error.message})
        view = TeamSettingsPage(make_shell(request, "teams"), team_heading(access, "settings"), form)
        return show(request, view, error.status)
    return RedirectResponse(f"/teams/{access.team.id}/settings", 303)


@router.get("/join/{secret}")
def join_form(request: Request, signed_in: CurrentAccount, session: Db, secret: str) -> HTMLResponse:
    """Say which team invites, and ask to join."""
    invitation = teams.find_member_invitation(session, secret, now())
    team = session.get_one(Team, invitation.team_id)
    lead = f"You join as {invitation.role}, with the account {signed_in.account.email}."
    form = FormView(f"/join/{secret}", (), "Join")
    return show(request, FormPage(make_shell(request, "teams"), f"Join {team.name}", lead, form))


@router.post("/join/{secret}")
def join(signed_in: CurrentAccount, session: FormDb, secret: str) -> Response:
    """Join a team."""
    team = teams.accept(session, secret, session.get_one(Account, signed_in.account.id), now())
    return RedirectResponse(f"/teams/{team.id}", 303)
