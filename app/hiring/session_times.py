"""How the time of a session went: how long each item was open, and when its page was out of sight. Pure.

Both are estimates, made of what the server saw: an item counts from the opening of its page until another page was
opened, or the session ended. The last one before a submission counts until its last save, because the page that shows
what is still empty leaves no mark; where nothing was saved, until the submission. Thinking, reading and being away from
the screen look the same. An item that was opened again counts again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.models import SavedResponse, SessionEvent

OPENED, SUBMITTED, TIMED_OUT = "opened", "submitted", "timed_out"
FOCUS_LOST, FOCUS_RETURNED = "focus_lost", "focus_returned"


def seconds_per_item(
    events: Sequence[SessionEvent], saves: Sequence[SavedResponse], deadline: datetime
) -> Mapping[int, float]:
    """Return for each position how long its page was open, in seconds; positions that were never opened are missing.

    A session that still runs counts until the last save of the item that is open.
    """
    seconds: dict[int, float] = {}
    current: SessionEvent | None = None
    for event in [one for one in _in_order(events) if one.kind in {OPENED, SUBMITTED, TIMED_OUT}]:
        if current is not None and current.position is not None:
            until = _until(current, event, saves, deadline)
            seconds[current.position] = seconds.get(current.position, 0.0) + _between(current.at, until)
        current = event if event.kind == OPENED else None
    if current is not None and current.position is not None:
        last = _last_save(saves, current.position, current.at, None)
        seconds[current.position] = seconds.get(current.position, 0.0) + _between(current.at, last or current.at)
    return seconds


def _in_order(events: Sequence[SessionEvent]) -> list[SessionEvent]:
    return sorted(events, key=lambda one: (one.at, one.id))


def _between(start: datetime, end: datetime) -> float:
    return max(0.0, (end - start).total_seconds())


def _until(
    opened: SessionEvent, following: SessionEvent, saves: Sequence[SavedResponse], deadline: datetime
) -> datetime:
    if following.kind == TIMED_OUT:
        return min(following.at, deadline)  # it is noted when somebody looks, which may be later
    if following.kind == SUBMITTED and opened.position is not None:
        return _last_save(saves, opened.position, opened.at, following.at) or following.at
    return following.at


def _last_save(saves: Sequence[SavedResponse], position: int, start: datetime, end: datetime | None) -> datetime | None:
    times = [one.received_at for one in saves if one.position == position and not one.late]
    return max((at for at in times if at >= start and (end is None or at <= end)), default=None)


@dataclass(frozen=True, slots=True)
class Absence:
    """A time when the page was out of sight; `seconds` is `None` where nothing told of its end."""

    at: datetime
    position: int | None  # of the item that was open
    seconds: float | None


def absences(events: Sequence[SessionEvent]) -> tuple[Absence, ...]:
    """Return when the page of a session was out of sight, in order. Opening a page ends an absence as well."""
    found: list[Absence] = []
    lost: SessionEvent | None = None
    position: int | None = None
    for event in _in_order(events):
        if lost is not None and event.kind in {OPENED, FOCUS_RETURNED}:
            found.append(Absence(lost.at, position, _between(lost.at, event.at)))
            lost = None
        if event.kind == FOCUS_LOST and lost is None:
            lost = event
        elif event.kind == OPENED:
            position = event.position
    if lost is not None:
        found.append(Absence(lost.at, position, None))
    return tuple(found)
