"""Secrets at rest: what the database holds is no use without a signing key, and survives its rotation."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from app.db import Database, open_database
from app.delivery.sealing import Sealer, UnreadableSecretError, reseal
from app.models import ApiKey, Team, WebhookEndpoint
from tests.databases import url_for

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
SECRET = "whsec_not-for-everyone"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(url_for(tmp_path))
    yield database
    database.dispose()


def test_sealed_text_hides_the_secret_and_differs_each_time() -> None:
    sealer = Sealer(["key"])
    first, second = sealer.seal(SECRET), sealer.seal(SECRET)
    assert first != second
    assert SECRET not in first
    assert sealer.read(first) == sealer.read(second) == SECRET


def test_longest_key_of_a_partner_fits_its_column() -> None:
    length = ApiKey.__table__.c.sealed.type.length  # type: ignore[attr-defined]  # a String has one
    assert len(Sealer(["key"]).seal("k" * 170)) <= length


@pytest.mark.parametrize("change", [lambda text: text[:-4] + "AAAA", lambda text: text[: len(text) // 2], lambda _: ""])
def test_changed_text_is_refused(change: object) -> None:
    assert callable(change)
    sealer = Sealer(["key"])
    with pytest.raises(UnreadableSecretError):
        sealer.read(change(sealer.seal(SECRET)))


def test_previous_key_is_read_and_the_current_one_seals() -> None:
    old, rotating, new = Sealer(["old"]), Sealer(["old", "new"]), Sealer(["new"])
    assert rotating.read(old.seal(SECRET)) == SECRET
    assert new.read(rotating.seal(SECRET)) == SECRET
    with pytest.raises(UnreadableSecretError):
        new.read(old.seal(SECRET))


def test_resealing_frees_the_previous_key(database: Database) -> None:
    old, rotating, new = Sealer(["old"]), Sealer(["old", "new"]), Sealer(["new"])
    with database.writing() as session:
        team = Team(id=uuid4(), name="Vision", created_at=NOW)
        session.add(team)
        session.flush()
        shared = {"team_id": team.id, "created_at": NOW}
        key = ApiKey(id=uuid4(), name="k", scopes=[], prefix="k", key_hash="h", sealed=old.seal("key"), **shared)
        lost = WebhookEndpoint(id=uuid4(), url="", events=[], secret=Sealer(["gone"]).seal("x"), **shared)
        endpoint = WebhookEndpoint(
            id=uuid4(), url="", events=[], secret=new.seal("now"), previous_secret=old.seal("before"), **shared
        )
        session.add_all([key, lost, endpoint])
    assert reseal(database, rotating) == 2
    assert reseal(database, rotating) == 0
    with database.reading() as session:
        assert new.read(session.get_one(ApiKey, key.id).sealed) == "key"
        moved = session.get_one(WebhookEndpoint, endpoint.id)
        assert (new.read(moved.secret), new.read(moved.previous_secret)) == ("now", "before")
        assert Sealer(["gone"]).read(session.get_one(WebhookEndpoint, lost.id).secret) == "x"
