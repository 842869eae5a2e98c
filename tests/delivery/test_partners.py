"""Calls to a partner at a real receiver: what they carry, and where the key never goes."""

import base64
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.db import Database, open_database
from app.delivery.outgoing import Outgoing
from app.delivery.partners import call_partner, deliver_partner_calls, may_call
from app.delivery.sealing import Sealer
from app.models import ApiKey, Delivery, Invitation, PartnerInterview, Quiz, Team
from tests.databases import url_for
from tests.delivery.receiver import Receiver, open_receiver

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


def asked_for(database: Database, url: str, **of_key: Any) -> PartnerInterview:
    """Store an interview that a partner asked for, and a call about it."""
    with database.writing() as session:
        team = Team(id=uuid4(), name="Vision", created_at=NOW)
        quiz = Quiz(id=uuid4(), team_id=team.id, title="Gradients", minutes=30, created_at=NOW)
        given = {"callback_hosts": ["127.0.0.1"], "sealed": SEALER.seal("api-key:with-colon")} | of_key
        key = ApiKey(
            id=uuid4(), team_id=team.id, name="ATS", scopes=[], prefix="a", key_hash="h", created_at=NOW, **given
        )
        invitation = Invitation(
            id=uuid4(), quiz_id=quiz.id, token_hash="t", email="", name="", extra_percent=0, created_at=NOW
        )
        for row in (team, quiz, key, invitation):
            session.add(row)
            session.flush()
        interview = PartnerInterview(
            id=uuid4(), team_id=team.id, api_key_id=key.id, invitation_id=invitation.id, url=url, created_at=NOW
        )
        session.add(interview)
        call_partner(session, NOW, interview)
    return interview


def deliver(database: Database) -> Delivery:
    assert deliver_partner_calls(database, SEALER, OUTGOING, NOW) == 1
    with database.reading() as session:
        return session.query(Delivery).one()


def test_partner_is_called_with_its_key_and_nothing_else(database: Database, receiver: Receiver) -> None:
    interview = asked_for(database, f"http://127.0.0.1:{receiver.port}/tests/7?x=1")
    delivery = deliver(database)
    (received,) = receiver.received
    assert (received.method, received.path, received.body) == ("PATCH", "/tests/7?x=1", b"")
    kind, _, value = received.headers["authorization"].partition(" ")
    assert (kind, base64.b64decode(value)) == ("Basic", b"api-key:with-colon:")
    assert received.headers["content-length"] == "0"
    assert (delivery.error, delivery.done_at, delivery.subject_id) == ("", NOW, interview.id)


def test_key_never_goes_to_a_host_that_it_does_not_name(database: Database, receiver: Receiver) -> None:
    asked_for(database, f"http://127.0.0.1:{receiver.port}/", callback_hosts=["partner.example.org"])
    delivery = deliver(database)
    assert receiver.received == []
    assert delivery.done_at == NOW
    assert "does not name this host" in delivery.error


def test_key_never_follows_a_redirect(database: Database, receiver: Receiver) -> None:
    receiver.statuses = [307]
    asked_for(database, f"http://127.0.0.1:{receiver.port}/")
    assert "redirect" in deliver(database).error
    assert len(receiver.received) == 1


def test_revoked_key_is_sent_nowhere(database: Database, receiver: Receiver) -> None:
    asked_for(database, f"http://127.0.0.1:{receiver.port}/", revoked_at=NOW)
    assert deliver(database).done_at == NOW
    assert receiver.received == []


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://partner.example.org/a", True),
        ("https://PARTNER.example.org:8443/a", True),
        ("https://partner.example.org.evil.example/", False),
        ("https://evil.example/partner.example.org", False),
        ("https://partner.example.org@evil.example/", False),
        ("https://sub.partner.example.org/", False),
        ("https://[partner.example.org/", False),
        ("", False),
    ],
)
def test_host_is_compared_whole(url: str, allowed: bool) -> None:
    assert may_call(ApiKey(callback_hosts=["Partner.example.org "]), url) is allowed
