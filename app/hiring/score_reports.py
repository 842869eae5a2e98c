"""What a team reads of a quiz: a row for each candidate, and one session item by item. All is stored; nothing runs.

A list of candidates takes one query for the rows and one for their sessions, whatever their number; a report takes one
for its items, one for their variants, one for what was saved and one for the grades.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import ConflictError, NotFoundError
from app.grading.grade import Outcome, Response
from app.grading.score import Marked, Score, by_group
from app.hiring.closing import key_of
from app.models import CandidateNote, Grade, Invitation, PoolVariant, Quiz, QuizSession, Rescore, SavedResponse
from app.models.audit_entry import record
from app.models.quiz import whole_variants
from app.models.quiz_session import items_of_session, newest_grades, newest_responses


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One candidate: how far they are, and their score where it was graded."""

    invitation: Invitation
    running: QuizSession | None

    @property
    def score(self) -> Score | None:
        """Return the newest score, or `None` where there is none yet."""
        one = self.running
        if one is None or one.points is None or one.points_possible is None:
            return None
        return Score(one.points, one.points_possible, one.standard_error)


def results_of(session: Session, quiz: Quiz) -> Sequence[ResultRow]:
    """Return everybody who was invited, those who started first and the newest of them first."""
    query = (
        select(Invitation, QuizSession)
        .outerjoin(QuizSession, QuizSession.invitation_id == Invitation.id)
        .where(Invitation.quiz_id == quiz.id)
        .order_by(QuizSession.started_at.desc().nulls_last(), Invitation.created_at.desc(), Invitation.id)
    )
    return [ResultRow(row[0], row[1]) for row in session.execute(query)]


@dataclass(frozen=True, slots=True)
class ReportItem:
    """One item of a session: the frozen variant, what was entered, and what grading made of it."""

    position: int
    variant: PoolVariant
    points: float
    saved: SavedResponse | None
    grade: Grade | None
    rescore: Rescore | None
    notes: tuple[CandidateNote, ...]

    @property
    def outcome(self) -> Outcome | None:
        """Return the outcome, or `None` where it was not graded yet."""
        return None if self.grade is None else Outcome.from_json(self.grade.outcome)

    @property
    def response(self) -> Response | None:
        """Return what was entered, or `None`."""
        return None if self.saved is None else Response.from_json(self.saved.response)


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """One session as a team reads it."""

    running: QuizSession
    invitation: Invitation
    items: tuple[ReportItem, ...]
    notes: tuple[CandidateNote, ...]  # about the quiz as a whole
    topics: Mapping[str, Score]
    late: int  # how many saves came after the end; they count nothing


def report_of(session: Session, quiz: Quiz, session_id: UUID) -> ScoreReport:
    """Return the report of a session of this very quiz.

    Raises `NotFoundError`.
    """
    running = session.get(QuizSession, session_id)
    if running is None or running.quiz_id != quiz.id:
        raise NotFoundError("The quiz has no such session.")
    listed = items_of_session(session, session_id)
    whole = whole_variants(session, [variant.id for _, variant in listed])
    saved, grades = newest_responses(session, session_id), newest_grades(session, [session_id])
    by_position = {one.position: one for one in grades}
    rescores = {one.id: one for one in session.scalars(select(Rescore).where(Rescore.quiz_id == quiz.id))}
    notes = session.scalars(select(CandidateNote).where(CandidateNote.session_id == session_id)).all()
    items = []
    for item, variant in listed:
        grade = by_position.get(item.position)
        items.append(
            ReportItem(
                position=item.position,
                variant=whole[variant.id],
                points=item.points,
                saved=saved.get(item.position),
                grade=grade,
                rescore=rescores.get(grade.rescore_id) if grade is not None and grade.rescore_id else None,
                notes=tuple(one for one in notes if one.position == item.position),
            )
        )
    marked = [(one.variant.words["topic"], Marked(one.grade.credit, one.points)) for one in items if one.grade]
    late = select(SavedResponse.id).where(SavedResponse.session_id == session_id, SavedResponse.late.is_(True))
    return ScoreReport(
        running=running,
        invitation=session.get_one(Invitation, running.invitation_id),
        items=tuple(items),
        notes=tuple(one for one in notes if one.position is None),
        topics=by_group(marked),
        late=len(session.scalars(late).all()),
    )


def reading_of(item: ReportItem) -> Mapping[str, object]:
    """Return the reading that graded an item: that of its check, or of the rescore that replaced it."""
    replaced = None if item.rescore is None else item.rescore.readings.get(str(item.variant.id))
    key_of(item.variant, item.rescore)  # a damaged reading is found here, and not half way through a page
    return replaced or item.variant.reading


def release(session: Session, running: QuizSession, team_id: UUID, actor: UUID, now: datetime) -> None:
    """Make a report final: no more minutes, no reopening.

    Raises `ConflictError` before it was graded.
    """
    if running.closed_at is None or running.to_grade:
        raise ConflictError("The session has not ended, or is being graded. Release its report then.")
    if running.released_at is None:
        running.released_at = now
        record(session, now, "report.released", team_id=team_id, actor_id=actor, subject=running.id)
