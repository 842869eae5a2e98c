"""Figures are what the attempts say, with their uncertainty, whatever the attempts are."""

import math
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, strategies

from app.grading.grade import Confidence
from app.history.figures import (
    FEWEST_TO_COMPARE,
    MOST_POINTS,
    STREAK_DAYS,
    Bucket,
    Share,
    Unit,
    Z,
    buckets_of,
    direction_of,
    place_of,
    speed_of,
    start_of,
    streak_of,
    sureness_of,
    trend_of,
    unit_for,
)
from app.models.practice_total import Tally

DAY = date(2026, 3, 11)  # a Wednesday
days = strategies.dates(date(2015, 1, 1), date(2035, 12, 31))
counts = strategies.integers(0, 5000)
shares = strategies.tuples(counts, counts).map(lambda pair: Share(min(pair), max(pair)))
tallies = strategies.integers(1, 50).flatmap(
    lambda n: strategies.builds(Tally, strategies.just(n), strategies.integers(0, n), strategies.floats(0, n))
)


@given(shares)
def test_interval_holds_the_share_and_lies_between_nothing_and_everything(share: Share) -> None:
    low, high = share.interval
    assert 0 <= low <= share.value <= high <= 1


@given(strategies.integers(1, 5000).flatmap(lambda n: strategies.tuples(strategies.integers(0, n), strategies.just(n))))
def test_ends_of_the_interval_solve_the_equation_that_defines_them(pair: tuple[int, int]) -> None:
    share = Share(*pair)
    for end in share.interval:
        if 1e-9 < end < 1 - 1e-9:
            assert abs(share.value - end) == pytest.approx(Z * math.sqrt(end * (1 - end) / share.count), abs=1e-6)


def test_nothing_is_known_of_no_answers() -> None:
    assert Share(0, 0).value == 0
    assert Share(0, 0).interval == (0, 1)


@pytest.mark.parametrize(
    ("unit", "start"),
    [
        (Unit.DAY, DAY),
        (Unit.WEEK, date(2026, 3, 9)),
        (Unit.MONTH, date(2026, 3, 1)),
        (Unit.QUARTER, date(2026, 1, 1)),
        (Unit.YEAR, date(2026, 1, 1)),
    ],
)
def test_first_day_of_each_unit(unit: Unit, start: date) -> None:
    assert start_of(DAY, unit) == start


@given(days, days, strategies.sampled_from(Unit))
def test_units_follow_each_other_without_a_gap(one: date, other: date, unit: Unit) -> None:
    first, last = sorted((one, other))
    begin, end = start_of(first, unit), start_of(last, unit)
    place = place_of(end, begin, unit)
    assert begin <= first
    assert place >= 0
    assert (place == 0) == (begin == end)
    before = start_of(end - timedelta(days=1), unit)
    assert place == 0 or place_of(before, begin, unit) == place - 1


@given(days, days, strategies.sampled_from([Unit.DAY, Unit.MONTH]))
def test_a_line_has_no_more_points_than_one_can_read(one: date, other: date, finest: Unit) -> None:
    first, last = sorted((one, other))
    unit = unit_for(first, last, finest)
    assert list(Unit).index(unit) >= list(Unit).index(finest)
    assert place_of(start_of(last, unit), start_of(first, unit), unit) < MOST_POINTS


def test_more_years_than_points_stay_years() -> None:
    assert unit_for(date(1900, 1, 1), date(2026, 1, 1), Unit.DAY) is Unit.YEAR


@given(strategies.dictionaries(days, tallies, max_size=40), strategies.sampled_from([Unit.DAY, Unit.MONTH]))
def test_units_lose_no_attempt_and_come_in_order(spans: dict[date, Tally], finest: Unit) -> None:
    unit, buckets = buckets_of(spans, finest)
    whole, parts = sum(spans.values(), Tally()), sum((one.tally for one in buckets), Tally())
    assert (whole.attempts, whole.right) == (parts.attempts, parts.right)
    assert whole.credit == pytest.approx(parts.credit)
    places = [one.place for one in buckets]
    assert places == sorted(set(places))
    assert places[:1] in ([], [0])
    assert all(start_of(one.start, unit) == one.start for one in buckets)


def points(*pairs: tuple[int, int]) -> list[Bucket]:
    """Return units of (attempts, right)."""
    weeks = enumerate(pairs)
    return [Bucket(DAY + timedelta(weeks=place), place, Tally(attempts, right)) for place, (attempts, right) in weeks]


@pytest.mark.parametrize(
    ("pairs", "direction"),
    [(((40, 10), (40, 35)), 1), (((40, 35), (40, 10)), -1), (((40, 20), (40, 21)), 0), (((40, 40), (40, 40)), 0)],
)
def test_trend_speaks_only_of_what_chance_does_not_explain(pairs: Any, direction: int) -> None:
    trend = trend_of(points(*pairs))
    assert trend is not None
    assert trend.direction == direction
    assert trend.since == DAY + timedelta(weeks=1)


def test_trend_gathers_the_newest_units_until_they_are_enough() -> None:
    trend = trend_of(points((30, 3), (15, 15), (10, 10)))
    assert trend is not None
    assert (trend.recent, trend.earlier) == (Share(25, 25), Share(3, 30))


@pytest.mark.parametrize("pairs", [(), ((100, 50),), ((19, 3), (40, 4)), ((90, 3), (10, 4))])
def test_too_little_to_compare_is_no_trend(pairs: Any) -> None:
    found = trend_of(points(*pairs))
    assert found is None or min(found.recent.count, found.earlier.count) >= FEWEST_TO_COMPARE
    assert found is None or pairs == ((90, 3), (10, 4))


def test_the_very_first_unit_is_never_the_newest() -> None:
    assert trend_of(points((90, 3), (10, 4))) is None


@given(shares.filter(lambda one: one.count > 0), shares.filter(lambda one: one.count > 0))
def test_direction_turns_round_with_its_sides(one: Share, other: Share) -> None:
    assert direction_of(one, other) == -direction_of(other, one)
    assert direction_of(one, one) == 0


def test_sureness_compares_each_word_with_what_it_promises() -> None:
    tally = Tally(90, 45, guess=30, guess_right=29, fairly_sure=0, certain=60, certain_right=10)
    guess, fairly, certain = sureness_of(tally)
    assert (guess.confidence, guess.verdict, guess.share) == (Confidence.GUESS, 1, Share(29, 30))
    assert (fairly.verdict, certain.verdict) == (0, -1)
    assert sureness_of(Tally(4, 3, fairly_sure=4, fairly_sure_right=3))[1].verdict == 0


def test_middle_answer_lies_in_its_bracket() -> None:
    speed = speed_of(Tally(5, under_15=1, under_60=3, longer=1))
    assert speed.middle == (30, 60)
    assert [count for _, _, count in speed.brackets] == [1, 0, 3, 0, 0, 1]
    assert speed_of(Tally(1, longer=1)).middle == (300, None)
    assert speed_of(Tally()).middle is None


@given(strategies.lists(strategies.integers(0, 20), min_size=6, max_size=6))
def test_half_of_the_answers_are_at_most_in_the_middle_bracket(held: list[int]) -> None:
    speed = speed_of(Tally(sum(held), 0, 0.0, 0, 0, 0, 0, 0, 0, *held))
    if speed.middle is None:
        assert sum(held) == 0
        return
    place = [one[:2] for one in speed.brackets].index(speed.middle)
    assert 2 * sum(held[: place + 1]) >= sum(held)
    assert 2 * sum(held[:place]) < sum(held)


def test_a_today_without_practice_breaks_nothing_and_a_gap_does() -> None:
    back = [DAY - timedelta(days=n) for n in (1, 2, 3, 5)]
    assert streak_of(back, DAY).in_a_row == 3
    assert streak_of([DAY, *back], DAY).in_a_row == 4
    assert streak_of(back[1:], DAY).in_a_row == 0
    assert streak_of([], DAY).weeks[-1] == (date(2026, 3, 9), 0)


@given(strategies.sets(strategies.integers(-5, 120), max_size=60))
def test_days_are_counted_once_each_and_none_that_is_too_old(back: set[int]) -> None:
    streak = streak_of([DAY - timedelta(days=n) for n in back], DAY)
    assert streak.of_28 == len(back & set(range(28)))
    assert streak.in_a_row <= STREAK_DAYS
    assert len(streak.weeks) == 12
    assert sum(count for _, count in streak.weeks) == len(back & set(range(77 + DAY.weekday() + 1)))
