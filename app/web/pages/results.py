"""`…/results`: everybody who was invited to a quiz, with state and score; and what a team takes away as files."""

import json
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from app.hiring.exports import report_data, report_tables, results_data, results_table, state_of
from app.hiring.quizzes import find_quiz
from app.hiring.score_reports import report_of, results_of
from app.hiring.tables import csv_of, xlsx_of
from app.web.access import TeamReviewer
from app.web.account_views import LinkView
from app.web.dependencies import Db
from app.web.pages.reports import quiz_url
from app.web.pages.scores import error_words, mark_words, score_words
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.report_views import ResultsPage, ResultView

router = APIRouter(prefix="/teams/{team_id}/quizzes/{quiz_id}")

MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}


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
                who=row.invitation.name or row.invitation.email or "no name",
                email=row.invitation.email,
                state=state_of(row),
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
        links=(
            LinkView(f"{url}/results/items", "Item analysis"),
            *(LinkView(f"{url}/results.{kind}", kind.upper()) for kind in MEDIA),
        ),
    )
    return show(request, page)


def _download(content: bytes, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(content, media_type=MEDIA[name.rpartition(".")[2]], headers=headers)


def _json(data: object) -> bytes:
    return json.dumps(data, ensure_ascii=False, indent=1).encode()


@router.get("/results.csv")
def results_csv(access: TeamReviewer, session: Db, quiz_id: UUID) -> Response:
    """Return the results as CSV."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    return _download(csv_of(results_table(results_of(session, quiz))), "results.csv")


@router.get("/results.xlsx")
def results_xlsx(access: TeamReviewer, session: Db, quiz_id: UUID) -> Response:
    """Return the results as a workbook."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    return _download(xlsx_of([results_table(results_of(session, quiz))]), "results.xlsx")


@router.get("/results.json")
def results_json(access: TeamReviewer, session: Db, quiz_id: UUID) -> Response:
    """Return the results as JSON."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    return _download(_json(results_data(quiz, results_of(session, quiz))), "results.json")


@router.get("/sessions/{session_id}/report.csv")
def report_csv(access: TeamReviewer, session: Db, quiz_id: UUID, session_id: UUID) -> Response:
    """Return the items of a report as CSV."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    items, _ = report_tables(report_of(session, quiz, session_id))
    return _download(csv_of(items), "report.csv")


@router.get("/sessions/{session_id}/report.xlsx")
def report_xlsx(access: TeamReviewer, session: Db, quiz_id: UUID, session_id: UUID) -> Response:
    """Return a report as a workbook."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    return _download(xlsx_of(report_tables(report_of(session, quiz, session_id))), "report.xlsx")


@router.get("/sessions/{session_id}/report.json")
def report_json(access: TeamReviewer, session: Db, quiz_id: UUID, session_id: UUID) -> Response:
    """Return a report as JSON, with its keys once it was released."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    return _download(_json(report_data(quiz, report_of(session, quiz, session_id))), "report.json")
