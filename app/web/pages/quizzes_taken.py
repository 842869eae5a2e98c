"""`/history/quizzes`: quizzes taken for teams, beside practice: no figure of the history counts them.

A session belongs to who holds its invitation, so what is listed are those whose links were opened in this browser. An
address says nothing here, because anybody may sign up with one.
"""

from datetime import datetime
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.clock import now
from app.hiring.deadlines import is_over
from app.hiring.taken import TakenQuiz, taken_with
from app.hiring.visibility import may_see_items, may_see_score
from app.web.access import CANDIDATE_COOKIE, candidate_cookie
from app.web.dependencies import CurrentSite, Db, Site
from app.web.history_views import QuizTakenRow, QuizzesTakenPage
from app.web.pages.quiz_sessions import score_words
from app.web.pages.shell import make_shell, show
from app.web.pages.times import show_time

router = APIRouter(prefix="/history/quizzes")

MOST = 100  # cookies that are looked at; a browser keeps fewer


@router.get("")
def quizzes(request: Request, site: CurrentSite, session: Db) -> HTMLResponse:
    """List the quizzes taken in this browser."""
    at = now()
    rows = tuple(_row(one, at) for one in taken_with(session, invitations_of(request, site)))
    return show(request, QuizzesTakenPage(make_shell(request, "history"), rows))


def invitations_of(request: Request, site: Site) -> set[UUID]:
    """Return the invitations that this browser holds, each by a cookie with our signature."""
    held = [(name, value) for name, value in request.cookies.items() if name.startswith(CANDIDATE_COOKIE)][:MOST]
    read = ((name, site.signer.read_candidate(value)) for name, value in held)
    return {one for name, one in read if one is not None and candidate_cookie(one) == name}


def _row(taken: TakenQuiz, at: datetime) -> QuizTakenRow:
    running, zone = taken.running, taken.invitation.time_zone or taken.team.time_zone
    return QuizTakenRow(
        url=f"/sessions/{running.id}",
        title=taken.quiz.title,
        team=taken.team.name,
        when=show_time(running.started_at, zone),
        state=_state(taken, at, zone),
        score=score_words(running) if may_see_score(taken.quiz, running, at) else "",
        items=may_see_items(taken.quiz, running, at),
    )


def _state(taken: TakenQuiz, at: datetime, zone: str) -> str:
    running = taken.running
    if running.closed_at is None and not is_over(running.deadline, at):
        return f"running until {show_time(running.deadline, zone)}"
    return "handed in" if running.submitted else "ended by the clock"
