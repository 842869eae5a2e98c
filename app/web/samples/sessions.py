"""Made-up pages of a candidate, for the tests of the templates."""

from dataclasses import replace

from app.web.fields import Field, FormView
from app.web.samples.items import edge_case, true_false, why
from app.web.session_views import (
    ClockView,
    EndPage,
    FactView,
    FinishPage,
    LandingPage,
    OwnItemView,
    QuestionView,
    SessionItemPage,
    StepView,
)
from app.web.views import ItemPage, Notice, ReasonView, Shell, Tone

CLOCK = ClockView("2026-12-01T15:00:00+00:00", "1 Dec 2026, 15:00 UTC", 754, "/sessions/1/time")
STEPS = (
    StepView(1, "/sessions/1/items/1", True, True, False),
    StepView(2, "/sessions/1/items/2", False, False, True),
    StepView(3, "/sessions/1/items/3", False, False, False),
)


def _question(page: ItemPage) -> QuestionView:
    return QuestionView(
        page.prompt_md, page.snippet, page.question_md, page.parts, page.entries, page.reason, page.confidence
    )


def session_samples(shell: Shell) -> dict[str, LandingPage | SessionItemPage | FinishPage | EndPage]:
    """Return each page of a candidate in every state that looks different."""
    landing = LandingPage(
        shell=shell,
        title="Slopes",
        team="Vision group",
        hello="Hello Ada,",
        introduction_md="Take your *time*.",
        facts=(FactView("Time", "30 minutes."), FactView("Items", "3, each about a short snippet.")),
        recorded=("what you enter", "which item you opened and when"),
        start=FormView("/invitations/x/start", (), "Start the clock"),
        rehearsal_url="/invitations/x/rehearsal/1",
        resume_url=None,
        why_not="",
        kept="It is kept for 30 days after the end.",
    )
    item = SessionItemPage(
        shell=shell,
        title="Slopes",
        position=1,
        count=3,
        question=_question(true_false(shell)),
        steps=STEPS,
        clock=CLOCK,
        action="/sessions/1/items/1",
        save_url="/sessions/1/responses/1",
        epoch=4,
        kept_epoch=3,
        sequence=0,
        flagged=False,
        own_reason=ReasonView("Say why, in your own words", "Because."),
        signals_url="/sessions/1/signals",
        finish_url="/sessions/1/finish",
        report=FormView("/sessions/1/notes/1", (Field("text", "What is wrong?", "textarea"),), "Report it"),
    )
    stale = Notice(Tone.WARNING, "This quiz was opened somewhere else since", "What you see is what is kept.")
    end = EndPage(
        shell=shell,
        title="Slopes",
        team="Vision group",
        received="You handed it in at 14:20 UTC.",
        answered=2,
        count=3,
        score="2 of 3 points, 67 ± 33 percent.",
        later="",
        items=(
            OwnItemView(1, "answered", "/sessions/1/reveals/1"),
            OwnItemView(2, "left empty", "/sessions/1/reveals/2"),
        ),
        feedback=FormView("/sessions/1/notes/0", (Field("text", "How was it?", "textarea"),), "Send"),
        notice=Notice(Tone.WARNING, "Your last change came after the end", "It does not count."),
    )
    return {
        "landing": landing,
        "landing-resume": replace(landing, start=None, rehearsal_url=None, resume_url="/sessions/1/items/1"),
        "landing-gone": replace(landing, start=None, why_not="It has expired."),
        "session-item": item,
        "session-value": replace(
            item, question=_question(edge_case(true_false(shell), free=True)), position=2, notice=stale, flagged=True
        ),
        "session-why": replace(
            item, question=_question(why(true_false(shell))), position=3, own_reason=None, signals_url=""
        ),
        "rehearsal": replace(item, clock=None, report=None),
        "finish": FinishPage(
            shell, "Slopes", STEPS, CLOCK, FormView("/sessions/1/finish", (), "Hand it in"), "/sessions/1"
        ),
        "end": end,
        "end-wait": replace(end, team="", count=0, score="", items=(), feedback=None, notice=None, later="Come back."),
    }
