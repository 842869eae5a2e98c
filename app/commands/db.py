"""`gradproof db`: the schema, and a copy of the database while it is used."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from app.commands.support import out
from app.db import open_database, revisions
from app.errors import GradproofError
from app.settings import Settings, load_settings

app = typer.Typer(no_args_is_help=True, help="The database.")


@app.command("upgrade")
def upgrade() -> None:
    """Bring the database to the newest schema."""
    settings = load_settings()
    settings.make_var()
    database = open_database(settings.effective_database_url)
    out.print(f"The schema is at {revisions(database)[0]}, the newest.")
    database.dispose()


@app.command("backup")
def backup(file: Annotated[Path, typer.Argument(help="The copy; it must not exist yet.")]) -> None:
    """Copy a SQLite database while the site uses it; the copy holds personal data, so only its owner can read it."""
    source = _sqlite_file(load_settings())
    size = copy_sqlite(source, file)
    out.print(f"{file} holds a whole copy of {source}, {size / 1_000_000:.1f} MB, checked.", markup=False)


def _sqlite_file(settings: Settings) -> Path:
    try:
        url = make_url(settings.effective_database_url)
    except ArgumentError as error:
        raise GradproofError(f"GRADPROOF_DATABASE_URL cannot be read: {error}") from error
    if url.get_backend_name() != "sqlite":
        raise GradproofError(
            f"The database is {url.get_backend_name()}, which has a tool of its own that copies it while it is used: "
            "pg_dump --format=custom --file=FILE DATABASE, and pg_restore to bring it back."
        )
    path = Path(url.database or "")
    if not path.is_file():
        raise GradproofError(f"There is no database at {path} yet, so nothing was copied.")
    return path


def copy_sqlite(source: Path, target: Path) -> int:
    """Copy a database that may be in use, as it is at one moment, and return the bytes of the copy.

    The copy is written and checked beside `target` with mode 0600, and takes its name only then.

    Raises `GradproofError` where `target` exists or cannot be written.
    """
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    exists = GradproofError(f"{target} exists, so nothing was copied. Choose another name.")
    if target.exists():  # said before a long copy, not after it
        raise exists
    try:
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        _copy(source, draft)
        os.link(draft, target)  # unlike renaming, it never replaces a file
    except FileExistsError as error:
        raise exists from error
    except (OSError, sqlite3.Error) as error:
        raise GradproofError(f"{target} could not be written, so there is no copy: {error}") from error
    finally:
        draft.unlink(missing_ok=True)
    return target.stat().st_size


def _copy(source: Path, draft: Path) -> None:
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as reading,
        closing(sqlite3.connect(draft)) as writing,
    ):
        reading.backup(writing)
        writing.execute("PRAGMA journal_mode = DELETE")  # so that the copy is one file, whatever its source is
        (found,) = writing.execute("PRAGMA integrity_check").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(f"the copy is damaged, and so is its source: {found}")
    with draft.open("rb") as written:
        os.fsync(written.fileno())
