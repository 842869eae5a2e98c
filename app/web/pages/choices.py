"""Lists to choose from that several pages share."""

from functools import lru_cache
from zoneinfo import available_timezones

from app.web.fields import Field, FieldChoice


@lru_cache(maxsize=1)
def _zones() -> tuple[FieldChoice, ...]:
    shown = sorted(
        name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "posix", "right"))
    )
    return tuple(FieldChoice(name, name.replace("_", " ")) for name in ("UTC", *shown))


def time_zone_field() -> Field:
    """Return a select of the time zones of the world."""
    return Field("time_zone", "Time zone", "select", "UTC", choices=_zones())
