"""The pages about many candidates at once: one frozen dataclass each, holding exactly what its template shows."""

from dataclasses import dataclass

from app.web.account_views import LinkView, TeamHeading
from app.web.report_views import CardView
from app.web.views import Shell


@dataclass(frozen=True, slots=True)
class OptionCountView:
    """How often an option was chosen, and whether it was right then."""

    text: str
    chosen: int
    share: int  # in percent of those who were asked
    right: str  # "", "right", "right 3 times" where that differs between variants


@dataclass(frozen=True, slots=True)
class PartCountView:
    """The options of one part."""

    legend_md: str
    options: tuple[OptionCountView, ...]


@dataclass(frozen=True, slots=True)
class ItemAnalysisView:
    """How one item did; a figure is empty where too few people stand behind it."""

    title: str
    topic: str
    kind: str
    level: int
    asked: int
    difficulty: str
    discrimination: str
    rests_on: int  # people behind the discrimination
    hint: str
    parts: tuple[PartCountView, ...]


@dataclass(frozen=True, slots=True)
class ItemAnalysisPage:
    """`…/results/items`: how the items of a quiz did."""

    shell: Shell
    team: TeamHeading
    quiz: LinkView
    people: int
    again: int
    drawn: bool
    fewest_for_a_mean: int
    fewest_for_a_correlation: int
    cards: tuple[CardView, ...]
    items: tuple[ItemAnalysisView, ...]


@dataclass(frozen=True, slots=True)
class ComparedView:
    """One candidate of a comparison."""

    who: str
    url: str
    score: str
    error: str
    taken: str


@dataclass(frozen=True, slots=True)
class CellView:
    """What one candidate has in one row: a score of a topic, or the outcome of an item."""

    tone: str  # empty for a score
    words: str
    detail: str


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row of a comparison, with a cell for each candidate; `None` where they were not asked."""

    name: str
    about: str
    cells: tuple[CellView | None, ...]


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """`…/results/compare`: some candidates side by side."""

    shell: Shell
    team: TeamHeading
    quiz: LinkView
    candidates: tuple[ComparedView, ...]
    differences: tuple[str, ...]
    topics: tuple[ComparedRow, ...]
    items: tuple[ComparedRow, ...]
