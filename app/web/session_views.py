"""The pages of a candidate: one frozen dataclass each, holding exactly what its template shows. None knows a key."""

from dataclasses import dataclass

from app.web.fields import FormView
from app.web.views import EntryView, Notice, OptionView, PartView, ReasonView, Shell


@dataclass(frozen=True, slots=True)
class FactView:
    """One line of what a candidate should know before the start."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class LandingPage:
    """`/invitations/{secret}`: the rules, and one button; `why_not` says why it cannot be started now."""

    shell: Shell
    title: str
    team: str
    hello: str
    introduction_md: str
    facts: tuple[FactView, ...]
    recorded: tuple[str, ...]
    start: FormView | None
    rehearsal_url: str | None
    resume_url: str | None
    why_not: str
    kept: str  # how long what is recorded is kept
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class StepView:
    """One item in the list of all: answered or not, flagged or not."""

    position: int
    url: str
    current: bool
    answered: bool
    flagged: bool


@dataclass(frozen=True, slots=True)
class ClockView:
    """Time left, as the server says; `url` answers it anew as JSON, so that added minutes show by themselves."""

    deadline_iso: str
    deadline: str
    seconds: int
    url: str


@dataclass(frozen=True, slots=True)
class QuestionView:
    """What is asked, without title, topic or id: positions only."""

    prompt_md: str
    snippet: str
    question_md: str
    parts: tuple[PartView, ...]
    entries: tuple[EntryView, ...]
    reason: ReasonView | None
    confidence: tuple[OptionView, ...]


@dataclass(frozen=True, slots=True)
class SessionItemPage:
    """One item under the clock; `save_url` takes each change, the form's buttons go on without scripts."""

    shell: Shell
    title: str
    position: int
    count: int
    question: QuestionView
    steps: tuple[StepView, ...]
    clock: ClockView | None  # none in a rehearsal
    action: str
    save_url: str
    epoch: int
    kept_epoch: int  # of the page that saved what is shown; 0 where nothing was saved
    sequence: int
    flagged: bool
    own_reason: ReasonView | None  # where the quiz asks for reasons
    signals_url: str  # where focus notes go; empty where the quiz does not ask for them
    finish_url: str
    report: FormView | None
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class FinishPage:
    """Before handing in: what is empty or flagged, and one button."""

    shell: Shell
    title: str
    steps: tuple[StepView, ...]
    clock: ClockView
    hand_in: FormView
    back_url: str


@dataclass(frozen=True, slots=True)
class OwnItemView:
    """One item of a finished session, as far as the quiz shows it."""

    position: int
    words: str
    url: str


@dataclass(frozen=True, slots=True)
class EndPage:
    """After the end: what was received, what happens next, and what may be seen."""

    shell: Shell
    title: str
    team: str
    received: str
    answered: int
    count: int
    score: str  # in words; empty where the quiz does not show it now
    later: str  # when something may be seen later
    items: tuple[OwnItemView, ...]
    feedback: FormView | None
    notice: Notice | None = None
