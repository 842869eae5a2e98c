"""The pages of a team about its quizzes: one frozen dataclass each, holding exactly what its template shows."""

from dataclasses import dataclass

from app.web.account_views import LinkView, TeamHeading
from app.web.fields import FormView
from app.web.views import Notice, Shell


@dataclass(frozen=True, slots=True)
class QuizRow:
    """One quiz in the list of a team."""

    url: str
    title: str
    state: str
    items: int
    minutes: int
    invited: int
    started: int
    finished: int


@dataclass(frozen=True, slots=True)
class ReadyMadeView:
    """A quiz that ships with the bank, to begin a draft with."""

    title: str
    about: str
    items: int
    minutes: int
    use: FormView


@dataclass(frozen=True, slots=True)
class QuizzesPage:
    """`/teams/{team}`: its quizzes, and how to begin one."""

    shell: Shell
    team: TeamHeading
    quizzes: tuple[QuizRow, ...]
    new_url: str | None
    ready_made: tuple[ReadyMadeView, ...]


@dataclass(frozen=True, slots=True)
class QuizFormPage:
    """The settings of a quiz as one form."""

    shell: Shell
    team: TeamHeading
    title: str
    form: FormView
    back: LinkView
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class SlotView:
    """One place of a quiz, with its buttons while it is a draft."""

    position: int
    words: str
    detail: str
    points: str
    move_up: FormView | None
    move_down: FormView | None
    remove: FormView | None


@dataclass(frozen=True, slots=True)
class FactRow:
    """A setting in words."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class QuizPage:
    """One quiz: what it asks, how it is set, and what can be done with it in its state."""

    shell: Shell
    team: TeamHeading
    title: str
    state: str
    state_words: str
    introduction_md: str
    facts: tuple[FactRow, ...]
    slots: tuple[SlotView, ...]
    items: int
    points: str
    open_book: bool
    public_items: tuple[str, ...]  # titles of those its pool has, once it is published
    add_item: FormView | None
    add_draw: FormView | None
    edit_url: str | None
    actions: tuple[FormView, ...]  # publish, close, reopen, copy, remove
    pool_done: int
    pool_wanted: int
    links: tuple[LinkView, ...]  # preview, invitations, results
    notice: Notice | None = None
