"""`…/results`: everybody who was invited to a quiz, with state and score, as a page and as CSV."""

import csv
import io
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from app.hiring.quizzes import find_quiz
from app.hiring.score_reports import ResultRow, results_of
from app.web.access import TeamReviewer
from app.web.account_views import LinkView
from app.web.dependencies import Db
from app.web.pages.reports import quiz_url
from app.web.pages.scores import error_words, mark_words, score_words
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.report_views import ResultsPage, ResultView

router = APIRouter(prefix="/teams/{team_id}/quizzes/{quiz_id}")

FORMULA = ("=", "+", "-", "@", "\t", "\r")
STATES = {True: "finished", False: "running"}


def _state(row: ResultRow) -> str:
    if row.running is None:
        return "revoked" if row.invitation.revoked_at else "invited"
    return STATES[row.running.closed_at is not None]


@router.get("/results")
def results(request: Request, access: TeamReviewer, session: Db, quiz_id: UUID) -> HTMLResponse:
    """Show everybody with state and score."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    url, rows = quiz_url(access, quiz), results_of(session, quiz)
    page = ResultsPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "quizzes"),
        quiz=LinkView(url, quiz.title),
        rows=tuple(
            ResultView(
                who=row.invitation.name or row.invitation.email or "erased",
                email=row.invitation.email,
                state=_state(row),
                score=score_words(row.score),
                error=error_words(row.score),
                passed=mark_words(quiz, row.score),
                url=f"{url}/sessions/{row.running.id}" if row.running else "",
                session=str(row.running.id) if row.running and row.score else "",
            )
            for row in rows
        ),
        pass_mark="" if quiz.pass_mark is None else f"{100 * quiz.pass_mark:g} %",
        compare_url=f"{url}/results/compare" if sum(row.score is not None for row in rows) > 1 else "",
        links=(LinkView(f"{url}/results/items", "Item analysis"), LinkView(f"{url}/results.csv", "Download as CSV")),
    )
    return show(request, page)


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text


@router.get("/results.csv")
def results_csv(access: TeamReviewer, session: Db, quiz_id: UUID) -> Response:
    """Return the results as CSV with a mark, so that spreadsheets read it as UTF-8, and no cell that they would run."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["name", "email", "state", "points", "possible", "share", "standard error", "started", "ended"])
    for row in results_of(session, quiz):
        score, running = row.score, row.running
        writer.writerow(
            _cell(one)
            for one in (
                row.invitation.name,
                row.invitation.email,
                _state(row),
                score and score.earned,
                score and score.possible,
                score and round(score.share, 4),
                score and score.standard_error and round(score.standard_error, 4),
                running and running.started_at.isoformat(),
                running and running.closed_at and running.closed_at.isoformat(),
            )
        )
    headers = {"content-disposition": 'attachment; filename="results.csv"', "cache-control": "no-store"}
    return Response("\ufeff" + out.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)
