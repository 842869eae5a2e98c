"""The database: one engine, two kinds of transaction, and the only place that commits."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from app.errors import UnavailableError
from app.settings import resource_dir

WRITES = "gradproof_writes"
BUSY_MS = 5000


class StorageError(UnavailableError):
    """The database did not answer: a full disk, a lock held too long, a connection that broke."""

    title = "The database is not available"


class Database:
    """An engine with the pragmas this product needs, and transactions that say whether they write.

    On SQLite a write transaction starts with `BEGIN IMMEDIATE`: a deferred one that reads first and writes later
    fails at once with "database is locked", whatever the timeout. Before that the writers of this process take turns:
    those that wait inside SQLite sleep longer and longer, while whoever comes later overtakes them.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = create_engine(_with_driver(url), pool_pre_ping=not url.startswith("sqlite"))
        if self.engine.dialect.name == "sqlite":
            _prepare_sqlite(self.engine)
        self._writing_engine = self.engine.execution_options(**{WRITES: True})

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a transaction that reads; it ends without a commit."""
        with _translated(), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a transaction that writes; it commits when the block ends and rolls back when it raises.

        Raises `StorageError` where the database cannot take it.
        """
        with _translated(), Session(self._writing_engine, expire_on_commit=False) as session, session.begin():
            yield session

    def drop_traces(self) -> None:
        """Take what was erased out of the file beside a SQLite database, where readers let it; servers vacuum."""
        if self.engine.dialect.name == "sqlite":
            with _translated(), self.engine.connect() as connection:
                cursor = connection.connection.cursor()  # outside any transaction
                for pragma in ("busy_timeout = 0", "wal_checkpoint(TRUNCATE)", f"busy_timeout = {BUSY_MS}"):
                    cursor.execute(f"PRAGMA {pragma}")  # nobody waits for it: what is not taken out now is later

    def dispose(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()


def _with_driver(url: str) -> str:
    """Return a PostgreSQL URL with the driver that the extra `postgres` brings; every other one as it is."""
    scheme, separator, rest = url.partition("://")
    return f"postgresql+psycopg://{rest}" if separator and scheme in {"postgresql", "postgres"} else url


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        raise StorageError(
            "The database did not answer (is its disk full, or is it away?). Nothing was stored; press again in a "
            "moment.",
            retry_after=5,
        ) from error


def _prepare_sqlite(engine: Engine) -> None:
    turn = threading.Lock()
    database = make_url(str(engine.url)).database
    if database and database != ":memory:":
        Path(database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)

    @event.listens_for(engine, "connect")
    def set_pragmas(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver must not open transactions of its own: `begin` below does
        for pragma in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            "secure_delete = ON",  # what is erased is overwritten
            f"busy_timeout = {BUSY_MS}",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if not connection.get_execution_options().get(WRITES):
            connection.exec_driver_sql("BEGIN")
            return
        if not turn.acquire(timeout=BUSY_MS / 1000):
            raise OperationalError("BEGIN IMMEDIATE", None, TimeoutError("other writers of this process take too long"))
        cast("dict[Any, Any]", connection.connection.record_info)[WRITES] = True  # never `None`: it came from the pool
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    @event.listens_for(engine, "checkin")  # after the commit or whatever ended it, also where it never began
    def end_turn(_connection: Any, record: ConnectionPoolEntry) -> None:
        if record.record_info and record.record_info.pop(WRITES, False):
            turn.release()


def open_database(url: str) -> Database:
    """Return the database at `url`, brought to the newest schema.

    Raises `StorageError` that names the setting where it cannot be opened.
    """
    try:
        database = Database(url)
        upgrade(database)
    except CommandError as error:
        raise StorageError(
            "The database of GRADPROOF_DATABASE_URL was made by a newer version of Gradproof. Install that version, or "
            f"name another database. ({error})"
        ) from error
    except (ArgumentError, DatabaseError, OSError, ModuleNotFoundError) as error:
        reason = str(error).split("\n")[0]
        raise StorageError(f"The database of GRADPROOF_DATABASE_URL cannot be opened: {reason}") from error
    return database


def alembic_config(database: Database) -> Config:
    """Return Alembic's configuration for `database`, wherever the product is installed."""
    config = Config()
    config.set_main_option("script_location", str(resource_dir("migrations")).replace("%", "%%"))
    config.attributes["database"] = database
    return config


def upgrade(database: Database) -> None:
    """Bring the schema to the newest revision; does nothing where it is there already."""
    command.upgrade(alembic_config(database), "head")


def revisions(database: Database) -> tuple[str | None, str | None]:
    """Return the database's revision and the newest one."""
    head = ScriptDirectory.from_config(alembic_config(database)).get_current_head()
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision(), head
