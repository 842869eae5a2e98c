"""The pages of a person's history, each a frozen dataclass: what was answered, what it says, and what to do next.

Charts are drawn here as numbers: each point has its place in the picture and the words of its row in the table beside.
"""

from dataclasses import dataclass

from app.web.views import Choice, ItemLink, Link, Shell, Tone


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One row of the history."""

    url: str
    title: str
    topic: str
    kind: str
    level: int
    tone: Tone
    outcome: str  # "right", "verdict only", "1 of 3 parts", "wrong"
    confidence: str  # "" where it was not given
    when: str  # "1 Dec 2026, 14:02 UTC"
    when_iso: str
    took: str = ""  # "42 s", "3 min"
    mode: str = ""  # how it came to be answered, "" for practice


@dataclass(frozen=True, slots=True)
class AttemptList:
    """A page of attempts, newest first, with the addresses of the pages beside it."""

    rows: tuple[AttemptRow, ...] = ()
    newer_url: str = ""
    older_url: str = ""


@dataclass(frozen=True, slots=True)
class Picker:
    """One filter: a list to choose from."""

    name: str
    label: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One point with its interval, in the units of the picture, and the row that says the same."""

    x: float
    y: float
    top: float
    bottom: float
    cells: tuple[str, ...]
    tick: str = ""  # what stands below it on the axis, "" for nothing


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture and its table. `line` and `band` are lists of points as SVG has them, empty for a single point."""

    label: str  # what a person who does not see it is told
    caption: str
    columns: tuple[str, ...]
    points: tuple[ChartPoint, ...]
    line: str = ""
    band: str = ""
    meant: str = ""  # a dashed line to compare with


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart of bars."""

    x: float
    y: float
    width: float
    height: float
    tick: str
    value: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars, and the table that says the same."""

    label: str
    caption: str
    columns: tuple[str, str]
    bars: tuple[Bar, ...]
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ShareRow:
    """How much of one topic or level was right: a bar from 0 to 100, its interval, and the words."""

    label: str
    url: str
    percent: int
    low: float
    high: float
    right: str  # "92 %"
    count: int


@dataclass(frozen=True, slots=True)
class BeliefRow:
    """A misconception of the ledger. `sure` says how often it was certain; `last` leads to the newest evidence."""

    sentence_md: str
    url: str
    seen: int
    sure: str
    last: str
    last_url: str


@dataclass(frozen=True, slots=True)
class HistoryFigures:
    """What the attempts say; a part that has nothing to show is empty."""

    over_time: Chart | None
    sureness: Chart | None
    sureness_words: tuple[str, ...]
    speed: BarChart | None
    topics: tuple[ShareRow, ...]
    levels: tuple[ShareRow, ...]
    beliefs: tuple[BeliefRow, ...]  # those that cost most
    more_beliefs: int
    days: BarChart | None


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """`/history`: where a person stands in words, what to do next, then the figures, then the attempts."""

    shell: Shell
    summary_md: str
    next_link: Link
    next_why: str
    filters: tuple[Picker, ...]  # empty while there is nothing to filter
    filtered: bool
    figures: HistoryFigures | None
    attempts: AttemptList


@dataclass(frozen=True, slots=True)
class BeliefsPage:
    """`/history/beliefs`: every misconception that answers showed, the one that costs most first."""

    shell: Shell
    beliefs: tuple[BeliefRow, ...]


@dataclass(frozen=True, slots=True)
class BeliefPage:
    """`/history/beliefs/{belief}`: one misconception, every attempt that showed it, and the items that ask about it."""

    shell: Shell
    sentence_md: str
    axis: str
    attempts: AttemptList
    items: tuple[ItemLink, ...]


@dataclass(frozen=True, slots=True)
class QuizTakenRow:
    """A quiz that was taken in this browser. `score` is what the team lets its candidate see now."""

    url: str
    title: str
    team: str
    when: str
    state: str
    score: str
    items: bool  # whether the items can be read again, with their answers


@dataclass(frozen=True, slots=True)
class QuizzesTakenPage:
    """`/history/quizzes`: quizzes taken for teams, beside practice and never counted in it."""

    shell: Shell
    quizzes: tuple[QuizTakenRow, ...]


@dataclass(frozen=True, slots=True)
class ThenNowRow:
    """One thing that was observed, then and now."""

    what: str
    code: str  # the expression that was asked, or ""
    then: str
    now: str
    differs: bool


@dataclass(frozen=True, slots=True)
class ThenNowPage:
    """`POST /attempts/{id}/again`: the same variant run once more, beside what its run showed then."""

    shell: Shell
    title: str
    attempt_url: str
    again_url: str
    tone: Tone
    verdict: str
    detail: str
    then_words: str  # "torch 2.13.0, 1 Dec 2026"
    now_words: str
    snippet: str
    rows: tuple[ThenNowRow, ...]
