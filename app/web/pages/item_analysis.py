"""`…/results/items`: how the items of a quiz did over the first attempts of its candidates."""

from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.grading.item_analysis import FEWEST_FOR_A_CORRELATION, FEWEST_FOR_A_MEAN
from app.hiring.item_statistics import EMPTY, OTHER, RIGHT, ItemStatistics, OptionCount, QuizStatistics, statistics_of
from app.hiring.quizzes import find_quiz
from app.web.access import TeamReviewer
from app.web.account_views import LinkView
from app.web.analysis_views import ItemAnalysisPage, ItemAnalysisView, OptionCountView, PartCountView
from app.web.answers import PART_LEGENDS
from app.web.dependencies import Db
from app.web.pages.item_page import KIND_TITLES
from app.web.pages.reports import quiz_url
from app.web.pages.scores import estimate_words
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.report_views import CardView

router = APIRouter(prefix="/teams/{team_id}/quizzes/{quiz_id}")

COUNTED = {EMPTY: "left empty", RIGHT: "the observed value", OTHER: "another value"}


@router.get("/results/items")
def item_analysis(request: Request, access: TeamReviewer, session: Db, quiz_id: UUID) -> HTMLResponse:
    """Show difficulty, discrimination, option counts and reliability, each with how many people it rests on."""
    quiz = find_quiz(session, access.team.id, quiz_id)
    found = statistics_of(session, quiz)
    page = ItemAnalysisPage(
        shell=make_shell(request, "teams"),
        team=team_heading(access, "quizzes"),
        quiz=LinkView(f"{quiz_url(access, quiz)}/results", quiz.title),
        people=found.people,
        again=found.again,
        drawn=found.drawn,
        fewest_for_a_mean=FEWEST_FOR_A_MEAN,
        fewest_for_a_correlation=FEWEST_FOR_A_CORRELATION,
        cards=_cards(found),
        items=tuple(_item_view(one) for one in found.items),
    )
    return show(request, page)


def _cards(found: QuizStatistics) -> tuple[CardView, ...]:
    people = "first attempt" if found.people == 1 else "first attempts"
    left_out = f"{found.again} later ones of the same people are left out." if found.again else ""
    score = estimate_words(found.score, FEWEST_FOR_A_MEAN, percent=True)
    alpha = estimate_words(found.reliability, FEWEST_FOR_A_CORRELATION)
    caveat = "What a place measures together with the others, as far as they measure one thing."
    if found.drawn:
        caveat += " Items are drawn here: their differences count as error, so this is lower than without draws."
    return (
        CardView(str(found.people), people, left_out),
        CardView(score or "?", "mean score, in percent", "" if score else _too_few(FEWEST_FOR_A_MEAN)),
        CardView(
            alpha or "?", f"alpha, {found.places} places", caveat if alpha else _too_few(FEWEST_FOR_A_CORRELATION)
        ),
    )


def _too_few(fewest: int) -> str:
    return f"Too few to say, or all alike: it takes {fewest} people."


def _item_view(one: ItemStatistics) -> ItemAnalysisView:
    asked = 0 if one.difficulty is None else one.difficulty.count
    variant = one.variant
    return ItemAnalysisView(
        title=variant.title,
        topic=variant.words["topic"],
        kind=KIND_TITLES[variant.kind],
        level=variant.level,
        asked=asked,
        difficulty=estimate_words(one.difficulty, FEWEST_FOR_A_MEAN),
        discrimination=estimate_words(one.discrimination, FEWEST_FOR_A_CORRELATION),
        rests_on=0 if one.discrimination is None else one.discrimination.count,
        hint=_hint(one),
        parts=tuple(
            PartCountView(
                PART_LEGENDS.get(counted.part.name, counted.part.legend),
                tuple(_option_view(option, asked) for option in counted.options),
            )
            for counted in one.parts
        ),
    )


def _hint(one: ItemStatistics) -> str:
    """Return what to look at, where a figure that rests on enough people says so by more than twice its error."""
    found = one.discrimination
    if found is None or found.count < FEWEST_FOR_A_CORRELATION or found.standard_error is None:
        return ""
    if found.value + 2 * found.standard_error < 0:
        return "Who did well elsewhere did worse here. Read the item and its options again."
    return ""


def _option_view(one: OptionCount, asked: int) -> OptionCountView:
    return OptionCountView(
        text=COUNTED.get(one.option) or one.text or one.option,
        chosen=one.chosen,
        share=round(100 * one.chosen / asked) if asked else 0,
        right=f"right {one.right} times" if 0 < one.right < one.chosen else "right" if one.right else "",
    )
