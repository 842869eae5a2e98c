"""Made-up histories: with much to say, with little, and with nothing; and the pages around them."""

from dataclasses import replace
from datetime import date

from app.history.figures import Share as Counted
from app.history.figures import Unit, buckets_of, speed_of, streak_of, sureness_of
from app.models.practice_total import Tally
from app.web.history_views import (
    AttemptList,
    AttemptRow,
    BeliefPage,
    BeliefRow,
    BeliefsPage,
    HistoryFigures,
    HistoryPage,
    Picker,
    QuizTakenRow,
    QuizzesTakenPage,
    ThenNowPage,
    ThenNowRow,
)
from app.web.pages import charts
from app.web.pages.history_words import sureness_words
from app.web.samples.texts import BELIEF, STRANGE, TWO_PASSES, TWO_PASSES_HEADING
from app.web.views import Choice, ItemLink, Link, Shell, Tone

TALLY = Tally(40, 29, 31.5, 9, 4, 14, 10, 12, 11, 2, 9, 14, 10, 4, 1)
PERIODS = (Choice("", "all of it", True, 0), Choice("30-days", "the last 30 days", False, 0))
BEGIN = Link("/practice", "Answer a first item")


def attempt_rows() -> tuple[AttemptRow, ...]:
    """Return three attempts: right, in part, wrong."""
    about = TWO_PASSES_HEADING
    row = AttemptRow(
        url="/attempts/4",
        title=about.title,
        topic=about.topic,
        kind=about.kind,
        level=about.level,
        tone=Tone.RIGHT,
        outcome="right",
        confidence="fairly sure",
        when="1 Dec 2026, 14:02 UTC",
        when_iso="2026-12-01T14:02:00+00:00",
        took="42 s",
    )
    partly = replace(row, url="/attempts/3", tone=Tone.PARTLY, outcome="verdict only", confidence="", mode="deck")
    wrong = replace(row, url="/attempts/2", title="Five lines", tone=Tone.WRONG, outcome="wrong", confidence="certain")
    return row, partly, replace(wrong, topic="In-place")


def belief_rows_sample() -> tuple[BeliefRow, ...]:
    """Return the ledger: one belief held as certain, and one not."""
    row = BeliefRow(BELIEF, "/history/beliefs/data", 4, "3 of 4 certain", "23 Nov 2026", "/attempts/2")
    return row, replace(row, sentence_md="`detach()` copies the data.", seen=1, sure="")


def figures_sample() -> HistoryFigures:
    """Return every figure, of made-up totals."""
    months = {date(2026, month, 1): replace(TALLY, right=15 + 2 * month) for month in (6, 7, 8, 10, 11)}
    found = sureness_of(TALLY)
    return HistoryFigures(
        over_time=charts.over_time(*buckets_of(months, Unit.MONTH)),
        sureness=charts.sureness(found),
        sureness_words=sureness_words(found),
        speed=charts.speed(speed_of(TALLY)),
        topics=(
            charts.share_row("Accumulation", "/history?topic=accumulation", Counted(23, 25)),
            charts.share_row("In-place", "/history?topic=in-place", Counted(8, 18)),
        ),
        levels=(charts.share_row("2, core", "", Counted(31, 43)),),
        beliefs=belief_rows_sample(),
        more_beliefs=5,
        days=charts.days(streak_of((date(2026, 12, 1), date(2026, 11, 30), date(2026, 11, 20)), date(2026, 12, 1))),
    )


def histories(shell: Shell) -> tuple[HistoryPage, ...]:
    """Return histories: with much to say, of a day, of one answer, of which a filter leaves nothing, and empty."""
    summary = f"You are right on 73 % of 200 answers. One belief costs you most: *{BELIEF}*, four times."
    rows, full = attempt_rows(), figures_sample()
    page = HistoryPage(
        shell=shell,
        summary_md=summary,
        next_link=Link("/practice/next?topic=in-place", "Practise In-place"),
        next_why="There that belief showed most.",
        filters=(Picker("period", "Time", PERIODS),),
        filtered=True,
        figures=full,
        attempts=AttemptList(rows, "/history?after=2", "/history?before=2"),
    )
    sparse = HistoryFigures(None, None, (), None, (), (), full.beliefs[1:], 0, None)
    single = replace(full, over_time=charts.over_time(*buckets_of({date(2026, 12, 1): Tally(6, 5, 5.0)}, Unit.DAY)))
    one = replace(
        page,
        summary_md="One answer, and it is right. A few more, and this page says where you stand.",
        filters=(),
        filtered=False,
        figures=sparse,
        attempts=AttemptList(rows[:1]),
    )
    nothing = replace(page, summary_md="None of your 200 answers fits these filters.", figures=None)
    empty = replace(one, summary_md="Nothing yet.", next_link=BEGIN, filters=(), figures=None)
    day = replace(page, filtered=False, figures=single, attempts=AttemptList(rows))
    return page, day, one, replace(nothing, attempts=AttemptList()), replace(empty, attempts=AttemptList())


def history_samples(shell: Shell) -> dict[str, BeliefPage | BeliefsPage | QuizzesTakenPage | ThenNowPage]:
    """Return the pages around the history, full and empty."""
    item = ItemLink("/practice/five-lines", "Five lines", "In-place", "spot the error", 2, "wrong")
    taken = QuizTakenRow(
        "/sessions/1", "Slopes", "Vision group", "1 Dec 2026, 14:02 UTC", "ended by the clock", "2 of 3 points", True
    )
    belief = BeliefPage(shell, BELIEF, "storage aliasing", AttemptList(attempt_rows()), (item,))
    return {
        "beliefs": BeliefsPage(shell, belief_rows_sample()),
        "beliefs-empty": BeliefsPage(shell, ()),
        "then-now": then_now(shell),
        "quizzes-taken": QuizzesTakenPage(shell, (taken, replace(taken, score="", items=False, state="handed in"))),
        "quizzes-taken-none": QuizzesTakenPage(shell, ()),
        "belief": belief,
        "belief-empty": replace(belief, axis="", attempts=AttemptList(), items=()),
    }


def then_now(shell: Shell) -> ThenNowPage:
    """Return an attempt of which another answer is right today."""
    row = ThenNowRow("Reason 1", "second == first", "not right: 40.0 and 20.0", "not right: 40.0 and 20.0", False)
    return ThenNowPage(
        shell=shell,
        title=TWO_PASSES_HEADING.title,
        attempt_url="/attempts/4",
        again_url="/attempts/4/again",
        tone=Tone.WARNING,
        verdict="Run today, another answer is right.",
        detail="Your answer was right then, but would be not right now. What is stored stays as it was.",
        then_words="torch 2.9.0, Python 3.11.2, 1 Dec 2026",
        now_words="torch 2.13.0, Python 3.11.2",
        snippet=TWO_PASSES,
        rows=(row, replace(row, what="The snippet", code="", now=STRANGE, differs=True)),
    )
