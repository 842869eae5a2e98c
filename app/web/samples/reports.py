"""Made-up results and reports of a team, for the tests of the templates."""

from dataclasses import replace

from app.web.account_views import LinkView
from app.web.analysis_views import (
    CellView,
    ComparedRow,
    ComparedView,
    ComparisonPage,
    ItemAnalysisPage,
    ItemAnalysisView,
    OptionCountView,
    PartCountView,
)
from app.web.fields import FormView
from app.web.report_views import (
    AbsenceView,
    BeliefView,
    CardView,
    GivenView,
    InterviewSheetPage,
    LateView,
    MarkForm,
    MarkView,
    PointView,
    ReportItemPage,
    ReportItemView,
    ReportPage,
    ResultsPage,
    ResultView,
    ScoreLine,
    TalkView,
)
from app.web.samples.accounts import TEAM
from app.web.samples.reveals import right_reveal, wrong_reveal
from app.web.views import THEY, FollowUpView, Shell

QUIZ = LinkView("/teams/1/quizzes/1", "Slopes")
BELIEF = "A second `backward()` *replaces* the gradient."
GIVEN = (GivenView("Because", "The second call `replaces`.", ""), GivenView("The line", "Line 4", "z.add_(1)"))
Sample = ResultsPage | ReportPage | ReportItemPage | InterviewSheetPage | ItemAnalysisPage | ComparisonPage


def report_samples(shell: Shell) -> dict[str, Sample]:
    """Return results and reports, full and empty."""
    return _results(shell) | _reports(shell) | _items(shell) | _sheets(shell) | _analyses(shell) | _comparisons(shell)


def _results(shell: Shell) -> dict[str, Sample]:
    row = ResultView(
        "Ada", "ada@example.org", "finished", "2 of 3, 67 %", "± 33", "at or above the pass mark", "/sample", "1"
    )
    rows = (row, replace(row, session="2"), replace(row, score="", error="", url="", session=""))
    links = (LinkView("/sample", "Item analysis"), LinkView("/sample.csv", "CSV"))
    return {
        "results": ResultsPage(shell, TEAM, QUIZ, rows, "60 %", "/sample", links),
        "results-empty": ResultsPage(shell, TEAM, QUIZ, (), "", "", ()),
    }


def _reports(shell: Shell) -> dict[str, Sample]:
    item = ReportItemView(
        position=1,
        title="A square",
        topic="The basics",
        level=1,
        kind="edge case",
        outcome="wrong",
        tone="wrong",
        points="0 of 1",
        confidence="certain",
        time="1:42",
        beliefs_md=(BELIEF,),
        reason="Because.",
        marked="Marked: 1 of 2 points named, by Bo",
        notes=("Odd.",),
        late="1 save came after the end, kept apart: nothing of it counts.",
        url="/sample",
    )
    bare = replace(
        item,
        position=2,
        outcome="left empty",
        tone="info",
        confidence="",
        time="",
        beliefs_md=(),
        reason="",
        marked="",
        notes=(),
        late="",
    )
    report = ReportPage(
        shell=shell,
        team=TEAM,
        quiz=QUIZ,
        who="Ada",
        email="ada@example.org",
        taken="started 1 Dec 2026, 14:02 UTC, 31:04 of 45:00, handed in",
        score="2 of 3, 67 %",
        cards=(
            CardView("2", "of 3 points", "Standard error 0.9: between 1.1 and 2.9 two times in three."),
            CardView("1", "misconception held with confidence", BELIEF),
            CardView("2", "of 3 items answered", ""),
        ),
        mark_words="at or above the pass mark",
        facts=(("Extra time", "25 %"),),
        beliefs=(
            BeliefView(BELIEF, "certain", True, (LinkView("/sample", "1. A square"), LinkView("/sample", "3. Two"))),
            BeliefView("`.data` is safe.", "not said", False, (LinkView("/sample", "2. A cube"),)),
        ),
        topics=(ScoreLine("The basics", "2 of 3, 67 %", "± 33", 67), ScoreLine("Views", "0 of 1, 0 %", "", 0)),
        items=(item, bare),
        absences=(
            AbsenceView("1 Dec 2026, 14:04 UTC", "item 1", "0:12"),
            AbsenceView("1 Dec 2026, 14:09 UTC", "", "not known"),
        ),
        feedback=("Fine.",),
        links=(LinkView("/sample", "Interview sheet"), LinkView("/sample.csv", "CSV")),
        release=FormView("/sample", (), "Release the report"),
    )
    running = replace(
        report,
        email="",
        score="No score yet",
        cards=(),
        mark_words="",
        facts=(),
        beliefs=(),
        topics=(),
        items=(replace(bare, url=""),),
        absences=None,
        feedback=(),
        links=(),
        release=None,
    )
    return {"report": report, "report-running": running, "report-in-sight": replace(report, absences=())}


def _items(shell: Shell) -> dict[str, Sample]:
    right = replace(right_reveal(shell), voice=THEY, vary_url="")
    mark = MarkView("2 Dec 2026, 09:00 UTC", "Bo", ("names `both` paths",), "Clear and short.")
    page = ReportItemPage(
        shell=shell,
        team=TEAM,
        report=LinkView("/sample", "Report of Ada"),
        place="item 2 of 12",
        facts=(("Outcome", "wrong, 0 of 1 points"), ("Time open", "1:42, an estimate")),
        reveal=replace(wrong_reveal(right), voice=THEY, own_words="Two paths."),
        reason="Because both calls add.",
        marks=(mark, replace(mark, points_md=(), note="")),
        mark_form=MarkForm(
            "/sample", (PointView("point-1", "names `both` paths", True), PointView("point-2", "adds", False)), "Clear."
        ),
        late=(LateView("1 Dec 2026, 15:01 UTC", GIVEN, "Late words."), LateView("1 Dec 2026, 15:02 UTC", (), "")),
        notes=("Odd.",),
        previous_url="/sample",
        next_url="/sample",
    )
    bare = replace(
        page, reveal=right, reason="", marks=(), mark_form=None, late=(), notes=(), previous_url=None, next_url=None
    )
    only_note = replace(bare, mark_form=MarkForm("/sample", (), ""))
    return {"report-item": page, "report-item-bare": bare, "report-item-no-rubric": only_note}


def _sheets(shell: Shell) -> dict[str, Sample]:
    point = TalkView(
        place="item 4, certain and wrong",
        title="A square",
        url="/sample",
        about="The basics, level 1",
        reveal=replace(wrong_reveal(right_reveal(shell)), voice=THEY),
        beliefs_md=(BELIEF,),
        reason="Because both calls add.",
        good_answer_md=("Names `both` paths",),
        red_flags_md=("Expects an error",),
        follow_up=FollowUpView("What if it were `exp()`?", "import torch\nprint(torch.ones(()).exp())\n"),
    )
    bare = replace(point, beliefs_md=(), reason="", good_answer_md=(), red_flags_md=(), follow_up=None)
    asked = replace(bare, follow_up=FollowUpView("How would you find this?", ""))
    sheet = InterviewSheetPage(
        shell, TEAM, LinkView("/sample", "Report of Ada"), "Slopes", "Ada", "2 of 3, 67 % ± 33", (point, asked, bare)
    )
    return {"interview": sheet, "interview-empty": replace(sheet, score="", points=())}


def _analyses(shell: Shell) -> dict[str, Sample]:
    options = (
        OptionCountView("The second call replaces.", 9, 30, ""),
        OptionCountView("The second call adds.", 20, 67, "right"),
        OptionCountView("left empty", 1, 3, ""),
    )
    item = ItemAnalysisView(
        title="A square",
        topic="The basics",
        kind="true or false",
        level=1,
        asked=30,
        difficulty="0.62 ± 0.09",
        discrimination="0.3 ± 0.2",
        rests_on=30,
        hint="Who did well elsewhere did worse here.",
        parts=(PartCountView("Because", options), PartCountView("What `w` holds", options[2:])),
    )
    few = replace(item, asked=3, difficulty="", discrimination="", rests_on=3, hint="", parts=())
    page = ItemAnalysisPage(
        shell=shell,
        team=TEAM,
        quiz=QUIZ,
        people=30,
        again=2,
        drawn=True,
        fewest_for_a_mean=5,
        fewest_for_a_correlation=20,
        cards=(CardView("30", "first attempts", "2 left out."), CardView("0.7 ± 0.1", "alpha, 12 places", "")),
        items=(item, few),
    )
    return {"item-analysis": page, "item-analysis-empty": replace(page, people=0, again=0, drawn=False, items=())}


def _comparisons(shell: Shell) -> dict[str, Sample]:
    ada = ComparedView("Ada", "/sample", "2 of 3, 67 %", "± 33", "started 1 Dec 2026, 14:02 UTC")
    right, wrong = CellView("right", "right", "1 of 1, certain, 1:42"), CellView("wrong", "wrong", "0 of 1")
    return {
        "comparison": ComparisonPage(
            shell=shell,
            team=TEAM,
            quiz=QUIZ,
            candidates=(ada, replace(ada, who="Bo", error="")),
            differences=("Ada is 33 percent points above Bo, with a standard error of 33: within error.",),
            topics=(ComparedRow("The basics", "", (CellView("", "2 of 3, 67 %", "± 33"), None)),),
            items=(
                ComparedRow("A square", "The basics, edge case", (right, wrong)),
                ComparedRow("Two", "", (None, right)),
            ),
        )
    }
