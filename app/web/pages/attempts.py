"""`/attempts/{id}`: one attempt exactly as it was revealed, whatever became of its item since."""

from uuid import UUID

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse

from app.errors import NotFoundError
from app.history.listing import attempt_of
from app.models import Attempt
from app.web.dependencies import CurrentVisitor, Db, Visitor
from app.web.pages.filters import Wanted, query_of
from app.web.pages.reveal import reveal_page
from app.web.pages.shell import make_shell, show

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
    return show(request, reveal_page(make_shell(request, "practice"), stored, query_of(filtered), again=bool(again)))
