"""Rows of items, and how a visitor last did on each."""

from collections.abc import Mapping

from app.bank.catalog import Bank
from app.bank.item import Item
from app.models.attempt import LastAttempt, last_of_each_item
from app.web.dependencies import Db, Visitor
from app.web.pages.item_page import KIND_TITLES
from app.web.views import ItemLink

BUCKET_SCALE = {1.0: "right", 0.0: "wrong"}


def last_attempts(session: Db, visitor: Visitor) -> dict[str, LastAttempt]:
    """Return how the visitor last did on each item."""
    return {} if visitor.person is None else last_of_each_item(session, visitor.person)


def item_link(bank: Bank, item: Item, last: Mapping[str, LastAttempt], query: str = "") -> ItemLink:
    """Return the row of an item; `query` is that of the filter to go on with."""
    return ItemLink(
        url=f"/practice/{item.id}{query}",
        title=item.title,
        topic=bank.title_of(item.topic),
        kind=KIND_TITLES[item.kind],
        level=item.level,
        state=BUCKET_SCALE.get(last[item.id].credit, "partly") if item.id in last else "",
    )
