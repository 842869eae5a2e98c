"""A stored row as plain data, for what people take away of themselves."""

from collections.abc import Collection
from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import inspect

from app.models.base import Base


def plain_row(row: Base, but: Collection[str] = ()) -> dict[str, Any]:
    """Return every loaded column of a row as JSON data, so that one that is added later is not forgotten, `but` some.

    Times are ISO 8601 in UTC, ids are text.
    """
    state = inspect(row)
    names = [one.key for one in state.mapper.column_attrs if one.key not in state.unloaded and one.key not in but]
    return {name: _plain(getattr(row, name)) for name in names}


def _plain(value: object) -> object:
    if isinstance(value, date | datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
