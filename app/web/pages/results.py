"""Results of a quiz and the report of one session for its team, and one's own items where a quiz shows them."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.bank.evidence import read_reading
from app.bank.variants import from_json
from app.clock import now
from app.errors import NotFoundError
from app.grading.grade import blank, grade
from app.grading.score import Score
from app.hiring import closing
from app.hiring.quizzes import find_quiz
from app.hiring.score_reports import ReportItem, ResultRow, ScoreReport, reading_of, release, report_of, results_of
from app.hiring.visibility import may_see_items
from app.models import Attempt, Quiz, QuizSession
from app.web.access import CurrentCandidate, TeamAccess, TeamAuthor, TeamReviewer
from app.web.account_views import LinkView
from app.web.answers import CONFIDENCE_LABELS
from app.web.dependencies import CurrentSite, Db
from app.web.fields import FormView
from app.web.forms import FormDb
from app.web.pages.item_page import KIND_TITLES
from app.web.pages.outcomes import outcome_words, tone_of
from app.web.pages.reveal import reveal_page
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.pages.times import show_time
from app.web.report_views import ReportItemView, ReportPage, ResultsPage, ResultView, ScoreLine
from app.web.views import RevealPage, Shell

team_router = APIRouter(prefix="/teams/{team_id}/quizzes/{quiz_id}")
candidate_router = APIRouter(prefix="/sessions/{session_id}")

FORMULA = ("=", "+", "-", "@", "\t", "\r")
STATES = {True: "finished", False: "running"}


def _url(access: TeamAccess, quiz: Quiz) -> str:
    return f"/teams/{access.team.id}/quizzes/{quiz.id}"


def _state(row: ResultRow) -> str:
    if row.running is None:
        return "revoked" if row.invitation.revoked_at else "invited"
    return STATES[row.running.closed_at is not None]


def _score_words(score: Score | None) -> str:
    return "" if score is None else f"{score.earned:g} of {score.possible:g}, {100 * score.share:.0f} %"


def _error_words(score: Score | None) -> str:
    return "" if score is None or score.standard_error is None else f"± {100 * score.standard_error:.0f}"


def _mark_words(quiz: Quiz, score: Score | None) -> str:
    if quiz.pass_mark is None or score is None:
        return ""
    return "at or above the pass mark" if score.share >= quiz.pass_mark else "below the pass mark"


@team_router.get("/results")
def results(request: Request, access: TeamReviewer, session: Db, quiz_id: UUID) -> HTMLResponse:
    """Show everybody with state and score."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    url = _url(access, quiz)
    page = ResultsPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "quizzes"),
        quiz=LinkView(url, quiz.title),
        rows=tuple(
            ResultView(
                who=row.invitation.name or row.invitation.email or "erased",
                email=row.invitation.email,
                state=_state(row),
                score=_score_words(row.score),
                error=_error_words(row.score),
                passed=_mark_words(quiz, row.score),
                url=f"{url}/sessions/{row.running.id}" if row.running else "",
            )
            for row in results_of(session, quiz)
        ),
        pass_mark="" if quiz.pass_mark is None else f"{100 * quiz.pass_mark:g} %",
        csv_url=f"{url}/results.csv",
    )
    return show(request, page)


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text


@team_router.get("/results.csv")
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


def _item_view(one: ReportItem, url: str) -> ReportItemView:
    outcome, response = one.outcome, one.response
    words = "not graded yet"
    if outcome is not None:
        words = "left empty" if response is None else outcome_words(outcome)
    earned = "" if one.grade is None else f"{one.grade.credit * one.points:g} of {one.points:g}"
    sure = "" if response is None or response.confidence is None else CONFIDENCE_LABELS[response.confidence]
    return ReportItemView(
        position=one.position,
        title=one.variant.title,
        topic=one.variant.words["topic"],
        level=one.variant.level,
        kind=KIND_TITLES[one.variant.kind],
        outcome=words,
        tone="info" if outcome is None or response is None else str(tone_of(outcome)),
        points=earned,
        confidence=sure,
        reason="" if one.saved is None else one.saved.reason,
        notes=tuple(note.text for note in one.notes),
        url=f"{url}/items/{one.position}",
    )


def _facts(report: ScoreReport, zone: str) -> tuple[tuple[str, str], ...]:
    running = report.running
    facts = [("Started", show_time(running.started_at, zone))]
    if running.closed_at is not None:
        how = "handed in" if running.submitted else "ended by the clock"
        facts.append(("Ended", f"{show_time(running.closed_at, zone)}, {how}"))
    if running.extra_percent or running.added_minutes:
        facts.append(("Extra time", f"{running.extra_percent} %, and {running.added_minutes} minutes added"))
    if report.late:
        facts.append(("Too late", f"{report.late} saves came after the end; they are kept and count nothing"))
    if running.revision > 1:
        facts.append(("Graded", f"{running.revision} times; this is the newest"))
    if running.released_at is not None:
        facts.append(("Released", show_time(running.released_at, zone)))
    return tuple(facts)


def _report_page(request: Request, access: TeamAccess, quiz: Quiz, report: ScoreReport) -> ReportPage:
    url = f"{_url(access, quiz)}/sessions/{report.running.id}"
    score = ResultRow(report.invitation, report.running).score
    final = report.running.released_at is not None or report.running.closed_at is None
    return ReportPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "quizzes"),
        quiz=LinkView(f"{_url(access, quiz)}/results", quiz.title),
        who=report.invitation.name or report.invitation.email or "erased",
        email=report.invitation.email,
        score=_score_words(score) or "No score yet",
        detail=""
        if score is None or score.standard_error is None
        else f"{_error_words(score)} percent points is the "
        "standard error: another draw of items could have moved the score by about this much.",
        mark_words=_mark_words(quiz, score),
        facts=_facts(report, access.team.time_zone),
        topics=tuple(ScoreLine(name, _score_words(one), round(100 * one.share)) for name, one in report.topics.items()),
        items=tuple(_item_view(one, url) for one in report.items),
        feedback=tuple(note.text for note in report.notes),
        release=None if final else FormView(f"{url}/release", (), "Release the report"),
    )


@team_router.get("/sessions/{session_id}")
def report_page(
    request: Request, site: CurrentSite, access: TeamReviewer, quiz_id: UUID, session_id: UUID
) -> HTMLResponse:
    """Show the report of one session; whoever looks first finishes one whose time is over."""
    with site.database.reading() as session:
        quiz = find_quiz(session, access.team.id, quiz_id)
        report_of(session, quiz, session_id)
    closing.finish(site.database, session_id, now())
    with site.database.reading() as session:
        return show(request, _report_page(request, access, quiz, report_of(session, quiz, session_id)))


@team_router.post("/sessions/{session_id}/release")
def release_report(access: TeamAuthor, session: FormDb, quiz_id: UUID, session_id: UUID) -> Response:
    """Make a report final."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    running = session.get(QuizSession, session_id)
    if running is None or running.quiz_id != quiz.id:
        raise NotFoundError("The quiz has no such session.")
    release(session, running, access.team.id, access.account.id, now())
    return RedirectResponse(f"{_url(access, quiz)}/sessions/{session_id}", 303)


def _revealed(shell: Shell, report: ScoreReport, position: int, next_url: str, next_label: str) -> RevealPage:
    """Return the reveal of one item, made of what is stored with the session."""
    one = next((item for item in report.items if item.position == position), None)
    if one is None:
        raise NotFoundError(f"This session has the items 1 to {len(report.items)}.")
    item = from_json(one.variant.variant).item
    reading = reading_of(one)
    response = one.response or blank(item)
    whole = all(name in response.choices for name in read_reading(reading).key.right)
    outcome = one.outcome or grade(response, read_reading(reading).key)
    shown = Attempt(
        created_at=one.saved.received_at if one.saved else report.running.started_at,
        variant=one.variant.variant,
        words=one.variant.words,
        response=response.to_json(),
        outcome=outcome.to_json(),
        reading=dict(reading),
    )
    page = reveal_page(shell, shown)
    words = page.verdict if whole or any(response.entries) else "Nothing, or not everything, was entered here."
    return replace(page, verdict=words, next_url=next_url, next_label=next_label, vary_url="")


@team_router.get("/sessions/{session_id}/items/{position}")
def report_item(
    request: Request, access: TeamReviewer, session: Db, quiz_id: UUID, session_id: UUID, position: int
) -> HTMLResponse:
    """Show one item with the frozen variant, the response and all that was observed."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    report = report_of(session, quiz, session_id)
    back = f"{_url(access, quiz)}/sessions/{session_id}"
    return show(request, _revealed(make_shell(request, "teams"), report, position, back, "Back to the report"))


@candidate_router.get("/reveals/{position}")
def own_item(request: Request, access: CurrentCandidate, session: Db, position: int) -> HTMLResponse:
    """Show a candidate one of their items, where and when the quiz says so."""
    if not may_see_items(access.quiz, access.running, now()):
        raise NotFoundError("This quiz does not show its items now.")
    report = report_of(session, access.quiz, access.running.id)
    back = f"/sessions/{access.running.id}/end"
    return show(request, _revealed(make_shell(request, "quiz"), report, position, back, "Back"))


ROUTERS: Sequence[APIRouter] = (team_router, candidate_router)
