"""How many live checks whoever asks may cause: a share per person, and one per address."""

from app.web.dependencies import Site, Visitor
from app.web.limiter import Rate


def shares_of(site: Site, visitor: Visitor) -> tuple[tuple[str, Rate], ...]:
    """Return what the limiter is to take from."""
    # Without a cookie every request would be a new person, so the address is the person.
    settings = site.settings
    person = Rate(settings.reveals_burst, settings.reveals_per_minute)
    if visitor.person is None:
        return ((f"nobody at {visitor.address}", person),)
    everybody = Rate(settings.address_burst, settings.address_per_minute)
    return ((f"person {visitor.person}", person), (f"address {visitor.address}", everybody))
