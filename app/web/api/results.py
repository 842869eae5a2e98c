"""`/api/v1/…/results` and `/api/v1/sessions/{id}`: scores and reports. Names are with the invitations."""

from typing import Any
from uuid import UUID

from app.clock import now
from app.errors import NotFoundError
from app.grading.score import Score
from app.hiring import closing
from app.hiring.exports import key_data
from app.hiring.invitations import find_invitation, progress_of
from app.hiring.quizzes import find_quiz
from app.hiring.score_reports import BeliefSeen, ReportItem, ResultRow, ScoreReport, report_of
from app.models import Quiz, QuizSession
from app.models.invitation import page_of_invitations
from app.models.quiz import quiz_of
from app.web.api import schemas
from app.web.api.access import ResultReader, api_router
from app.web.api.paging import After, Limit, page_of
from app.web.dependencies import CurrentSite, Db

router = api_router("results")


def _score(score: Score) -> schemas.Score:
    return schemas.Score(
        points=score.earned, possible=score.possible, share=score.share, standard_error=score.standard_error
    )


def _result(quiz: Quiz, row: ResultRow) -> dict[str, Any]:
    running, score = row.running, row.score
    return {
        "invitation_id": row.invitation.id,
        "session_id": running and running.id,
        "state": progress_of(row.invitation, running, now()),
        "started_at": running and running.started_at,
        "ended_at": running and running.closed_at,
        "released_at": running and running.released_at,
        "score": score and _score(score),
        "passed": None if score is None or quiz.pass_mark is None else score.share >= quiz.pass_mark,
    }


@router.get("/quizzes/{quiz_id}/results")
def list_results(
    access: ResultReader, session: Db, quiz_id: UUID, limit: Limit = 50, after: After = None
) -> schemas.Page[schemas.Result]:
    """List the invitations of a quiz with their scores."""
    quiz = find_quiz(session, access.team_id, quiz_id)
    before = None if after is None else find_invitation(session, quiz, after)
    found = [ResultRow(*row) for row in page_of_invitations(session, quiz.id, limit + 1, before)]
    return page_of(found, limit, lambda row: schemas.Result(**_result(quiz, row)), lambda row: row.invitation.id)


@router.get("/sessions/{session_id}")
def read_report(site: CurrentSite, access: ResultReader, session_id: UUID) -> schemas.Report:
    """Read the report of a session; answers and keys are in it once the team released it."""
    with site.database.reading() as session:
        running = session.get(QuizSession, session_id)
        quiz = None if running is None else quiz_of(session, access.team_id, running.quiz_id)
    if quiz is None:
        raise NotFoundError("The team has no such session.")
    closing.finish(site.database, session_id, now())
    with site.database.reading() as session:
        return _report(quiz, report_of(session, quiz, session_id))


def _report(quiz: Quiz, report: ScoreReport) -> schemas.Report:
    running = report.running
    ended, released = running.closed_at is not None, running.released_at is not None
    return schemas.Report(
        **_result(quiz, ResultRow(report.invitation, running)),
        quiz_id=quiz.id,
        revision=running.revision,
        submitted=running.submitted,
        topics={name: _score(one) for name, one in report.topics.items()} if ended else {},
        misconceptions=[_belief(one) for one in report.beliefs] if ended else [],
        items=[_item(one, released=released) for one in report.items] if ended else [],
    )


def _belief(one: BeliefSeen) -> schemas.Belief:
    return schemas.Belief(
        id=one.misconception, sentence=one.sentence, confidence=one.confidence, items=list(one.positions)
    )


def _item(one: ReportItem, *, released: bool) -> schemas.ReportItem:
    return schemas.ReportItem(
        position=one.position,
        item=one.variant.item_id,
        title=one.variant.title,
        topic=one.variant.topic,
        level=one.variant.level,
        kind=one.variant.kind,
        points=one.points,
        credit=None if one.grade is None else one.grade.credit,
        confidence=one.confidence,
        seconds=one.seconds,
        misconceptions=list(one.misconceptions),
        response=one.response.to_json() if released and one.response is not None else None,
        key=key_data(one) if released else None,
    )
