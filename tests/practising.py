"""What tests of the practise pages do again and again."""

import httpx
from sqlalchemy import func, select

from app.models import Attempt
from tests.live import LiveSite, form_of


def attempts(live: LiveSite) -> int:
    """Return how many attempts are stored."""
    with live.site.database.reading() as session:
        return session.scalar(select(func.count()).select_from(Attempt)) or 0


def answer(visitor: httpx.Client, item: str = "two-walks", **changes: str) -> httpx.Response:
    """Open an item and commit the first choice of everything, but for `changes`."""
    form = form_of(visitor.get(f"/practice/{item}"))
    return visitor.post(form.action, data=form.filled(**changes))


def position(page: httpx.Response, text: str) -> str:
    """Return the form value of the option that reads `text`."""
    before = page.text.split(text)[0]
    return before.rsplit('value="', 1)[1].split('"', 1)[0]
