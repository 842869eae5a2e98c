"""The totals of practice made anew from attempts: what the attempts' own transactions wrote, found again."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session, undefer

from app.bank.evidence import read_reading
from app.bank.variants import from_json
from app.db import Database
from app.grading.grade import Response
from app.grading.misconceptions import shown_by
from app.models import Attempt, AttemptBelief, Person, PracticeTotal
from app.models.person import lock_person
from app.models.practice_total import Key, Tally, keys_of, newest_of, tally_of

BATCH = 200


def rebuild(database: Database) -> Iterator[int]:
    """Make the totals of everybody anew, a person per transaction; yield how many attempts each has."""
    with database.reading() as session:
        people = session.scalars(select(Person.id).order_by(Person.created_at, Person.id)).all()
    for person in people:
        with database.writing() as session:
            yield rebuild_person(session, person)


def rebuild_person(session: Session, person: UUID) -> int:
    """Make one person's totals anew in this transaction and return how many attempts were counted."""
    lock_person(session, person)
    for table in (PracticeTotal, AttemptBelief):
        session.execute(delete(table).where(table.person_id == person))
    counted = Counted()
    for attempt in _whole_attempts(session, person):
        counted.add(attempt, beliefs_of(attempt))
    counted.store(session)
    return counted.attempts


@dataclass(slots=True)
class Counted:
    """Totals that are being made of attempts, and the beliefs that these showed."""

    attempts: int = 0
    _sums: dict[tuple[Any, ...], tuple[Key, Tally, str]] = field(default_factory=dict)
    _shown: list[Key] = field(default_factory=list)

    def add(self, attempt: Attempt, beliefs: tuple[str, ...]) -> None:
        """Count an attempt."""
        self.attempts += 1
        person, at = attempt.person_id, attempt.created_at
        self._shown += [
            {"attempt_id": attempt.id, "belief": one, "person_id": person, "created_at": at} for one in beliefs
        ]
        for key in keys_of(attempt, beliefs):
            place = tuple(key.values())
            _, tally, newest = self._sums.get(place, (key, Tally(), ""))
            self._sums[place] = key, tally + tally_of(attempt), max(newest, newest_of(attempt))

    def store(self, session: Session) -> None:
        """Write the rows of whoever has none."""
        if self._shown:
            session.execute(insert(AttemptBelief), self._shown)
        if self._sums:
            rows = [key | asdict(tally) | {"newest": newest} for key, tally, newest in self._sums.values()]
            session.execute(insert(PracticeTotal), rows)


def beliefs_of(attempt: Attempt) -> tuple[str, ...]:
    """Return the beliefs that a stored attempt showed, from its own row."""
    key = read_reading(attempt.reading).key
    return shown_by(from_json(attempt.variant).item, Response.from_json(attempt.response), key)


def _whole_attempts(session: Session, person: UUID) -> Iterator[Attempt]:
    """Yield a person's attempts with what beliefs are read from, some at a time: each is many kilobytes."""
    query = select(Attempt).where(Attempt.person_id == person)
    query = query.options(undefer(Attempt.variant), undefer(Attempt.response), undefer(Attempt.reading))
    for attempt in session.scalars(query.execution_options(yield_per=BATCH)):
        yield attempt
        session.expunge(attempt)
