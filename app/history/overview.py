"""The first of the two queries of the history: everything it says in numbers, from the totals, in one statement.

The totals are added up by the database, in one `UNION ALL` of a few groupings, so that what is read depends on how many
months, topics and beliefs there are and not on how many attempts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Date, Select, Subquery, cast, func, literal, null, select, union_all
from sqlalchemy.orm import Session

from app.history.figures import (
    STREAK_DAYS,
    Bucket,
    Speed,
    Streak,
    Sureness,
    Trend,
    Unit,
    buckets_of,
    speed_of,
    streak_of,
    sureness_of,
    trend_of,
)
from app.history.wanted import Period, Wanted, first_day
from app.models import PracticeTotal
from app.models.practice_total import COUNTED, Span, Tally, attempt_in

DAYS = 92  # as far back a line can show days; beyond it shows months


@dataclass(frozen=True, slots=True)
class BeliefShown:
    """A misconception that answers showed: how often, in which topic most, and the newest of them."""

    belief: str
    topic: str
    tally: Tally
    newest: UUID
    last: date

    @property
    def weight(self) -> tuple[int, int]:
        """Return what it costs: a wrong answer given as certain counts twice."""
        return self.tally.attempts + self.tally.certain, self.tally.certain


@dataclass(frozen=True, slots=True)
class Overview:
    """What a history says in numbers, of the part that is looked at; `ever` counts everything there is."""

    ever: int = 0
    total: Tally = field(default_factory=Tally)
    topics: Mapping[str, Tally] = field(default_factory=dict)
    levels: Mapping[int, Tally] = field(default_factory=dict)
    unit: Unit = Unit.DAY
    buckets: tuple[Bucket, ...] = ()
    beliefs: tuple[BeliefShown, ...] = ()
    practised: tuple[date, ...] = ()

    @property
    def trend(self) -> Trend | None:
        """Return how the newest answers compare with those before."""
        return trend_of(self.buckets)

    @property
    def sureness(self) -> tuple[Sureness, ...]:
        """Return what each word of confidence was worth."""
        return sureness_of(self.total)

    @property
    def speed(self) -> Speed:
        """Return how long answers took."""
        return speed_of(self.total)

    def streak(self, today: date) -> Streak:
        """Return the days with practice, whatever the filters."""
        return streak_of(self.practised, today)


def overview_of(session: Session, person: UUID, wanted: Wanted, today: date) -> Overview:
    """Read what a history says in numbers: one query."""
    parts: dict[str, list[Any]] = {}
    for row in session.execute(_query(person, wanted, today)):
        parts.setdefault(row.part, []).append(row)
    topics, levels = _by(parts.get("topic", []), "topic"), _by(parts.get("topic", []), "level")
    unit, buckets = _buckets(parts, wanted, today)
    return Overview(
        ever=sum(row.attempts for row in parts.get("ever", [])),
        total=sum(topics.values(), Tally()),
        topics=topics,
        levels=levels,
        unit=unit,
        buckets=buckets,
        beliefs=beliefs_in(parts.get("belief", [])),
        practised=tuple(row.start for row in parts.get("practised", [])),
    )


def _query(person: UUID, wanted: Wanted, today: date) -> Select[Any]:
    total, first = PracticeTotal, first_day(wanted.period, today)
    mine = select(total).where(total.person_id == person)
    chosen = _about(mine, wanted, wanted.span)
    if first is not None:
        chosen = chosen.where(total.start >= first)
    in_a_row = mine.where(
        total.span == Span.DAY_LINE, total.mode == "", total.start > today - timedelta(days=STREAK_DAYS)
    )
    ever = mine.where(total.span == Span.EVER, total.belief == "")
    oldest = today - timedelta(days=DAYS - 1)
    days = _line(mine, wanted, by_day=True).where(total.start >= (oldest if first is None else max(first, oldest)))
    groupings = [
        _grouped("day", days.subquery(), "start"),
        _grouped("topic", chosen.where(total.belief == "").subquery(), "topic", "level"),
        _grouped("belief", chosen.where(total.belief != "").subquery(), "belief", "topic"),
        _grouped("practised", in_a_row.subquery(), "start"),
        _grouped("ever", ever.subquery(), "person_id"),
    ]
    if wanted.span is not Span.DAY:
        months = _line(mine, wanted, by_day=False)
        months = months if first is None else months.where(total.start >= first)
        groupings.append(_grouped("month", months.subquery(), "start"))
    everything = union_all(*groupings).subquery()
    return select(everything).order_by(everything.c.part, everything.c.start)


def _about(mine: Select[Any], wanted: Wanted, span: Span) -> Select[Any]:
    """Return the rows of a span that are about what is wanted."""
    total, rows = PracticeTotal, mine.where(PracticeTotal.span == span)
    for column, value in ((total.topic, wanted.topic), (total.kind, wanted.kind), (total.mode, wanted.mode)):
        rows = rows.where(column == value) if value else rows
    return rows


def _line(mine: Select[Any], wanted: Wanted, *, by_day: bool) -> Select[Any]:
    """Return the rows that a line over time is made of: those of a line where these know enough."""
    if wanted.has_line:
        span = Span.DAY_LINE if by_day else Span.MONTH_LINE
        return mine.where(PracticeTotal.span == span, PracticeTotal.mode == wanted.mode)
    return _about(mine, wanted, Span.DAY if by_day else Span.MONTH).where(PracticeTotal.belief == "")


def _grouped(part: str, rows: Subquery, *by: str) -> Select[Any]:
    """Return the sums of some totals by columns; where a column is not among them its place is kept, empty."""
    empty: dict[str, ColumnElement[Any]] = {
        "start": cast(null(), Date),
        "topic": literal(""),
        "level": literal(0),
        "belief": literal(""),
    }
    keys = [rows.c[name].label(name) if name in by else value.label(name) for name, value in empty.items()]
    sums = [func.sum(rows.c[name]).label(name) for name in COUNTED]
    query = select(literal(part).label("part"), *keys, *sums, func.max(rows.c.newest).label("newest"))
    return query.group_by(*(rows.c[name] for name in by))


def _tally(row: Any) -> Tally:
    return Tally(*(getattr(row, name) for name in COUNTED))


def _by(rows: list[Any], name: str) -> dict[Any, Tally]:
    sums: dict[Any, Tally] = {}
    for row in rows:
        key = getattr(row, name)
        sums[key] = sums.get(key, Tally()) + _tally(row)
    return dict(sorted(sums.items()))


def _buckets(parts: Mapping[str, list[Any]], wanted: Wanted, today: date) -> tuple[Unit, tuple[Bucket, ...]]:
    """Return the points of the line: from days where these reach back to the first attempt, else from months."""
    days, months = ({row.start: _tally(row) for row in parts.get(part, [])} for part in ("day", "month"))
    reaches = not months or min(months) >= today - timedelta(days=DAYS - 1)
    if wanted.span is Span.DAY or (wanted.period is Period.EVERYTHING and reaches):
        return buckets_of(days, Unit.DAY)
    return buckets_of(months, Unit.MONTH)


def beliefs_in(rows: list[Any]) -> tuple[BeliefShown, ...]:
    """Return the misconceptions of some rows, grouped by belief and topic, the one that costs most first."""
    shown: dict[str, list[Any]] = {}
    for row in rows:
        shown.setdefault(row.belief, []).append(row)
    found = []
    for belief, ones in sorted(shown.items()):
        newest = max(one.newest for one in ones)
        topic = max(ones, key=lambda one: (one.attempts, one.newest)).topic
        tally = sum((_tally(one) for one in ones), Tally())
        found.append(BeliefShown(belief, topic, tally, attempt_in(newest), date.fromisoformat(newest[:10])))
    return tuple(sorted(found, key=lambda one: one.weight, reverse=True))
