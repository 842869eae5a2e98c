"""Ending a session: first nothing counts any more, then it is graded, then the flag is cleared.

    open          -> closed, to grade     `close`: submitted, or the deadline and its grace have passed
    closed, to grade -> closed, graded    `grade_session`: one revision of grades, and the flag cleared with it

Each arrow is one transaction under the session's lock, and each does nothing where it was done before. A crash between
them leaves a session that `unfinished` finds: the sweeper, or the next who looks at it, goes on from there.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.bank.evidence import Key, read_reading
from app.bank.variants import from_json
from app.db import Database, StorageError
from app.grading.grade import Outcome, Policy, Response, blank, grade
from app.grading.score import Marked, score
from app.hiring.deadlines import GRACE, is_over
from app.hiring.events import session_completed, session_graded
from app.hiring.quiz_sessions import lock
from app.models import Grade, PoolVariant, Quiz, QuizSession, Rescore, SavedResponse, SessionEvent
from app.models.audit_entry import record
from app.models.quiz import whole_variants
from app.models.quiz_session import items_of_session, newest_grades, newest_responses, unfinished

log = structlog.get_logger()

SWEPT_AT_ONCE = 50


def close(session: Session, session_id: UUID, now: datetime, *, submitted: bool) -> bool:
    """Let nothing more count, and ask for grading; return whether this call did it.

    A session whose time is not over is closed only where it is `submitted`.
    """
    running = lock(session, session_id)
    if running.closed_at is not None or not (submitted or is_over(running.deadline, now)):
        return False
    running.closed_at, running.submitted, running.to_grade = now, submitted, True
    session.add(SessionEvent(session_id=session_id, at=now, kind="submitted" if submitted else "timed_out", detail={}))
    quiz = session.get_one(Quiz, running.quiz_id)
    record(session, now, "session.closed", team_id=quiz.team_id, subject=session_id, submitted=submitted)
    session_completed(session, quiz, running, now)
    return True


def grade_session(session: Session, session_id: UUID, now: datetime) -> bool:
    """Grade a closed session that waits for it, as a new revision; return whether this call did it."""
    running = lock(session, session_id)
    if not running.to_grade or running.closed_at is None:
        return False
    quiz = session.get_one(Quiz, running.quiz_id)
    items = items_of_session(session, session_id)
    whole = whole_variants(session, [variant.id for _, variant in items])
    responses = newest_responses(session, session_id)
    rescores = _rescores(session, quiz.id)
    floors = {one.position: one.credit for one in newest_grades(session, [session_id])}
    marked = []
    for item, variant in items:
        rescore = rescores.get(variant.item_id)
        outcome = _outcome(whole[variant.id], responses.get(item.position), rescore, Policy(quiz.verdict_only))
        credit = outcome.credit
        if rescore is not None and rescore.never_lower:
            credit = max(credit, floors.get(item.position, 0.0))
        row = responses.get(item.position)
        session.add(
            Grade(
                session_id=session_id,
                revision=running.revision + 1,
                position=item.position,
                credit=credit,
                points=item.points,
                outcome=outcome.to_json(),
                response_id=None if row is None else row.id,
                rescore_id=None if rescore is None else rescore.id,
                at=now,
            )
        )
        marked.append(Marked(credit, item.points))
    total = score(marked)
    running.revision += 1
    running.points, running.points_possible, running.standard_error = total.earned, total.possible, total.standard_error
    running.to_grade = False
    session_graded(session, quiz, running, now)
    return True


def _rescores(session: Session, quiz_id: UUID) -> Mapping[str, Rescore]:
    """Return the newest rescore of each item."""
    rows = session.scalars(select(Rescore).where(Rescore.quiz_id == quiz_id).order_by(Rescore.at, Rescore.id))
    return {row.item_id: row for row in rows}


def key_of(variant: PoolVariant, rescore: Rescore | None) -> Key:
    """Return the key of a variant: that of its check, or of the rescore that replaced it."""
    replaced = None if rescore is None else rescore.readings.get(str(variant.id))
    return read_reading(replaced or variant.reading).key


def _outcome(variant: PoolVariant, saved: SavedResponse | None, rescore: Rescore | None, policy: Policy) -> Outcome:
    item = from_json(variant.variant).item
    response = blank(item) if saved is None else Response.from_json(saved.response)
    outcome = grade(response, key_of(variant, rescore), policy)
    if rescore is not None and rescore.retracted:
        return Outcome(1.0, outcome.parts)
    return outcome


def finish(database: Database, session_id: UUID, now: datetime, *, submitted: bool = False) -> QuizSession:
    """Close a session where its time is over or it is `submitted`, grade it, and return it as it is then."""
    with database.writing() as session:
        close(session, session_id, now, submitted=submitted)
    with database.writing() as session:
        grade_session(session, session_id, now)
    with database.reading() as session:
        return session.get_one(QuizSession, session_id)


def sweep(database: Database, now: datetime) -> int:
    """Finish sessions that nobody is looking at; return how many.

    One that cannot be finished holds up no other: it is logged and passed over. Raises `ExceptionGroup` of what went
    wrong where nothing else was left to do, so that the round is repeated later.
    """
    failed: dict[UUID, Exception] = {}
    while waiting := _unfinished(database, now, failed):
        done = 0
        for session_id in waiting:
            try:
                finish(database, session_id, now)
                done += 1
            except StorageError:  # of no session: the database is away for all of them
                raise
            except Exception as error:  # the edge of a session
                log.exception("session_not_finished", session=str(session_id))
                failed[session_id] = error
        if done:
            return done
    if failed:
        raise ExceptionGroup(f"{len(failed)} sessions could not be finished", list(failed.values()))
    return 0


def _unfinished(database: Database, now: datetime, but: Collection[UUID]) -> Sequence[UUID]:
    with database.reading() as session:
        return unfinished(session, now - GRACE, SWEPT_AT_ONCE, but)
