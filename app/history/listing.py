"""The second query of the history: a person's attempts, newest first, a page at a time. It only reads.

A page is found by the attempt it begins after and never by counting, so that the last page costs what the first one
does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import Select, select, tuple_
from sqlalchemy.orm import Session

from app.errors import NotFoundError
from app.history.wanted import Wanted
from app.models import Attempt, AttemptBelief
from app.models.attempt import of_person

PAGE = 25
NO_PAGE = "There is no such page of the history."


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in the list: the attempts before or after one of them, by its time and id."""

    at: datetime
    attempt: UUID
    newer: bool = False

    def __str__(self) -> str:
        """Return the text that `read_cursor` reads."""
        return f"{int(self.at.timestamp())}-{self.at.microsecond}-{self.attempt.hex}"


def cursor_at(attempt: Attempt, *, newer: bool = False) -> Cursor:
    """Return the place of an attempt."""
    return Cursor(attempt.created_at, attempt.id, newer)


def read_cursor(before: str, after: str) -> Cursor | None:
    """Return the place in an address, `None` for the beginning.

    Raises `NotFoundError` for what no page of ours links to.
    """
    text = after or before
    if not text:
        return None
    try:
        seconds, microseconds, attempt = text.split("-")
        at = datetime.fromtimestamp(int(seconds), UTC).replace(microsecond=int(microseconds))
        return Cursor(at, UUID(attempt), newer=bool(after))
    except (ValueError, OverflowError, OSError) as error:
        raise NotFoundError(NO_PAGE) from error


@dataclass(frozen=True, slots=True)
class HistorySlice:
    """One page of attempts, with the places of the pages beside it."""

    attempts: tuple[Attempt, ...] = ()
    newer: Cursor | None = None
    older: Cursor | None = None


def slice_of(
    session: Session, person: UUID, wanted: Wanted, cursor: Cursor | None, since: datetime | None = None
) -> HistorySlice:
    """Return the attempts at a place, of those that are wanted, from the moment `since` on."""
    query = select(Attempt).where(Attempt.person_id == person)
    for column, value in ((Attempt.topic, wanted.topic), (Attempt.kind, wanted.kind), (Attempt.mode, wanted.mode)):
        if value:
            query = query.where(column == value)
    if since is not None:
        query = query.where(Attempt.created_at >= since)
    return _page(session, query, cursor)


def showing(session: Session, person: UUID, belief: str, cursor: Cursor | None) -> HistorySlice:
    """Return the attempts at a place, of those that showed a misconception."""
    shown = (AttemptBelief.person_id == person, AttemptBelief.belief == belief)
    query = select(Attempt).join(AttemptBelief, AttemptBelief.attempt_id == Attempt.id).where(*shown)
    return _page(session, query.where(Attempt.person_id == person), cursor)


def _page(session: Session, query: Select[Attempt], cursor: Cursor | None) -> HistorySlice:
    place = tuple_(Attempt.created_at, Attempt.id)
    newer = cursor is not None and cursor.newer
    if cursor is not None:
        bound = tuple_(cursor.at, cursor.attempt, types=[Attempt.created_at.type, Attempt.id.type])
        query = query.where(place > bound if newer else place < bound)
    order = (Attempt.created_at, Attempt.id) if newer else (Attempt.created_at.desc(), Attempt.id.desc())
    found = session.scalars(query.order_by(*order).limit(PAGE + 1)).all()
    return _slice(found[:PAGE], more=len(found) > PAGE, cursor=cursor)


def _slice(found: Sequence[Attempt], *, more: bool, cursor: Cursor | None) -> HistorySlice:
    if not found:
        return HistorySlice()
    backwards = cursor is not None and cursor.newer
    attempts = tuple(reversed(found)) if backwards else tuple(found)
    newer = cursor is not None if not backwards else more
    older = more if not backwards else True
    return HistorySlice(
        attempts,
        cursor_at(attempts[0], newer=True) if newer else None,
        cursor_at(attempts[-1]) if older else None,
    )


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
