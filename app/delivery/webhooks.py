"""Webhooks by the Standard Webhooks convention: signed, with an id that stays the same over every try.

The receiver checks `webhook-signature` against HMAC-SHA256 over `id.timestamp.body`. While a secret rotates the one
before it signs too, so that the receiver can change at any moment in between.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db import Database
from app.delivery.outbox import Failure, claim, send_side_by_side
from app.delivery.outgoing import Outgoing, UnreachableError, UnsafeUrlError
from app.delivery.sealing import Sealer, UnreadableSecretError
from app.models import Delivery, WebhookEndpoint
from app.models.audit_entry import record
from app.models.delivery import Channel, enqueue

PREFIX = "whsec_"
GONE = 410
OLD_SIGNS_FOR = timedelta(days=1)


def new_webhook_secret() -> str:
    """Return a fresh secret as it is shown: `whsec_` and 256 random bits in base64."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def rotate(endpoint: WebhookEndpoint, sealer: Sealer, now: datetime) -> str:
    """Give an endpoint a new secret and return it; the one before it signs too until `end_rotation`."""
    secret = new_webhook_secret()
    endpoint.previous_secret, endpoint.secret = endpoint.secret, sealer.seal(secret)
    endpoint.rotated_at = now
    return secret


def end_rotation(endpoint: WebhookEndpoint) -> None:
    """Let only the newest secret sign."""
    endpoint.previous_secret, endpoint.rotated_at = "", None


def end_old_rotations(database: Database, now: datetime) -> int:
    """Drop secrets that were replaced long ago; return how many."""
    old = (WebhookEndpoint.rotated_at.is_not(None), WebhookEndpoint.rotated_at <= now - OLD_SIGNS_FOR)
    with database.reading() as session:
        if session.scalar(select(WebhookEndpoint.id).where(*old).limit(1)) is None:
            return 0
    with database.writing() as session:
        endpoints = session.scalars(select(WebhookEndpoint).where(*old)).all()
        for one in endpoints:
            end_rotation(one)
            record(session, now, "webhook.old_secret_dropped", team_id=one.team_id, subject=one.id)
        return len(endpoints)


def sign(secrets_: Sequence[str], message_id: str, timestamp: int, body: bytes) -> str:
    """Return the `webhook-signature` header: one `v1,` signature for each secret, with spaces between them."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return " ".join("v1," + _mac(secret, signed) for secret in secrets_)


def _mac(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def tell(
    session: Session, now: datetime, team_id: UUID, event: str, data: dict[str, Any], *, dedupe: str | None = None
) -> int:
    """Tell every endpoint of a team that wants to know of `event`, in this transaction; return how many do.

    With `dedupe` an endpoint is told once, whatever is asked later: `IntegrityError` at flush says that it was before.
    """
    wanted = select(WebhookEndpoint).where(WebhookEndpoint.team_id == team_id, WebhookEndpoint.disabled_at.is_(None))
    endpoints = [one for one in session.scalars(wanted) if event in one.events]
    payload = {"type": event, "timestamp": now.isoformat(), "data": data}
    for one in endpoints:
        reason = None if dedupe is None else f"{one.id}:{dedupe}"
        enqueue(session, now, Channel.WEBHOOK, one.url, payload, team_id=team_id, subject_id=one.id, dedupe=reason)
    return len(endpoints)


def deliver_webhooks(database: Database, sealer: Sealer, outgoing: Outgoing, now: datetime) -> int:
    """Send webhooks that are due; return how many were tried."""
    claimed = claim(database, Channel.WEBHOOK, now)
    return send_side_by_side(database, claimed, now, lambda one: _send(database, sealer, outgoing, one, now))


def _send(database: Database, sealer: Sealer, outgoing: Outgoing, delivery: Delivery, now: datetime) -> Failure | None:
    with database.reading() as session:
        endpoint = session.get(WebhookEndpoint, delivery.subject_id) if delivery.subject_id else None
    if endpoint is None or endpoint.disabled_at is not None:
        return Failure("The endpoint was removed or switched off.", final=True)
    body = json.dumps(delivery.payload, separators=(",", ":")).encode()
    try:
        keys = [sealer.read(one) for one in (endpoint.secret, endpoint.previous_secret) if one]
        status = outgoing.request("POST", endpoint.url, _headers(delivery.id, keys, now, body), body)
    except (UnsafeUrlError, UnreachableError, UnreadableSecretError) as error:
        return Failure(error.message)
    if status == GONE:
        _switch_off(database, endpoint, now)
        return Failure("It answered 410 Gone, so the endpoint was switched off.", final=True)
    return failure_of(status)


def _headers(delivery_id: UUID, keys: Sequence[str], now: datetime, body: bytes) -> dict[str, str]:
    message_id, timestamp = f"msg_{delivery_id.hex}", int(now.timestamp())
    return {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(keys, message_id, timestamp, body),
    }


def failure_of(status: int) -> Failure | None:
    """Return what a status means: only 2xx is delivered, and a redirect is not followed."""
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return Failure(f"It answered {status}, a redirect, which is not followed: enter the address it leads to.")
    return Failure(f"It answered {status}.")


def _switch_off(database: Database, endpoint: WebhookEndpoint, now: datetime) -> None:
    with database.writing() as session:
        stored = session.get(WebhookEndpoint, endpoint.id)
        if stored is not None and stored.disabled_at is None:
            stored.disabled_at = now
            record(session, now, "webhook.switched_off", team_id=stored.team_id, subject=stored.id, answered=GONE)
