"""`/account/data`: what the site has of who is signed in, to be read, taken away and erased."""

import json
from dataclasses import replace

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.accounts.erasure import erase_account, teams_of_nobody_else, teams_without_owner
from app.accounts.own_data import acts_of, own_data
from app.accounts.sign_in import WrongPasswordError
from app.clock import now
from app.errors import ConflictError
from app.models import Account, LoginSession
from app.models.attempt import count_of
from app.models.team import teams_of
from app.web.access import CurrentAccount
from app.web.account_views import LinkView
from app.web.dependencies import PROFILE_COOKIE, SESSION_COOKIE, CurrentSite, Db
from app.web.fields import Field, FormView
from app.web.forms import Form
from app.web.pages.shell import make_shell, show
from app.web.pages.times import show_time
from app.web.privacy_views import DataSection, PersonalDataPage
from app.web.views import Notice, Tone

router = APIRouter(prefix="/account")

SHOWN_ACTS = 20
PASSWORD = Field("password", "Your password", "password", autocomplete="current-password")
SURE = Field("sure", "I am sure: nobody can bring it back", "checkbox")
ERASE = FormView("/account/erase", (PASSWORD, SURE), "Erase my account", danger=True)
UNSURE = "Tick it if the account is to be erased. Nothing was changed."
WORDS = (
    "Your name, address and password, your browsers, every answer of your practice and its totals are deleted.",
    "What you did in teams stays in their audit logs and with what you made there, under a number that leads nowhere.",
    "What a team has of you as its candidate belongs to that team. Ask it; it can erase it at a press.",
)


def _words(session: Session, account: Account) -> tuple[str, ...]:
    alone = ", ".join(team.name for team in teams_of_nobody_else(session, account.id))
    left = ", ".join(team.name for team in teams_without_owner(session, account.id))
    more = [f"Nobody else is in {alone}: erased as well, with quizzes, items and all candidates."] if alone else []
    more += [f"You are the only owner of {left}. Make somebody else an owner first."] if left else []
    return (*WORDS, *more)


def _sections(session: Session, account: Account) -> tuple[DataSection, ...]:
    zone = account.time_zone
    logins = session.query(LoginSession).filter_by(account_id=account.id).order_by(LoginSession.created_at.desc())
    facts = (
        ("Name", account.name or "none"),
        ("Mail address", account.email),
        ("Time zone", zone),
        ("Since", show_time(account.created_at, zone)),
        ("Practice", f"{count_of(session, account.person_id)} answers; they are all under History"),
    )
    browsers = tuple(
        (one.agent or "unknown", show_time(one.created_at, zone), show_time(one.expires_at, zone)) for one in logins
    )
    teams = tuple((team.name, member.role) for team, member in teams_of(session, account.id))
    acts = tuple((show_time(one.at, zone), one.action) for one in acts_of(session, account.id, SHOWN_ACTS))
    return (
        DataSection("Account", facts),
        DataSection("Browsers", (), ("Browser", "Since", "Until"), browsers),
        DataSection("Teams", (), ("Team", "Role"), teams, () if teams else ("None.",)),
        DataSection(f"What you did: the last {SHOWN_ACTS} entries of the audit log", (), ("When", "What"), acts),
    )


def _page(request: Request, session: Session, account: Account) -> PersonalDataPage:
    return PersonalDataPage(
        shell=make_shell(request, "account"),
        team=None,
        back=LinkView("/account", "Your account"),
        title="What is stored of you",
        lead="All of it is in the file: also every answer of your practice, and every entry of the audit log.",
        sections=_sections(session, account),
        download=LinkView("/account/data.json", "Take it away as JSON"),
        erase_words=_words(session, account),
        erase=None if teams_without_owner(session, account.id) else ERASE,
    )


@router.get("/data")
def read(request: Request, signed_in: CurrentAccount, session: Db) -> HTMLResponse:
    """Show what is stored of oneself."""
    return show(request, _page(request, session, signed_in.account))


@router.get("/data.json")
def take_away(signed_in: CurrentAccount, session: Db) -> Response:
    """Return what is stored of oneself as JSON."""
    data = json.dumps(own_data(session, signed_in.account), ensure_ascii=False, indent=1)
    headers = {"content-disposition": 'attachment; filename="gradproof.json"', "cache-control": "no-store"}
    return Response(data, media_type="application/json", headers=headers)


@router.post("/erase")
def erase(request: Request, site: CurrentSite, signed_in: CurrentAccount, session: Db, fields: Form) -> Response:
    """Erase one's account."""
    try:
        if fields.get("sure") != "on":
            return _refused(request, session, signed_in.account, fields, "sure", UNSURE)
        erase_account(site.database, signed_in.account.id, password=fields.get("password", ""), now=now())
    except WrongPasswordError as error:
        return _refused(request, session, signed_in.account, fields, "password", error.message)
    except ConflictError as error:
        notice = Notice(Tone.WRONG, error.title, error.message, refused=True)
        return show(request, replace(_page(request, session, signed_in.account), notice=notice), error.status)
    response = RedirectResponse("/", 303)
    for cookie in (SESSION_COOKIE, PROFILE_COOKIE):
        response.delete_cookie(cookie, httponly=True, samesite="lax")
    return response


def _refused(request: Request, session: Session, account: Account, fields: dict[str, str], *wrong: str) -> HTMLResponse:
    name, sentence = wrong
    page = _page(request, session, account)
    return show(request, replace(page, erase=ERASE.filled(fields, {name: sentence})), 422)
