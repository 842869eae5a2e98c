"""Where a team is told of events: an address with a secret, which can be exchanged while both the old and new sign.

on -> on        rotated: two secrets sign, for a day or until the old one is dropped
on -> off       by hand, or by itself where the receiver answers 410 Gone
off -> on       what happened meanwhile is not told
"""

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.delivery.outgoing import UnsafeUrlError, read_url
from app.delivery.sealing import Sealer
from app.delivery.webhooks import end_rotation, new_webhook_secret, rotate
from app.errors import ConflictError, GradproofError, NotFoundError
from app.hiring.events import TEST, Event
from app.models import WebhookEndpoint
from app.models.audit_entry import record
from app.models.delivery import Channel, enqueue

MOST_ENDPOINTS = 10


class InvalidEndpointError(GradproofError):
    """An endpoint cannot be added as asked; `field` is what to change."""

    status = 422
    title = "The endpoint was not added"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def endpoints_of(session: Session, team_id: UUID) -> Sequence[WebhookEndpoint]:
    """Return the endpoints of a team, the oldest first."""
    query = select(WebhookEndpoint).where(WebhookEndpoint.team_id == team_id)
    return session.scalars(query.order_by(WebhookEndpoint.created_at, WebhookEndpoint.id)).all()


def add_endpoint(
    session: Session,
    team_id: UUID,
    actor: UUID,
    now: datetime,
    *,
    url: str,
    events: Sequence[Event],
    sealer: Sealer,
    loopback: bool = False,
) -> tuple[WebhookEndpoint, str]:
    """Add an endpoint and return it with its secret, which is shown this once.

    Raises `InvalidEndpointError`, or `ConflictError` where the team has too many.
    """
    try:
        read_url(url.strip(), loopback=loopback)
    except UnsafeUrlError as error:
        raise InvalidEndpointError("url", error.message) from error
    if not events:
        raise InvalidEndpointError("events", "Choose at least one event.")
    if len(endpoints_of(session, team_id)) >= MOST_ENDPOINTS:
        raise ConflictError(f"A team has at most {MOST_ENDPOINTS} endpoints. Remove one that nobody uses.")
    secret = new_webhook_secret()
    endpoint = WebhookEndpoint(
        id=uuid4(),
        team_id=team_id,
        url=url.strip(),
        events=[str(one) for one in events],
        secret=sealer.seal(secret),
        previous_secret="",
        created_at=now,
    )
    session.add(endpoint)
    _record(session, endpoint, actor, now, "webhook.added")
    return endpoint, secret


def _record(session: Session, endpoint: WebhookEndpoint, actor: UUID, now: datetime, action: str) -> None:
    """Note an act with the host alone: the rest of an address may be a secret of the receiver."""
    host = urlsplit(endpoint.url).hostname
    record(session, now, action, team_id=endpoint.team_id, actor_id=actor, subject=endpoint.id, host=host)


def find_endpoint(session: Session, team_id: UUID, endpoint_id: UUID) -> WebhookEndpoint:
    """Return an endpoint of this very team, or raise `NotFoundError`."""
    endpoint = session.get(WebhookEndpoint, endpoint_id)
    if endpoint is None or endpoint.team_id != team_id:
        raise NotFoundError("The team has no such endpoint.")
    return endpoint


def rotate_secret(session: Session, endpoint: WebhookEndpoint, sealer: Sealer, actor: UUID, now: datetime) -> str:
    """Give an endpoint a new secret and return it; the one before it signs too for a while."""
    secret = rotate(endpoint, sealer, now)
    _record(session, endpoint, actor, now, "webhook.secret_rotated")
    return secret


def drop_old_secret(session: Session, endpoint: WebhookEndpoint, actor: UUID, now: datetime) -> None:
    """Let only the newest secret sign."""
    if endpoint.previous_secret:
        end_rotation(endpoint)
        _record(session, endpoint, actor, now, "webhook.old_secret_dropped")


def switch(session: Session, endpoint: WebhookEndpoint, actor: UUID, now: datetime, *, on: bool) -> None:
    """Switch an endpoint off or on again; what waits for it while it is off is given up."""
    if on != (endpoint.disabled_at is None):
        endpoint.disabled_at = None if on else now
        _record(session, endpoint, actor, now, "webhook.switched_on" if on else "webhook.switched_off")


def remove(session: Session, endpoint: WebhookEndpoint, actor: UUID, now: datetime) -> None:
    """Remove an endpoint with its secrets; what waits for it is given up."""
    _record(session, endpoint, actor, now, "webhook.removed")
    session.delete(endpoint)


def send_test(session: Session, endpoint: WebhookEndpoint, now: datetime) -> None:
    """Put a test into the outbox.

    Raises `ConflictError` where the endpoint is off.
    """
    if endpoint.disabled_at is not None:
        raise ConflictError("It is switched off. Switch it on first.")
    payload = {"type": TEST, "timestamp": now.isoformat(), "data": {"endpoint_id": str(endpoint.id)}}
    enqueue(session, now, Channel.WEBHOOK, endpoint.url, payload, team_id=endpoint.team_id, subject_id=endpoint.id)
