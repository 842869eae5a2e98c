"""`…/sessions/{id}` of a team: the report of one session, and its release."""

from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.clock import now
from app.errors import NotFoundError
from app.hiring import closing
from app.hiring.quizzes import find_quiz
from app.hiring.review_marks import rubric_of
from app.hiring.score_reports import BeliefSeen, ReportItem, ScoreReport, release, report_of
from app.models import Quiz, QuizSession
from app.web.access import TeamAccess, TeamAuthor, TeamReviewer
from app.web.account_views import LinkView
from app.web.answers import CONFIDENCE_LABELS
from app.web.dependencies import CurrentSite
from app.web.fields import FormView
from app.web.forms import FormDb
from app.web.pages.item_page import KIND_TITLES
from app.web.pages.outcomes import outcome_words, tone_of
from app.web.pages.scores import (
    duration_words,
    error_sentence,
    error_words,
    mark_words,
    points_words,
    rounded,
    score_words,
)
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.pages.times import show_time
from app.web.report_views import AbsenceView, BeliefView, CardView, ReportItemView, ReportPage, ScoreLine

router = APIRouter(prefix="/teams/{team_id}/quizzes/{quiz_id}")


def quiz_url(access: TeamAccess, quiz: Quiz) -> str:
    """Return the address of a quiz for its team."""
    return f"/teams/{access.team.id}/quizzes/{quiz.id}"


def outcome_of(one: ReportItem) -> tuple[str, str]:
    """Return the tone of an item's outcome, and the outcome in a few words."""
    if one.outcome is None:
        return "info", "not graded yet"
    if one.withdrawn:
        return "info", "withdrawn, full credit"
    if not one.answered:
        return "info", "left empty"
    return str(tone_of(one.outcome)), outcome_words(one.outcome)


def earned_words(one: ReportItem) -> str:
    """Return the points of an item, nothing before it was graded."""
    return "" if one.grade is None else points_words(one.grade.credit * one.points, one.points)


def _late_words(one: ReportItem) -> str:
    if not one.late:
        return ""
    saves = "1 save" if len(one.late) == 1 else f"{len(one.late)} saves"
    return f"{saves} came after the end, kept apart: nothing of it counts."


def _marked_words(one: ReportItem) -> str:
    if not one.marks:
        return ""
    newest, of = one.marks[0], len(rubric_of(one.item))
    named = f"{len(newest.points_named)} of {of} points named" if of else "a note"
    return f"Marked: {named}, by {newest.by or 'somebody who left'}"


def _item_view(one: ReportItem, url: str) -> ReportItemView:
    tone, words = outcome_of(one)
    sentences = one.variant.words["misconceptions"]
    return ReportItemView(
        position=one.position,
        title=one.variant.title,
        topic=one.variant.words["topic"],
        level=one.variant.level,
        kind=KIND_TITLES[one.variant.kind],
        outcome=words,
        tone=tone,
        points=earned_words(one),
        confidence=CONFIDENCE_LABELS[one.confidence] if one.confidence else "",
        time=duration_words(one.seconds),
        beliefs_md=tuple(sentences.get(name, name) for name in one.misconceptions),
        reason="" if one.saved is None else one.saved.reason,
        marked=_marked_words(one),
        notes=tuple(note.text for note in one.notes),
        late=_late_words(one),
        url=url and f"{url}/items/{one.position}",
    )


def _facts(report: ScoreReport, zone: str) -> tuple[tuple[str, str], ...]:
    running = report.running
    facts = []
    if running.extra_percent or running.added_minutes:
        extra = [f"{running.extra_percent} %"] if running.extra_percent else []
        extra += [f"{running.added_minutes} minutes added by hand"] if running.added_minutes else []
        facts.append(("Extra time", ", ".join(extra)))
    if report.late:
        facts.append(("Too late", f"{report.late} saves came after the end; they are kept and count nothing"))
    if running.revision > 1:
        facts.append(("Graded", f"{running.revision} times; this is the newest"))
    if running.released_at is not None:
        facts.append(("Released", show_time(running.released_at, zone)))
    return tuple(facts)


def taken_words(report: ScoreReport, zone: str) -> str:
    """Return when a session was taken, how long it took and how it ended."""
    running = report.running
    started = f"started {show_time(running.started_at, zone)}"
    if running.closed_at is None:
        return f"{started}, still running"
    end = min(running.closed_at, running.deadline)
    used = duration_words((end - running.started_at).total_seconds())
    allowed = duration_words((running.deadline - running.started_at).total_seconds())
    return f"{started}, {used} of {allowed}, {'handed in' if running.submitted else 'ended by the clock'}"


def _belief_view(one: BeliefSeen, report: ScoreReport, url: str) -> BeliefView:
    return BeliefView(
        sentence_md=one.sentence,
        sure=CONFIDENCE_LABELS[one.confidence] if one.confidence else "not said",
        confident=one.confident,
        items=tuple(
            LinkView(f"{url}/items/{place}", f"{place}. {report.item(place).variant.title}") for place in one.positions
        ),
    )


def _cards(report: ScoreReport) -> tuple[CardView, ...]:
    score = report.score
    if score is None:
        return ()
    sure = [one for one in report.beliefs if one.confident]
    listed = sure or report.beliefs
    said = "; ".join(f"{one.sentence} (item{'s' if len(one.positions) > 1 else ''} {_listed(one)})" for one in listed)
    of = "held with confidence" if sure else "seen"
    answered = [one for one in report.items if one.answered]
    timed = [one for one in report.items if one.seconds is not None]
    slowest = max(timed, key=lambda one: one.seconds or 0.0, default=None)
    pace = "" if slowest is None else f"Longest open: item {slowest.position}, {duration_words(slowest.seconds)}."
    return (
        CardView(rounded(score.earned), f"of {rounded(score.possible)} points", error_sentence(score)),
        CardView(
            str(len(listed)),
            f"misconception{'' if len(listed) == 1 else 's'} {of}",
            said or "No wrong answer stands for a misconception that its item names.",
        ),
        CardView(str(len(answered)), f"of {len(report.items)} items answered", pace),
    )


def _listed(one: BeliefSeen) -> str:
    return ", ".join(map(str, one.positions))


def _absence_views(report: ScoreReport, zone: str) -> tuple[AbsenceView, ...] | None:
    if report.absences is None:
        return None
    return tuple(
        AbsenceView(
            at=show_time(one.at, zone),
            where="" if one.position is None else f"item {one.position}",
            length="not known" if one.seconds is None else duration_words(one.seconds),
        )
        for one in report.absences
    )


def _report_page(request: Request, access: TeamAccess, quiz: Quiz, report: ScoreReport) -> ReportPage:
    url = f"{quiz_url(access, quiz)}/sessions/{report.running.id}"
    ended = report.running.closed_at is not None
    zone = access.team.time_zone
    return ReportPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "quizzes"),
        quiz=LinkView(f"{quiz_url(access, quiz)}/results", quiz.title),
        who=report.who,
        email=report.invitation.email,
        taken=taken_words(report, zone),
        score=score_words(report.score) or "No score yet",
        cards=_cards(report),
        mark_words=mark_words(quiz, report.score),
        facts=_facts(report, zone),
        beliefs=tuple(_belief_view(one, report, url) for one in report.beliefs),
        topics=tuple(
            ScoreLine(name, score_words(one), error_words(one), round(100 * one.share))
            for name, one in report.topics.items()
        ),
        items=tuple(_item_view(one, url if ended else "") for one in report.items),
        absences=_absence_views(report, zone),
        feedback=tuple(note.text for note in report.notes),
        links=(
            *([LinkView(f"{url}/interview", "Interview sheet")] if ended else []),
            *(LinkView(f"{url}/report.{kind}", kind.upper()) for kind in ("csv", "xlsx", "json")),
        ),
        release=FormView(f"{url}/release", (), "Release the report") if _is_to_release(report) else None,
    )


def _is_to_release(report: ScoreReport) -> bool:
    return report.running.released_at is None and report.running.closed_at is not None


@router.get("/sessions/{session_id}")
def report_page(
    request: Request, site: CurrentSite, access: TeamReviewer, quiz_id: UUID, session_id: UUID
) -> HTMLResponse:
    """Show the report of one session; whoever looks first finishes one whose time is over."""
    with site.database.reading() as session:
        quiz = find_quiz(session, access.team.id, quiz_id)
        session_of(session.get(QuizSession, session_id), quiz)
    closing.finish(site.database, session_id, now())
    with site.database.reading() as session:
        return show(request, _report_page(request, access, quiz, report_of(session, quiz, session_id)))


def session_of(running: QuizSession | None, quiz: Quiz) -> QuizSession:
    """Return a session of this very quiz.

    Raises `NotFoundError`.
    """
    if running is None or running.quiz_id != quiz.id:
        raise NotFoundError("The quiz has no such session.")
    return running


@router.post("/sessions/{session_id}/release")
def release_report(access: TeamAuthor, session: FormDb, quiz_id: UUID, session_id: UUID) -> Response:
    """Make a report final."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    running = session_of(session.get(QuizSession, session_id), quiz)
    release(session, running, access.team.id, access.account.id, now())
    return RedirectResponse(f"{quiz_url(access, quiz)}/sessions/{session_id}", 303)
