"""What an operator relies on while candidates take a quiz: real processes over a quiz that was published before."""

import json
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select, update

from app.clock import now
from app.db import Database
from app.delivery.sealing import Sealer, UnreadableSecretError
from app.hiring.invitations import Guest, invite, open_link
from app.hiring.quiz_sessions import start
from app.livecheck import LiveCheck
from app.models import Lease, Quiz, QuizSession, SavedResponse, WebhookEndpoint
from app.tokens import Signer
from app.web.access import candidate_cookie
from tests.fakes import FakeSandbox
from tests.hiring.content import Hiring, make_hiring
from tests.live import form_of
from tests.served import Served
from tests.test_operations import limit_files

OLD, NEW = "o" * 40, "n" * 40


@pytest.fixture
def hiring(tmp_path: Path, fake: FakeSandbox) -> Iterator[Hiring]:
    made = make_hiring(tmp_path, LiveCheck(fake))
    yield made
    made.database.dispose()


@pytest.fixture
def serve(tmp_path: Path, hiring: Hiring) -> Iterator[Any]:
    """Start sites over the database of the quiz; they have no sandbox, since taking a quiz runs nothing."""
    started: list[Served] = []

    def begin(name: str, **settings: str) -> Served:
        fixed: dict[str, str] = {
            "bank": str(tmp_path / "bank"),
            "sandbox": "unix:/nowhere",
            "secret_key": OLD,
            "check_bank_at_start": "false",
            "database_url": hiring.database.url,
        }
        started.append(Served(tmp_path / name, None, **(fixed | settings)))
        return started[-1]

    yield begin
    for one in started:
        if one.process.poll() is None:
            one.stop()
        elif not one.log.closed:
            one.ended()


def begin_session(hiring: Hiring, quiz_id: UUID) -> tuple[str, UUID]:
    """Invite somebody and start their clock; return the link's path and the session."""
    with hiring.database.writing() as session:
        quiz = session.get_one(Quiz, quiz_id)
        link = invite(session, quiz, Guest("ada@example.org"), now(), base_url="").link
        return link, start(session, open_link(session, link.rpartition("/")[2]), now()).id


def save_body(epoch: int, sequence: int) -> dict[str, Any]:
    return {"epoch": epoch, "sequence": sequence, "fields": {"entry-1": f"{sequence}.5"}}


def entries(database: Database) -> dict[int, str]:
    with database.reading() as session:
        return {one.sequence: one.response["entries"][0] for one in session.scalars(select(SavedResponse))}


def test_saves_are_refused_on_a_full_disk_taken_afterwards_and_answered_at_the_stop(
    hiring: Hiring, serve: Any, tmp_path: Path
) -> None:
    link, session_id = begin_session(hiring, hiring.published())
    served: Served = serve("site", sweep="false")
    path, acknowledged = f"/sessions/{session_id}/responses/1", set()
    with httpx.Client(base_url=served.url, timeout=30) as candidate:
        candidate.get(link)
        epoch = int(form_of(candidate.get(f"/sessions/{session_id}/items/1")).fields["epoch"])

        def put(sequence: int) -> httpx.Response:
            return candidate.put(path, json=save_body(epoch, sequence))

        assert put(1).status_code == 200
        acknowledged.add(1)
        wal = next(tmp_path.glob("*.db-wal"))
        limit_files(served, wal.stat().st_size + 20_000)
        refused = None
        for sequence in range(2, 40):
            answer = put(sequence)
            if answer.status_code != 200:
                refused = answer
                break
            acknowledged.add(sequence)
        assert refused is not None
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert set(entries(hiring.database)) == acknowledged
        assert candidate.get(link).status_code == 200  # the landing page only reads

        limit_files(served, -1)
        assert put(sequence).json()["state"] == "saved"
        acknowledged.add(sequence)

        host, port = urlsplit(served.url).hostname, urlsplit(served.url).port
        last = sequence + 1
        body = json.dumps(save_body(epoch, last)).encode()
        cookies = "; ".join(f"{one.name}={one.value}" for one in candidate.cookies.jar)
        head = (
            f"PUT {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\nCookie: {cookies}\r\n"
            f"Content-Length: {len(body)}\r\nSec-Fetch-Site: same-origin\r\n\r\n"
        )
        with socket.create_connection((host or "", port or 0)) as slow:
            slow.sendall(head.encode() + body[:10])
            time.sleep(0.3)
            served.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            slow.sendall(body[10:])
            slow.settimeout(20)
            assert slow.recv(4096).startswith(b"HTTP/1.1 200 ")
    assert served.ended() == 0
    assert entries(hiring.database) == {one: f"{one}.5" for one in (*acknowledged, last)}


def seal_a_secret(database: Database, team_id: UUID) -> UUID:
    with database.writing() as session:
        endpoint = WebhookEndpoint(
            id=uuid4(),
            team_id=team_id,
            url="https://hooks.example.org/",
            events=[],
            secret=Sealer([OLD]).seal("whsec"),
            created_at=now(),
        )
        session.add(endpoint)
        return endpoint.id


def test_signing_key_rotates_under_a_running_session(hiring: Hiring, serve: Any) -> None:
    link, session_id = begin_session(hiring, hiring.published())
    endpoint, item = seal_a_secret(hiring.database, hiring.team_id), f"/sessions/{session_id}/items/1"

    def secret() -> str:
        with hiring.database.reading() as session:
            return session.get_one(WebhookEndpoint, endpoint).secret

    invitation = hiring.session(session_id).invitation_id
    cookies = {candidate_cookie(invitation): Signer([OLD]).sign_candidate(invitation)}
    both = serve("both", secret_key=NEW, secret_key_previous=OLD)
    with httpx.Client(base_url=both.url, cookies=cookies) as candidate:
        assert candidate.get(item).status_code == 200
    end = time.monotonic() + 20
    while not Sealer([OLD, NEW]).is_newest(secret()):
        assert time.monotonic() < end, "the secret was not moved"
        time.sleep(0.05)
    with pytest.raises(UnreadableSecretError):
        Sealer([OLD]).read(secret())
    assert both.stop() == 0

    newest = serve("newest", secret_key=NEW, sweep="false")
    with httpx.Client(base_url=newest.url, cookies=cookies) as candidate:
        assert candidate.get(item).status_code == 404  # signed with a key that was dropped
        candidate.get(link)  # the link is no matter of the key: it leads back to the session
        assert candidate.get(item).status_code == 200
    assert Sealer([NEW]).read(secret()) == "whsec"


def test_of_two_processes_the_one_that_is_left_closes_and_grades_once(hiring: Hiring, serve: Any) -> None:
    quiz_id = hiring.published()
    sites = [serve("one"), serve("two")]

    def closed_by_a_sweeper() -> QuizSession:
        _, session_id = begin_session(hiring, quiz_id)
        with hiring.database.writing() as session:
            # Its time is over, and nobody looks at it.
            session.execute(
                update(QuizSession).where(QuizSession.id == session_id).values(deadline=now().replace(year=2020))
            )
        end = time.monotonic() + 50
        while (found := hiring.session(session_id)).to_grade or found.closed_at is None:
            assert time.monotonic() < end, "nobody closed it"
            time.sleep(0.1)
        return found

    assert closed_by_a_sweeper().revision == 1
    with hiring.database.reading() as session:
        assert len({one.holder for one in session.scalars(select(Lease).where(Lease.name == "sessions"))}) == 1
    assert sites[0].stop() == 0
    assert closed_by_a_sweeper().revision == 1
