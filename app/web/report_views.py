"""The pages of results: one frozen dataclass each, holding exactly what its template shows."""

from dataclasses import dataclass

from app.web.account_views import LinkView, TeamHeading
from app.web.fields import FormView
from app.web.views import FollowUpView, RevealPage, Shell


@dataclass(frozen=True, slots=True)
class ResultView:
    """One candidate in the table of results."""

    who: str
    email: str
    state: str
    score: str
    error: str
    passed: str  # "", "at or above the pass mark", "below the pass mark"
    url: str
    session: str  # its id where it can be compared, or ""


@dataclass(frozen=True, slots=True)
class ResultsPage:
    """`…/results`: every candidate with state and score."""

    shell: Shell
    team: TeamHeading
    quiz: LinkView
    rows: tuple[ResultView, ...]
    pass_mark: str
    compare_url: str  # empty where there are not two to compare
    links: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class CardView:
    """One figure of a report, what it is of, and what it says."""

    figure: str
    of: str
    text_md: str


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A score of a group, such as a topic."""

    name: str
    score: str
    error: str
    share: int  # in percent, for a bar


@dataclass(frozen=True, slots=True)
class BeliefView:
    """A misconception that answers show, with links to their items."""

    sentence_md: str
    sure: str  # "certain", "fairly sure", "guess", "not said"
    confident: bool
    items: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class AbsenceView:
    """A time when the page was out of sight."""

    at: str
    where: str
    length: str


@dataclass(frozen=True, slots=True)
class ReportItemView:
    """One item of a report, with a link to everything that was observed; `url` is empty while the session runs."""

    position: int
    title: str
    topic: str
    level: int
    kind: str
    outcome: str
    tone: str
    points: str
    confidence: str
    time: str
    beliefs_md: tuple[str, ...]
    reason: str
    marked: str  # "2 of 3 points of the rubric, by Bo"
    notes: tuple[str, ...]
    late: str  # what came after the end, in a sentence
    url: str


@dataclass(frozen=True, slots=True)
class ReportPage:
    """One session: score with its error, misconceptions, per topic, and item by item."""

    shell: Shell
    team: TeamHeading
    quiz: LinkView
    who: str
    email: str
    taken: str  # when it was taken and how long it took, in a line
    score: str
    cards: tuple[CardView, ...]
    mark_words: str
    facts: tuple[tuple[str, str], ...]
    beliefs: tuple[BeliefView, ...]
    topics: tuple[ScoreLine, ...]
    items: tuple[ReportItemView, ...]
    absences: tuple[AbsenceView, ...] | None  # `None` where the quiz does not note them
    feedback: tuple[str, ...]
    links: tuple[LinkView, ...]
    release: FormView | None


@dataclass(frozen=True, slots=True)
class GivenView:
    """What was entered for one part."""

    label_md: str
    text_md: str
    code: str


@dataclass(frozen=True, slots=True)
class LateView:
    """A save that came after the end: it is kept and counts nothing."""

    at: str
    given: tuple[GivenView, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class MarkView:
    """A reviewer's mark; only the newest counts."""

    when: str
    by: str
    points_md: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class PointView:
    """A point of a rubric as a box to tick."""

    name: str
    text_md: str
    checked: bool


@dataclass(frozen=True, slots=True)
class MarkForm:
    """Where a reviewer says which points the candidate's own words name."""

    action: str
    points: tuple[PointView, ...]
    note: str


@dataclass(frozen=True, slots=True)
class ReportItemPage:
    """One item of a session: how it went, the candidate's words with their marks, and all that was observed."""

    shell: Shell
    team: TeamHeading
    report: LinkView
    place: str  # "item 2 of 12"
    facts: tuple[tuple[str, str], ...]
    reveal: RevealPage
    reason: str
    marks: tuple[MarkView, ...]
    mark_form: MarkForm | None
    late: tuple[LateView, ...]
    notes: tuple[str, ...]
    previous_url: str | None
    next_url: str | None


@dataclass(frozen=True, slots=True)
class TalkView:
    """One thing to talk about: why, the code, what they entered beside what is right, and how to go on."""

    place: str  # "item 4, certain and wrong"
    title: str
    url: str
    about: str
    reveal: RevealPage  # of its options only those that were chosen or are right
    beliefs_md: tuple[str, ...]
    reason: str
    good_answer_md: tuple[str, ...]
    red_flags_md: tuple[str, ...]
    follow_up: FollowUpView | None  # one that can be run, where there is one


@dataclass(frozen=True, slots=True)
class InterviewSheetPage:
    """`…/interview`: the three best things to talk about with a candidate, for the table."""

    shell: Shell
    team: TeamHeading
    report: LinkView
    quiz: str
    who: str
    score: str
    points: tuple[TalkView, ...]
