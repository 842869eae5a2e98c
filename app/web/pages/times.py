"""Times as people read them, in a zone that the page names."""

from datetime import datetime

from app.clock import zone_of


def show_time(at: datetime, zone: str = "UTC") -> str:
    """Return a time to the minute with the short name of its zone, such as `1 Dec 2026, 14:02 UTC`."""
    local = at.astimezone(zone_of(zone))
    return f"{local.day} {local:%b %Y, %H:%M} {local.tzname() or zone}"


def show_day(at: datetime, zone: str = "UTC") -> str:
    """Return a day such as `1 Dec 2026`."""
    local = at.astimezone(zone_of(zone))
    return f"{local.day} {local:%b %Y}"
