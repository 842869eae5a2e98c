"""Keys, webhooks and the log of what was sent, over real HTTP and with a receiver that keeps what it gets."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import httpx
import pytest
import time_machine

from app.clock import now
from app.delivery.webhooks import end_old_rotations, tell
from app.models import ApiKey, AuditEntry, Delivery, WebhookEndpoint
from app.settings import Settings
from app.sweeping import call_webhooks
from app.tokens import hash_secret
from tests.delivery.receiver import Received, Receiver, open_receiver
from tests.live import LiveSite, words_of
from tests.web.test_accounts import new_team, signed_up


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"deliver_to_loopback": True})


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with open_receiver() as receiver:
        yield receiver


@pytest.fixture
def owner(live: LiveSite) -> httpx.Client:
    return signed_up(live, "owner@example.org")


@pytest.fixture
def page(owner: httpx.Client) -> str:
    return f"{new_team(owner)}/integrations"


def shown_secret(answer: httpx.Response) -> str:
    found = re.search(r'<code class="copyable" tabindex="0">([^<]+)</code>', answer.text)
    assert found is not None, words_of(answer)
    return found[1]


def made_key(owner: httpx.Client, page: str, **fields: str) -> httpx.Response:
    return owner.post(f"{page}/keys", data={"name": "Script", "hosts": ""} | fields)


def added(owner: httpx.Client, page: str, port: int, **fields: str) -> httpx.Response:
    sent = {"url": f"http://127.0.0.1:{port}/hook?token=t", "event-session-graded": "on"} | fields
    return owner.post(f"{page}/webhooks", data=sent)


def only_key(live: LiveSite) -> ApiKey:
    with live.site.database.reading() as session:
        return session.query(ApiKey).one()


def only_endpoint(live: LiveSite) -> WebhookEndpoint:
    with live.site.database.reading() as session:
        return session.query(WebhookEndpoint).one()


def deliver(live: LiveSite) -> int:
    return call_webhooks(live.site, now())


def say(live: LiveSite, page: str) -> None:
    with live.site.database.writing() as session:
        tell(session, now(), UUID(page.split("/")[2]), "session.graded", {"session_id": "s-1"})


def signed_with(received: Received, secret: str) -> bool:
    """Check as the convention says: HMAC-SHA256 over id.timestamp.body, in base64, any of the signatures."""
    one = received.headers
    content = b".".join([one["webhook-id"].encode(), one["webhook-timestamp"].encode(), received.body])
    mac = hmac.new(base64.b64decode(secret.split("_", 1)[1]), content, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(mac).decode()}" in one["webhook-signature"].split()


def test_key_is_shown_once_and_stored_as_a_hash(live: LiveSite, owner: httpx.Client, page: str) -> None:
    answer = made_key(owner, page, **{"scope-quizzes-read": "on", "scope-results-read": "on"})
    secret = shown_secret(answer)
    assert answer.headers["cache-control"] == "no-store"
    key = only_key(live)
    assert (key.name, key.scopes) == ("Script", ["quizzes:read", "results:read"])
    assert (key.key_hash, key.sealed) == (hash_secret(secret), "")
    again = owner.get(page)
    assert secret not in again.text
    assert f"{secret[:9]}…" in words_of(again)
    assert "never" in words_of(again)


def test_key_for_a_partner_names_its_hosts_and_can_be_read_again(
    live: LiveSite, owner: httpx.Client, page: str
) -> None:
    secret = shown_secret(made_key(owner, page, **{"scope-partner": "on", "hosts": "ATS.example.org, b.example.org"}))
    key = only_key(live)
    assert key.callback_hosts == ["ats.example.org", "b.example.org"]
    assert secret not in key.sealed
    assert live.site.sealer.read(key.sealed) == secret
    changed = owner.post(f"{page}/keys/{key.id}/hosts", data={"hosts": "c.example.org"})
    assert changed.status_code == 303
    assert only_key(live).callback_hosts == ["c.example.org"]
    assert owner.post(f"{page}/keys/{key.id}/hosts", data={"hosts": ""}).status_code == 422


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"scope-quizzes-read": "on", "name": " "}, "Name the program"),
        ({"scope-quizzes-read": "on", "name": "x" * 121}, "at most 120 characters"),
        ({}, "Choose at least one thing"),
        ({"scope-everything": "on"}, "Choose at least one thing"),
        ({"scope-partner": "on"}, "Name the hosts"),
        ({"scope-partner": "on", "scope-quizzes-read": "on", "hosts": "a.example.org"}, "it may do nothing else"),
        ({"scope-quizzes-read": "on", "hosts": "a.example.org"}, "Only a key for a partner"),
        ({"scope-partner": "on", "hosts": "10.0.0.1"}, "private network"),
        ({"scope-partner": "on", "hosts": "https://a.example.org"}, "write only the name"),
        ({"scope-partner": "on", "hosts": "a.example.org/x"}, "write only the name"),
        ({"scope-partner": "on", "hosts": " ".join(f"h{n}.example.org" for n in range(11))}, "at most 10 hosts"),
    ],
)
def test_key_that_cannot_be_made_says_why_and_keeps_what_was_typed(
    live: LiveSite, owner: httpx.Client, page: str, fields: dict[str, str], words: str
) -> None:
    answer = made_key(owner, page, **{"name": "The typed name"} | fields)
    assert answer.status_code == 422
    assert words in words_of(answer)
    assert (fields.get("name") or "The typed name").strip()[:20] in answer.text
    with live.site.database.reading() as session:
        assert session.query(ApiKey).count() == 0


def test_revoked_key_is_no_key_and_its_copy_is_deleted(live: LiveSite, owner: httpx.Client, page: str) -> None:
    made_key(owner, page, **{"scope-partner": "on", "hosts": "ats.example.org"})
    assert owner.post(f"{page}/keys/{only_key(live).id}/revoke", data={"": ""}).status_code == 303
    assert (only_key(live).revoked_at is None, only_key(live).sealed) == (False, "")
    assert "revoked" in words_of(owner.get(page))
    assert owner.post(f"{page}/keys/{only_key(live).id}/hosts", data={"hosts": "b.example.org"}).status_code == 409


def test_what_belongs_to_another_team_is_not_there(live: LiveSite, owner: httpx.Client, page: str) -> None:
    made_key(owner, page, **{"scope-quizzes-read": "on"})
    added(owner, page, 1)
    say(live, page)
    other = f"{new_team(owner)}/integrations"
    with live.site.database.reading() as session:
        delivery = session.query(Delivery).one().id
    for address in (
        f"keys/{only_key(live).id}/revoke",
        f"webhooks/{only_endpoint(live).id}/remove",
        f"deliveries/{delivery}/retry",
        f"deliveries/{uuid4()}/retry",
    ):
        assert owner.post(f"{other}/{address}", data={"": ""}).status_code == 404, address
    assert only_key(live).revoked_at is None


def test_endpoint_is_tested_and_the_log_says_what_became_of_it(
    live: LiveSite, owner: httpx.Client, page: str, receiver: Receiver
) -> None:
    answer = added(owner, page, receiver.port)
    secret = shown_secret(answer)
    assert secret not in only_endpoint(live).secret
    assert secret not in owner.get(page).text
    endpoint = f"{page}/webhooks/{only_endpoint(live).id}"
    assert "A test is on its way" in words_of(owner.post(f"{endpoint}/test", data={"": ""}))
    assert deliver(live) == 1
    (received,) = receiver.received
    assert signed_with(received, secret)
    assert not signed_with(received, "whsec_" + base64.b64encode(b"x" * 32).decode())
    assert json.loads(received.body)["type"] == "endpoint.test"
    assert "endpoint.test 127.0.0.1 delivered 1" in words_of(owner.get(page))
    with live.site.database.reading() as session:
        details = [one.detail for one in session.query(AuditEntry) if one.action == "webhook.added"]
    assert details == [{"host": "127.0.0.1"}]


def test_failed_message_is_sent_again_by_hand_and_a_delivered_one_is_not(
    live: LiveSite, owner: httpx.Client, page: str, receiver: Receiver
) -> None:
    added(owner, page, receiver.port)
    receiver.statuses = [500, 302]
    say(live, page)
    deliver(live)
    words = words_of(owner.get(page))
    assert "It answered 500." in words
    assert "next try" in words
    with live.site.database.reading() as session:
        retry = f"{page}/deliveries/{session.query(Delivery).one().id}/retry"
    assert deliver(live) == 0
    assert "It is tried now" in words_of(owner.post(retry, data={"": ""}))
    assert deliver(live) == 1
    assert "a redirect, which is not followed" in words_of(owner.get(page))
    owner.post(retry, data={"": ""})
    deliver(live)
    assert "delivered 3" in words_of(owner.get(page))
    assert owner.post(retry, data={"": ""}).status_code == 409
    assert len({one.headers["webhook-id"] for one in receiver.received}) == 1


def test_given_up_message_can_be_tried_once_more(
    live: LiveSite, owner: httpx.Client, page: str, receiver: Receiver
) -> None:
    added(owner, page, receiver.port)
    say(live, page)
    endpoint = f"{page}/webhooks/{only_endpoint(live).id}"
    owner.post(f"{endpoint}/off", data={"": ""})
    assert deliver(live) == 1
    assert "given up" in words_of(owner.get(page))
    owner.post(f"{endpoint}/on", data={"": ""})
    with live.site.database.reading() as session:
        delivery = session.query(Delivery).one().id
    owner.post(f"{page}/deliveries/{delivery}/retry", data={"": ""})
    deliver(live)
    assert [json.loads(one.body)["data"] for one in receiver.received] == [{"session_id": "s-1"}]


def test_old_secret_signs_for_a_day_after_the_rotation(
    live: LiveSite, owner: httpx.Client, page: str, receiver: Receiver
) -> None:
    old = shown_secret(added(owner, page, receiver.port))
    endpoint = f"{page}/webhooks/{only_endpoint(live).id}"
    new = shown_secret(owner.post(f"{endpoint}/rotate", data={"": ""}))
    assert "the old secret signs too" in words_of(owner.get(page))
    say(live, page)
    deliver(live)
    assert [signed_with(receiver.received[0], one) for one in (old, new)] == [True, True]
    at = now()
    assert end_old_rotations(live.site.database, at + timedelta(hours=23)) == 0
    assert end_old_rotations(live.site.database, at + timedelta(hours=25)) == 1
    assert end_old_rotations(live.site.database, at + timedelta(hours=25)) == 0
    say(live, page)
    deliver(live)
    assert [signed_with(receiver.received[1], one) for one in (old, new)] == [False, True]


def test_old_secret_is_dropped_by_hand(live: LiveSite, owner: httpx.Client, page: str) -> None:
    added(owner, page, 1)
    endpoint = f"{page}/webhooks/{only_endpoint(live).id}"
    owner.post(f"{endpoint}/rotate", data={"": ""})
    assert owner.post(f"{endpoint}/drop-old-secret", data={"": ""}).status_code == 303
    assert (only_endpoint(live).previous_secret, only_endpoint(live).rotated_at) == ("", None)


def test_endpoint_that_is_off_is_told_nothing_and_cannot_be_tested(
    live: LiveSite, owner: httpx.Client, page: str
) -> None:
    added(owner, page, 1)
    endpoint = f"{page}/webhooks/{only_endpoint(live).id}"
    owner.post(f"{endpoint}/off", data={"": ""})
    assert "off since" in words_of(owner.get(page))
    assert owner.post(f"{endpoint}/test", data={"": ""}).status_code == 409
    say(live, page)
    with live.site.database.reading() as session:
        assert session.query(Delivery).count() == 0
    assert owner.post(f"{endpoint}/remove", data={"": ""}).status_code == 303
    assert owner.post(f"{endpoint}/on", data={"": ""}).status_code == 404


def test_receiver_that_never_answers_is_given_up_after_three_days(
    live: LiveSite, owner: httpx.Client, page: str
) -> None:
    added(owner, page, 1)
    say(live, page)
    at, tried = now(), 0
    for hours in range(0, 100, 13):
        with time_machine.travel(at + timedelta(hours=hours), tick=False):
            tried += deliver(live)
    with live.site.database.reading() as session:
        delivery = session.query(Delivery).one()
    assert delivery.done_at is not None
    assert at + timedelta(days=3) <= delivery.done_at < at + timedelta(days=4)
    assert (delivery.tries, delivery.error[:9]) == (tried, "No answer")
    assert "given up" in words_of(owner.get(page))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"url": "ftp://hooks.example.org/"}, "must start with https://"),
        ({"url": "https://10.1.2.3/"}, "private network"),
        ({"url": "https://169.254.169.254/latest"}, "private network"),
        ({"url": "https://user:word@hooks.example.org/"}, "neither a user"),
        ({"url": "https://" + "a" * 2000}, "at most 2000"),
        ({"url": ""}, "must start with https://"),
        ({"event-session-graded": "off"}, "Choose at least one event"),
    ],
)
def test_address_that_may_not_be_called_is_refused_with_its_reason(
    live: LiveSite, owner: httpx.Client, page: str, fields: dict[str, str], words: str
) -> None:
    answer = added(owner, page, 1, **fields)
    assert answer.status_code == 422
    assert words in words_of(answer)
    with live.site.database.reading() as session:
        assert session.query(WebhookEndpoint).count() == 0


def test_team_has_no_more_than_ten_endpoints_and_fifty_keys(live: LiveSite, owner: httpx.Client, page: str) -> None:
    for _ in range(10):
        assert added(owner, page, 1).status_code == 200
    assert added(owner, page, 1).status_code == 409
    for _ in range(50):
        assert made_key(owner, page, **{"scope-quizzes-read": "on"}).status_code == 200
    assert made_key(owner, page, **{"scope-quizzes-read": "on"}).status_code == 409
