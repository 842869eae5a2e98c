"""`…/candidates/{invitation}`: what a team has of one candidate, to be read, taken away, and erased by an owner."""

import json
from dataclasses import replace
from uuid import UUID

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.clock import now
from app.errors import ConflictError
from app.hiring.candidate_data import candidate_data, reports_of
from app.hiring.erasure import erase_person
from app.hiring.exports import entered
from app.hiring.invitations import find_invitation
from app.hiring.quizzes import find_quiz
from app.hiring.score_reports import ReportItem, ScoreReport
from app.models import Invitation, Quiz
from app.models.team import Role
from app.web.access import TeamAccess, TeamAuthor, TeamOwner
from app.web.account_views import LinkView
from app.web.dependencies import Db
from app.web.fields import Field, FormView
from app.web.forms import Form, FormDb
from app.web.pages.scores import points_words, score_words
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.pages.times import show_time
from app.web.privacy_views import DataSection, PersonalDataPage
from app.web.views import Notice, Tone

router = APIRouter(prefix="/teams/{team_id}/quizzes/{quiz_id}/candidates/{invitation_id}")

HEAD = ("Item", "What was entered last", "In own words", "Points")
SURE = Field("sure", "I am sure: nobody can bring it back", "checkbox")
UNSURE = "Tick it if the person is to be erased. Nothing was changed."
WORDS = (
    "Name, address, every save, times, notes and marks are deleted, in every quiz of the team. Links stop working.",
    "Of a graded first attempt the choices and points stay as nobody's, for the item analysis: no times, no free text.",
    "The audit says that somebody was erased, and not whom. Files that were taken away stay wherever they are.",
)
ONLY_OWNERS = "An owner of the team can erase it."


def _url(access: TeamAccess, quiz_id: UUID, invitation: Invitation) -> str:
    return f"/teams/{access.team.id}/quizzes/{quiz_id}/candidates/{invitation.id}"


def _row(one: ReportItem) -> tuple[str, ...]:
    chosen = "; ".join(f"{part}: {text}" for part, text in entered(one)) or "nothing"
    words = [one.response.own_words if one.response else "", one.saved.reason if one.saved else ""]
    points = "" if one.grade is None else points_words(one.grade.credit * one.points, one.points)
    return f"{one.position}. {one.variant.title}", chosen, " · ".join(filter(None, words)), points


def _notes(report: ScoreReport) -> tuple[str, ...]:
    told = [note.text for note in report.notes] + [note.text for one in report.items for note in one.notes]
    marks = [mark.note for one in report.items for mark in one.marks if mark.note]
    return tuple([f"Told the team: {one}" for one in told] + [f"A reviewer noted: {one}" for one in marks])


def _section(quiz: Quiz, one: Invitation, report: ScoreReport | None, zone: str) -> DataSection:
    facts = [
        ("Name", one.name or "none"),
        ("Mail address", one.email or "none"),
        ("Invited", show_time(one.created_at, zone)),
        ("Extra time", f"{one.extra_percent} %" if one.extra_percent else "none"),
        ("Time zone", one.time_zone or "not known"),
        ("Kept", "until erased" if quiz.retention_days is None else f"{quiz.retention_days} days after the end"),
    ]
    if report is None:
        return DataSection(quiz.title, (*facts, ("Started", "no")))
    ended = report.running.closed_at
    facts += [
        ("Started", show_time(report.running.started_at, zone)),
        ("Ended", "not yet" if ended is None else show_time(ended, zone)),
        ("Score", score_words(report.score) or "none yet"),
    ]
    return DataSection(quiz.title, tuple(facts), HEAD, tuple(map(_row, report.items)), _notes(report))


def _page(
    request: Request, access: TeamAccess, session: Session, quiz: Quiz, invitation: Invitation
) -> PersonalDataPage:
    url, found = _url(access, quiz.id, invitation), reports_of(session, access.team.id, invitation)
    may = access.membership.may(Role.OWNER)
    return PersonalDataPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "quizzes"),
        back=LinkView(url.partition("/candidates")[0] + "/invitations", quiz.title),
        title=f"What is stored of {invitation.name or invitation.email or 'this candidate'}",
        lead="In every quiz of the team, under the same mail address. The file has every save and event besides; "
        "neither holds a key.",
        sections=tuple(_section(*one, access.team.time_zone) for one in found),
        download=LinkView(f"{url}/data.json", "Take it away as JSON"),
        erase_words=WORDS if may else (*WORDS, ONLY_OWNERS),
        erase=FormView(f"{url}/erase", (SURE,), "Erase this person", danger=True) if may else None,
    )


@router.get("")
def read(request: Request, access: TeamAuthor, session: Db, quiz_id: UUID, invitation_id: UUID) -> HTMLResponse:
    """Show what the team has of a candidate."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    return show(request, _page(request, access, session, quiz, find_invitation(session, quiz, invitation_id)))


@router.get("/data.json")
def take_away(access: TeamAuthor, session: Db, quiz_id: UUID, invitation_id: UUID) -> Response:
    """Return what the team has of a candidate as JSON."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    data = candidate_data(session, access.team, find_invitation(session, quiz, invitation_id))
    headers = {"content-disposition": 'attachment; filename="candidate.json"', "cache-control": "no-store"}
    return Response(json.dumps(data, ensure_ascii=False, indent=1), media_type="application/json", headers=headers)


@router.post("/erase")
def erase(
    request: Request, access: TeamOwner, session: FormDb, fields: Form, quiz_id: UUID, invitation_id: UUID
) -> Response:
    """Erase a candidate from every quiz of the team."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    invitation = find_invitation(session, quiz, invitation_id)
    if fields.get("sure") != "on":
        page = _page(request, access, session, quiz, invitation)
        return show(request, replace(page, erase=page.erase and page.erase.filled({}, {"sure": UNSURE})), 422)
    try:
        erase_person(session, access.team.id, invitation, access.account.id, now())
    except ConflictError as error:
        page = _page(request, access, session, quiz, invitation)
        return show(request, replace(page, notice=Notice(Tone.WRONG, error.title, error.message, refused=True)), 409)
    return RedirectResponse(f"/teams/{access.team.id}/quizzes/{quiz.id}/invitations", 303)
