"""Made-up pages of a team about its quizzes, for the tests of the templates."""

from dataclasses import replace

from app.web.account_views import LinkView
from app.web.fields import Field, FormView
from app.web.hiring_views import FactRow, QuizFormPage, QuizPage, QuizRow, QuizzesPage, ReadyMadeView, SlotView
from app.web.invitation_views import (
    CandidateRow,
    GuestListPage,
    GuestRow,
    InvitationsPage,
    NewLink,
    ProblemRow,
    PublicLinkRow,
)
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
        public_items=(),
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
    read = replace(read, public_items=("A cube", "A square"))
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


def invitation_samples(shell: Shell) -> dict[str, InvitationsPage | GuestListPage]:
    """Return the pages about candidates, full and empty."""
    quiz = LinkView("/teams/1/quizzes/1", "Slopes")
    minutes = FormView("/sample", (Field("minutes", "More minutes", "number", "5"),), "Add minutes")
    many = FormView("/sample", (Field("list", "List", "textarea"), Field("file", "File", "file")), "Look", files=True)
    row = CandidateRow(
        "Ada", "ada@example.org", "running", "until 15:00", "25 %", "/sample", BUTTON, None, None, minutes
    )
    page = InvitationsPage(
        shell=shell,
        team=TEAM,
        quiz=quiz,
        mail_words="Invitations are sent by mail.",
        invite=FormView(
            "/sample", (Field("email", "Mail address", "email", error="Write it like name@example.org."),), "Invite"
        ),
        invite_many=many,
        public=FormView("/sample", (Field("cap", "At most", "number", "50"),), "Make a public link"),
        public_links=(PublicLinkRow("2 of 50 used", BUTTON), PublicLinkRow("1 of 1 used, gone", None)),
        rows=(row, replace(row, who="bo@example.org", email="bo@example.org", state="invited", more_time=None)),
        more_for_all=minutes,
        new_links=(NewLink("Ada", "https://site.example/invitations/abc"),),
        newer_url="?page=1",
        older_url="?page=3",
        notice=Notice(Tone.WARNING, "Some were not invited", "They took it too recently."),
    )
    guests = GuestListPage(
        shell=shell,
        team=TEAM,
        quiz=quiz,
        guests=(GuestRow("ada@example.org", "Ada", "25"),),
        count=30,
        problems=(ProblemRow(3, "nobody", "Write it like name@example.org."),),
        problem_count=2,
        send=FormView("/sample", (Field("list", "", "hidden", "ada@example.org"),), "Invite 30 candidates"),
        back_url="/teams/1/quizzes/1/invitations",
    )
    closed = replace(page, invite=None, invite_many=None, public=None, rows=(), new_links=(), public_links=())
    return {
        "invitations": page,
        "invitations-closed": replace(closed, more_for_all=None, newer_url=None, older_url=None, notice=None),
        "guest-list": guests,
        "guest-list-empty": replace(guests, guests=(), count=0, send=None),
    }
