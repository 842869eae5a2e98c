"""The quizzes that one browser took for teams: what a candidate's history may list beside practice."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models import Invitation, Quiz, QuizSession, Team


@dataclass(frozen=True, slots=True)
class TakenQuiz:
    """A session with what it belongs to."""

    running: QuizSession
    quiz: Quiz
    team: Team
    invitation: Invitation


def taken_with(session: Session, invitations: Collection[UUID]) -> Sequence[TakenQuiz]:
    """Return the sessions that some invitations were started with, the newest first: one query."""
    if not invitations:
        return ()
    query = (
        select(QuizSession, Quiz, Team, Invitation)
        .join(Quiz, Quiz.id == QuizSession.quiz_id)
        .join(Team, Team.id == Quiz.team_id)
        .join(Invitation, Invitation.id == QuizSession.invitation_id)
        .where(QuizSession.invitation_id.in_(invitations))
        .order_by(QuizSession.started_at.desc(), QuizSession.id)
    )
    return [TakenQuiz(*row) for row in session.execute(query)]
