"""The one place that reads the time."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time in UTC, with its time zone."""
    return datetime.now(UTC)
