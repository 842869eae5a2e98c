"""What reviewers think of a candidate's own words: which points of a rubric they name, and a note.

Marks are appended and never changed; the newest of an item counts, and the earlier ones stay to be read with who made
them and when. They change no score: they stand beside it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.bank.item import Item, Why
from app.errors import BadRequestError, ConflictError
from app.models import Account, QuizSession, ReviewMark
from app.models.audit_entry import record

LONGEST_NOTE = 2000


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark, and who made it; `by` is empty where that account is gone."""

    position: int
    at: datetime
    by: str
    points_named: tuple[int, ...]
    note: str


def rubric_of(item: Item) -> tuple[str, ...]:
    """Return the points that a full answer names: the rubric, else what its author would hear in an interview."""
    rubric = item.rubric if isinstance(item, Why) else ()
    return rubric or (item.interview.good_answer if item.interview is not None else ())


def marks_of(session: Session, session_id: UUID) -> Sequence[Mark]:
    """Return the marks of a session, newest first."""
    query = select(ReviewMark, Account).outerjoin(Account, Account.id == ReviewMark.reviewer_id)
    rows = session.execute(query.where(ReviewMark.session_id == session_id).order_by(ReviewMark.id.desc()))
    return [_mark(row[0], row[1]) for row in rows]


def _mark(row: ReviewMark, account: Account | None) -> Mark:
    by = "" if account is None else account.name or account.email
    return Mark(row.position, row.at, by, tuple(row.points_named), row.note)


def add_mark(
    session: Session,
    running: QuizSession,
    position: int,
    reviewer: UUID,
    now: datetime,
    *,
    rubric: Sequence[str],
    points_named: Collection[int],
    note: str,
    team_id: UUID,
) -> None:
    """Append a mark of one item.

    Raises `ConflictError` while the session runs, and `BadRequestError` for a point that the rubric lacks or a note
    that is too long.
    """
    if running.closed_at is None:
        raise ConflictError("The session still runs. Mark it when it has ended.")
    if any(not 1 <= one <= len(rubric) for one in points_named):
        raise BadRequestError("The rubric has no such point. Nothing was stored.")
    if len(note) > LONGEST_NOTE:
        raise BadRequestError(f"Shorten the note to {LONGEST_NOTE} characters. Nothing was stored.")
    session.add(
        ReviewMark(
            session_id=running.id,
            position=position,
            reviewer_id=reviewer,
            at=now,
            points_named=sorted(set(points_named)),
            note=note.strip(),
        )
    )
    record(session, now, "report.marked", team_id=team_id, actor_id=reviewer, subject=running.id, position=position)
