"""Erasing candidates whose quiz keeps them no longer: `Quiz.retention_days`, looked after by the sweeper.

The days of a person in a quiz count from the end of their last session there. Without one they count from the last
moment at which it could have been started; a link without an end is kept so long after it was made or sent last, and
works no longer then. All that a person has in the quiz is erased at once.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from sqlalchemy import ColumnElement, and_, func, or_, select, true
from sqlalchemy.orm import Session, aliased

from app.db import Database, StorageError
from app.hiring.erasure import erase
from app.models import Invitation, Quiz, QuizSession

log = structlog.get_logger()

SWEPT_AT_ONCE = 20


def erase_expired(database: Database, now: datetime) -> int:
    """Erase candidates who are past the days of their quiz, some of each quiz; return how many invitations.

    A person who cannot be erased holds up no other. Raises `ExceptionGroup` where nothing else was left to do.
    """
    with database.reading() as session:
        quizzes = session.scalars(select(Quiz.id).where(Quiz.retention_days.is_not(None)).order_by(Quiz.id)).all()
        due = [one for quiz_id in quizzes for one in due_of(session, session.get_one(Quiz, quiz_id), now)]
    erased, failed = 0, []
    for invitation_id in due:
        try:
            erased += _erase_if_due(database, invitation_id, now)
        except StorageError:  # of nobody: the database is away for all of them
            raise
        except Exception as error:  # the edge of a person
            log.exception("candidate_not_erased", invitation=str(invitation_id))
            failed.append(error)
    if failed and not erased:
        raise ExceptionGroup(f"{len(failed)} candidates could not be erased", failed)
    return erased


def due_of(session: Session, quiz: Quiz, now: datetime, limit: int = SWEPT_AT_ONCE) -> Sequence[UUID]:
    """Return invitations of a quiz whose persons are past its days, the oldest first."""
    if quiz.retention_days is None:
        return ()
    query = select(Invitation.id).where(Invitation.quiz_id == quiz.id, Invitation.erased_at.is_(None))
    query = query.where(~_has_younger(quiz, now - timedelta(days=quiz.retention_days)))
    return session.scalars(query.order_by(Invitation.created_at, Invitation.id).limit(limit)).all()


def _has_younger(quiz: Quiz, before: datetime) -> ColumnElement[bool]:
    """Say whether the person of an invitation has something in the quiz that must be kept still."""
    other, taken = aliased(Invitation), aliased(QuizSession)
    same = or_(other.id == Invitation.id, and_(other.email != "", other.email == Invitation.email))
    not_ended = and_(taken.id.is_not(None), or_(taken.closed_at.is_(None), taken.closed_at > before))
    ends = [func.coalesce(end, other.created_at) > before for end in (other.sent_at, other.expires_at)]
    window = [true()] if quiz.closes_at is not None and quiz.closes_at > before else []
    startable = and_(taken.id.is_(None), other.revoked_at.is_(None), or_(other.created_at > before, *ends, *window))
    withdrawn = and_(taken.id.is_(None), other.revoked_at > before)
    query = select(other.id).outerjoin(taken, taken.invitation_id == other.id)
    return (
        query.where(other.quiz_id == quiz.id, same, or_(not_ended, startable, withdrawn)).correlate(Invitation).exists()
    )


def _erase_if_due(database: Database, invitation_id: UUID, now: datetime) -> int:
    """Erase the person of an invitation from its quiz, unless somebody did so or invited them anew meanwhile."""
    with database.writing() as session:
        invitation = session.get(Invitation, invitation_id)
        quiz = None if invitation is None else session.get_one(Quiz, invitation.quiz_id, with_for_update=True)
        if invitation is None or quiz is None or not _is_due(session, quiz, invitation, now):
            return 0
        same = Invitation.email == invitation.email if invitation.email else Invitation.id == invitation.id
        query = select(Invitation).where(Invitation.quiz_id == quiz.id, same).with_for_update()
        return erase(session, quiz.team_id, session.scalars(query).all(), now, actor=None, why="retention").invitations


def _is_due(session: Session, quiz: Quiz, invitation: Invitation, now: datetime) -> bool:
    if quiz.retention_days is None or invitation.erased_at is not None:
        return False
    younger = _has_younger(quiz, now - timedelta(days=quiz.retention_days))
    return session.scalar(select(Invitation.id).where(Invitation.id == invitation.id, ~younger)) is not None
