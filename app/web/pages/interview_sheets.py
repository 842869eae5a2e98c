"""`…/sessions/{id}/interview`: what to talk about with a candidate, on screen and on paper."""

from dataclasses import replace
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.bank.item import Interview
from app.errors import ConflictError
from app.grading.grade import Confidence
from app.hiring.interview_sheet import Why, talking_points
from app.hiring.quizzes import find_quiz
from app.hiring.score_reports import ReportItem, report_of
from app.web.access import TeamReviewer
from app.web.account_views import LinkView
from app.web.answers import CONFIDENCE_LABELS
from app.web.dependencies import Db
from app.web.pages.report_items import revealed
from app.web.pages.reports import quiz_url
from app.web.pages.scores import error_words, score_words
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.report_views import InterviewSheetPage, TalkView
from app.web.views import THEY, FollowUpView, RevealPage, SectionView, Shell

router = APIRouter(prefix="/teams/{team_id}/quizzes/{quiz_id}")

WHY = {
    Why.CONFIDENTLY_WRONG: "wrong",
    Why.PARTLY_RIGHT: "partly right",
    Why.RIGHT_BUT_A_GUESS: "right",
    Why.WRONG: "wrong",
    Why.LEFT_EMPTY: "left empty",
    Why.RIGHT: "right",
}
IMPORT = "import torch\n"  # what the bank's snippets are run with


@router.get("/sessions/{session_id}/interview")
def interview_sheet(
    request: Request, access: TeamReviewer, session: Db, quiz_id: UUID, session_id: UUID
) -> HTMLResponse:
    """Show the three best things to talk about."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    report = report_of(session, quiz, session_id)
    if report.running.closed_at is None:
        raise ConflictError("The session still runs. Its sheet can be printed when it has ended.")
    shell, url = make_shell(request, "teams"), f"{quiz_url(access, quiz)}/sessions/{session_id}"
    page = InterviewSheetPage(
        shell=shell,
        team=team_heading(access, "quizzes"),
        report=LinkView(url, f"Report of {report.who}"),
        quiz=quiz.title,
        who=report.who,
        score=f"{score_words(report.score)} {error_words(report.score)}".strip(),
        points=tuple(
            _talk_view(shell, one, why, f"{url}/items/{one.position}") for one, why in talking_points(report.items)
        ),
    )
    return show(request, page)


def _talk_view(shell: Shell, one: ReportItem, why: Why, url: str) -> TalkView:
    interview = one.item.interview or Interview()
    sentences = one.variant.words["misconceptions"]
    return TalkView(
        place=f"item {one.position}, {_sure(one.confidence)}{WHY[why]}",
        title=one.variant.title,
        url=url,
        about=f"{one.variant.words['topic']}, level {one.variant.level}",
        reveal=_shortened(revealed(shell, one, THEY, "")),
        beliefs_md=tuple(sentences.get(name, name) for name in one.misconceptions),
        reason="" if one.saved is None else one.saved.reason,
        good_answer_md=interview.good_answer,
        red_flags_md=interview.red_flags,
        follow_up=_follow_up(interview),
    )


def _sure(confidence: Confidence | None) -> str:
    if confidence is None:
        return ""
    return "guessed and " if confidence is Confidence.GUESS else f"{CONFIDENCE_LABELS[confidence]} and "


def _follow_up(interview: Interview) -> FollowUpView | None:
    """Return the first follow-up that can be run, as it can be run; the first question where none can."""
    asked = sorted(interview.follow_ups, key=lambda one: one.snippet is None)
    if not asked:
        return None
    snippet = asked[0].snippet or ""
    return FollowUpView(asked[0].text, snippet if not snippet or IMPORT in snippet else IMPORT + snippet)


def _shortened(page: RevealPage) -> RevealPage:
    """Return a reveal with the options that were chosen or are right: enough for a conversation, and for one page."""
    sections = (
        SectionView(one.legend, tuple(option for option in one.options if option.yours or option.right), one.lines)
        for one in page.sections
    )
    return replace(page, sections=tuple(sections))
