"""Calls to partners: a PATCH without a body to the URL they gave, which makes them ask for the state.

It carries the team's API key, so it goes only to hosts that the key names.
"""

import base64
from datetime import datetime
from urllib.parse import urlsplit

from sqlalchemy.orm import Session

from app.db import Database
from app.delivery.outbox import Failure, claim, send_side_by_side
from app.delivery.outgoing import Outgoing, UnreachableError, UnsafeUrlError
from app.delivery.sealing import Sealer, UnreadableSecretError
from app.delivery.webhooks import failure_of
from app.models import ApiKey, Delivery, PartnerInterview
from app.models.delivery import Channel, enqueue


def may_call(key: ApiKey, url: str) -> bool:
    """Say whether an API key may be sent to a URL: its host is one of those that the key names."""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return False
    return bool(host) and host in {one.strip().lower() for one in key.callback_hosts}


def call_partner(session: Session, now: datetime, interview: PartnerInterview) -> None:
    """Put a call into the outbox of this transaction; it says that something changed, not what."""
    enqueue(session, now, Channel.PARTNER, interview.url, {}, team_id=interview.team_id, subject_id=interview.id)


def deliver_partner_calls(database: Database, sealer: Sealer, outgoing: Outgoing, now: datetime) -> int:
    """Make calls that are due; return how many were tried."""
    claimed = claim(database, Channel.PARTNER, now)
    return send_side_by_side(database, claimed, now, lambda one: _send(database, sealer, outgoing, one))


def _send(database: Database, sealer: Sealer, outgoing: Outgoing, delivery: Delivery) -> Failure | None:
    with database.reading() as session:
        interview = session.get(PartnerInterview, delivery.subject_id) if delivery.subject_id else None
        key = None if interview is None else session.get(ApiKey, interview.api_key_id)
    if interview is None or key is None or key.revoked_at is not None:
        return Failure("The interview was removed, or its API key was revoked.", final=True)
    if not may_call(key, interview.url):
        return Failure("The API key does not name this host as one that it may be sent to.", final=True)
    try:
        basic = base64.b64encode(f"{sealer.read(key.sealed)}:".encode()).decode()
        return failure_of(outgoing.request("PATCH", interview.url, {"Authorization": f"Basic {basic}"}))
    except (UnsafeUrlError, UnreachableError, UnreadableSecretError) as error:
        return Failure(error.message)
