"""Mails to a real server: what arrives, what cannot be smuggled in, and what becomes of what is refused."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.db import Database, open_database
from app.delivery.mail import MailServer, deliver_mails, mail_server
from app.delivery.outbox import GIVE_UP_AFTER
from app.models import Delivery
from app.models.delivery import Channel, enqueue
from app.settings import Settings, SettingsError
from tests.databases import url_for
from tests.delivery.certificates import certify
from tests.delivery.mailbox import Mailbox, open_mailbox

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
LINK = "https://prove.example.org/invitations/" + "x" * 43


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(url_for(tmp_path))
    yield database
    database.dispose()


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with open_mailbox() as mailbox:
        yield mailbox


@pytest.fixture
def server(mailbox: Mailbox, settings: Settings) -> MailServer:
    server = mail_server(mailbox.settings(settings))
    assert server is not None
    return server


def post(database: Database, target: str = "ada@example.org", subject: str = "Invitation", text: str = LINK) -> None:
    with database.writing() as session:
        enqueue(session, NOW, Channel.MAIL, target, {"subject": subject, "text": text})


def posted(database: Database) -> list[Delivery]:
    with database.reading() as session:
        return session.query(Delivery).order_by(Delivery.created_at, Delivery.target).all()


def test_mail_arrives_whole_and_its_link_is_forgotten(database: Database, server: MailServer, mailbox: Mailbox) -> None:
    post(database, subject="Invitation: “Gradients” für Ada", text=f"Hello Ada, “here” it is:\n\n{LINK}\n")
    assert deliver_mails(database, server, NOW) == 1
    ((receivers, mail),) = mailbox.arrived
    assert receivers == ["ada@example.org"]
    assert (mail["from"], mail["to"]) == ("Quiz <q@example.org>", "ada@example.org")
    assert mail["subject"] == "Invitation: “Gradients” für Ada"
    assert LINK in mail.get_content()
    assert mail["auto-submitted"] == "auto-generated"
    (delivery,) = posted(database)
    assert (delivery.done_at, delivery.error, delivery.payload, delivery.tries) == (NOW, "", {}, 1)
    assert deliver_mails(database, server, NOW + timedelta(days=1)) == 0


@pytest.mark.parametrize(
    "subject", ["Hi\r\nBcc: x@evil.example", "Hi\nTo: x@evil.example\n\nbody", "Hi\x00\x85\u2028Bcc: x@evil.example"]
)
def test_subject_cannot_add_a_header_or_a_receiver(
    database: Database, server: MailServer, mailbox: Mailbox, subject: str
) -> None:
    post(database, subject=subject)
    deliver_mails(database, server, NOW)
    ((receivers, mail),) = mailbox.arrived
    assert receivers == ["ada@example.org"]
    assert mail["bcc"] is None
    assert mail.get_all("to") == ["ada@example.org"]
    assert LINK in mail.get_content()
    assert mail["subject"].startswith("Hi")


@pytest.mark.parametrize(
    "target", ["ada@example.org\r\nBcc: x@evil.example", "ada@example.org, x@evil.example", "a..b@x.y", ""]
)
def test_target_that_is_not_one_address_is_given_up_at_once(
    database: Database, server: MailServer, mailbox: Mailbox, target: str
) -> None:
    post(database, target=target)
    deliver_mails(database, server, NOW)
    assert mailbox.arrived == []
    (delivery,) = posted(database)
    assert (delivery.done_at, delivery.payload) == (NOW, {})
    assert "No mail can be written" in delivery.error


def test_text_that_cannot_be_encoded_is_given_up_and_holds_up_nothing(
    database: Database, server: MailServer, mailbox: Mailbox
) -> None:
    post(database, target="a@example.org", text="\ud800")
    post(database, target="b@example.org")
    deliver_mails(database, server, NOW)
    assert [receivers for receivers, _ in mailbox.arrived] == [["b@example.org"]]
    assert posted(database)[0].done_at == NOW


def test_several_mails_travel_over_one_connection(database: Database, server: MailServer, mailbox: Mailbox) -> None:
    for number in range(5):
        post(database, target=f"c{number}@example.org")
    assert deliver_mails(database, server, NOW) == 5
    assert len(mailbox.arrived) == 5
    assert mailbox.connections == 1
    assert len({mail["message-id"] for _, mail in mailbox.arrived}) == 5


def test_refused_address_is_given_up_and_the_others_arrive(
    database: Database, server: MailServer, mailbox: Mailbox
) -> None:
    mailbox.refusals["a@example.org"] = "550 No such user"
    for name in "abc":
        post(database, target=f"{name}@example.org")
    deliver_mails(database, server, NOW)
    assert len(mailbox.arrived) == 2
    refused = posted(database)[0]
    assert (refused.done_at, refused.payload) == (NOW, {})
    assert "550 No such user" in refused.error


def test_mail_put_off_by_the_server_is_the_same_mail_later(
    database: Database, server: MailServer, mailbox: Mailbox
) -> None:
    mailbox.answers = ["451 Try again later"]
    post(database)
    deliver_mails(database, server, NOW)
    (delivery,) = posted(database)
    assert delivery.done_at is None
    assert "451 Try again later" in delivery.error
    assert delivery.payload["text"] == LINK
    assert deliver_mails(database, server, NOW + timedelta(seconds=4)) == 0
    assert deliver_mails(database, server, NOW + timedelta(seconds=11)) == 1
    assert mailbox.arrived[0][1]["message-id"].strip("<>").startswith(str(delivery.id))
    assert posted(database)[0].error == ""


def test_server_that_is_away_keeps_every_mail_with_its_reason(
    database: Database, server: MailServer, mailbox: Mailbox
) -> None:
    away = MailServer("127.0.0.1", 1, encrypted=False, sender=server.sender)
    for name in "ab":
        post(database, target=f"{name}@example.org")
    assert deliver_mails(database, away, NOW) == 2
    assert all(one.done_at is None and "cannot be used" in one.error for one in posted(database))
    assert deliver_mails(database, server, NOW + timedelta(minutes=1)) == 2
    assert len(mailbox.arrived) == 2


def test_without_a_mail_server_mails_stay_and_say_so_and_end_after_three_days(database: Database) -> None:
    post(database)
    assert deliver_mails(database, None, NOW) == 1
    (delivery,) = posted(database)
    assert delivery.done_at is None
    assert "no mail server is set" in delivery.error
    at, tries = NOW, 1
    while posted(database)[0].done_at is None:
        at = posted(database)[0].next_try_at
        assert at - NOW < 2 * GIVE_UP_AFTER
        tries += deliver_mails(database, None, at)
    (given_up,) = posted(database)
    assert at - NOW >= GIVE_UP_AFTER
    assert 10 <= tries <= 25
    assert given_up.payload == {}
    assert given_up.error == delivery.error


def test_login_travels_encrypted_and_a_wrong_one_keeps_the_mail(
    database: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = certify(tmp_path, "127.0.0.1")
    monkeypatch.setattr("app.delivery.mail._trusted", lambda: ends.client)
    with open_mailbox(tls_context=ends.server, require_starttls=True, auth_required=True) as mailbox:
        right, wrong = (mail_server(mailbox.settings(settings, f"me:{one}@")) for one in ("p%40ss%3Aword", "no"))
        post(database)
        deliver_mails(database, wrong, NOW)
        assert "cannot be used: 535" in posted(database)[0].error
        deliver_mails(database, right, NOW + timedelta(minutes=1))
        assert (b"me", b"p@ss:word") in mailbox.logins
        assert len(mailbox.arrived) == 1


def test_server_whose_certificate_is_not_trusted_is_sent_nothing(
    database: Database, settings: Settings, tmp_path: Path
) -> None:
    ends = certify(tmp_path, "127.0.0.1")
    with open_mailbox(tls_context=ends.server, require_starttls=True, auth_required=True) as mailbox:
        post(database)
        deliver_mails(database, mail_server(mailbox.settings(settings, "me:p%40ss%3Aword@")), NOW)
        assert "CERTIFICATE_VERIFY_FAILED" in posted(database)[0].error
        assert (mailbox.logins, mailbox.arrived) == ([], [])


def test_server_elsewhere_without_encryption_is_sent_nothing(
    database: Database, server: MailServer, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every host but this machine must speak TLS; here this machine is not one that may do without."""
    monkeypatch.setattr("app.delivery.mail.LOOPBACK", frozenset())
    post(database)
    deliver_mails(database, server, NOW)
    assert mailbox.arrived == []
    assert "STARTTLS" in posted(database)[0].error


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"smtp_url": "mail.example.org", "mail_from": "q@example.org"}, "GRADPROOF_SMTP_URL"),
        ({"smtp_url": "smtp://", "mail_from": "q@example.org"}, "GRADPROOF_SMTP_URL"),
        ({"smtp_url": "http://mail.example.org", "mail_from": "q@example.org"}, "GRADPROOF_SMTP_URL"),
        ({"smtp_url": "smtp://mail.example.org:many", "mail_from": "q@example.org"}, "GRADPROOF_SMTP_URL"),
        ({"smtp_url": "smtp://u:p%C3%A4@mail.example.org", "mail_from": "q@example.org"}, "GRADPROOF_SMTP_URL"),
        ({"smtp_url": "smtp://mail.example.org", "mail_from": ""}, "GRADPROOF_MAIL_FROM"),
        ({"smtp_url": "smtp://mail.example.org", "mail_from": "Quiz <nobody>"}, "GRADPROOF_MAIL_FROM"),
        (
            {"smtp_url": "smtp://mail.example.org", "mail_from": "Quiz\nBcc: x@y.z <q@x.org>"},
            "GRADPROOF_MAIL_FROM",
        ),
    ],
)
def test_setting_that_cannot_be_used_is_named(settings: Settings, changes: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        mail_server(Settings(_env_file=None, **(settings.model_dump() | changes)))


def test_ports_and_encryption_follow_the_scheme(settings: Settings) -> None:
    def read(url: str) -> tuple[str, int, bool]:
        given = settings.model_dump() | {"smtp_url": url, "mail_from": "q@example.org"}
        server = mail_server(Settings(_env_file=None, **given))
        assert server is not None
        assert "secret" not in repr(server)
        return server.host, server.port, server.encrypted

    assert read("smtp://me:secret@mail.example.org") == ("mail.example.org", 587, False)
    assert read("smtps://me:secret@mail.example.org") == ("mail.example.org", 465, True)
    assert read("smtps://[::1]:2465/") == ("::1", 2465, True)
