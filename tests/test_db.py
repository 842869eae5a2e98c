import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from app.clock import now
from app.db import Database, StorageError, alembic_config, open_database, revisions, upgrade
from app.models import Base, Person
from app.models.person import ensure_person
from tests.databases import url_for


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(url_for(tmp_path, migrated=False))
    upgrade(database)
    yield database
    database.dispose()


def test_migrations_and_models_agree(database: Database) -> None:
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_upgrade_twice_changes_nothing(database: Database) -> None:
    upgrade(database)
    current, head = revisions(database)
    assert current == head


def test_migrations_go_down_and_up_again(database: Database) -> None:
    command.downgrade(alembic_config(database), "base")
    upgrade(database)
    assert revisions(database)[0] is not None


@pytest.mark.sqlite
def test_pragmas_hold(database: Database) -> None:
    with database.reading() as session:
        values = {
            name: session.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert values == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5000}


def test_two_writers_wait_for_each_other(database: Database) -> None:
    """A transaction that reads first and then writes must not fail when another writer is in between."""
    started, errors = threading.Barrier(4), []

    def write() -> None:
        started.wait()
        try:
            for _ in range(10):
                with database.writing() as session:
                    session.execute(text("SELECT count(*) FROM people")).scalar()
                    time.sleep(0.002)
                    ensure_person(session, uuid4(), now())
        except Exception as error:  # noqa: BLE001 - whatever it is, the test names it
            errors.append(error)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with database.reading() as session:
        assert session.query(Person).count() == 40


def test_error_in_the_block_stores_nothing(database: Database) -> None:
    with pytest.raises(RuntimeError, match="on purpose"), database.writing() as session:
        ensure_person(session, uuid4(), now())
        raise RuntimeError("on purpose")
    with database.reading() as session:
        assert session.query(Person).count() == 0


def test_reading_never_commits(database: Database) -> None:
    with database.reading() as session:
        ensure_person(session, uuid4(), now())
    with database.reading() as session:
        assert session.query(Person).count() == 0


@pytest.mark.sqlite
def test_full_disk_is_a_storage_error(database: Database) -> None:
    with database.reading() as session:
        pages = session.execute(text("PRAGMA page_count")).scalar()
    with pytest.raises(StorageError, match="Nothing was stored"), database.writing() as session:
        session.execute(text(f"PRAGMA max_page_count = {pages}"))
        for _ in range(5000):
            session.add(Person(id=uuid4(), created_at=now()))
        session.flush()


def test_naive_time_is_refused(database: Database) -> None:
    with pytest.raises(Exception, match="time zone"), database.writing() as session:
        session.add(Person(id=uuid4(), created_at=now().replace(tzinfo=None)))


def test_times_come_back_in_utc(database: Database) -> None:
    person, moment = uuid4(), now()
    with database.writing() as session:
        ensure_person(session, person, moment)
    with database.reading() as session:
        stored = session.get_one(Person, person).created_at
    assert stored == moment
    assert stored.utcoffset() == moment.utcoffset()


@pytest.mark.sqlite
def test_database_file_of_the_default_is_sqlite_without_dialect_tricks(database: Database, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "test.db") as raw:
        assert raw.execute("SELECT count(*) FROM attempts").fetchone() == (0,)
    raw.close()


def test_file_that_is_no_database_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"this is no database at all, only words" * 40)
    with pytest.raises(StorageError, match="GRADPROOF_DATABASE_URL cannot be opened"):
        open_database(f"sqlite:///{tmp_path}/x.db")


def test_database_of_a_newer_version_is_a_sentence(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/x.db"
    database = open_database(url)
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.dispose()
    with pytest.raises(StorageError, match="newer version"):
        open_database(url)


def test_person_made_by_two_requests_at_once_is_no_error(database: Database) -> None:
    person, at = uuid4(), now()
    with database.writing() as session:
        ensure_person(session, person, at)
        session.expunge_all()
        assert ensure_person(session, person, at).id == person


def test_reading_of_a_database_that_is_away_is_a_sentence(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/none/x.db")
    (tmp_path / "none").rmdir()
    with pytest.raises(StorageError), database.reading() as session:
        session.execute(text("SELECT 1"))


@pytest.mark.sqlite
def test_writers_of_a_process_take_turns_and_a_failed_one_gives_its_turn_back(database: Database) -> None:
    done: list[int] = []

    def write(number: int) -> None:
        with suppress(ValueError), database.writing() as session:
            session.execute(text("SELECT 1"))
            time.sleep(0.01)
            done.append(number)
            if number % 3 == 0:
                raise ValueError(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(30)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == list(range(30))
    assert time.monotonic() - begun < 4  # one that kept its turn would hold the next up for five seconds


@pytest.mark.sqlite
def test_writer_whose_turn_does_not_come_is_told_so(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.db.BUSY_MS", 50)
    with database.writing() as session:
        session.execute(text("SELECT 1"))
        with pytest.raises(StorageError), database.writing() as other:
            other.execute(text("SELECT 1"))
    with database.writing() as session:
        session.execute(text("SELECT 1"))
