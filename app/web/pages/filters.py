"""The filter of a list of items, in the query of every address on the way from one item to the next."""

from typing import Annotated

from fastapi import Depends

from app.bank.item import KINDS
from app.errors import BadRequestError, NotFoundError
from app.practice import Filter
from app.web.dependencies import CurrentSite

LEVELS = {"1": "1, warm-up", "2": "2, core", "3": "3, deep"}


def read_filter(site: CurrentSite, topic: str = "", kind: str = "", level: str = "") -> Filter:
    """Return the filter of a query.

    Raises `NotFoundError` for a topic and `BadRequestError` for a kind or a level that does not exist.
    """
    if topic and topic not in {one.id for one in site.bank.topics}:
        raise NotFoundError("There is no such topic. The list of items names them all.")
    if kind and kind not in KINDS:
        raise BadRequestError(f"There is no such kind of item. It is one of {', '.join(KINDS)}.")
    if level and level not in LEVELS:
        raise BadRequestError("There is no such level. It is 1, 2 or 3.")
    return Filter(topic, kind, int(level or 0))


Wanted = Annotated[Filter, Depends(read_filter)]


def query_of(wanted: Filter, after: str = "") -> str:
    """Return the query of a filter, empty for none; `after` is the item just answered."""
    parts = {"topic": wanted.topic, "kind": wanted.kind, "level": wanted.level or "", "after": after}
    text = "&".join(f"{name}={value}" for name, value in parts.items() if value)
    return f"?{text}" if text else ""
