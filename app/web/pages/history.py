"""`/history` and `/attempts/{id}`: past attempts, and each of them exactly as it was revealed."""

from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.bank.catalog import Bank
from app.errors import NotFoundError
from app.grading.grade import Confidence, Outcome
from app.history.listing import HistorySlice, attempt_of, slice_of
from app.models import Attempt
from app.web.answers import CONFIDENCE_LABELS
from app.web.dependencies import CurrentSite, CurrentVisitor, Db, Visitor
from app.web.pages.filters import Wanted, query_of
from app.web.pages.item_page import KIND_TITLES
from app.web.pages.outcomes import outcome_words, show_time, tone_of
from app.web.pages.reveal import reveal_page
from app.web.pages.shell import make_shell, show
from app.web.views import AttemptRow, HistoryPage

router = APIRouter()

NO_COOKIE = (
    "There is no such attempt in this browser, which sent no cookie. One cookie is how your answers stay yours: allow "
    "cookies for this site and answer again."
)


@router.get("/history")
def index(request: Request, site: CurrentSite, visitor: CurrentVisitor, session: Db, page: str = "1") -> HTMLResponse:
    """List this person's attempts."""
    if not page.isdecimal() or len(page) > 6:
        raise NotFoundError("There is no such page of the history.")
    if visitor.person is None:
        return show(request, HistoryPage(make_shell(request, "history"), _nobody(visitor), (), None, None))
    part = slice_of(session, visitor.person, int(page))
    view = HistoryPage(
        shell=make_shell(request, "history"),
        summary=_summary(part),
        attempts=tuple(_row(site.bank, attempt) for attempt in part.attempts),
        newer_url=f"/history?page={part.page - 1}" if part.page > 1 else None,
        older_url=f"/history?page={part.page + 1}" if part.page < part.pages else None,
    )
    return show(request, view)


@router.get("/attempts/{attempt_id}")
def attempt(
    request: Request, visitor: CurrentVisitor, session: Db, filtered: Wanted, attempt_id: str, again: str = ""
) -> HTMLResponse:
    """Show one attempt as it was revealed."""
    try:
        wanted = UUID(attempt_id)
    except ValueError as error:
        raise NotFoundError("There is no such attempt. The history lists yours.") from error
    if visitor.person is None:
        raise NotFoundError(NO_COOKIE)
    stored = attempt_of(session, visitor.person, wanted)
    return show(request, reveal_page(make_shell(request, "practice"), stored, query_of(filtered), again=bool(again)))


def _nobody(visitor: Visitor) -> str:
    if visitor.unreadable:
        return (
            "This browser's profile cannot be read here: its cookie was signed with another key. Your next answer "
            "starts a new one."
        )
    return "Nothing answered yet in this browser."


def _summary(part: HistorySlice) -> str:
    if part.mean_credit is None:
        return "Nothing answered yet in this browser."
    noun = "attempt" if part.total == 1 else "attempts"
    return f"{part.total} {noun}, {part.mean_credit:.0%} of the credit earned."


def _row(bank: Bank, attempt: Attempt) -> AttemptRow:
    outcome = Outcome.from_json(attempt.outcome)
    return AttemptRow(
        url=f"/attempts/{attempt.id}",
        title=attempt.title,
        topic=bank.title_of(attempt.topic),
        kind=KIND_TITLES.get(attempt.kind, attempt.kind),
        level=attempt.level,
        tone=tone_of(outcome),
        outcome=outcome_words(outcome),
        confidence=CONFIDENCE_LABELS[Confidence(attempt.confidence)] if attempt.confidence else "",
        when=show_time(attempt.created_at),
        when_iso=attempt.created_at.isoformat(),
    )
