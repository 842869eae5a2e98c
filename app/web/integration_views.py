"""The pages about other programs: one frozen dataclass each, holding exactly what its template shows."""

from dataclasses import dataclass

from app.web.account_views import TeamHeading
from app.web.fields import FormView
from app.web.views import Notice, Shell


@dataclass(frozen=True, slots=True)
class KeyRow:
    """An API key, without its secret."""

    name: str
    start: str
    scopes: tuple[str, ...]
    hosts: tuple[str, ...]
    used: str
    state: str  # "works", or when it was revoked
    change_hosts: FormView | None
    revoke: FormView | None


@dataclass(frozen=True, slots=True)
class EndpointRow:
    """A webhook endpoint, without its secrets."""

    url: str
    events: tuple[str, ...]
    state: str
    actions: tuple[FormView, ...]


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """One message to another program, with what became of it; `retry` where it can be sent now."""

    when: str
    when_iso: str
    what: str
    host: str
    state: str
    tries: int
    error: str
    retry: FormView | None


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A secret that is shown this once."""

    title: str
    secret: str
    words: str


@dataclass(frozen=True, slots=True)
class IntegrationsPage:
    """`/teams/{team}/integrations`: keys, webhooks and what was sent."""

    shell: Shell
    team: TeamHeading
    keys: tuple[KeyRow, ...]
    make_key: FormView
    endpoints: tuple[EndpointRow, ...]
    add_endpoint: FormView
    deliveries: tuple[DeliveryRow, ...]
    new_secret: NewSecret | None = None
    notice: Notice | None = None
