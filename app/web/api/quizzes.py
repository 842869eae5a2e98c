"""`/api/v1/quizzes`: the quizzes of the team."""

from uuid import UUID

from app.hiring.quizzes import find_quiz
from app.models import Quiz
from app.models.quiz import QuizState, counts_of, page_of_quizzes
from app.web.api import schemas
from app.web.api.access import QuizReader, api_router
from app.web.api.paging import After, Limit, page_of
from app.web.dependencies import Db

router = api_router("quizzes")


def _shown(quiz: Quiz, items: int) -> schemas.Quiz:
    return schemas.Quiz(
        id=quiz.id,
        title=quiz.title,
        state=QuizState(quiz.state),
        minutes=quiz.minutes,
        items=items,
        opens_at=quiz.opens_at,
        closes_at=quiz.closes_at,
        pass_mark=quiz.pass_mark,
        created_at=quiz.created_at,
        published_at=quiz.published_at,
    )


@router.get("/quizzes")
def list_quizzes(access: QuizReader, session: Db, limit: Limit = 50, after: After = None) -> schemas.Page[schemas.Quiz]:
    """List the quizzes of the team."""
    before = None if after is None else find_quiz(session, access.team_id, after)
    found = page_of_quizzes(session, access.team_id, limit + 1, before)
    counts = counts_of(session, [one.id for one in found])
    return page_of(found, limit, lambda one: _shown(one, counts.get(one.id, 0)), lambda one: one.id)


@router.get("/quizzes/{quiz_id}")
def read_quiz(access: QuizReader, session: Db, quiz_id: UUID) -> schemas.Quiz:
    """Read one quiz."""
    quiz = find_quiz(session, access.team_id, quiz_id)
    return _shown(quiz, counts_of(session, [quiz.id]).get(quiz.id, 0))
