"""Totals of a person's practice by day, by month and of all time, and the wrong beliefs each attempt showed.

Both are derived from attempts and written in the attempt's own transaction, so that a history of any length is read
from few rows. `belief` is empty in the rows that count attempts; a row with one counts the attempts that showed it.

A row of a day, of a month or of all time is about one topic, level, kind and mode: of these there are as many as the
bank has sorts of items, and in the long run almost as many each month. So a line over time has rows of its own, which
know only the mode, or not even that: one or two a day, however much was done.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Self
from uuid import UUID

from sqlalchemy import Date, Float, ForeignKey, Index, Integer, String, case, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.models.attempt import Attempt
from app.models.base import Base, UtcDateTime
from app.models.person import lock_person


class Span(StrEnum):
    """What one row sums up."""

    DAY = "day"
    MONTH = "month"
    EVER = "ever"
    DAY_LINE = "line-day"
    MONTH_LINE = "line-month"


EVER = date(1970, 1, 1)  # where what was ever done starts


class PracticeTotal(Base):
    """What a person did in one span, by topic, level, kind and mode; a day is the one that `Attempt.day` says.

    In the rows of a line topic, kind and mode may be empty, and the level 0: then they sum up all of them.
    """

    __tablename__ = "practice_totals"

    person_id: Mapped[UUID] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), primary_key=True)
    span: Mapped[str] = mapped_column(String(10), primary_key=True)
    start: Mapped[date] = mapped_column(Date, primary_key=True)  # the day, or the first of the month
    topic: Mapped[str] = mapped_column(String(120), primary_key=True)
    level: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(40), primary_key=True)
    mode: Mapped[str] = mapped_column(String(20), primary_key=True)
    belief: Mapped[str] = mapped_column(String(120), primary_key=True)
    attempts: Mapped[int] = mapped_column(Integer)
    right: Mapped[int] = mapped_column(Integer)  # with every part right
    credit: Mapped[float] = mapped_column(Float)  # summed
    guess: Mapped[int] = mapped_column(Integer)  # how many said so, and how many of these were right
    guess_right: Mapped[int] = mapped_column(Integer)
    fairly_sure: Mapped[int] = mapped_column(Integer)
    fairly_sure_right: Mapped[int] = mapped_column(Integer)
    certain: Mapped[int] = mapped_column(Integer)
    certain_right: Mapped[int] = mapped_column(Integer)
    under_15: Mapped[int] = mapped_column(Integer)  # how many were answered in fewer than 15 seconds …
    under_30: Mapped[int] = mapped_column(Integer)  # … or else 30, and so on
    under_60: Mapped[int] = mapped_column(Integer)
    under_120: Mapped[int] = mapped_column(Integer)
    under_300: Mapped[int] = mapped_column(Integer)
    longer: Mapped[int] = mapped_column(Integer)
    newest: Mapped[str] = mapped_column(String(80))  # time and id of the newest attempt, in an order that sorts


class AttemptBelief(Base):
    """An attempt that showed a misconception: by these the evidence of one is found."""

    __tablename__ = "attempt_beliefs"
    __table_args__ = (Index(None, "person_id", "belief", "created_at"),)

    attempt_id: Mapped[UUID] = mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True)
    belief: Mapped[str] = mapped_column(String(120), primary_key=True)
    person_id: Mapped[UUID] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


TIMES = {"under_15": 15, "under_30": 30, "under_60": 60, "under_120": 120, "under_300": 300}


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of attempts: the columns of a total that are added up."""

    attempts: int = 0
    right: int = 0
    credit: float = 0.0
    guess: int = 0
    guess_right: int = 0
    fairly_sure: int = 0
    fairly_sure_right: int = 0
    certain: int = 0
    certain_right: int = 0
    under_15: int = 0
    under_30: int = 0
    under_60: int = 0
    under_120: int = 0
    under_300: int = 0
    longer: int = 0

    def __add__(self, other: Self) -> Self:
        """Return the sum of two tallies."""
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in COUNTED))


COUNTED: tuple[str, ...] = tuple(field.name for field in fields(Tally))


def tally_of(attempt: Attempt) -> Tally:
    """Return what one attempt adds."""
    right = int(attempt.credit == 1)
    counts: dict[str, Any] = {"attempts": 1, "right": right, "credit": attempt.credit}
    if attempt.confidence:
        counts |= {attempt.confidence: 1, f"{attempt.confidence}_right": right}
    time = next((name for name, limit in TIMES.items() if attempt.seconds < limit), "longer")
    return Tally(**counts | {time: 1})


def newest_of(attempt: Attempt) -> str:
    """Return when an attempt was and which, as text that sorts by time."""
    return f"{attempt.created_at:%Y-%m-%dT%H:%M:%S.%f} {attempt.id}"


def attempt_in(newest: str) -> UUID:
    """Return the attempt that a `newest` names."""
    return UUID(newest.partition(" ")[2])


Key = dict[str, Any]


def keys_of(attempt: Attempt, beliefs: Iterable[str]) -> Iterator[Key]:
    """Yield the key of each row that an attempt is counted in."""
    day, month = attempt.day, attempt.day.replace(day=1)
    beliefs = tuple(beliefs)
    for span, start in ((Span.DAY, day), (Span.MONTH, month), (Span.EVER, EVER)):
        about = attempt.topic, attempt.level, attempt.kind, attempt.mode
        for belief in ("", *beliefs):
            yield _key(attempt, span, start, (*about, belief))
    for span, start in ((Span.DAY_LINE, day), (Span.MONTH_LINE, month)):
        for mode in ("", attempt.mode):
            yield _key(attempt, span, start, ("", 0, "", mode, ""))


def _key(attempt: Attempt, span: Span, start: date, about: tuple[str, int, str, str, str]) -> Key:
    names = ("topic", "level", "kind", "mode", "belief")
    return {"person_id": attempt.person_id, "span": span.value, "start": start, **dict(zip(names, about, strict=True))}


def count_attempt(session: Session, attempt: Attempt, beliefs: Iterable[str]) -> None:
    """Add a new attempt to its person's totals, in the transaction that stores it."""
    beliefs = tuple(beliefs)
    session.flush()
    session.add_all(
        AttemptBelief(attempt_id=attempt.id, belief=one, person_id=attempt.person_id, created_at=attempt.created_at)
        for one in beliefs
    )
    # Whoever counts for a person holds that person's row, so that no row of the totals is made or rebuilt meanwhile.
    lock_person(session, attempt.person_id)
    tally, newest = tally_of(attempt), newest_of(attempt)
    for key in keys_of(attempt, beliefs):
        if not _add(session, key, tally, newest):
            session.add(PracticeTotal(**key, **asdict(tally), newest=newest))


def _add(session: Session, key: Key, tally: Tally, newest: str) -> bool:
    """Add to a row that exists; say whether it does."""
    sums = {name: getattr(PracticeTotal, name) + getattr(tally, name) for name in COUNTED}
    later = case((PracticeTotal.newest < newest, newest), else_=PracticeTotal.newest)
    query = update(PracticeTotal).filter_by(**key).values(**sums, newest=later).returning(PracticeTotal.attempts)
    return session.scalar(query.execution_options(synchronize_session=False)) is not None
