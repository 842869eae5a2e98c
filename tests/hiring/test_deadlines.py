"""The one function of time: what moves it, what cuts it, and which save still counts."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.hiring.deadlines import GRACE, Arrival, Clock, arrival, deadline_of, is_over, seconds_left

START = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)


def minutes_after(clock: Clock) -> float:
    return (deadline_of(clock) - START).total_seconds() / 60


@pytest.mark.parametrize(
    ("clock", "minutes"),
    [
        (Clock(START, 40), 40),
        (Clock(START, 40, extra_percent=25), 50),
        (Clock(START, 45, extra_percent=33), 59.85),
        (Clock(START, 40, added_minutes=7), 47),
        (Clock(START, 40, window_end=START + timedelta(minutes=30)), 30),
        (Clock(START, 40, window_end=START + timedelta(minutes=90)), 40),
        (Clock(START, 40, extra_percent=100, window_end=START + timedelta(minutes=60)), 60),
        (Clock(START, 40, added_minutes=15, window_end=START + timedelta(minutes=30)), 45),
        (Clock(START, 40, window_end=START - timedelta(minutes=5)), 0),
    ],
)
def test_deadline_is_start_and_minutes_cut_by_the_window_and_then_moved(clock: Clock, minutes: float) -> None:
    assert minutes_after(clock) == pytest.approx(minutes)


def test_night_in_which_clocks_spring_forward_takes_no_minute() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    started = datetime(2026, 3, 29, 1, 50, tzinfo=berlin)  # ten minutes before two o'clock becomes three
    end = deadline_of(Clock(started.astimezone(UTC), 30)).astimezone(berlin)
    assert (end.hour, end.minute) == (3, 20)


def test_save_within_the_grace_counts_and_a_later_one_does_not() -> None:
    assert arrival(START, START + GRACE) is Arrival.IN_TIME
    assert arrival(START, START + GRACE + timedelta(milliseconds=1)) is Arrival.LATE
    assert not is_over(START, START + GRACE)
    assert is_over(START, START + GRACE + timedelta(milliseconds=1))


def test_no_time_left_is_never_negative() -> None:
    assert seconds_left(START, START + timedelta(hours=1)) == 0
    assert seconds_left(START + timedelta(seconds=61), START) == 61


CLOCKS = st.builds(
    Clock,
    started_at=st.just(START),
    minutes=st.integers(1, 480),
    extra_percent=st.integers(0, 400),
    added_minutes=st.integers(0, 1440),
    window_end=st.none() | st.integers(-60, 2000).map(lambda after: START + timedelta(minutes=after)),
)


@given(CLOCKS)
def test_deadline_is_never_before_the_start_and_never_past_the_allowance_and_what_was_added(clock: Clock) -> None:
    most = clock.minutes * (100 + clock.extra_percent) / 100 + clock.added_minutes
    assert 0 <= minutes_after(clock) <= most + 1e-9


@given(CLOCKS, st.integers(1, 60))
def test_each_added_minute_moves_the_deadline_by_one(clock: Clock, more: int) -> None:
    longer = Clock(clock.started_at, clock.minutes, clock.extra_percent, clock.added_minutes + more, clock.window_end)
    assert deadline_of(longer) - deadline_of(clock) == timedelta(minutes=more)
