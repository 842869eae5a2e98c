"""The databases of the tests: a fresh SQLite file each, or with `--postgres` a fresh database of a private server.

The server is started once per process, with a socket of its own and no port, and ends with it. Each test's database is
a copy of one that the migrations made, which takes some tens of milliseconds.
"""

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text

from app.db import open_database

OPTION = "--postgres"
USER = "postgres"
TEMPLATE = "gradproof_template"
_chosen = {"postgres": False}


def choose(*, postgres: bool) -> None:
    """Say which kind of database `url_for` makes."""
    _chosen["postgres"] = postgres


def on_postgres() -> bool:
    """Say whether the tests run on PostgreSQL."""
    return _chosen["postgres"]


def url_for(folder: Path, *, migrated: bool = True) -> str:
    """Return the URL of a fresh database, on SQLite in `folder`."""
    if not on_postgres():
        return f"sqlite:///{folder}/test.db"
    name = f"test_{uuid4().hex}"
    _run_sql(f"CREATE DATABASE {name}" + (f" TEMPLATE {_template()}" if migrated else ""))
    return _url(name)


def _url(name: str) -> str:
    return f"postgresql://{USER}@/{name}?host={_server()}"


def _run_sql(statement: str) -> None:
    engine = create_engine(_url("postgres").replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text(statement))
    finally:
        engine.dispose()


@cache
def _template() -> str:
    _run_sql(f"CREATE DATABASE {TEMPLATE}")
    open_database(_url(TEMPLATE)).dispose()
    return TEMPLATE


def _programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    return found[-1].parent


@cache
def _server() -> Path:
    """Start a server and return the folder of its socket."""
    programs, folder = _programs(), Path(tempfile.mkdtemp(prefix="gradproof-pg-"))
    owner = pwd.getpwnam(USER)
    as_owner = []
    if os.geteuid() == 0:  # the server refuses to run as root
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        as_owner = ["runuser", "-u", USER, "--"]
    data = folder / "data"
    init = [programs / "initdb", "-D", data, "-U", USER, "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    subprocess.run([*as_owner, *map(str, init)], check=True, capture_output=True)
    settings = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c max_connections=200"
    control = [*as_owner, str(programs / "pg_ctl"), "-D", str(data)]
    subprocess.run(
        [*control, "-o", settings, "-l", str(folder / "log"), "-w", "start"], check=True, capture_output=True
    )

    def stop() -> None:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return folder
