"""The history journey: a person's attempts, newest first, a page at a time. It only reads."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.errors import NotFoundError
from app.models import Attempt
from app.models.attempt import count_of, mean_credit_of, of_person, page_of

PAGE = 25


@dataclass(frozen=True, slots=True)
class HistorySlice:
    """One page of attempts; `page` counts from 1 and `pages` is at least 1."""

    attempts: tuple[Attempt, ...]
    page: int
    pages: int
    total: int
    mean_credit: float | None


def slice_of(session: Session, person: UUID, page: int) -> HistorySlice:
    """Return page `page` of a person's attempts.

    Raises `NotFoundError` past the last page.
    """
    total = count_of(session, person)
    pages = max(1, -(-total // PAGE))
    if not 1 <= page <= pages:
        raise NotFoundError(f"The history has {pages} page{'s' if pages > 1 else ''}; this would be page {page}.")
    attempts = page_of(session, person, (page - 1) * PAGE, PAGE)
    return HistorySlice(tuple(attempts), page, pages, total, mean_credit_of(session, person))


def attempt_of(session: Session, person: UUID | None, attempt_id: UUID) -> Attempt:
    """Return one attempt of this person, whole.

    Raises `NotFoundError` where it does not exist or is another person's: the two are told apart by nobody.
    """
    attempt = None if person is None else of_person(session, person, attempt_id)
    if attempt is None:
        raise NotFoundError(
            "There is no such attempt in this browser's history. Attempts belong to the profile that made them."
        )
    return attempt
