"""`/attempts/{id}`: one attempt exactly as it was revealed, whatever became of its item since."""

from dataclasses import replace
from uuid import UUID

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse

from app.bank.evidence import Reading
from app.errors import NotFoundError
from app.history.listing import attempt_of
from app.history.then_and_now import Change, ThenAndNow, kept_of, run_again
from app.models import Attempt
from app.web.dependencies import CurrentSite, CurrentVisitor, Db, Visitor
from app.web.history_views import ThenNowPage, ThenNowRow
from app.web.pages import charts
from app.web.pages.filters import Wanted, query_of
from app.web.pages.reveal import reveal_page
from app.web.pages.shell import make_shell, show
from app.web.shares import shares_of
from app.web.views import Tone

router = APIRouter(prefix="/attempts")

NO_COOKIE = (
    "There is no such attempt in this browser, which sent no cookie. One cookie is how your answers stay yours: allow "
    "cookies for this site and answer again."
)


def find_attempt(session: Session, visitor: Visitor, attempt_id: str) -> Attempt:
    """Return an attempt of whoever asks, or raise `NotFoundError`."""
    try:
        wanted = UUID(attempt_id)
    except ValueError as error:
        raise NotFoundError("There is no such attempt. The history lists yours.") from error
    if visitor.person is None:
        raise NotFoundError(NO_COOKIE)
    return attempt_of(session, visitor.person, wanted)


@router.get("/{attempt_id}")
def attempt(
    request: Request, visitor: CurrentVisitor, session: Db, filtered: Wanted, attempt_id: str, again: str = ""
) -> HTMLResponse:
    """Show one attempt as it was revealed."""
    stored = find_attempt(session, visitor, attempt_id)
    page = reveal_page(make_shell(request, "practice"), stored, query_of(filtered), again=bool(again))
    return show(request, replace(page, again_url=f"/attempts/{stored.id}/again"))


@router.post("/{attempt_id}/again")
def run_it_again(request: Request, site: CurrentSite, visitor: CurrentVisitor, attempt_id: str) -> HTMLResponse:
    """Run the variant of an attempt once more, and show what then and now differ in; nothing is stored.

    Raises what the limiter and `LiveCheck.observe` raise.
    """
    with site.database.reading() as session:
        stored = find_attempt(session, visitor, attempt_id)
        kept = kept_of(stored)
    site.limiter.admit(*shares_of(site, visitor))
    found = run_again(site.livecheck, kept)
    tone, verdict = VERDICTS[found.change]
    page = ThenNowPage(
        shell=make_shell(request, "history"),
        title=stored.title,
        attempt_url=f"/attempts/{stored.id}",
        again_url=f"/attempts/{stored.id}/again",
        tone=tone,
        verdict=verdict,
        detail=_detail(found),
        then_words=f"{_versions(found.then)}, {charts.day_words(stored.created_at.date())}",
        now_words=_versions(found.now),
        snippet=kept.variant.item.snippet,
        rows=tuple(ThenNowRow(one.what, one.code, one.then, one.now, one.differs) for one in found.rows),
    )
    return show(request, page)


VERDICTS = {
    Change.NONE: (Tone.RIGHT, "Run today, it shows the same."),
    Change.OBSERVED: (Tone.INFO, "The answer is the same. Some of what was observed differs."),
    Change.ANSWER: (Tone.WARNING, "Run today, another answer is right."),
}


def _detail(found: ThenAndNow) -> str:
    then, now = ("right" if one else "not right" for one in (found.right_then, found.right_now))
    return f"Your answer was {then} then. By this run it is {now}. What is stored stays as it was."


def _versions(reading: Reading) -> str:
    return f"torch {reading.evidence.torch}, Python {reading.evidence.python}"
