"""Pages of lists: `limit` rows that follow the row whose id is `after`."""

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import Query

from app.web.api.schemas import Page

Row = TypeVar("Row")
Shown = TypeVar("Shown")

Limit = Annotated[int, Query(ge=1, le=100, description="how many rows at most")]
After = Annotated[UUID | None, Query(description="`next` of the page before")]


def page_of(
    found: Sequence[Row], limit: int, show: Callable[[Row], Shown], id_of: Callable[[Row], UUID]
) -> Page[Shown]:
    """Return a page of rows, of which one more than `limit` was asked for to know whether it is the last page."""
    rows = found[:limit]
    return Page(data=[show(one) for one in rows], next=id_of(rows[-1]) if len(found) > limit else None)
