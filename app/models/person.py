"""A person: for now an anonymous profile that a signed cookie names."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.models.base import Base, UtcDateTime


class Person(Base):
    """Somebody who answered at least once."""

    __tablename__ = "people"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


def ensure_person(session: Session, person_id: UUID, now: datetime) -> Person:
    """Return the person, made now where the id is new; another request that makes the same one is no error."""
    person = session.get(Person, person_id)
    if person is None:
        try:
            with session.begin_nested():
                person = Person(id=person_id, created_at=now)
                session.add(person)
        except IntegrityError:
            person = session.get_one(Person, person_id)
    return person


def lock_person(session: Session, person_id: UUID) -> None:
    """Hold a person's row until the transaction ends; on SQLite a writing transaction holds everything already."""
    session.execute(select(Person.id).where(Person.id == person_id).with_for_update())
