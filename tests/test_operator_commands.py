"""Commands of whoever runs the site: the first administrator, and a copy of a database that is in use."""

import os
import pty
import resource
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from typer.testing import CliRunner, Result

from app.accounts import sign_in
from app.cli import app
from app.clock import now
from app.commands.db import copy_sqlite
from app.db import Database, open_database
from app.errors import GradproofError
from app.models import Account, AuditEntry, LoginSession, Person
from app.models.account import account_by_email

EMAIL, PASSWORD = "ada@example.org", "four random words here"
Gradproof = Callable[..., Result]


@pytest.fixture
def gradproof(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Gradproof:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADPROOF_VAR", str(tmp_path / "var"))
    runner = CliRunner()
    return lambda *arguments, stdin="": runner.invoke(app, list(arguments), input=stdin)


def database_of(tmp_path: Path) -> Database:
    return open_database(f"sqlite:///{tmp_path}/var/gradproof.db")


def account(tmp_path: Path, email: str = EMAIL) -> Account | None:
    database = database_of(tmp_path)
    with database.reading() as session:
        found = account_by_email(session, email)
    database.dispose()
    return found


def test_first_administrator_is_made_from_standard_input_and_can_sign_in(gradproof: Gradproof, tmp_path: Path) -> None:
    made = gradproof("user", "create", " Ada@Example.org", "--admin", "--name", "Ada", stdin=f"{PASSWORD}\nmore\n")
    assert made.exit_code == 0, made.exception
    assert "ada@example.org can sign in now, and runs the site." in made.stdout
    assert PASSWORD not in made.output
    stored = account(tmp_path)
    assert stored is not None
    assert (stored.is_admin, stored.name) == (True, "Ada")
    database = database_of(tmp_path)
    sign_in.sign_in(database, email=EMAIL, password=PASSWORD, address="192.0.2.1", now=now())
    with database.reading() as session:
        assert "account.created" in [one.action for one in session.query(AuditEntry)]
    database.dispose()


def test_account_is_no_administrator_unless_it_is_asked_for(gradproof: Gradproof, tmp_path: Path) -> None:
    gradproof("user", "create", EMAIL, stdin=PASSWORD)
    stored = account(tmp_path)
    assert stored is not None
    assert not stored.is_admin


@pytest.mark.parametrize(
    ("email", "password"), [("no-address", PASSWORD), (EMAIL, "short"), (EMAIL, ""), (EMAIL, EMAIL)]
)
def test_what_cannot_be_used_is_refused_and_nothing_is_made(
    gradproof: Gradproof, tmp_path: Path, email: str, password: str
) -> None:
    refused = gradproof("user", "create", email, stdin=password)
    assert isinstance(refused.exception, GradproofError)
    assert account(tmp_path) is None


def test_address_that_is_taken_is_said_and_its_account_stays(gradproof: Gradproof, tmp_path: Path) -> None:
    gradproof("user", "create", EMAIL, stdin=PASSWORD)
    before = account(tmp_path)
    again = gradproof("user", "create", EMAIL.upper(), "--admin", stdin="another four words")
    assert "has an account already" in str(again.exception)
    after = account(tmp_path)
    assert before is not None
    assert after is not None
    assert (after.password_hash, after.is_admin) == (before.password_hash, False)


def test_password_is_replaced_and_browsers_are_signed_out(gradproof: Gradproof, tmp_path: Path) -> None:
    gradproof("user", "create", EMAIL, stdin=PASSWORD)
    database = database_of(tmp_path)
    sign_in.sign_in(database, email=EMAIL, password=PASSWORD, address="192.0.2.1", now=now())
    assert isinstance(gradproof("user", "password", EMAIL, stdin="short").exception, GradproofError)
    assert gradproof("user", "password", EMAIL, stdin="another four words").exit_code == 0
    with database.reading() as session:
        assert session.query(LoginSession).count() == 0
    with pytest.raises(sign_in.WrongPasswordError):
        sign_in.sign_in(database, email=EMAIL, password=PASSWORD, address="192.0.2.1", now=now())
    sign_in.sign_in(database, email=EMAIL, password="another four words", address="192.0.2.1", now=now())
    database.dispose()
    assert "has no account" in str(gradproof("user", "password", "nobody@example.org").exception)


def test_account_that_exists_becomes_an_administrators_and_back(gradproof: Gradproof, tmp_path: Path) -> None:
    gradproof("user", "create", EMAIL, stdin=PASSWORD)
    for arguments, expected in (((), True), (("--revoke",), False)):
        assert gradproof("user", "admin", EMAIL, *arguments).exit_code == 0
        stored = account(tmp_path)
        assert stored is not None
        assert stored.is_admin is expected
    assert "has no account" in str(gradproof("user", "admin", "nobody@example.org").exception)


def test_terminal_is_asked_twice_and_shows_no_password(tmp_path: Path) -> None:
    """A real terminal: what is typed at it is not echoed."""
    main, terminal = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GRADPROOF_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "user", "create", EMAIL, "--admin"],
        cwd=tmp_path,
        env=kept | {"GRADPROOF_VAR": str(tmp_path / "var")},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    shown = b""
    for prompt in (b"Password: ", b"Repeat for confirmation: "):
        while not shown.endswith(prompt):
            shown += os.read(main, 1024)
        os.write(main, PASSWORD.encode() + b"\n")
    while b"can sign in now" not in shown:
        shown += os.read(main, 1024)
    assert process.wait(timeout=30) == 0
    os.close(main)
    assert PASSWORD.encode() not in shown
    assert account(tmp_path) is not None


def people(file: Path) -> int:
    with closing(sqlite3.connect(file)) as copy:
        (count,) = copy.execute("SELECT count(*) FROM people").fetchone()
    return int(count)


def test_copy_of_a_database_in_use_is_whole_and_private(gradproof: Gradproof, tmp_path: Path) -> None:
    """A writer adds people in pairs meanwhile: a copy that was made in the middle of one would be odd."""
    gradproof("db", "upgrade")
    database, stop, pairs = database_of(tmp_path), threading.Event(), threading.Semaphore(0)

    def write() -> None:
        while not stop.is_set():
            with database.writing() as session:
                session.add(Person(id=uuid4(), created_at=now()))
                session.flush()
                session.add(Person(id=uuid4(), created_at=now()))
            pairs.release()

    writer = threading.Thread(target=write)
    writer.start()
    counts = []
    for number in range(3):
        assert pairs.acquire(timeout=10)
        result = gradproof("db", "backup", f"copy-{number}.db")
        assert result.exit_code == 0, result.exception
        counts.append(people(tmp_path / f"copy-{number}.db"))
    stop.set()
    writer.join()
    database.dispose()
    assert all(count > 0 and count % 2 == 0 for count in counts)
    assert counts == sorted(counts)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy-0.db", "copy-1.db", "copy-2.db", "var"]
    assert (tmp_path / "copy-0.db").stat().st_mode & 0o777 == 0o600
    # By its header no write-ahead log belongs to it: it can be opened where nothing can be written beside it.
    assert (tmp_path / "copy-0.db").read_bytes()[18:20] == b"\x01\x01"


def test_copy_is_brought_back_by_putting_it_in_place(gradproof: Gradproof, tmp_path: Path) -> None:
    gradproof("user", "create", EMAIL, stdin=PASSWORD)
    gradproof("db", "backup", "copy.db")
    for file in (tmp_path / "var").glob("gradproof.db*"):
        file.unlink()
    (tmp_path / "copy.db").rename(tmp_path / "var" / "gradproof.db")
    assert account(tmp_path) is not None


def test_file_that_exists_is_never_replaced(gradproof: Gradproof, tmp_path: Path) -> None:
    gradproof("db", "upgrade")
    (tmp_path / "copy.db").write_text("precious")
    assert "exists" in str(gradproof("db", "backup", "copy.db").exception)
    assert (tmp_path / "copy.db").read_text() == "precious"
    (tmp_path / "link.db").symlink_to(tmp_path / "elsewhere.db")
    assert "exists" in str(gradproof("db", "backup", "link.db").exception)
    assert not (tmp_path / "elsewhere.db").exists()


def test_folder_that_is_not_there_is_said_and_leaves_nothing(gradproof: Gradproof, tmp_path: Path) -> None:
    gradproof("db", "upgrade")
    assert "no copy" in str(gradproof("db", "backup", "nowhere/copy.db").exception)
    assert [path.name for path in tmp_path.iterdir()] == ["var"]


def test_disk_that_fills_up_leaves_no_half_copy(gradproof: Gradproof, tmp_path: Path) -> None:
    gradproof("db", "upgrade")
    source = tmp_path / "var" / "gradproof.db"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (source.stat().st_size // 2, before[1]))
    try:
        with pytest.raises(GradproofError, match="no copy"):
            copy_sqlite(source, tmp_path / "copy.db")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [path.name for path in tmp_path.iterdir()] == ["var"]


def test_damaged_database_is_said_and_not_copied(gradproof: Gradproof, tmp_path: Path) -> None:
    gradproof("user", "create", EMAIL, stdin=PASSWORD)
    source = tmp_path / "var" / "gradproof.db"
    with closing(sqlite3.connect(source)) as used:
        used.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(source.read_bytes())
    content[4096 * 3 : 4096 * 4] = b"\xff" * 4096
    source.write_bytes(content)
    assert "no copy" in str(gradproof("db", "backup", "copy.db").exception)
    assert [path.name for path in tmp_path.iterdir()] == ["var"]


def test_what_is_not_there_is_not_copied(gradproof: Gradproof, tmp_path: Path) -> None:
    assert "no database" in str(gradproof("db", "backup", "copy.db").exception)
    assert list(tmp_path.iterdir()) == []


def test_postgresql_is_left_to_its_own_tool(gradproof: Gradproof, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADPROOF_DATABASE_URL", "postgresql+psycopg://someone:secret@db.example.org/gradproof")
    said = str(gradproof("db", "backup", "copy.db").exception)
    assert "pg_dump" in said
    assert "secret" not in said
