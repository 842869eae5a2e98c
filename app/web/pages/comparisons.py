"""`…/results/compare?session=…&session=…`: some candidates of a quiz side by side, and what their scores can tell."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from app.errors import BadRequestError, ConflictError
from app.grading.score import Marked, difference
from app.hiring.quizzes import find_quiz
from app.hiring.score_reports import ReportItem, ScoreReport, report_of
from app.web.access import TeamReviewer
from app.web.account_views import LinkView
from app.web.analysis_views import CellView, ComparedRow, ComparedView, ComparisonPage
from app.web.answers import CONFIDENCE_LABELS
from app.web.dependencies import Db
from app.web.pages.item_page import KIND_TITLES
from app.web.pages.reports import earned_words, outcome_of, quiz_url, taken_words
from app.web.pages.scores import duration_words, error_words, score_words
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading

router = APIRouter(prefix="/teams/{team_id}/quizzes/{quiz_id}")

MOST = 5  # more columns fit on no screen, and their pairs are read by nobody


@router.get("/results/compare")
def compare(
    request: Request,
    access: TeamReviewer,
    db: Db,
    quiz_id: UUID,
    session: Annotated[list[UUID] | None, Query()] = None,
) -> HTMLResponse:
    """Show the chosen candidates by topic and by item, and which differences are within error."""
    quiz = find_quiz(db, access.team.id, quiz_id)
    chosen = tuple(dict.fromkeys(session or ()))
    if not 2 <= len(chosen) <= MOST:
        raise BadRequestError(f"Choose between 2 and {MOST} candidates in the results.")
    reports = [report_of(db, quiz, one) for one in chosen]
    if any(one.score is None for one in reports):
        raise ConflictError("One of them has no score yet. Compare those who have finished.")
    url = quiz_url(access, quiz)
    page = ComparisonPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "quizzes"),
        quiz=LinkView(f"{url}/results", quiz.title),
        candidates=tuple(
            ComparedView(
                who=one.who,
                url=f"{url}/sessions/{one.running.id}",
                score=score_words(one.score),
                error=error_words(one.score),
                taken=taken_words(one, access.team.time_zone),
            )
            for one in reports
        ),
        differences=tuple(_difference(one, other) for one, other in combinations(reports, 2)),
        topics=_topic_rows(reports),
        items=_item_rows(reports),
    )
    return show(request, page)


def _marked(report: ScoreReport) -> Mapping[str, Marked]:
    return {one.variant.item_id: Marked(one.grade.credit, one.points) for one in report.items if one.grade}


def _difference(one: ScoreReport, other: ScoreReport) -> str:
    found = difference(_marked(one), _marked(other))
    points, names = round(100 * abs(found.value)), f"{one.who} and {other.who}"
    if found.standard_error is None:
        return f"{names}: too few items to say how far a difference of {points} percent points can be trusted."
    error = f"with a standard error of {100 * found.standard_error:.0f}"
    if points == 0:
        return f"{names}: the same score, {error} of the difference."
    higher, lower = (one.who, other.who) if found.value > 0 else (other.who, one.who)
    said = f"{higher} is {points} percent points above {lower}, {error}"
    if found.within_error:
        return f"{said}: within error, so the scores do not tell them apart."
    return f"{said}: more than twice that."


def _topic_rows(reports: Sequence[ScoreReport]) -> tuple[ComparedRow, ...]:
    names = dict.fromkeys(name for one in reports for name in one.topics)
    return tuple(
        ComparedRow(
            name,
            "",
            tuple(
                CellView("", score_words(one.topics[name]), error_words(one.topics[name]) or "one item")
                if name in one.topics
                else None
                for one in reports
            ),
        )
        for name in names
    )


def _item_rows(reports: Sequence[ScoreReport]) -> tuple[ComparedRow, ...]:
    asked = [{one.variant.item_id: one for one in report.items} for report in reports]
    first = {name: one for items in reversed(asked) for name, one in items.items()}
    ordered = dict.fromkeys(name for items in asked for name in items)
    return tuple(
        ComparedRow(
            first[name].variant.title,
            f"{first[name].variant.words['topic']}, {KIND_TITLES[first[name].variant.kind]}",
            tuple(_cell(items[name]) if name in items else None for items in asked),
        )
        for name in ordered
    )


def _cell(one: ReportItem) -> CellView:
    tone, words = outcome_of(one)
    sure = CONFIDENCE_LABELS[one.confidence] if one.confidence else ""
    return CellView(
        tone, words, ", ".join(part for part in (earned_words(one), sure, duration_words(one.seconds)) if part)
    )
