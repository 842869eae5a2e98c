"""`/sessions/{id}`: one candidate under the clock. Pages work as plain forms; scripts save each change by themselves.

The time of receipt is read before anything waits for the database. Opening an item's page writes: it gets an epoch of
its own, and whatever page was open before can save no more.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from app.bank.variants import from_json
from app.clock import now
from app.errors import BadRequestError, ConflictError
from app.grading.grade import Response as Entered
from app.hiring import closing
from app.hiring.deadlines import is_over, seconds_left
from app.hiring.quiz_sessions import Change, Page, Saved, SaveState, flag, note_signal, open_page, save, tell
from app.hiring.visibility import may_see_items, may_see_score
from app.models import QuizSession, Team
from app.models.quiz_session import frozen_variant, items_of_session, newest_responses
from app.web.access import CandidateAccess, CurrentCandidate
from app.web.dependencies import CurrentSite, Db, Site
from app.web.fields import Field, FormView
from app.web.forms import Form, FormDb, read_body
from app.web.pages.questions import fields_of, question_view, read_draft
from app.web.pages.shell import make_shell, show
from app.web.pages.times import show_time
from app.web.session_views import (
    ClockView,
    EndPage,
    FinishPage,
    OwnItemView,
    SessionItemPage,
    StepView,
)
from app.web.views import Notice, ReasonView, Tone

router = APIRouter(prefix="/sessions/{session_id}")

LONGEST_REASON = 4000
SIGNAL_KINDS = {"focus_lost", "focus_returned"}
STATUS = {SaveState.SAVED: 200, SaveState.OLDER: 200, SaveState.STALE: 409, SaveState.LATE: 409}
STALE = Notice(
    Tone.WARNING,
    "This quiz was opened somewhere else since",
    "What you see is what is kept. Your last change on the other page was not saved: enter it again here.",
)
LATE_WORDS = "The time was over when this arrived, so it does not count. What was saved before counts."


def _zone(access: CandidateAccess, team: Team) -> str:
    return access.invitation.time_zone or team.time_zone


def _clock(running: QuizSession, zone: str, at: datetime) -> ClockView:
    return ClockView(
        deadline_iso=running.deadline.isoformat(),
        deadline=show_time(running.deadline, zone),
        seconds=seconds_left(running.deadline, at),
        url=f"/sessions/{running.id}/time",
    )


def _steps(session: Session, running: QuizSession, current: int) -> tuple[StepView, ...]:
    responses = newest_responses(session, running.id)
    return tuple(
        StepView(
            position=item.position,
            url=f"/sessions/{running.id}/items/{item.position}",
            current=item.position == current,
            answered=item.position in responses and Entered.from_json(responses[item.position].response).is_answered,
            flagged=item.flagged,
        )
        for item, _ in items_of_session(session, running.id)
    )


def _report_form(running: QuizSession, position: int) -> FormView:
    field = Field(
        "text", "What is wrong with this item?", "textarea", attributes=(("rows", "3"), ("maxlength", "2000"))
    )
    return FormView(f"/sessions/{running.id}/notes/{position}", (field,), "Report it")


def _item_page(
    request: Request, session: Session, access: CandidateAccess, page: Page, notice: Notice | None = None
) -> SessionItemPage:
    variant = from_json(page.variant.variant)
    kept = {} if page.response is None else fields_of(variant, Entered.from_json(page.response.response))
    running = page.running
    team = session.get_one(Team, access.quiz.team_id)
    url = f"/sessions/{running.id}"
    reason = "" if page.response is None else page.response.reason
    return SessionItemPage(
        shell=make_shell(request, "quiz"),
        title=access.quiz.title,
        position=page.item.position,
        count=page.count,
        question=question_view(variant, kept),
        steps=_steps(session, running, page.item.position),
        clock=_clock(running, _zone(access, team), now()),
        action=f"{url}/items/{page.item.position}",
        save_url=f"{url}/responses/{page.item.position}",
        epoch=page.epoch,
        kept_epoch=0 if page.response is None else page.response.epoch,
        sequence=0,
        flagged=page.item.flagged,
        own_reason=ReasonView("Say why, in your own words", reason) if access.quiz.ask_reasons else None,
        signals_url=f"{url}/signals" if access.quiz.signals else "",
        finish_url=f"{url}/finish",
        report=_report_form(running, page.item.position),
        notice=notice,
    )


@router.get("")
def resume(access: CurrentCandidate) -> Response:
    """Go to the first item, or to the end."""
    ended = access.running.closed_at is not None or is_over(access.running.deadline, now())
    return RedirectResponse(f"/sessions/{access.running.id}/{'end' if ended else 'items/1'}", 303)


@router.get("/items/{position}")
def show_item(
    request: Request, site: CurrentSite, access: CurrentCandidate, position: int, stale: str = ""
) -> Response:
    """Open one item; whatever page was open before can save no more."""
    running, at = access.running, now()
    if running.closed_at is not None or is_over(running.deadline, at):
        return RedirectResponse(f"/sessions/{running.id}/end", 303)
    with site.database.writing() as session:
        page = open_page(session, running.id, position, at)
        shown = _item_page(request, session, access, page, STALE if stale else None)
    response = show(request, shown)
    response.headers["cache-control"] = "no-store"
    return response


def _store(
    site: Site,
    access: CandidateAccess,
    at: datetime,
    *,
    position: int,
    page: tuple[int, int],
    fields: Mapping[str, str],
) -> Saved:
    """Store what a page sent; the transaction has committed when this returns."""
    with site.database.reading() as session:
        frozen = frozen_variant(session, access.running.id, position)
    if frozen is None:
        raise BadRequestError("The quiz has no such item. Nothing was saved.")
    variant = from_json(frozen)
    # `reason` is a part of an item that asks whether something is true, and why.
    reason = fields.get("own_reason", "").strip() if access.quiz.ask_reasons else ""
    if len(reason) > LONGEST_REASON:
        raise BadRequestError(f"Shorten the reason to {LONGEST_REASON} characters. It was not saved.")
    change = Change(position, *page, read_draft(variant, fields).to_json(), reason)
    with site.database.writing() as session:
        return save(session, access.running.id, change, at)


def _page_of(fields: Mapping[str, str]) -> tuple[int, int]:
    return _whole(fields.get("epoch", "")), _whole(fields.get("sequence", ""))


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise BadRequestError("The page's own numbers are missing. Open the item again: what was saved is there.")
    return int(text)


@router.post("/items/{position}")
def answer(site: CurrentSite, access: CurrentCandidate, fields: Form, position: int) -> Response:
    """Save what a plain form sends, and go where its button leads."""
    at = now()
    url = f"/sessions/{access.running.id}"
    saved = _store(site, access, at, position=position, page=_page_of(fields), fields=fields)
    if saved.state is SaveState.STALE:
        return RedirectResponse(f"{url}/items/{position}?stale=1", 303)
    if saved.state is SaveState.LATE:
        return RedirectResponse(f"{url}/end?late=1", 303)
    go = fields.get("go", "")
    if go == "flag":
        with site.database.writing() as session:
            flag(session, access.running.id, position, fields.get("flagged") != "yes", at)
    if go == "finish":
        return RedirectResponse(f"{url}/finish", 303)
    place = _whole(go) if go.isdecimal() else position + {"previous": -1, "next": 1}.get(go, 0)
    with site.database.reading() as session:
        count = len(items_of_session(session, access.running.id))
    return RedirectResponse(f"{url}/finish" if place > count else f"{url}/items/{max(1, place)}", 303)


@dataclass(frozen=True, slots=True)
class Write:
    """What a page's script sends: which write of which page, the fields as they are, and when it arrived."""

    epoch: int
    sequence: int
    fields: dict[str, str]
    received_at: datetime


async def _read_write(request: Request, site: CurrentSite) -> Write:
    received_at = now()
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise BadRequestError("A save is JSON. Nothing was saved.")
    body = await read_body(request, site.settings.form_max_bytes)
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadRequestError("The save is not JSON. Nothing was saved.") from error
    match data:
        case {"epoch": int(epoch), "sequence": int(sequence), "fields": dict(fields)}:
            whole = all(type(one) is int and 0 <= one < 1_000_000_000 for one in (epoch, sequence))
            if whole and all(isinstance(one, str) for pair in fields.items() for one in pair):
                return Write(epoch, sequence, fields, received_at)
    raise BadRequestError("A save has an epoch, a sequence and the fields of the page. Nothing was saved.")


Sent = Annotated[Write, Depends(_read_write)]


@router.put("/responses/{position}")
def autosave(site: CurrentSite, access: CurrentCandidate, sent: Sent, position: int) -> JSONResponse:
    """Save one change of a page; older writes never replace newer ones."""
    at = sent.received_at
    saved = _store(site, access, at, position=position, page=(sent.epoch, sent.sequence), fields=sent.fields)
    said = {
        "state": saved.state.value,
        "deadline": saved.deadline.isoformat(),
        "seconds": seconds_left(saved.deadline, now()),
        "message": LATE_WORDS if saved.state is SaveState.LATE else "",
    }
    return JSONResponse(said, STATUS[saved.state])


@router.get("/time")
def time_left(access: CurrentCandidate) -> JSONResponse:
    """Say how much time is left; a page asks now and then, so that added minutes show without a reload."""
    at, running = now(), access.running
    return JSONResponse(
        {
            "deadline": running.deadline.isoformat(),
            "seconds": seconds_left(running.deadline, at),
            "over": running.closed_at is not None or is_over(running.deadline, at),
        },
        headers={"cache-control": "no-store"},
    )


@router.get("/finish")
def finish_page(request: Request, access: CurrentCandidate, session: Db) -> Response:
    """Show what is empty or flagged before it is handed in."""
    running, at = access.running, now()
    if running.closed_at is not None or is_over(running.deadline, at):
        return RedirectResponse(f"/sessions/{running.id}/end", 303)
    steps = _steps(session, running, 0)
    team = session.get_one(Team, access.quiz.team_id)
    page = FinishPage(
        shell=make_shell(request, "quiz"),
        title=access.quiz.title,
        steps=steps,
        clock=_clock(running, _zone(access, team), at),
        hand_in=FormView(f"/sessions/{running.id}/finish", (), "Hand it in"),
        back_url=f"/sessions/{running.id}/items/{len(steps)}",
    )
    return show(request, page)


@router.post("/finish")
def hand_in(site: CurrentSite, access: CurrentCandidate, _fields: Form) -> Response:
    """End the session: nothing counts any more, and it is graded."""
    closing.finish(site.database, access.running.id, now(), submitted=True)
    return RedirectResponse(f"/sessions/{access.running.id}/end", 303)


@router.get("/end")
def end(request: Request, site: CurrentSite, access: CurrentCandidate, late: str = "") -> Response:
    """Say what was received and what happens next; whoever looks first finishes a session whose time is over."""
    running = closing.finish(site.database, access.running.id, now())
    if running.closed_at is None:
        left = seconds_left(running.deadline, now())
        return RedirectResponse(f"/sessions/{running.id}/items/1", 303) if left else _closing_soon(request, access)
    with site.database.reading() as session:
        page = _end_page(request, session, access, running)
    if late:
        page = replace(page, notice=TOO_LATE)
    return show(request, page)


TOO_LATE = Notice(Tone.WARNING, "Your last change came after the end", LATE_WORDS)


def _closing_soon(request: Request, access: CandidateAccess) -> HTMLResponse:
    page = EndPage(
        shell=make_shell(request, "quiz"),
        title=access.quiz.title,
        team="",
        received="The time is over. What is on its way still counts for a few seconds: reload this page then.",
        answered=0,
        count=0,
        score="",
        later="",
        items=(),
        feedback=None,
    )
    return show(request, page)


def _end_page(request: Request, session: Session, access: CandidateAccess, running: QuizSession) -> EndPage:
    quiz, at = access.quiz, now()
    team = session.get_one(Team, quiz.team_id)
    zone = _zone(access, team)
    steps = _steps(session, running, 0)
    how = "You handed it in" if running.submitted else "The time ended it"
    ended = running.closed_at or at
    return EndPage(
        shell=make_shell(request, "quiz"),
        title=quiz.title,
        team=team.name,
        received=f"{how} at {show_time(ended, zone)}. Everything that was saved before counts.",
        answered=sum(step.answered for step in steps),
        count=len(steps),
        score=score_words(running) if may_see_score(quiz, running, at) else "",
        later=_later(access, zone, at),
        items=_own_items(steps, running) if may_see_items(quiz, running, at) else (),
        feedback=FormView(f"/sessions/{running.id}/notes/0", (FEEDBACK,), "Send"),
    )


FEEDBACK = Field(
    "text", "How was the quiz?", "textarea", required=False, attributes=(("rows", "4"), ("maxlength", "2000"))
)


def score_words(running: QuizSession) -> str:
    """Return the score of a session in words, for its candidate, where they may see it."""
    if running.points is None or not running.points_possible:
        return "It is being graded. Reload this page in a moment."
    share = 100 * running.points / running.points_possible
    error = "" if running.standard_error is None else f" ± {100 * running.standard_error:.0f}"
    return f"{running.points:g} of {running.points_possible:g} points, {share:.0f}{error} percent."


def _later(access: CandidateAccess, zone: str, at: datetime) -> str:
    quiz = access.quiz
    waits = "after_window" in {quiz.show_score, quiz.show_items}
    if not waits or may_see_items(quiz, access.running, at):
        return ""
    end = f"after {show_time(quiz.closes_at, zone)}" if quiz.closes_at else "when the quiz is closed"
    return f"Come back to this page {end} to see more."


def _own_items(steps: Sequence[StepView], running: QuizSession) -> tuple[OwnItemView, ...]:
    return tuple(
        OwnItemView(
            one.position, "answered" if one.answered else "left empty", f"/sessions/{running.id}/reveals/{one.position}"
        )
        for one in steps
    )


@router.post("/notes/{position}")
def send_note(access: CurrentCandidate, session: FormDb, fields: Form, position: int) -> Response:
    """Take a report about an item, or feedback on the quiz (position 0)."""
    tell(session, access.running.id, position or None, fields.get("text", ""), now())
    url = f"/sessions/{access.running.id}"
    return RedirectResponse(f"{url}/items/{position}" if position else f"{url}/end", 303)


@router.post("/signals")
def signal(access: CurrentCandidate, session: FormDb, fields: Form) -> JSONResponse:
    """Note that the page lost or regained the focus, where the quiz disclosed that it does."""
    kind = fields.get("kind", "")
    if not access.quiz.signals or kind not in SIGNAL_KINDS:
        raise ConflictError("This quiz records no such thing.")
    note_signal(session, access.running.id, kind, now())
    return JSONResponse({"state": "noted"})
