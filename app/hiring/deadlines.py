"""Time in a quiz session: one function says when it ends, and everybody asks that one.

The deadline is `start + minutes * (100 + extra_percent) / 100`, cut by the end of the window where the window ends
running sessions too, and then moved by the minutes that were added: added time is a decision about this candidate, so
it counts even past the window. Times are instants in UTC, so a clock that springs forward at night takes nothing away.

A save counts until the deadline and a small grace, which covers what was on its way; the time of receipt decides.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

GRACE = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class Clock:
    """Everything that a deadline depends on. `window_end` is there only where the window cuts running sessions."""

    started_at: datetime
    minutes: int
    extra_percent: int = 0
    added_minutes: int = 0
    window_end: datetime | None = None


class Arrival(StrEnum):
    """What becomes of something that a candidate sends."""

    IN_TIME = "in_time"
    LATE = "late"


def allowance(minutes: int, extra_percent: int) -> timedelta:
    """Return the time a candidate has by themselves, before windows and added minutes."""
    return timedelta(minutes=minutes) * (100 + extra_percent) / 100


def deadline_of(clock: Clock) -> datetime:
    """Return when a session ends."""
    end = clock.started_at + allowance(clock.minutes, clock.extra_percent)
    if clock.window_end is not None:
        end = max(clock.started_at, min(end, clock.window_end))
    return end + timedelta(minutes=clock.added_minutes)


def arrival(deadline: datetime, received_at: datetime) -> Arrival:
    """Say whether what was received at a time counts."""
    return Arrival.IN_TIME if received_at <= deadline + GRACE else Arrival.LATE


def seconds_left(deadline: datetime, now: datetime) -> int:
    """Return the whole seconds until the deadline, never less than 0."""
    return max(0, int((deadline - now).total_seconds()))


def is_over(deadline: datetime, now: datetime) -> bool:
    """Say whether nothing more can count, the grace included."""
    return now > deadline + GRACE
