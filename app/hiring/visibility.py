"""What a candidate may see of their own session, and when. Reviewers always see everything. Pure."""

from datetime import datetime

from app.models import Quiz, QuizSession
from app.models.quiz import QuizState, Shown


def may_see_score(quiz: Quiz, running: QuizSession, now: datetime) -> bool:
    """Say whether a candidate may see the score now."""
    return _released(Shown(quiz.show_score), quiz, running, now)


def may_see_items(quiz: Quiz, running: QuizSession, now: datetime) -> bool:
    """Say whether a candidate may see the items with their answers now."""
    return _released(Shown(quiz.show_items), quiz, running, now)


def _released(shown: Shown, quiz: Quiz, running: QuizSession, now: datetime) -> bool:
    if running.closed_at is None or shown is Shown.NEVER:
        return False
    if shown is Shown.AFTER_SUBMIT:
        return True
    return quiz.closes_at <= now if quiz.closes_at is not None else quiz.state == QuizState.CLOSED
