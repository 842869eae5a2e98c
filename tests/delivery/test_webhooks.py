"""Webhooks at a real receiver, who checks the signature by the convention's own words."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy.exc import IntegrityError

from app.db import Database, open_database
from app.delivery.outgoing import Outgoing
from app.delivery.sealing import Sealer
from app.delivery.webhooks import deliver_webhooks, end_rotation, new_webhook_secret, rotate, sign, tell
from app.models import AuditEntry, Delivery, Team, WebhookEndpoint
from tests.databases import url_for
from tests.delivery.receiver import Received, Receiver, open_receiver

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
SEALER = Sealer(["key"])
OUTGOING = Outgoing(loopback=True)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(url_for(tmp_path))
    yield database
    database.dispose()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with open_receiver() as receiver:
        yield receiver


@pytest.fixture
def team(database: Database) -> UUID:
    with database.writing() as session:
        team = Team(id=uuid4(), name="Vision", created_at=NOW)
        session.add(team)
    return team.id


def listen(database: Database, team: UUID, port: int, *events: str) -> tuple[UUID, str]:
    """Add an endpoint and return its id and secret."""
    secret = new_webhook_secret()
    with database.writing() as session:
        endpoint = WebhookEndpoint(
            id=uuid4(),
            team_id=team,
            url=f"http://127.0.0.1:{port}/hook",
            events=list(events or ("session.graded",)),
            secret=SEALER.seal(secret),
            created_at=NOW,
        )
        session.add(endpoint)
    return endpoint.id, secret


def say(database: Database, team: UUID, event: str = "session.graded", dedupe: str | None = None) -> int:
    with database.writing() as session:
        return tell(session, NOW, team, event, {"session": "s-1", "note": "“ü”"}, dedupe=dedupe)


def deliver(database: Database, at: datetime = NOW) -> int:
    return deliver_webhooks(database, SEALER, OUTGOING, at)


def valid(received: Received, secret: str) -> bool:
    """Check as a receiver does: HMAC-SHA256 over id.timestamp.body, base64, any of the `v1,` signatures."""
    headers = received.headers
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + received.body
    digest = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(one, expected) for one in headers["webhook-signature"].split(" "))


def only(database: Database) -> Delivery:
    with database.reading() as session:
        return session.query(Delivery).one()


def test_signature_is_the_one_that_the_convention_publishes() -> None:
    """The example of the Standard Webhooks libraries."""
    signature = sign(
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_secrets_are_shown_with_their_prefix_and_are_never_the_same() -> None:
    first, second = new_webhook_secret(), new_webhook_secret()
    assert first != second
    assert len(base64.b64decode(first.removeprefix("whsec_"), validate=True)) == 32
    assert first.startswith("whsec_")


def test_event_arrives_signed_and_whole(database: Database, team: UUID, receiver: Receiver) -> None:
    endpoint, secret = listen(database, team, receiver.port)
    assert say(database, team) == 1
    assert deliver(database) == 1
    (received,) = receiver.received
    assert (received.method, received.path) == ("POST", "/hook")
    assert json.loads(received.body) == {
        "type": "session.graded",
        "timestamp": NOW.isoformat(),
        "data": {"session": "s-1", "note": "“ü”"},
    }
    assert received.headers["content-type"] == "application/json"
    assert received.headers["webhook-timestamp"] == str(int(NOW.timestamp()))
    assert valid(received, secret)
    assert not valid(received, new_webhook_secret())
    delivery = only(database)
    assert (delivery.done_at, delivery.error, delivery.subject_id) == (NOW, "", endpoint)
    assert deliver(database, NOW + timedelta(days=1)) == 0


def test_only_endpoints_that_want_the_event_are_told(database: Database, team: UUID, receiver: Receiver) -> None:
    listen(database, team, receiver.port, "invitation.made")
    switched_off, _ = listen(database, team, receiver.port)
    with database.writing() as session:
        session.get_one(WebhookEndpoint, switched_off).disabled_at = NOW
    assert say(database, team) == 0
    assert say(database, uuid4(), "invitation.made") == 0
    assert say(database, team, "invitation.made") == 1


def test_same_reason_is_told_once_to_each_endpoint(database: Database, team: UUID, receiver: Receiver) -> None:
    listen(database, team, receiver.port)
    listen(database, team, receiver.port)
    assert say(database, team, dedupe="graded:s-1:1") == 2
    with pytest.raises(IntegrityError):
        say(database, team, dedupe="graded:s-1:1")


def test_tries_keep_the_id_and_renew_the_time(database: Database, team: UUID, receiver: Receiver) -> None:
    _, secret = listen(database, team, receiver.port)
    receiver.statuses = [500, 302]
    say(database, team)
    deliver(database)
    assert only(database).error == "It answered 500."
    deliver(database, NOW + timedelta(minutes=1))
    assert "redirect" in only(database).error
    deliver(database, NOW + timedelta(minutes=5))
    assert len({one.headers["webhook-id"] for one in receiver.received}) == 1
    assert len({one.headers["webhook-timestamp"] for one in receiver.received}) == 3
    assert all(valid(one, secret) for one in receiver.received)
    assert (only(database).error, only(database).tries) == ("", 3)


def test_both_secrets_sign_while_one_rotates(database: Database, team: UUID, receiver: Receiver) -> None:
    endpoint, old = listen(database, team, receiver.port)
    with database.writing() as session:
        new = rotate(session.get_one(WebhookEndpoint, endpoint), SEALER, NOW)
    say(database, team)
    deliver(database)
    assert valid(receiver.received[0], old)
    assert valid(receiver.received[0], new)
    with database.writing() as session:
        end_rotation(session.get_one(WebhookEndpoint, endpoint))
    say(database, team)
    deliver(database)
    assert not valid(receiver.received[1], old)
    assert valid(receiver.received[1], new)


def test_gone_switches_the_endpoint_off_and_says_so(database: Database, team: UUID, receiver: Receiver) -> None:
    endpoint, _ = listen(database, team, receiver.port)
    receiver.statuses = [410]
    say(database, team)
    say(database, team)
    deliver(database)
    with database.reading() as session:
        assert session.get_one(WebhookEndpoint, endpoint).disabled_at == NOW
        assert [one.action for one in session.query(AuditEntry)] == ["webhook.switched_off"]
    assert say(database, team) == 0


def test_removed_endpoint_gives_its_messages_up(database: Database, team: UUID, receiver: Receiver) -> None:
    endpoint, _ = listen(database, team, receiver.port)
    say(database, team)
    with database.writing() as session:
        session.delete(session.get_one(WebhookEndpoint, endpoint))
    deliver(database)
    assert receiver.received == []
    assert (only(database).done_at, only(database).error) == (NOW, "The endpoint was removed or switched off.")


def test_address_that_was_mended_gets_what_waits(database: Database, team: UUID, receiver: Receiver) -> None:
    endpoint, _ = listen(database, team, 1)
    say(database, team)
    deliver(database)
    assert "No answer" in only(database).error
    with database.writing() as session:
        session.get_one(WebhookEndpoint, endpoint).url = f"http://127.0.0.1:{receiver.port}/new"
    deliver(database, NOW + timedelta(minutes=1))
    assert [one.path for one in receiver.received] == ["/new"]


def test_this_machine_is_not_called_without_the_setting(database: Database, team: UUID, receiver: Receiver) -> None:
    listen(database, team, receiver.port)
    say(database, team)
    deliver_webhooks(database, SEALER, Outgoing(), NOW)
    assert receiver.received == []
    assert "https://" in only(database).error


def test_secret_of_a_lost_key_waits_for_it(database: Database, team: UUID, receiver: Receiver) -> None:
    _, secret = listen(database, team, receiver.port)
    say(database, team)
    deliver_webhooks(database, Sealer(["another"]), OUTGOING, NOW)
    assert "GRADPROOF_SECRET_KEY_PREVIOUS" in only(database).error
    deliver_webhooks(database, Sealer(["key", "another"]), OUTGOING, NOW + timedelta(minutes=1))
    assert valid(receiver.received[0], secret)
