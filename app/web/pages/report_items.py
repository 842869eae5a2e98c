"""One item of a session with all that was observed: for a team with its marks, for a candidate where it is shown."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.bank.evidence import read_reading
from app.bank.receipts import receipt
from app.clock import now
from app.errors import ConflictError, NotFoundError
from app.grading.grade import Response as Entered
from app.grading.grade import blank, grade
from app.hiring.quizzes import find_quiz
from app.hiring.review_marks import Mark, add_mark, rubric_of
from app.hiring.score_reports import ReportItem, reading_of, report_of
from app.hiring.visibility import may_see_items
from app.models import Attempt, QuizSession
from app.web.access import CurrentCandidate, TeamReviewer
from app.web.account_views import LinkView
from app.web.dependencies import Db
from app.web.forms import Form, FormDb
from app.web.pages.given import given_views
from app.web.pages.reports import earned_words, outcome_of, quiz_url
from app.web.pages.reveal import reveal_page, sureness_words
from app.web.pages.scores import duration_words
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.pages.times import show_time
from app.web.report_views import LateView, MarkForm, MarkView, PointView, ReportItemPage
from app.web.views import THEY, YOU, RevealPage, Shell, Voice

team_router = APIRouter(prefix="/teams/{team_id}/quizzes/{quiz_id}")
candidate_router = APIRouter(prefix="/sessions/{session_id}")


def revealed(shell: Shell, one: ReportItem, voice: Voice, zone: str) -> RevealPage:
    """Return the reveal of one item, made of what is stored with the session; its links lead nowhere yet."""
    reading = reading_of(one)
    response = one.response or blank(one.item)
    shown = Attempt(
        created_at=one.variant.checked_at,
        variant=one.variant.variant,
        words=one.variant.words,
        response=response.to_json(),
        outcome=(one.outcome or grade(response, read_reading(reading).key)).to_json(),
        reading=dict(reading),
    )
    page = reveal_page(shell, shown, voice=voice)
    saved = "" if one.saved is None else f"Saved {show_time(one.saved.received_at, zone)}."
    return replace(
        page,
        verdict=page.verdict if _is_whole(one) else "Nothing, or not everything, was entered here.",
        verdict_detail=f"{sureness_words(response, voice)}{saved}",
        vary_url="",
    )


def _is_whole(one: ReportItem) -> bool:
    response = one.response or Entered({})
    return any(response.entries) or all(name in response.choices for name in one.key.right)


def _mark_view(mark: Mark, rubric: Sequence[str], zone: str) -> MarkView:
    return MarkView(
        when=show_time(mark.at, zone),
        by=mark.by or "somebody who left",
        points_md=tuple(rubric[place - 1] for place in mark.points_named if place <= len(rubric)),
        note=mark.note,
    )


def _mark_form(one: ReportItem, url: str) -> MarkForm | None:
    """Return the form for a reviewer where the candidate wrote something in their own words."""
    words = (one.response.own_words if one.response else "") or (one.saved.reason if one.saved else "")
    if not words:
        return None
    newest = one.marks[0] if one.marks else None
    named = set(newest.points_named if newest else ())
    points = tuple(
        PointView(f"point-{place}", text, place in named) for place, text in enumerate(rubric_of(one.item), 1)
    )
    return MarkForm(f"{url}/marks", points, newest.note if newest else "")


@team_router.get("/sessions/{session_id}/items/{position}")
def report_item(
    request: Request, access: TeamReviewer, session: Db, quiz_id: UUID, session_id: UUID, position: int
) -> HTMLResponse:
    """Show one item with the frozen variant, the response and all that was observed."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    report = report_of(session, quiz, session_id)
    one = report.item(position)
    if report.running.closed_at is None:
        raise ConflictError("The session still runs. Its items are shown with their keys when it has ended.")
    shell, zone = make_shell(request, "teams"), access.team.time_zone
    back = f"{quiz_url(access, quiz)}/sessions/{session_id}"
    reveal = replace(revealed(shell, one, THEY, zone), next_url=back, next_label="Back to the report")
    reveal = replace(reveal, receipt_url=f"{back}/items/{position}/receipt.py")
    earlier, later = position - 1, position + 1
    page = ReportItemPage(
        shell=shell,
        team=team_heading(access, "quizzes"),
        report=LinkView(back, f"Report of {report.who}"),
        place=f"item {position} of {len(report.items)}",
        facts=_item_facts(one),
        reveal=reveal,
        reason="" if one.saved is None else one.saved.reason,
        marks=tuple(_mark_view(mark, rubric_of(one.item), zone) for mark in one.marks),
        mark_form=_mark_form(one, f"{back}/items/{position}"),
        late=tuple(
            LateView(
                show_time(save.received_at, zone),
                given_views(one.frozen, Entered.from_json(save.response)),
                save.reason,
            )
            for save in one.late
        ),
        notes=tuple(note.text for note in one.notes),
        previous_url=f"{back}/items/{earlier}" if earlier else None,
        next_url=f"{back}/items/{later}" if later <= len(report.items) else None,
    )
    return show(request, page)


def _item_facts(one: ReportItem) -> tuple[tuple[str, str], ...]:
    _, words = outcome_of(one)
    facts = [("Outcome", f"{words}, {earned_words(one)} points")]
    if one.seconds is not None:
        facts.append(("Time open", f"{duration_words(one.seconds)}, an estimate"))
    if one.rescore is not None:
        facts.append(("Graded anew", one.rescore.reason))
    return tuple(facts)


@team_router.post("/sessions/{session_id}/items/{position}/marks")
def mark_item(
    access: TeamReviewer, session: FormDb, fields: Form, quiz_id: UUID, session_id: UUID, position: int
) -> Response:
    """Take a reviewer's marks of the candidate's own words."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    one = report_of(session, quiz, session_id).item(position)
    url = f"{quiz_url(access, quiz)}/sessions/{session_id}/items/{position}"
    if _mark_form(one, url) is None:
        raise ConflictError("The candidate wrote nothing in their own words here, so there is nothing to mark.")
    rubric = rubric_of(one.item)
    add_mark(
        session,
        session.get_one(QuizSession, session_id),
        position,
        access.account.id,
        now(),
        rubric=rubric,
        points_named=[place for place in range(1, len(rubric) + 1) if fields.get(f"point-{place}") == "on"],
        note=fields.get("note", ""),
        team_id=access.team.id,
    )
    return RedirectResponse(f"{url}#marks", 303)


@candidate_router.get("/reveals/{position}")
def own_item(request: Request, access: CurrentCandidate, session: Db, position: int) -> HTMLResponse:
    """Show a candidate one of their items, where and when the quiz says so."""
    if not may_see_items(access.quiz, access.running, now()):
        raise NotFoundError("This quiz does not show its items now.")
    one = report_of(session, access.quiz, access.running.id).item(position)
    page = revealed(make_shell(request, "quiz"), one, YOU, access.invitation.time_zone)
    url = f"/sessions/{access.running.id}"
    page = replace(page, receipt_url=f"{url}/reveals/{position}/receipt.py")
    return show(request, replace(page, next_url=f"{url}/end", next_label="Back"))


@candidate_router.get("/reveals/{position}/receipt.py")
def own_receipt(access: CurrentCandidate, session: Db, position: int) -> Response:
    """Return the receipt of one of their items to a candidate, where and when the quiz says so."""
    if not may_see_items(access.quiz, access.running, now()):
        raise NotFoundError("This quiz does not show its items now.")
    return _receipt(report_of(session, access.quiz, access.running.id).item(position))


@team_router.get("/sessions/{session_id}/items/{position}/receipt.py")
def team_receipt(access: TeamReviewer, session: Db, quiz_id: UUID, session_id: UUID, position: int) -> Response:
    """Return the receipt of an item, once its session has ended."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    report = report_of(session, quiz, session_id)
    if report.running.closed_at is None:
        raise ConflictError("The session has not ended. Its keys, and so its receipts, can be read then.")
    return _receipt(report.item(position))


def _receipt(one: ReportItem) -> Response:
    name = f"receipt-{one.variant.item_id}-{one.variant.number}.py"
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    text = receipt(one.frozen, read_reading(reading_of(one)))
    return Response(text, media_type="text/x-python", headers=headers)


ROUTERS: Sequence[APIRouter] = (team_router, candidate_router)
