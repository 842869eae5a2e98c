"""`/invitations/{secret}`: the candidate's way in, the rehearsal, and `/open/{secret}`, the public link.

Opening a link writes nothing. It sets a signed cookie that holds the invitation, so that the session that is started
with it goes on wherever the link is opened again.
"""

from datetime import datetime
from uuid import UUID

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from app.addresses import InvalidEmailError
from app.bank.variants import Variant, draw
from app.clock import now
from app.errors import ConflictError, NotFoundError
from app.hiring.deadlines import allowance, is_over
from app.hiring.invitations import (
    Opened,
    find_public_link,
    open_link,
    read_guest,
    redeem,
    why_not_startable,
)
from app.hiring.quiz_sessions import start
from app.hiring.quizzes import count_items
from app.models import Quiz, Team
from app.models.quiz import Shown
from app.web.access import candidate_cookie
from app.web.account_views import FormPage
from app.web.dependencies import CurrentSite, Db, Site
from app.web.fields import Field, FormView
from app.web.forms import Form, FormDb
from app.web.pages.questions import question_view
from app.web.pages.shell import make_shell, show
from app.web.pages.times import show_time
from app.web.session_views import FactView, LandingPage, SessionItemPage, StepView

router = APIRouter()

COOKIE_SECONDS = 90 * 24 * 3600
REHEARSED = ("a-result-on-the-way", "two-passes")
RECORDED = (
    "what you enter, each time it changes, with the time at which the server received it",
    "which item you opened and when",
)
SIGNALS = "when this page loses the focus: a note for a person who reads the report, never a verdict"


def minutes_words(minutes: float) -> str:
    """Return a length of time in words, such as `1 hour 15 minutes`."""
    hours, rest = divmod(round(minutes), 60)
    parts = [f"{hours} hour{'s' * (hours != 1)}"] if hours else []
    parts += [f"{rest} minute{'s' * (rest != 1)}"] if rest or not hours else []
    return " ".join(parts)


def shown_words(quiz: Quiz, zone: str) -> str:
    """Say when a candidate sees score and items."""
    when = {Shown.NEVER: "not shown here", Shown.AFTER_SUBMIT: "right after the end"}
    end = f"after {show_time(quiz.closes_at, zone)}" if quiz.closes_at else "after the quiz is closed"
    score = when.get(Shown(quiz.show_score), end)
    items = when.get(Shown(quiz.show_items), end)
    return f"Your score: {score}. The items with their answers: {items}."


def _facts(session: Session, opened: Opened, zone: str) -> tuple[FactView, ...]:
    quiz, extra = opened.quiz, opened.invitation.extra_percent
    minutes = allowance(quiz.minutes, extra).total_seconds() / 60
    time = minutes_words(minutes) + (f", with {extra} % extra time" if extra else "")
    facts = [
        FactView("Time", f"{time}. It runs from the moment you press start and does not stop."),
        FactView(
            "Items", f"{count_items(session, quiz.id)}, each about a short PyTorch snippet. Go back and forth freely."
        ),
        FactView("Saving", "Every change is saved by itself. At the end of the time what was saved counts."),
        FactView("Afterwards", shown_words(quiz, zone)),
    ]
    if opened.invitation.expires_at or quiz.closes_at:
        last = min(one for one in (opened.invitation.expires_at, quiz.closes_at) if one is not None)
        facts.insert(1, FactView("Start before", show_time(last, zone)))
    if quiz.window_cuts and quiz.closes_at:
        facts.insert(1, FactView("Ends at the latest", show_time(quiz.closes_at, zone)))
    return tuple(facts)


def _landing(request: Request, session: Session, secret: str, opened: Opened, at: datetime) -> LandingPage:
    team = session.get_one(Team, opened.quiz.team_id)
    zone = opened.invitation.time_zone or team.time_zone
    running = opened.running
    ended = running is not None and (running.closed_at is not None or is_over(running.deadline, at))
    resume = None if running is None else f"/sessions/{running.id}/{'end' if ended else 'items/1'}"
    why_not = "" if running else why_not_startable(opened, at)
    return LandingPage(
        shell=make_shell(request, "quiz"),
        title=opened.quiz.title,
        team=team.name,
        hello=f"Hello {opened.invitation.name}," if opened.invitation.name else "Hello,",
        introduction_md=opened.quiz.introduction,
        facts=_facts(session, opened, zone),
        recorded=(*RECORDED, SIGNALS) if opened.quiz.signals else RECORDED,
        start=None if running or why_not else FormView(f"/invitations/{secret}/start", (), "Start the clock"),
        rehearsal_url=None if running else f"/invitations/{secret}/rehearsal/1",
        resume_url=resume,
        why_not=why_not,
        kept=_kept_words(opened.quiz),
    )


def _kept_words(quiz: Quiz) -> str:
    if quiz.retention_days is None:
        return "It is kept until the team erases it."
    days = f"{quiz.retention_days} day{'s' * (quiz.retention_days != 1)}"
    return f"It is erased {days} after the end; what each item earned stays, as nobody's."


def remember_candidate(site: Site, response: Response, invitation: UUID) -> None:
    """Set the cookie that lets this browser into the session of an invitation."""
    response.set_cookie(
        candidate_cookie(invitation),
        site.signer.sign_candidate(invitation),
        max_age=COOKIE_SECONDS,
        httponly=True,
        samesite="lax",
        secure=site.settings.cookie_secure,
    )


@router.get("/invitations/{secret}")
def landing(request: Request, site: CurrentSite, session: Db, secret: str) -> HTMLResponse:
    """Show the rules, or where the session stands."""
    opened = open_link(session, secret)
    response = show(request, _landing(request, session, secret, opened, now()))
    remember_candidate(site, response, opened.invitation.id)
    return response


@router.post("/invitations/{secret}/start")
def begin(site: CurrentSite, session: FormDb, secret: str) -> Response:
    """Start the clock; pressing twice is one session."""
    opened = open_link(session, secret)
    running = start(session, opened, now())
    response = RedirectResponse(f"/sessions/{running.id}/items/1", 303)
    remember_candidate(site, response, opened.invitation.id)
    return response


def _rehearsed(site: Site, position: int) -> Variant:
    items = [item for name in REHEARSED if (item := site.bank.get(name)) is not None]
    items = items if len(items) == len(REHEARSED) else list(site.bank.items.values())[: len(REHEARSED)]
    if not 1 <= position <= len(items):
        raise NotFoundError("The rehearsal has two items.")
    return draw(items[position - 1], position)


@router.get("/invitations/{secret}/rehearsal/{position}")
def rehearse(request: Request, site: CurrentSite, session: Db, secret: str, position: int) -> HTMLResponse:
    """Show a sample item on the screen of the quiz; nothing is stored and no clock runs."""
    opened = open_link(session, secret)
    url = f"/invitations/{secret}/rehearsal"
    variant = _rehearsed(site, position)
    page = SessionItemPage(
        shell=make_shell(request, "quiz"),
        title=f"Rehearsal: {opened.quiz.title}",
        position=position,
        count=len(REHEARSED),
        question=question_view(variant, {}),
        steps=tuple(StepView(n, f"{url}/{n}", n == position, False, False) for n in range(1, len(REHEARSED) + 1)),
        clock=None,
        action=f"{url}/{position}",
        save_url=f"{url}/{position}",
        epoch=1,
        kept_epoch=0,
        sequence=0,
        flagged=False,
        own_reason=None,
        signals_url="",
        finish_url=f"/invitations/{secret}",
        report=None,
    )
    return show(request, page)


@router.put("/invitations/{secret}/rehearsal/{position}")
def rehearse_saving(session: Db, secret: str, position: int) -> JSONResponse:
    """Answer a save of the rehearsal as the quiz would, and store nothing."""
    open_link(session, secret)
    return JSONResponse({"state": "saved", "position": position})


@router.post("/invitations/{secret}/rehearsal/{position}")
def rehearse_going_on(session: Db, secret: str, fields: Form, position: int) -> Response:
    """Go on to the other sample, or back to the invitation."""
    open_link(session, secret)
    step = {"previous": -1, "next": 1}.get(fields.get("go", ""), 0)
    place = position + step
    if fields.get("go") == "finish" or place > len(REHEARSED):
        return RedirectResponse(f"/invitations/{secret}", 303)
    return RedirectResponse(f"/invitations/{secret}/rehearsal/{max(1, place)}", 303)


NAME = Field("name", "Your name", autocomplete="name", attributes=(("maxlength", "120"),))
EMAIL = Field("email", "Mail address", "email", autocomplete="email", help="Your own link is sent there.")


def _public_page(request: Request, title: str, form: FormView) -> FormPage:
    lead = "Say who you are. You get a link of your own, which leads back to your answers."
    return FormPage(make_shell(request, "quiz"), title, lead, form)


@router.get("/open/{secret}")
def public(request: Request, session: Db, secret: str) -> HTMLResponse:
    """Ask who wants to take the quiz."""
    _, quiz = find_public_link(session, secret, now())
    return show(request, _public_page(request, quiz.title, FormView(f"/open/{secret}", (NAME, EMAIL), "Go on")))


@router.post("/open/{secret}")
def enter(request: Request, site: CurrentSite, session: FormDb, fields: Form, secret: str) -> Response:
    """Make an invitation of one's own and go to it."""
    form = FormView(f"/open/{secret}", (NAME, EMAIL), "Go on")
    _, quiz = find_public_link(session, secret, now())
    try:
        guest = read_guest(fields.get("email", ""), fields.get("name", ""), "0")
        sent = redeem(session, secret, guest, now(), base_url=site.base_url)
    except InvalidEmailError as error:
        return show(request, _public_page(request, quiz.title, form.filled(fields, {"email": error.message})), 422)
    except ConflictError as error:
        filled = form.filled(fields, {"email": f"{error.title}. {error.message}"})
        return show(request, _public_page(request, quiz.title, filled), error.status)
    return RedirectResponse(sent.link.removeprefix(site.base_url), 303)
