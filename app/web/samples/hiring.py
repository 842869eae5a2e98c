"""Made-up pages of a team about its quizzes, for the tests of the templates."""

from dataclasses import replace

from app.web.account_views import LinkView
from app.web.fields import Field, FormView
from app.web.hiring_views import FactRow, QuizFormPage, QuizPage, QuizRow, QuizzesPage, ReadyMadeView, SlotView
from app.web.pages.quiz_forms import settings_form
from app.web.samples.accounts import TEAM
from app.web.views import Notice, Shell, Tone

BUTTON = FormView("/sample", (), "Up")


def hiring_samples(shell: Shell) -> dict[str, QuizzesPage | QuizFormPage | QuizPage]:
    """Return each page with everything it can hold, and again with as little as it can."""
    row = QuizRow("/teams/1/quizzes/1", "Slopes", "published", 12, 40, 9, 7, 5)
    ready = ReadyMadeView(
        "Autograd, first half", "What a graph records.", 10, 30, FormView("/sample", (), "Begin with it")
    )
    quiz = QuizPage(
        shell=shell,
        team=TEAM,
        title="Slopes",
        state="draft",
        state_words="A draft.",
        introduction_md="Take your *time*.",
        facts=(FactRow("Time", "40 minutes"), FactRow("Window", "always open")),
        slots=(
            SlotView(1, "A square and a product", "public item", "2", None, BUTTON, BUTTON),
            SlotView(2, "3 drawn: Accumulation, any kind, level 2", "public items", "1", BUTTON, None, BUTTON),
        ),
        items=4,
        points="5",
        open_book=True,
        add_item=FormView("/sample", (Field("item", "Item"),), "Add this item"),
        add_draw=FormView("/sample", (Field("topic", "Topic"),), "Add this draw"),
        edit_url="/teams/1/quizzes/1/edit",
        actions=(FormView("/sample", (), "Publish"), FormView("/sample", (), "Remove the draft", danger=True)),
        pool_done=0,
        pool_wanted=0,
        links=(),
        notice=Notice(Tone.WARNING, "Publishing stopped", "Slot 1 asks 1 items and 0 may be used."),
    )
    read = replace(quiz, state="published", add_item=None, add_draw=None, edit_url=None, actions=(), notice=None)
    return {
        "quizzes": QuizzesPage(shell, TEAM, (row,), "/teams/1/quizzes/new", (ready,)),
        "quizzes-empty": QuizzesPage(shell, TEAM, (), None, ()),
        "quiz-form": QuizFormPage(
            shell,
            TEAM,
            "New quiz",
            settings_form("/sample", "Save", "Europe/Berlin"),
            LinkView("/teams/1", "All quizzes"),
        ),
        "quiz": quiz,
        "quiz-empty": replace(quiz, slots=(), items=0, points="0", introduction_md="", notice=None),
        "quiz-publishing": replace(quiz, state="publishing", pool_done=7, pool_wanted=24, add_item=None, add_draw=None),
        "quiz-read": replace(read, links=(LinkView("/teams/1/quizzes/1/results", "Results"),)),
    }
