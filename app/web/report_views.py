"""The pages of results: one frozen dataclass each, holding exactly what its template shows."""

from dataclasses import dataclass

from app.web.account_views import LinkView, TeamHeading
from app.web.fields import FormView
from app.web.views import Shell


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


@dataclass(frozen=True, slots=True)
class ResultsPage:
    """`…/results`: every candidate with state and score."""

    shell: Shell
    team: TeamHeading
    quiz: LinkView
    rows: tuple[ResultView, ...]
    pass_mark: str
    csv_url: str


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A score of a group, such as a topic."""

    name: str
    score: str
    share: int  # in percent, for a bar


@dataclass(frozen=True, slots=True)
class ReportItemView:
    """One item of a report, with a link to everything that was observed."""

    position: int
    title: str
    topic: str
    level: int
    kind: str
    outcome: str
    tone: str
    points: str
    confidence: str
    reason: str
    notes: tuple[str, ...]
    url: str


@dataclass(frozen=True, slots=True)
class ReportPage:
    """One session: score with its error, per topic, and item by item."""

    shell: Shell
    team: TeamHeading
    quiz: LinkView
    who: str
    email: str
    score: str
    detail: str
    mark_words: str
    facts: tuple[tuple[str, str], ...]
    topics: tuple[ScoreLine, ...]
    items: tuple[ReportItemView, ...]
    feedback: tuple[str, ...]
    release: FormView | None
