"""Rows of items, and how a visitor last did on each."""

from collections.abc import Mapping

from app.bank.catalog import Bank
from app.bank.item import Item
from app.grading.grade import Outcome
from app.models.attempt import LastAttempt, last_of_each_item
from app.web.dependencies import Db, Visitor
from app.web.pages.item_page import KIND_TITLES
from app.web.views import ItemLink


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
        state=_state(last.get(item.id)),
    )


def _state(attempt: LastAttempt | None) -> str:
    """Return how a person last did: a right verdict for a wrong reason is right in part, though it earns nothing."""
    if attempt is None:
        return ""
    outcome = Outcome.from_json(attempt.outcome)
    if outcome.all_right:
        return "right"
    return "partly" if attempt.credit > 0 or outcome.verdict_only else "wrong"
