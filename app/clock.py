"""The one place that reads the time, and that knows which day it is where."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def now() -> datetime:
    """Return the current time in UTC, with its time zone."""
    return datetime.now(UTC)


def zone_of(name: str) -> ZoneInfo:
    """Return the zone of an IANA name, UTC for one that this machine does not know."""
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def day_of(at: datetime, zone: str = "UTC") -> date:
    """Return the calendar day of a moment in a zone."""
    return at.astimezone(zone_of(zone)).date()
