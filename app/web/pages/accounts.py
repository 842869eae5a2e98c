"""Signing up, in and out, and one's own account: `/sign-up`, `/sign-in`, `/forgot`, `/reset/…`, `/account`."""

from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.accounts import recovery, sign_in
from app.accounts.passwords import SHORTEST, WeakPasswordError
from app.accounts.teams import InvalidTeamError, read_time_zone
from app.addresses import InvalidEmailError
from app.clock import now
from app.errors import GradproofError
from app.models import Account, LoginSession
from app.models.team import teams_of
from app.web.access import CurrentAccount, SignedIn, next_path
from app.web.account_views import AccountPage, BrowserView, FormPage, LinkView, TeamLink
from app.web.dependencies import SESSION_COOKIE, CurrentSite, CurrentVisitor, Db, Site
from app.web.fields import Field, FormView
from app.web.forms import Form, FormDb
from app.web.pages.choices import time_zone_field
from app.web.pages.shell import make_shell, show
from app.web.pages.times import show_day
from app.web.views import Notice, Tone

router = APIRouter()

EMAIL = Field("email", "Mail address", "email", autocomplete="username", attributes=(("maxlength", "254"),))
NAME = Field("name", "Name", autocomplete="name", help="Shown to your teams.", attributes=(("maxlength", "120"),))
PASSWORD = Field("password", "Password", "password", autocomplete="current-password")
NEW_PASSWORD = Field(
    "new_password",
    "New password",
    "password",
    autocomplete="new-password",
    help=f"At least {SHORTEST} characters. Three or four random words are easy to keep.",
)
SIGN_UP = FormView("/sign-up", (EMAIL, NAME, NEW_PASSWORD), "Sign up")
SIGN_IN = FormView("/sign-in", (EMAIL, PASSWORD), "Sign in")
FORGOT = FormView("/forgot", (EMAIL,), "Send a link")
CHANGE = FormView("/account/password", (PASSWORD, NEW_PASSWORD), "Change the password")
CHANGED = Notice(Tone.RIGHT, "The password was changed", "Every other browser is signed out.")
SENT = Notice(
    Tone.INFO,
    "Look into your mail",
    "If the address has an account, a link is on its way. It works once and for two hours.",
)

NO_MAIL = "This site sends no mail, so no link can reach you. Whoever runs it can give you another password."


def _next_field(path: str) -> Field:
    return Field("next", "", "hidden", next_path(path))


def _with_next(form: FormView, path: str) -> FormView:
    return FormView(form.action, (*form.fields, _next_field(path)), form.submit)


def _form_page(request: Request, title: str, lead: str, form: FormView | None, *links: LinkView) -> FormPage:
    return FormPage(make_shell(request, "account"), title, lead, form, links)


def _refused(request: Request, page: FormPage, error: GradproofError) -> HTMLResponse:
    """Show a form again with what was entered, and why it was not taken."""
    response = show(request, page, error.status)
    if error.retry_after is not None:
        response.headers["retry-after"] = str(error.retry_after)
    return response


def _enter(site: Site, opened: sign_in.SignedIn, path: str) -> RedirectResponse:
    response = RedirectResponse(path, 303)
    response.set_cookie(
        SESSION_COOKIE,
        opened.token,
        max_age=sign_in.SESSION_DAYS * 24 * 3600,
        httponly=True,
        samesite="lax",
        secure=site.settings.cookie_secure,
    )
    return response


def _agent(request: Request) -> str:
    return request.headers.get("user-agent", "")[:200]


def _sign_up_page(request: Request, path: str, fields: dict[str, str], error: GradproofError | None = None) -> FormPage:
    form = _with_next(SIGN_UP, path)
    wrong: dict[str, str] = {}
    if isinstance(error, WeakPasswordError):
        wrong = {"new_password": error.message}
    elif error is not None:
        wrong = {"email": f"{error.title}. {error.message}"}
    lead = "What you practised in this browser comes with you. An account also lets you hire with a team."
    return _form_page(request, "Sign up", lead, form.filled(fields, wrong), LinkView("/sign-in", "I have an account"))


@router.get("/sign-up")
def sign_up_form(request: Request, next: str = "/teams") -> HTMLResponse:  # noqa: A002 - the name in the address
    """Ask for an address, a name and a password."""
    return show(request, _sign_up_page(request, next, {}))


@router.post("/sign-up")
def sign_up(request: Request, site: CurrentSite, visitor: CurrentVisitor, fields: Form) -> Response:
    """Make an account and sign in."""
    path = next_path(fields.get("next", ""))
    try:
        opened = sign_in.sign_up(
            site.database,
            email=fields.get("email", ""),
            name=fields.get("name", ""),
            password=fields.get("new_password", ""),
            person=visitor.person,
            now=now(),
            agent=_agent(request),
        )
    except (WeakPasswordError, InvalidEmailError, sign_in.EmailTakenError) as error:
        return _refused(request, _sign_up_page(request, path, fields, error), error)
    return _enter(site, opened, path)


def _sign_in_page(request: Request, path: str, fields: dict[str, str], error: GradproofError | None = None) -> FormPage:
    form = _with_next(SIGN_IN, path)
    wrong = {} if error is None else {"email": f"{error.title}. {error.message}"}
    links = (LinkView("/forgot", "I forgot my password"), LinkView("/sign-up", "I have no account yet"))
    return _form_page(request, "Sign in", "", form.filled(fields, wrong), *links)


@router.get("/sign-in")
def sign_in_form(request: Request, next: str = "/teams") -> HTMLResponse:  # noqa: A002 - the name in the address
    """Ask for address and password."""
    return show(request, _sign_in_page(request, next, {}))


@router.post("/sign-in")
def enter(request: Request, site: CurrentSite, visitor: CurrentVisitor, fields: Form) -> Response:
    """Sign in and go on to where the person wanted to be."""
    path = next_path(fields.get("next", ""))
    try:
        opened = sign_in.sign_in(
            site.database,
            email=fields.get("email", ""),
            password=fields.get("password", ""),
            address=visitor.address,
            now=now(),
            agent=_agent(request),
        )
    except GradproofError as error:
        if error.status not in {401, 429}:
            raise
        return _refused(request, _sign_in_page(request, path, fields, error), error)
    return _enter(site, opened, path)


@router.post("/sign-out")
def leave(request: Request, session: FormDb) -> Response:
    """Forget this browser."""
    sign_in.sign_out(session, request.cookies.get(SESSION_COOKIE, ""))
    response = RedirectResponse("/", 303)
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax")
    return response


@router.get("/forgot")
def forgot_form(request: Request, site: CurrentSite) -> HTMLResponse:
    """Ask for the address to send a link to."""
    return show(request, _forgot_page(request, site))


def _forgot_page(request: Request, site: Site) -> FormPage:
    lead, form = ("", FORGOT) if site.settings.sends_mail else (NO_MAIL, None)
    return _form_page(request, "Choose a new password", lead, form, LinkView("/sign-in", "Sign in"))


@router.post("/forgot")
def forgot(request: Request, site: CurrentSite, session: FormDb, fields: Form) -> HTMLResponse:
    """Send a link if the address has an account; the page says the same either way."""
    if not site.settings.sends_mail:
        return show(request, _forgot_page(request, site))
    recovery.request_reset(session, fields.get("email", ""), site.base_url, now())
    page = _form_page(request, "Choose a new password", "", None, LinkView("/sign-in", "Sign in"))
    return show(request, FormPage(page.shell, page.title, "", None, page.links, SENT))


def _reset_page(request: Request, secret: str, error: GradproofError | None = None) -> FormPage:
    form = FormView(f"/reset/{secret}", (NEW_PASSWORD,), "Save it and sign in")
    wrong = {} if error is None else {"new_password": error.message}
    return _form_page(request, "Choose a new password", "Every browser is signed out by it.", form.filled({}, wrong))


@router.get("/reset/{secret}")
def reset_form(request: Request, session: Db, secret: str) -> HTMLResponse:
    """Ask for a new password, where the link is still good."""
    recovery.find_reset(session, secret, now())
    return show(request, _reset_page(request, secret))


@router.post("/reset/{secret}")
def reset(request: Request, site: CurrentSite, fields: Form, secret: str) -> Response:
    """Save the new password and sign in."""
    try:
        opened = recovery.reset_password(site.database, secret, fields.get("new_password", ""), now(), _agent(request))
    except WeakPasswordError as error:
        return _refused(request, _reset_page(request, secret, error), error)
    return _enter(site, opened, "/account")


def _account_page(request: Request, signed_in: SignedIn, session: Session, **changes: Any) -> AccountPage:
    account = signed_in.account
    logins = session.scalars(
        select(LoginSession)
        .where(LoginSession.account_id == account.id, LoginSession.expires_at > now())
        .order_by(LoginSession.created_at.desc())
    )
    profile = FormView("/account", (NAME, time_zone_field()), "Save")
    fields: dict[str, Any] = {
        "shell": make_shell(request, "account"),
        "name": account.name,
        "email": account.email,
        "profile": profile.filled({"name": account.name, "time_zone": account.time_zone}),
        "password": CHANGE,
        "browsers": tuple(
            BrowserView(one.agent or "unknown", show_day(one.created_at), one.id == signed_in.login.id)
            for one in logins
        ),
        "teams": tuple(
            TeamLink(f"/teams/{team.id}", team.name, member.role) for team, member in teams_of(session, account.id)
        ),
    }
    return AccountPage(**fields | changes)


@router.get("/account")
def account(request: Request, signed_in: CurrentAccount, session: Db) -> HTMLResponse:
    """Show one's account."""
    return show(request, _account_page(request, signed_in, session))


@router.post("/account")
def change_account(request: Request, signed_in: CurrentAccount, session: FormDb, fields: Form) -> Response:
    """Save name and time zone."""
    account = session.get_one(Account, signed_in.account.id)
    try:
        account.time_zone = read_time_zone(fields.get("time_zone", ""))
    except InvalidTeamError as error:
        profile = FormView("/account", (NAME, time_zone_field()), "Save")
        wrong = profile.filled(fields, {"time_zone": error.message})
        return show(request, _account_page(request, signed_in, session, profile=wrong), error.status)
    account.name = " ".join(fields.get("name", "").split())[:120]
    return RedirectResponse("/account", 303)


@router.post("/account/password")
def change_password(
    request: Request, site: CurrentSite, session: Db, signed_in: CurrentAccount, fields: Form
) -> Response:
    """Change the password; every other browser is signed out."""
    old, new = fields.get("password", ""), fields.get("new_password", "")
    try:
        recovery.change_password(
            site.database, signed_in.account.id, old=old, new=new, keep=signed_in.login.id, now=now()
        )
    except (sign_in.WrongPasswordError, WeakPasswordError) as error:
        name = "new_password" if isinstance(error, WeakPasswordError) else "password"
        form = CHANGE.filled({}, {name: error.message})
        return show(request, _account_page(request, signed_in, session, password=form), 422)
    page = _account_page(request, signed_in, session, notice=CHANGED)
    return show(request, page)


@router.post("/account/sign-out-everywhere")
def leave_everywhere(signed_in: CurrentAccount, session: FormDb) -> Response:
    """Forget every browser of this account, this one too."""
    sign_in.sign_out_everywhere(session, signed_in.account.id, now())
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax")
    return response
