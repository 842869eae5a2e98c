"""`/teams/{team}/quizzes/{quiz}/preview/{position}`: a quiz as a candidate would see it; no clock, nothing stored."""

import random
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from app.bank.variants import from_json
from app.errors import NotFoundError
from app.hiring.pools import select_from_pool
from app.hiring.quizzes import find_quiz
from app.models.quiz import whole_variants
from app.web.access import TeamAuthor
from app.web.dependencies import Db
from app.web.forms import Form
from app.web.pages.questions import question_view
from app.web.pages.shell import make_shell, show
from app.web.session_views import SessionItemPage, StepView
from app.web.views import Notice, ReasonView, Tone

router = APIRouter(prefix="/teams/{team_id}/quizzes/{quiz_id}/preview/{position}")

PREVIEW = Notice(Tone.INFO, "A preview", "One of the selections that a candidate may get. Nothing is stored.")


@router.get("")
def preview(request: Request, access: TeamAuthor, session: Db, quiz_id: UUID, position: int) -> HTMLResponse:
    """Show one item of a selection that is the same for every preview of this quiz."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    chosen = select_from_pool(session, quiz, random.Random(quiz.id.int))  # noqa: S311 - not a candidate's selection
    if not 1 <= position <= len(chosen):
        raise NotFoundError(f"This quiz has the items 1 to {len(chosen)}.")
    found = whole_variants(session, [chosen[position - 1].id])[chosen[position - 1].id]
    base = f"/teams/{access.team.id}/quizzes/{quiz.id}"
    page = SessionItemPage(
        shell=make_shell(request, "teams"),
        title=quiz.title,
        position=position,
        count=len(chosen),
        question=question_view(from_json(found.variant), {}),
        steps=tuple(
            StepView(place, f"{base}/preview/{place}", place == position, False, False)
            for place in range(1, len(chosen) + 1)
        ),
        clock=None,
        action=f"{base}/preview/{position}",
        save_url=f"{base}/preview/{position}",
        epoch=1,
        kept_epoch=0,
        sequence=0,
        flagged=False,
        own_reason=ReasonView("Say why, in your own words", "") if quiz.ask_reasons else None,
        signals_url="",
        finish_url=base,
        report=None,
        notice=PREVIEW,
    )
    return show(request, page)


@router.put("")
def save(access: TeamAuthor, session: Db, quiz_id: UUID, position: int) -> JSONResponse:
    """Answer a save as the quiz would, and store nothing."""
    find_quiz(session, access.team.id, quiz_id)
    return JSONResponse({"state": "saved", "position": position})


@router.post("")
def go_on(access: TeamAuthor, session: Db, fields: Form, quiz_id: UUID, position: int) -> Response:
    """Go to the next item, or back to the quiz."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    base = f"/teams/{access.team.id}/quizzes/{quiz.id}"
    place = position + {"previous": -1, "next": 1}.get(fields.get("go", ""), 0)
    count = len(select_from_pool(session, quiz, random.Random(quiz.id.int)))  # noqa: S311 - as above
    ends = fields.get("go") == "finish" or not 1 <= place <= count
    return RedirectResponse(base if ends else f"{base}/preview/{place}", 303)
