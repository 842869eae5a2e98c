"""Taking a quiz: starting the clock, saving every change, and ending it.

A start draws from the pool and runs nothing: no pool, no clock. Saves are appended, each with the (epoch, sequence) of
the page it came from. Opening a page gets a new epoch, and only the newest epoch may save: of two open tabs the one
opened last writes, and the other is told so with what is kept. Within an epoch a lower sequence that arrives late is
kept and does not count, because the newest sequence is the response.

Every write locks the session's row first, so that saves, a submission and the closing at the deadline come one after
another. The time of receipt, read before waiting for the lock, decides whether a save is in time; one that is late is
stored apart, for the reviewer, and refused with a sentence. Nothing that was acknowledged is ever dropped.
"""

import random
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import ConflictError, NotFoundError
from app.hiring.deadlines import Arrival, Clock, arrival, deadline_of, is_over
from app.hiring.events import session_started
from app.hiring.invitations import LinkGoneError, Opened, why_not_startable
from app.hiring.pools import select_from_pool
from app.models import (
    CandidateNote,
    Invitation,
    PoolVariant,
    Quiz,
    QuizSession,
    SavedResponse,
    SessionEvent,
    SessionItem,
)
from app.models.audit_entry import record
from app.models.quiz import whole_variants
from app.models.quiz_session import newest_response

MOST_ADDED = 1440


class SessionClosedError(ConflictError):
    """The session has ended."""

    title = "This quiz session has ended"


class PageReplacedError(ConflictError):
    """The session was opened in another tab or on another device since."""

    title = "This quiz is open somewhere else"


class SaveState(StrEnum):
    """What became of a save."""

    SAVED = "saved"
    OLDER = "older"  # a newer write of this page is kept; this one is stored and does not count
    STALE = "stale"  # the page was replaced by a newer one
    LATE = "late"  # after the deadline and its grace; kept apart


@dataclass(frozen=True, slots=True)
class Change:
    """One write of a page: what is entered at a position now."""

    position: int
    epoch: int
    sequence: int
    response: dict[str, Any]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """What a write led to. `kept` is the response that counts now, where it is another one."""

    state: SaveState
    deadline: datetime
    kept: dict[str, Any] | None = None


def clock_of(running: QuizSession) -> Clock:
    """Return what the deadline of a session depends on."""
    return Clock(running.started_at, running.minutes, running.extra_percent, running.added_minutes, running.window_end)


def start(session: Session, opened: Opened, now: datetime, chance: random.Random | None = None) -> QuizSession:
    """Start the clock of an invitation, or return the session that it started before.

    Raises `LinkGoneError` where it cannot be started now.
    """
    invitation = session.get_one(Invitation, opened.invitation.id, with_for_update=True)
    running = session.scalar(select(QuizSession).where(QuizSession.invitation_id == invitation.id))
    if running is not None:
        return running
    reason = why_not_startable(Opened(invitation, opened.quiz, None), now)
    if reason:
        raise LinkGoneError(reason)
    quiz = opened.quiz
    made = QuizSession(
        id=uuid4(),
        quiz_id=quiz.id,
        invitation_id=invitation.id,
        started_at=now,
        minutes=quiz.minutes,
        extra_percent=invitation.extra_percent,
        added_minutes=0,
        window_end=quiz.closes_at if quiz.window_cuts else None,
    )
    made.deadline = deadline_of(clock_of(made))
    session.add(made)
    session.flush()
    chosen = select_from_pool(session, quiz, chance or secrets.SystemRandom())
    session.add_all(
        SessionItem(session_id=made.id, position=place, pool_variant_id=one.id, points=one.points)
        for place, one in enumerate(chosen, 1)
    )
    _note(session, made.id, now, "started")
    record(session, now, "session.started", team_id=quiz.team_id, subject=made.id)
    session_started(session, quiz, made, now)
    return made


def lock(session: Session, session_id: UUID) -> QuizSession:
    """Return a session whose row stays locked until the transaction ends.

    Raises `NotFoundError`.
    """
    running = session.get(QuizSession, session_id, with_for_update=True, populate_existing=True)
    if running is None:
        raise NotFoundError("There is no such quiz session. Open your invitation link again.")
    return running


@dataclass(frozen=True, slots=True)
class Page:
    """One item of a session as its page shows it; `epoch` belongs to this page alone."""

    running: QuizSession
    item: SessionItem
    variant: PoolVariant
    count: int
    epoch: int
    response: SavedResponse | None


def open_page(session: Session, session_id: UUID, position: int, now: datetime) -> Page:
    """Open the page of one position: it gets the newest epoch, and older pages can save no more.

    Raises `NotFoundError`, or `SessionClosedError` where the session has ended.
    """
    running = lock(session, session_id)
    if running.closed_at is not None or is_over(running.deadline, now):
        raise SessionClosedError("Its time is over, or it was handed in. What was saved counts.")
    positions = list(session.scalars(select(SessionItem.position).where(SessionItem.session_id == session_id)))
    item = session.get(SessionItem, (session_id, position))
    if item is None:
        raise NotFoundError(f"This quiz has the items 1 to {len(positions)}.")
    running.epoch += 1
    _note(session, session_id, now, "opened", position=position)
    variant = whole_variants(session, [item.pool_variant_id])[item.pool_variant_id]
    response = newest_response(session, session_id, position)
    return Page(running, item, variant, len(positions), running.epoch, response)


def save(session: Session, session_id: UUID, change: Change, received_at: datetime) -> Saved:
    """Append a write; what became of it is a value, because even a refused one is stored where it can be read.

    Raises `NotFoundError` for a position that the session does not have.
    """
    running = lock(session, session_id)
    if session.get(SessionItem, (session_id, change.position)) is None:
        raise NotFoundError("The quiz has no such item.")
    late = not _counts(running, received_at)
    stored = _stored(session, session_id, change)
    if stored is None:
        if change.epoch != running.epoch and not late:
            return Saved(SaveState.STALE, running.deadline, _kept(session, session_id, change.position))
        _append(session, session_id, change, received_at, late)
        if running.closed_at is not None and not late:
            running.to_grade = True  # it was on its way while the session was closed: it is graded anew
    if late:
        return Saved(SaveState.LATE, running.deadline, _kept(session, session_id, change.position))
    newest = newest_response(session, session_id, change.position)
    if newest is not None and (newest.epoch, newest.sequence) != (change.epoch, change.sequence):
        return Saved(SaveState.OLDER, running.deadline, newest.response)
    return Saved(SaveState.SAVED, running.deadline)


def _counts(running: QuizSession, received_at: datetime) -> bool:
    """Say whether something received at a time counts, though its transaction may come after that of the closing."""
    if arrival(running.deadline, received_at) is Arrival.LATE or running.released_at is not None:
        return False
    return running.closed_at is None or not running.submitted or received_at <= running.closed_at


def _stored(session: Session, session_id: UUID, change: Change) -> SavedResponse | None:
    """Return the row of a write that arrived before: sending it again changes nothing."""
    return session.scalar(
        select(SavedResponse).where(
            SavedResponse.session_id == session_id,
            SavedResponse.position == change.position,
            SavedResponse.epoch == change.epoch,
            SavedResponse.sequence == change.sequence,
        )
    )


def _append(session: Session, session_id: UUID, change: Change, received_at: datetime, late: bool) -> None:
    session.add(
        SavedResponse(
            session_id=session_id,
            position=change.position,
            epoch=change.epoch,
            sequence=change.sequence,
            received_at=received_at,
            response=change.response,
            reason=change.reason,
            late=late,
        )
    )
    session.flush()


def _kept(session: Session, session_id: UUID, position: int) -> dict[str, Any] | None:
    kept = newest_response(session, session_id, position)
    return None if kept is None else kept.response


def flag(session: Session, session_id: UUID, position: int, flagged: bool, now: datetime) -> None:
    """Mark an item to come back to, or not any more.

    Raises `NotFoundError` or `SessionClosedError`.
    """
    running = lock(session, session_id)
    item = session.get(SessionItem, (session_id, position))
    if item is None:
        raise NotFoundError("The quiz has no such item.")
    if running.closed_at is not None or is_over(running.deadline, now):
        raise SessionClosedError("Its time is over, or it was handed in. What was saved counts.")
    item.flagged = flagged


def add_minutes(session: Session, running: QuizSession, minutes: int, actor: UUID | None, now: datetime) -> datetime:
    """Give a candidate more time and return the new deadline; a session that was closed by the clock opens again.

    Raises `ConflictError` where the report was released, or the candidate handed it in.
    """
    if running.released_at is not None:
        raise ConflictError("The report was released, so the session cannot be opened again.")
    if running.submitted:
        raise ConflictError("The candidate handed it in, so more time changes nothing.")
    if not 1 <= minutes <= MOST_ADDED or running.added_minutes + minutes > MOST_ADDED:
        raise ConflictError(f"Add between 1 and {MOST_ADDED} minutes in all.")
    if running.closed_at is not None:
        # Time that passed while it was closed is not the candidate's: the minutes count from now.
        behind = max(timedelta(0), now - deadline_of(clock_of(running)))
        running.added_minutes += int(behind.total_seconds() // 60) + (1 if behind.total_seconds() % 60 else 0)
        running.closed_at, running.to_grade = None, False
        _note(session, running.id, now, "reopened")
    running.added_minutes += minutes
    running.deadline = deadline_of(clock_of(running))
    _note(session, running.id, now, "minutes_added", detail={"minutes": minutes})
    quiz = session.get_one(Quiz, running.quiz_id)
    record(
        session, now, "session.minutes_added", team_id=quiz.team_id, actor_id=actor, subject=running.id, minutes=minutes
    )
    return running.deadline


def _note(
    session: Session,
    session_id: UUID,
    at: datetime,
    kind: str,
    *,
    position: int | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    session.add(SessionEvent(session_id=session_id, at=at, kind=kind, position=position, detail=dict(detail or {})))


MOST_NOTES = 50
MOST_SIGNALS = 500


def tell(session: Session, session_id: UUID, position: int | None, text: str, now: datetime) -> None:
    """Keep what a candidate tells the team about an item, or about the quiz; an empty text is nothing.

    Raises `ConflictError` after far too many, and `NotFoundError` for an item that the session lacks.
    """
    text = text.strip()[:2000]
    if position is not None and session.get(SessionItem, (session_id, position)) is None:
        raise NotFoundError("The quiz has no such item.")
    told = session.scalar(select(func.count()).select_from(CandidateNote).where(CandidateNote.session_id == session_id))
    if (told or 0) >= MOST_NOTES:
        raise ConflictError("The team has many notes of yours already. Write to them directly.")
    if text:
        session.add(CandidateNote(session_id=session_id, position=position, at=now, text=text))


def note_signal(session: Session, session_id: UUID, kind: str, now: datetime) -> None:
    """Note that a page lost or regained the focus, while the session runs and up to a limit."""
    running = lock(session, session_id)
    noted = select(func.count()).select_from(SessionEvent).where(SessionEvent.session_id == session_id)
    if running.closed_at is None and (session.scalar(noted) or 0) < MOST_SIGNALS:
        _note(session, session_id, now, kind)


def add_minutes_to_all(session: Session, quiz: Quiz, minutes: int, actor: UUID, now: datetime) -> int:
    """Give everybody whose session runs more time, and return how many they are.

    Raises `ConflictError` as `add_minutes` does; then nobody got more.
    """
    running = session.scalars(
        select(QuizSession.id).where(QuizSession.quiz_id == quiz.id, QuizSession.closed_at.is_(None))
    )
    ids = list(running)
    for session_id in ids:
        add_minutes(session, lock(session, session_id), minutes, actor, now)
    return len(ids)
