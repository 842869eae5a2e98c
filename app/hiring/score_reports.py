"""What a team reads of a quiz: a row for each candidate, and one session item by item. All is stored; nothing runs.

A list of candidates takes one query, whatever their number; a report takes one query for
each kind of row it is made of (items, variants, saves, events, grades, marks, notes), whatever the number of items.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.bank.evidence import Key
from app.bank.item import Item
from app.bank.variants import Variant, from_json
from app.errors import ConflictError, NotFoundError
from app.grading.grade import Confidence, Outcome, Response
from app.grading.misconceptions import shown_by
from app.grading.score import Marked, Score, by_group
from app.hiring.closing import key_of
from app.hiring.review_marks import Mark, marks_of
from app.hiring.session_times import Absence, absences, seconds_per_item
from app.models import (
    CandidateNote,
    Grade,
    Invitation,
    PoolVariant,
    Quiz,
    QuizSession,
    Rescore,
    SavedResponse,
    SessionEvent,
)
from app.models.audit_entry import record
from app.models.quiz import whole_variants
from app.models.quiz_session import items_of_session, newest_grades, newest_responses

SURENESS = (Confidence.CERTAIN, Confidence.FAIRLY_SURE, None, Confidence.GUESS)  # the surest first; None: not said
SURE = {Confidence.CERTAIN, Confidence.FAIRLY_SURE}


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
    """Return everybody who was invited and not erased, those who started first and the newest of them first."""
    query = (
        select(Invitation, QuizSession)
        .outerjoin(QuizSession, QuizSession.invitation_id == Invitation.id)
        .where(Invitation.quiz_id == quiz.id, Invitation.erased_at.is_(None))
        .order_by(QuizSession.started_at.desc().nulls_last(), Invitation.created_at.desc(), Invitation.id)
    )
    return [ResultRow(row[0], row[1]) for row in session.execute(query)]


@dataclass(frozen=True, slots=True)
class ReportItem:
    """One item of a session: the frozen variant, what was entered, and what grading made of it."""

    position: int
    variant: PoolVariant
    frozen: Variant
    key: Key
    points: float
    saved: SavedResponse | None
    late: tuple[SavedResponse, ...]  # what came after the end, oldest first
    grade: Grade | None
    rescore: Rescore | None
    notes: tuple[CandidateNote, ...]
    marks: tuple[Mark, ...]  # newest first: that one counts
    seconds: float | None  # how long its page was open, estimated; `None` where it never was

    @property
    def item(self) -> Item:
        """Return the item with its parameters filled in."""
        return self.frozen.item

    @property
    def outcome(self) -> Outcome | None:
        """Return the outcome, or `None` where it was not graded yet."""
        return None if self.grade is None else Outcome.from_json(self.grade.outcome)

    @property
    def response(self) -> Response | None:
        """Return what was entered, or `None`."""
        return None if self.saved is None else Response.from_json(self.saved.response)

    @property
    def confidence(self) -> Confidence | None:
        """Return how sure the candidate said they were, `None` where they did not."""
        return None if self.response is None else self.response.confidence

    @property
    def answered(self) -> bool:
        """Say whether anything was entered that can count."""
        return self.response is not None and self.response.is_answered

    @property
    def withdrawn(self) -> bool:
        """Say whether the item was retracted after the session, with the points for everybody."""
        return self.rescore is not None and self.rescore.retracted

    @property
    def misconceptions(self) -> tuple[str, ...]:
        """Return the ids of the misconceptions that a graded response shows; none where the item was withdrawn."""
        response = self.response
        if response is None or self.grade is None or self.withdrawn:
            return ()
        return shown_by(self.item, response, self.key)


@dataclass(frozen=True, slots=True)
class BeliefSeen:
    """A misconception that a session shows, with the items that show it and how sure the surest answer was."""

    misconception: str
    sentence: str
    positions: tuple[int, ...]
    confidence: Confidence | None

    @property
    def confident(self) -> bool:
        """Say whether it was held fairly surely or with certainty."""
        return self.confidence in SURE


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """One session as a team reads it."""

    running: QuizSession
    invitation: Invitation
    items: tuple[ReportItem, ...]
    notes: tuple[CandidateNote, ...]  # about the quiz as a whole
    topics: Mapping[str, Score]
    beliefs: tuple[BeliefSeen, ...]
    absences: tuple[Absence, ...] | None  # `None` where the quiz did not disclose that it notes them

    @property
    def who(self) -> str:
        """Return the candidate's name, else the address; who was invited without either has neither."""
        return self.invitation.name or self.invitation.email or "no name"

    @property
    def late(self) -> int:
        """Count the saves that came after the end; they count nothing."""
        return sum(len(one.late) for one in self.items)

    @property
    def score(self) -> Score | None:
        """Return the newest score, or `None` where there is none yet."""
        return ResultRow(self.invitation, self.running).score

    def item(self, position: int) -> ReportItem:
        """Return the item at a position.

        Raises `NotFoundError`.
        """
        found = next((one for one in self.items if one.position == position), None)
        if found is None:
            raise NotFoundError(f"This session has the items 1 to {len(self.items)}.")
        return found


def report_of(session: Session, quiz: Quiz, session_id: UUID) -> ScoreReport:
    """Return the report of a session of this very quiz.

    Raises `NotFoundError`.
    """
    running = session.get(QuizSession, session_id)
    if running is None or running.quiz_id != quiz.id:
        raise NotFoundError("The quiz has no such session.")
    events = session.scalars(select(SessionEvent).where(SessionEvent.session_id == session_id)).all()
    notes = session.scalars(select(CandidateNote).where(CandidateNote.session_id == session_id)).all()
    items = _items(session, running, events, notes)
    marked = [(one.variant.words["topic"], Marked(one.grade.credit, one.points)) for one in items if one.grade]
    return ScoreReport(
        running=running,
        invitation=session.get_one(Invitation, running.invitation_id),
        items=items,
        notes=tuple(one for one in notes if one.position is None),
        topics=by_group(marked),
        beliefs=beliefs_of(items),
        absences=absences(events) if quiz.signals else None,
    )


def _items(
    session: Session, running: QuizSession, events: Sequence[SessionEvent], notes: Sequence[CandidateNote]
) -> tuple[ReportItem, ...]:
    listed = items_of_session(session, running.id)
    whole = whole_variants(session, [variant.id for _, variant in listed])
    saves = session.scalars(
        select(SavedResponse).where(SavedResponse.session_id == running.id).order_by(SavedResponse.id)
    ).all()
    saved, marks = newest_responses(session, running.id), marks_of(session, running.id)
    grades = {one.position: one for one in newest_grades(session, [running.id])}
    rescores = {one.id: one for one in session.scalars(select(Rescore).where(Rescore.quiz_id == running.quiz_id))}
    seconds = seconds_per_item(events, saves, running.deadline)
    made = []
    for item, variant in listed:
        grade = grades.get(item.position)
        rescore = rescores.get(grade.rescore_id) if grade is not None and grade.rescore_id else None
        made.append(
            ReportItem(
                position=item.position,
                variant=whole[variant.id],
                frozen=from_json(whole[variant.id].variant),
                key=key_of(whole[variant.id], rescore),
                points=item.points,
                saved=saved.get(item.position),
                late=tuple(one for one in saves if one.late and one.position == item.position),
                grade=grade,
                rescore=rescore,
                notes=tuple(one for one in notes if one.position == item.position),
                marks=tuple(one for one in marks if one.position == item.position),
                seconds=seconds.get(item.position),
            )
        )
    return tuple(made)


def beliefs_of(items: Sequence[ReportItem]) -> tuple[BeliefSeen, ...]:
    """Return the misconceptions that items show: those held surely first, then those shown most often."""
    shown: dict[str, list[ReportItem]] = {}
    for one in items:
        for name in one.misconceptions:
            shown.setdefault(name, []).append(one)
    beliefs = [
        BeliefSeen(
            misconception=name,
            sentence=ones[0].variant.words["misconceptions"].get(name, name),
            positions=tuple(one.position for one in ones),
            confidence=min((one.confidence for one in ones), key=SURENESS.index),
        )
        for name, ones in shown.items()
    ]
    return tuple(sorted(beliefs, key=lambda one: (SURENESS.index(one.confidence), -len(one.positions), one.positions)))


def reading_of(item: ReportItem) -> Mapping[str, object]:
    """Return the reading that graded an item: that of its check, or of the rescore that replaced it."""
    replaced = None if item.rescore is None else item.rescore.readings.get(str(item.variant.id))
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
