"""What a history says in numbers: shares with their intervals, spans of time, sureness, speed, days. Pure functions."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from app.grading.grade import Confidence
from app.models.practice_total import TIMES, Tally

Z = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations
MOST_POINTS = 36  # of a line that is read at a glance
FEWEST_TO_COMPARE = 20  # answers on either side, before the two are compared in words
STREAK_DAYS = 84


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many were right, with the 95 % interval of the share behind them, from 0 to 1."""

    right: int
    count: int

    @property
    def value(self) -> float:
        """Return the share; 0 of none."""
        return self.right / self.count if self.count else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Return Wilson's interval (Journal of the American Statistical Association 22, 1927); everything for none."""
        if not self.count:
            return 0.0, 1.0
        n, p = self.count, self.value
        scale = 1 + Z * Z / n
        middle = (p + Z * Z / (2 * n)) / scale
        half = Z / scale * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        return max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half))


def share_of(tally: Tally) -> Share:
    """Return the share of attempts with every part right."""
    return Share(tally.right, tally.attempts)


class Unit(StrEnum):
    """How much time one point of a line covers."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Bucket:
    """What was done in one unit of time; `start` is its first day, `place` how many units after the first one."""

    start: date
    place: int
    tally: Tally


def start_of(day: date, unit: Unit) -> date:
    """Return the first day of the unit that a day lies in; weeks begin on Monday."""
    if unit is Unit.DAY:
        return day
    if unit is Unit.WEEK:
        return day - timedelta(days=day.weekday())
    if unit is Unit.MONTH:
        return day.replace(day=1)
    if unit is Unit.QUARTER:
        return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    return day.replace(month=1, day=1)


def place_of(start: date, first: date, unit: Unit) -> int:
    """Return how many units lie between two first days of units."""
    if unit in {Unit.DAY, Unit.WEEK}:
        return (start - first).days // (1 if unit is Unit.DAY else 7)
    months = (start.year - first.year) * 12 + start.month - first.month
    return months // {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12}[unit]


def unit_for(first: date, last: date, finest: Unit) -> Unit:
    """Return the finest unit, from `finest` on, of which at most `MOST_POINTS` cover two days; else years.

    Days are given up for weeks after a fortnight: single days are mostly noise.
    """
    units = list(Unit)
    for unit in units[units.index(finest) :]:
        most = 14 if unit is Unit.DAY else MOST_POINTS
        if place_of(start_of(last, unit), start_of(first, unit), unit) < most:
            return unit
    return Unit.YEAR


def buckets_of(spans: Mapping[date, Tally], finest: Unit) -> tuple[Unit, tuple[Bucket, ...]]:
    """Return totals by their first day, added up to units of which a line can show all; empty units are left out."""
    if not spans:
        return finest, ()
    unit = unit_for(min(spans), max(spans), finest)
    first = start_of(min(spans), unit)
    sums: dict[date, Tally] = {}
    for day, tally in sorted(spans.items()):
        start = start_of(day, unit)
        sums[start] = sums.get(start, Tally()) + tally
    return unit, tuple(Bucket(start, place_of(start, first, unit), tally) for start, tally in sums.items())


@dataclass(frozen=True, slots=True)
class Trend:
    """The newest answers beside all earlier ones; `direction` is 1, -1, or 0 where chance alone could be the reason."""

    recent: Share
    earlier: Share
    since: date  # the first day of the recent ones
    direction: int


def trend_of(buckets: Sequence[Bucket]) -> Trend | None:
    """Return how the newest units compare with those before; `None` where either side is too small to say."""
    recent = Tally()
    for place in range(len(buckets) - 1, 0, -1):
        recent += buckets[place].tally
        if recent.attempts >= FEWEST_TO_COMPARE:
            earlier = sum((one.tally for one in buckets[:place]), Tally())
            if earlier.attempts < FEWEST_TO_COMPARE:
                return None
            new, old = share_of(recent), share_of(earlier)
            return Trend(new, old, buckets[place].start, direction_of(new, old))
    return None


def direction_of(new: Share, old: Share) -> int:
    """Say which of two shares is higher, 0 where their difference is within what chance does in 95 of 100 cases."""
    pooled = (new.right + old.right) / (new.count + old.count)
    error = math.sqrt(pooled * (1 - pooled) * (1 / new.count + 1 / old.count))
    difference = new.value - old.value
    return 0 if abs(difference) <= Z * error else 1 if difference > 0 else -1


MEANT = {Confidence.GUESS: 0.4, Confidence.FAIRLY_SURE: 0.7, Confidence.CERTAIN: 0.95}
"""How often somebody who says so is right, where the words mean what they say (docs/history.md)."""


@dataclass(frozen=True, slots=True)
class Sureness:
    """How often answers given with one confidence were right, beside how often the word promises."""

    confidence: Confidence
    share: Share
    meant: float

    @property
    def verdict(self) -> int:
        """Return 1 for more often right than the word says, -1 for less often, 0 where it fits or cannot be told."""
        low, high = self.share.interval
        if not self.share.count:
            return 0
        return 1 if low > self.meant else -1 if high < self.meant else 0


def sureness_of(tally: Tally) -> tuple[Sureness, ...]:
    """Return what each of the three words was worth, from guess to certain."""
    counts = {
        Confidence.GUESS: Share(tally.guess_right, tally.guess),
        Confidence.FAIRLY_SURE: Share(tally.fairly_sure_right, tally.fairly_sure),
        Confidence.CERTAIN: Share(tally.certain_right, tally.certain),
    }
    return tuple(Sureness(word, share, MEANT[word]) for word, share in counts.items())


@dataclass(frozen=True, slots=True)
class Speed:
    """How many answers took how long: (seconds from, seconds below or `None`, answers), and where the middle one is."""

    brackets: tuple[tuple[int, int | None, int], ...]
    middle: tuple[int, int | None] | None


def speed_of(tally: Tally) -> Speed:
    """Return how long answers took; whether they were right does not enter."""
    names, limits = (*TIMES, "longer"), (*TIMES.values(), None)
    counts = [getattr(tally, name) for name in names]
    brackets = tuple(zip((0, *TIMES.values()), limits, counts, strict=True))
    seen, half = 0, sum(counts) / 2
    for start, limit, count in brackets:
        seen += count
        if count and seen >= half:
            return Speed(brackets, (start, limit))
    return Speed(brackets, None)


@dataclass(frozen=True, slots=True)
class Streak:
    """Days with practice: in the last four weeks, in a row up to now, and by week, the oldest of twelve first."""

    of_28: int
    in_a_row: int
    weeks: tuple[tuple[date, int], ...]  # its Monday, days with practice


def streak_of(days: Iterable[date], today: date) -> Streak:
    """Return what days of practice there were; a today without any yet breaks nothing.

    What lies before the last `STREAK_DAYS` days, or after today, does not enter.
    """
    practised = {day for day in days if timedelta() <= today - day < timedelta(days=STREAK_DAYS)}
    day = today if today in practised else today - timedelta(days=1)
    in_a_row = 0
    while day in practised:
        in_a_row, day = in_a_row + 1, day - timedelta(days=1)
    of_28 = sum(today - one < timedelta(days=28) for one in practised)
    this_week = start_of(today, Unit.WEEK)
    mondays = [this_week - timedelta(weeks=back) for back in reversed(range(STREAK_DAYS // 7))]
    weeks = tuple((monday, sum(start_of(one, Unit.WEEK) == monday for one in practised)) for monday in mondays)
    return Streak(of_28, in_a_row, weeks)
