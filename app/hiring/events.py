"""Telling other programs what happened: the webhooks of a team, and the partner who asked for an interview.

Every function puts deliveries into the outbox of the transaction that made what it tells of, so that one is never there
without the other. A payload holds ids, times and points: no key, no response, no link, no name and no address. Who
needs more asks the API, with a key that says what it may read.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy.orm import Session

from app.delivery.partners import call_partner
from app.delivery.webhooks import tell
from app.models import Invitation, Quiz, QuizSession
from app.models.integration import interview_of_invitation


class Event(StrEnum):
    """What a webhook endpoint can be told of."""

    INVITATION_CREATED = "invitation.created"
    SESSION_STARTED = "session.started"
    SESSION_COMPLETED = "session.completed"
    SESSION_GRADED = "session.graded"
    SESSION_RESCORED = "session.rescored"


MEANINGS = {
    Event.INVITATION_CREATED: "somebody was invited",
    Event.SESSION_STARTED: "a candidate started the clock",
    Event.SESSION_COMPLETED: "a candidate handed in, or the time was over",
    Event.SESSION_GRADED: "a session has its first score",
    Event.SESSION_RESCORED: "a session was graded anew: a key was corrected, or time was added after its end",
}
TEST = "endpoint.test"  # sent by hand, to whatever endpoint, so it is nothing that one asks for


def invitation_created(session: Session, quiz: Quiz, invitation: Invitation, now: datetime) -> None:
    """Tell that somebody was invited."""
    tell(session, now, quiz.team_id, Event.INVITATION_CREATED, _ids(quiz) | {"invitation_id": str(invitation.id)})


def session_started(session: Session, quiz: Quiz, running: QuizSession, now: datetime) -> None:
    """Tell that the clock runs."""
    data = _of_session(quiz, running) | {"deadline": running.deadline.isoformat()}
    tell(session, now, quiz.team_id, Event.SESSION_STARTED, data)


def session_completed(session: Session, quiz: Quiz, running: QuizSession, now: datetime) -> None:
    """Tell that nothing more counts; the score comes with the next event."""
    data = _of_session(quiz, running) | {"completed_at": now.isoformat(), "submitted": running.submitted}
    tell(session, now, quiz.team_id, Event.SESSION_COMPLETED, data)


def session_graded(session: Session, quiz: Quiz, running: QuizSession, now: datetime) -> None:
    """Tell of a revision of a score, and make the partner ask for it who asked for the interview."""
    event = Event.SESSION_GRADED if running.revision == 1 else Event.SESSION_RESCORED
    score = {
        "revision": running.revision,
        "points": running.points,
        "points_possible": running.points_possible,
        "standard_error": running.standard_error,
    }
    tell(session, now, quiz.team_id, event, _of_session(quiz, running) | score)
    interview = interview_of_invitation(session, running.invitation_id)
    if interview is not None:
        call_partner(session, now, interview)


def _ids(quiz: Quiz) -> dict[str, Any]:
    return {"quiz_id": str(quiz.id)}


def _of_session(quiz: Quiz, running: QuizSession) -> dict[str, Any]:
    return _ids(quiz) | {
        "invitation_id": str(running.invitation_id),
        "session_id": str(running.id),
        "started_at": running.started_at.isoformat(),
    }
