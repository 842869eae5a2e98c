"""What an operator relies on: a stop that answers, a full disk that loses nothing, two processes over one database."""

import resource
import signal
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import httpx
import pytest

from app.clock import now
from app.db import Database
from app.models import Delivery, Lease
from app.models.delivery import Channel, enqueue
from tests.banks import write_bank
from tests.delivery.mailbox import Mailbox, open_mailbox
from tests.live import words_of
from tests.served import Served

PASSWORD = "four random words here"
Serve = Callable[..., Served]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start sites that share a key; they have no sandbox, since nothing here runs code."""
    started: list[Served] = []
    bank = write_bank(tmp_path / "bank")

    def start(name: str = "site", log: Path | None = None, **settings: str) -> Served:
        fixed = {"bank": str(bank), "sandbox": "unix:/nowhere", "secret_key": "k" * 40, "check_bank_at_start": "false"}
        started.append(Served(tmp_path / name, log, **(fixed | settings)))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.stop()
        elif not one.log.closed:
            one.ended()


def fields(email: str) -> dict[str, str]:
    return {"email": email, "name": "Somebody", "new_password": PASSWORD, "next": "/account"}


def accounts(file: Path) -> set[str]:
    with closing(sqlite3.connect(file)) as database:
        return {email for (email,) in database.execute("SELECT email FROM accounts")}


def test_stop_answers_a_form_that_is_still_arriving_and_takes_no_other(serve: Serve, tmp_path: Path) -> None:
    served = serve()
    host, port = urlsplit(served.url).hostname, urlsplit(served.url).port
    assert host
    assert port
    body = urlencode(fields("slow@example.org")).encode()
    head = (
        f"POST /sign-up HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\nSec-Fetch-Site: same-origin\r\n\r\n"
    )
    with socket.create_connection((host, port)) as slow:
        slow.sendall(head.encode() + body[:20])
        time.sleep(0.3)
        served.process.send_signal(signal.SIGTERM)
        time.sleep(0.7)
        assert served.process.poll() is None
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, port), timeout=5).close()
        slow.sendall(body[20:])
        slow.settimeout(20)
        assert slow.recv(4096).startswith(b"HTTP/1.1 303 ")
    assert served.ended() == 0
    assert accounts(tmp_path / "site" / "var" / "gradproof.db") == {"slow@example.org"}


def test_idle_site_stops_at_once_though_browsers_keep_their_connections(serve: Serve) -> None:
    served = serve()
    with httpx.Client(base_url=served.url) as browser:
        browser.get("/")
        began = time.monotonic()
        assert served.stop() == 0
    assert time.monotonic() - began < 5


def limit_files(served: Served, size: int) -> None:
    """Let no file of the process grow beyond `size` bytes, as if the disk were full then."""
    _, hard = resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (size, hard))


def test_full_disk_is_said_and_nothing_that_was_acknowledged_is_lost(serve: Serve, tmp_path: Path) -> None:
    served = serve()
    file = tmp_path / "site" / "var" / "gradproof.db"
    acknowledged = set()
    with httpx.Client(base_url=served.url, timeout=30) as browser:
        assert browser.post("/sign-up", data=fields("first@example.org")).status_code == 303
        acknowledged.add("first@example.org")
        limit_files(served, file.with_name("gradproof.db-wal").stat().st_size + 20_000)
        refused = None
        for number in range(20):
            email = f"p{number}@example.org"
            with httpx.Client(base_url=served.url, timeout=30) as other:
                answer = other.post("/sign-up", data=fields(email))
            if answer.status_code == 303:
                acknowledged.add(email)
                continue
            refused = answer
            break
        assert refused is not None
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "5"
        assert "Nothing was stored; press again in a moment." in words_of(refused)
        assert "first@example.org" in words_of(browser.get("/account"))  # reading goes on
        assert accounts(file) == acknowledged

        limit_files(served, resource.RLIM_INFINITY)
        with httpx.Client(base_url=served.url, timeout=30) as other:
            assert other.post("/sign-up", data=fields(email)).status_code == 303
        acknowledged.add(email)
    assert served.stop() == 0
    assert accounts(file) == acknowledged


def test_log_that_cannot_be_written_fails_no_request(serve: Serve, tmp_path: Path) -> None:
    served = serve(log=Path("/dev/full"))
    with httpx.Client(base_url=served.url, timeout=30) as browser:
        assert browser.post("/sign-up", data=fields("ada@example.org")).status_code == 303
        assert browser.get("/account").status_code == 200
        assert browser.get("/nowhere").status_code == 404
    assert served.stop() == 0


def tries_until_locked(url: str, forwarded: Callable[[int], str]) -> int | None:
    """Sign in with wrong passwords, each for another account; return how many it took to be told to wait."""
    with httpx.Client(base_url=url, timeout=30) as attacker:
        for number in range(24):
            sent = {"email": f"x{number}@example.org", "password": "a wrong password"}
            answer = attacker.post("/sign-in", data=sent, headers={"x-forwarded-for": forwarded(number)})
            if answer.status_code == 429:
                return number
    return None


def test_forwarded_address_counts_only_from_a_trusted_proxy(serve: Serve) -> None:
    trusting = serve("trusting", trusted_proxies="127.0.0.1").url
    assert tries_until_locked(trusting, lambda _: "203.0.113.5") == 20
    assert tries_until_locked(trusting, lambda n: f"203.0.113.{100 + n}") is None
    # What a client says of itself comes before what the proxy adds, and is not believed.
    assert tries_until_locked(trusting, lambda n: f"192.0.2.{n}, 203.0.113.6") == 20
    assert tries_until_locked(serve("plain").url, lambda n: f"203.0.113.{n}") == 20


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with open_mailbox() as mailbox:
        yield mailbox


def test_two_processes_share_a_database_and_send_each_mail_once(serve: Serve, mailbox: Mailbox, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/shared.db"
    settings = {"database_url": url, "smtp_url": mailbox.url, "mail_from": "q@example.org"}
    first, second = serve("first", **settings), serve("second", **settings)
    with httpx.Client(base_url=first.url) as browser, httpx.Client(base_url=second.url) as same:
        browser.post("/sign-up", data=fields("ada@example.org"))
        token = browser.cookies["gradproof_session"]
        assert "ada@example.org" in words_of(same.get("/account", headers={"cookie": f"gradproof_session={token}"}))
    database = Database(url)

    def post(name: str, count: int) -> None:
        with database.writing() as session:
            for number in range(count):
                text = {"subject": name, "text": "Hello."}
                enqueue(session, now(), Channel.MAIL, f"{name}{number}@example.org", text)

    def wait_for(count: int) -> None:
        for _ in range(400):
            if len(mailbox.arrived) >= count:
                return
            time.sleep(0.05)
        raise AssertionError(f"{len(mailbox.arrived)} mails of {count} arrived")

    post("both", 20)
    wait_for(20)
    assert first.stop() == 0
    post("one", 5)
    wait_for(25)
    time.sleep(1.5)  # long enough for a second copy
    receivers = [one for to, _ in mailbox.arrived for one in to]
    assert len(receivers) == len(set(receivers)) == 25
    with database.reading() as session:
        assert {one.tries for one in session.query(Delivery)} == {1}
        assert len({one.holder for one in session.query(Lease)}) == 1
    database.dispose()
