"""`/teams/{team}/quizzes/{quiz}/invitations`: inviting candidates, and what can be done for each of them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.addresses import InvalidEmailError
from app.clock import now
from app.errors import BadRequestError, ConflictError, GradproofError, NotFoundError
from app.hiring.guest_lists import GuestList, UnreadableListError, decode, read_list
from app.hiring.invitations import (
    InvalidInvitationError,
    Progress,
    RetakeTooSoonError,
    Sent,
    change_extra_time,
    find_invitation,
    invite,
    make_public_link,
    progress_of,
    read_guest,
    resend,
    revoke,
    revoke_public_link,
)
from app.hiring.quiz_sessions import add_minutes, add_minutes_to_all, lock
from app.hiring.quizzes import find_quiz
from app.models import Invitation, PublicLink, Quiz, QuizSession
from app.models.invitation import invitations_of
from app.models.quiz import QuizState
from app.web.access import TeamAccess, TeamAuthor
from app.web.account_views import LinkView
from app.web.dependencies import CurrentSite, Db, Site
from app.web.fields import Field, FormView
from app.web.forms import Form, FormDb, Upload, UploadDb
from app.web.invitation_views import (
    CandidateRow,
    GuestListPage,
    GuestRow,
    InvitationsPage,
    NewLink,
    ProblemRow,
    PublicLinkRow,
)
from app.web.pages.quiz_forms import read_local_time
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.pages.times import show_time
from app.web.views import Notice, Tone

router = APIRouter(prefix="/teams/{team_id}/quizzes/{quiz_id}")

PAGE = 50
SHOWN_GUESTS = 20
SHOWN_PROBLEMS = 100
NUMBER = (("min", "0"), ("step", "1"))
MINUTES = Field("minutes", "More minutes", "number", "5", attributes=(("min", "1"), ("max", "1440"), ("step", "1")))
EXTRA = Field("extra", "Extra time in percent", "number", "0", required=False, attributes=(*NUMBER, ("max", "400")))
EMAIL = Field("email", "Mail address", "email", attributes=(("maxlength", "254"),))
NAME = Field("name", "Name", required=False, attributes=(("maxlength", "120"),))
LIST = Field(
    "list",
    "One candidate in each line: address, name, extra time in percent",
    "textarea",
    required=False,
    attributes=(("rows", "5"),),
)
FILE = Field(
    "file",
    "Or a CSV file with the columns email, name, extra",
    "file",
    required=False,
    attributes=(("accept", ".csv,.txt,text/csv,text/plain"),),
)
CAP = Field("cap", "At most how many candidates", "number", "50", attributes=(("min", "1"), ("max", "100000")))


def _until(zone: str) -> Field:
    return Field("expires_at", f"Last moment to start ({zone})", "datetime-local", required=False)


def _url(access: TeamAccess, quiz: Quiz) -> str:
    return f"/teams/{access.team.id}/quizzes/{quiz.id}/invitations"


def _invite_form(access: TeamAccess, quiz: Quiz) -> FormView:
    return FormView(_url(access, quiz), (EMAIL, NAME, EXTRA, _until(access.team.time_zone)), "Invite")


def _many_form(access: TeamAccess, quiz: Quiz) -> FormView:
    return FormView(f"{_url(access, quiz)}/preview", (LIST, FILE), "Look at the list", files=True)


def _public_form(access: TeamAccess, quiz: Quiz) -> FormView:
    return FormView(f"{_url(access, quiz)}/public", (CAP, _until(access.team.time_zone)), "Make a public link")


def _state(one: Invitation, running: QuizSession | None, zone: str, *, mails: bool) -> tuple[str, str]:
    state = progress_of(one, running, now())
    if running is not None and running.closed_at is None:
        added = f", {running.added_minutes} minutes added" if running.added_minutes else ""
        return state, f"until {show_time(running.deadline, zone)}{added}"
    ended = running.closed_at if running is not None else one.revoked_at
    at = one.expires_at if state is Progress.EXPIRED else ended
    if at is not None:
        return state, show_time(at, zone)
    return state, f"mailed {show_time(one.sent_at, zone)}" if one.sent_at and mails else "link to copy"


def _row(access: TeamAccess, quiz: Quiz, one: Invitation, running: QuizSession | None, *, mails: bool) -> CandidateRow:
    zone, url = access.team.time_zone, f"{_url(access, quiz)}/{one.id}"
    state, detail = _state(one, running, zone, mails=mails)
    waiting = state in {"invited", "expired"}
    extendable = running is not None and not running.submitted and running.released_at is None
    extra = Field("extra", "Extra time", "number", str(one.extra_percent), attributes=(*NUMBER, ("max", "400")))
    return CandidateRow(
        who=one.name or one.email or "no name",
        email=one.email,
        state=state,
        detail=detail,
        extra=f"{one.extra_percent} %" if one.extra_percent else "",
        data_url=f"{_url(access, quiz).removesuffix('/invitations')}/candidates/{one.id}",
        resend=FormView(f"{url}/resend", (), "New link") if waiting or state == "running" else None,
        revoke=FormView(f"{url}/revoke", (), "Revoke", danger=True) if state == "invited" else None,
        extra_time=FormView(f"{url}/extra", (extra,), "Set extra time") if waiting else None,
        more_time=FormView(f"{url}/minutes", (MINUTES,), "Add minutes") if extendable else None,
    )


def _public_row(access: TeamAccess, quiz: Quiz, link: PublicLink, at: datetime) -> PublicLinkRow:
    zone = access.team.time_zone
    until = f", until {show_time(link.expires_at, zone)}" if link.expires_at else ""
    gone = link.revoked_at is not None or (link.expires_at is not None and link.expires_at <= at)
    words = f"{link.used} of {link.cap} used{until}{', does not work any more' if gone else ''}"
    url = f"{_url(access, quiz)}/public/{link.id}/revoke"
    return PublicLinkRow(words, None if gone else FormView(url, (), "Revoke", danger=True))


def _page(
    request: Request, site: Site, access: TeamAccess, session: Session, quiz: Quiz, page: int = 1, **changes: object
) -> InvitationsPage:
    found = invitations_of(session, quiz.id, PAGE + 1, (page - 1) * PAGE)
    rows = found[:PAGE]
    sessions = session.scalars(select(QuizSession).where(QuizSession.invitation_id.in_([one.id for one in rows])))
    running = {one.invitation_id: one for one in sessions}
    links = session.scalars(select(PublicLink).where(PublicLink.quiz_id == quiz.id).order_by(PublicLink.created_at))
    open_ = quiz.state == QuizState.PUBLISHED
    url = _url(access, quiz)
    fields: dict[str, object] = {
        "shell": make_shell(request, "teams"),
        "team": team_heading(access, "quizzes"),
        "quiz": LinkView(url.removesuffix("/invitations"), quiz.title),
        "mail_words": "Invitations are sent by mail."
        if site.settings.sends_mail
        else "This site sends no mail: copy each link and send it yourself.",
        "invite": _invite_form(access, quiz) if open_ else None,
        "invite_many": _many_form(access, quiz) if open_ else None,
        "public": _public_form(access, quiz) if open_ else None,
        "public_links": tuple(_public_row(access, quiz, link, now()) for link in links),
        "rows": tuple(_row(access, quiz, one, running.get(one.id), mails=site.settings.sends_mail) for one in rows),
        "more_for_all": FormView(f"{url}/minutes", (MINUTES,), "Add minutes to all who are running")
        if any(one.closed_at is None for one in running.values())
        else None,
        "new_links": (),
        "newer_url": f"{url}?page={page - 1}" if page > 1 else None,
        "older_url": f"{url}?page={page + 1}" if len(found) > PAGE else None,
    }
    return InvitationsPage(**fields | changes)  # type: ignore[arg-type]  # a dict of mixed values


def _shown_once(sent: Sequence[Sent]) -> tuple[NewLink, ...]:
    return tuple(NewLink(one.invitation.name or one.invitation.email, one.link) for one in sent)


@router.get("/invitations")
def invitations(
    request: Request,
    site: CurrentSite,
    access: TeamAuthor,
    session: Db,
    quiz_id: UUID,
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> HTMLResponse:
    """Show who is invited."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    return show(request, _page(request, site, access, session, quiz, page))


@router.post("/invitations")
def invite_one(
    request: Request, site: CurrentSite, access: TeamAuthor, session: FormDb, fields: Form, quiz_id: UUID
) -> HTMLResponse:
    """Invite one candidate; the link is on the page this once."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    try:
        expires_at = read_local_time(fields.get("expires_at", ""), access.team.time_zone)
        guest = read_guest(fields.get("email", ""), fields.get("name", ""), fields.get("extra", ""))
        sent = invite(
            session, quiz, guest, now(), base_url=site.base_url, actor=access.account.id, expires_at=expires_at
        )
    except (InvalidEmailError, InvalidInvitationError, RetakeTooSoonError, BadRequestError) as error:
        form = _invite_form(access, quiz).filled(fields, {_field_of(error): f"{error.title}. {error.message}"})
        return show(request, _page(request, site, access, session, quiz, invite=form), 422)
    return show(request, _page(request, site, access, session, quiz, new_links=_shown_once([sent])))


def _field_of(error: GradproofError) -> str:
    if isinstance(error, InvalidInvitationError):
        return "extra"
    return "expires_at" if isinstance(error, BadRequestError) else "email"


def _read_upload(sent: Mapping[str, str | bytes]) -> GuestList:
    raw, text = sent.get("file", b""), sent.get("list", "")
    both = [decode(raw)] if isinstance(raw, bytes) and raw else []
    both += [text] if isinstance(text, str) and text.strip() else []
    if len(both) != 1:
        raise UnreadableListError("Paste a list, or choose a file: one of the two. Nobody was invited.")
    return read_list(both[0])


@router.post("/invitations/preview")
def preview(request: Request, access: TeamAuthor, session: UploadDb, sent: Upload, quiz_id: UUID) -> HTMLResponse:
    """Show what a list says before anybody is invited."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    found = _read_upload(sent)
    again = "\n".join(f"{one.email}\t{one.name}\t{one.extra_percent}" for one in found.guests)
    form = FormView(
        f"{_url(access, quiz)}/many",
        (Field("list", "", "hidden", again), _until(access.team.time_zone)),
        f"Invite {len(found.guests)} candidate{'s' * (len(found.guests) != 1)}",
    )
    page = GuestListPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "quizzes"),
        quiz=LinkView(_url(access, quiz).removesuffix("/invitations"), quiz.title),
        guests=tuple(GuestRow(one.email, one.name, str(one.extra_percent)) for one in found.guests[:SHOWN_GUESTS]),
        count=len(found.guests),
        problems=tuple(ProblemRow(one.row, one.text, one.problem) for one in found.problems[:SHOWN_PROBLEMS]),
        problem_count=len(found.problems),
        send=form if found.guests else None,
        back_url=_url(access, quiz),
    )
    return show(request, page)


@router.post("/invitations/many")
def invite_many(
    request: Request, site: CurrentSite, access: TeamAuthor, session: UploadDb, sent: Upload, quiz_id: UUID
) -> HTMLResponse:
    """Invite everybody of a list that was looked at; who may not be invited yet is named."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    expires_at = read_local_time(str(sent.get("expires_at", "")), access.team.time_zone)
    made, refused = [], []
    for guest in read_list(str(sent.get("list", ""))).guests:
        try:
            made.append(
                invite(
                    session, quiz, guest, now(), base_url=site.base_url, actor=access.account.id, expires_at=expires_at
                )
            )
        except RetakeTooSoonError:
            refused.append(guest.email)
    notice = None
    if refused:
        notice = Notice(Tone.WARNING, "Some were not invited", f"They took it too recently: {', '.join(refused[:20])}.")
    links = _shown_once(made) if not site.settings.sends_mail else ()
    return show(request, _page(request, site, access, session, quiz, new_links=links, notice=notice))


@router.post("/invitations/public")
def public_link(
    request: Request, site: CurrentSite, access: TeamAuthor, session: FormDb, fields: Form, quiz_id: UUID
) -> HTMLResponse:
    """Make a public link; it is on the page this once."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    cap = fields.get("cap", "")
    expires_at = read_local_time(fields.get("expires_at", ""), access.team.time_zone)
    _, link = make_public_link(
        session,
        quiz,
        access.account.id,
        now(),
        cap=int(cap) if cap.isascii() and cap.isdecimal() and len(cap) < 9 else 0,
        expires_at=expires_at,
        base_url=site.base_url,
    )
    return show(request, _page(request, site, access, session, quiz, new_links=(NewLink("Anybody", link),)))


@router.post("/invitations/public/{link_id}/revoke")
def revoke_public(access: TeamAuthor, session: FormDb, quiz_id: UUID, link_id: UUID) -> Response:
    """Let nobody else use a public link."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    revoke_public_link(session, quiz, link_id, access.account.id, now())
    return RedirectResponse(_url(access, quiz), 303)


@router.post("/invitations/minutes")
def more_for_all(access: TeamAuthor, session: FormDb, fields: Form, quiz_id: UUID) -> Response:
    """Give everybody who is running more time."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    add_minutes_to_all(session, quiz, _minutes(fields), access.account.id, now())
    return RedirectResponse(_url(access, quiz), 303)


def _minutes(fields: Mapping[str, str]) -> int:
    text = fields.get("minutes", "").strip()
    if not text.isascii() or not text.isdecimal() or len(text) > 5:
        raise BadRequestError("Minutes are a whole number. Nothing was changed.")
    return int(text)


@router.post("/invitations/{invitation_id}/{action}")
def act(
    request: Request,
    site: CurrentSite,
    access: TeamAuthor,
    session: FormDb,
    fields: Form,
    quiz_id: UUID,
    invitation_id: UUID,
    action: str,
) -> Response:
    """Send again, revoke, set extra time before the start, or add minutes after it."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    one = find_invitation(session, quiz, invitation_id)
    actor, at = access.account.id, now()
    match action:
        case "resend":
            sent = resend(session, quiz, one, actor, at, base_url=site.base_url)
            return show(request, _page(request, site, access, session, quiz, new_links=_shown_once([sent])))
        case "revoke":
            revoke(session, quiz, one, actor, at)
        case "extra":
            change_extra_time(session, quiz, one, actor, at, extra=fields.get("extra", ""))
        case "minutes":
            running = session.scalar(select(QuizSession.id).where(QuizSession.invitation_id == one.id))
            if running is None:
                raise ConflictError("It has not been started. Set extra time instead.")
            add_minutes(session, lock(session, running), _minutes(fields), actor, at)
        case _:
            raise NotFoundError("There is no page at this address.")
    return RedirectResponse(_url(access, quiz), 303)
