"""What all tables share: the naming convention, UTC times, and facts that are only ever appended."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, MetaData, event
from sqlalchemy.orm import DeclarativeBase, Mapper
from sqlalchemy.types import TypeDecorator

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """The base of every table."""

    metadata = MetaData(naming_convention=NAMING)


class UtcDateTime(TypeDecorator[datetime]):
    """A time with its zone, always UTC, also where the database keeps none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse a naive time, store UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs its time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return UTC with its zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class AppendOnlyError(RuntimeError):
    """A stored fact was about to be changed or deleted: a mistake in our code."""


def append_only(cls: type[Base]) -> type[Base]:
    """Make any flush that changes or deletes a row of `cls` raise `AppendOnlyError`."""

    def refuse(_mapper: Mapper[Any], _connection: Any, target: Base) -> None:
        raise AppendOnlyError(f"{type(target).__name__} rows are facts: append a new one instead")

    event.listen(cls, "before_update", refuse)
    event.listen(cls, "before_delete", refuse)
    return cls
