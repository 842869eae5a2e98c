"""Fixtures of all tests: the real sandbox, once per worker, and a site that uses it."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.sandbox.client import SandboxAwayError, SandboxClient
from app.sandbox.supervisor import Supervisor
from app.settings import Settings, resource_dir
from tests.databases import OPTION, choose, on_postgres, url_for
from tests.fakes import FakeSandbox
from tests.live import LiveSite, running


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that puts every database of the tests on PostgreSQL."""
    parser.addoption(OPTION, action="store_true", help="run on PostgreSQL, with a private server of each process")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the kind of database before any test asks for one."""
    choose(postgres=config.getoption(OPTION))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is about SQLite alone where the tests run on PostgreSQL."""
    if config.getoption(OPTION):
        left_out = [item for item in items if item.get_closest_marker("sqlite")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def wait_until_ready(client: SandboxClient) -> None:
    """Wait for a service that is starting, however busy the machine is; the limit is only there for a hang."""
    until = time.monotonic() + 100
    while time.monotonic() < until:
        with suppress(SandboxAwayError):
            if client.health().state == "ready":
                return
        time.sleep(0.05)
    raise AssertionError("the sandbox did not become ready")


@pytest.fixture(scope="session")
def sandbox_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real sandbox service that this worker's tests share."""
    socket = tmp_path_factory.mktemp("sandbox") / "s.sock"
    with Supervisor(socket):
        client = SandboxClient(f"unix:{socket}")
        wait_until_ready(client)
        client.close()
        yield f"unix:{socket}"


@pytest.fixture
def sandbox(sandbox_address: str) -> Iterator[SandboxClient]:
    """A client of the real sandbox."""
    client = SandboxClient(sandbox_address)
    yield client
    client.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with the shipped bank and a fresh `var`."""
    return Settings(
        _env_file=None,
        var=tmp_path / "var",
        database_url=url_for(tmp_path) if on_postgres() else "",
        bank=resource_dir("question_bank"),
        check_bank_at_start=False,
        sweep=False,  # a test that wants something done in the background does it
        reveals_burst=1000,
        reveals_per_minute=60_000,
    )


@pytest.fixture
def fake(sandbox: SandboxClient) -> FakeSandbox:
    """The real sandbox behind a switch that makes it fail."""
    return FakeSandbox(sandbox)


@pytest.fixture
def live(settings: Settings, fake: FakeSandbox) -> Iterator[LiveSite]:
    """A running site with the shipped bank."""
    with running(settings, fake) as site:
        yield site


LACKS = re.compile(r"this system lacks: ([a-z ]+)")
"""How a test says which layer of the sandbox it needs and does not find, by its name in `sandbox doctor`."""


def missing_layers() -> set[str]:
    """Return the layers that `sandbox doctor` reports missing on this system."""
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "sandbox", "doctor", "--json"], capture_output=True, text=True, check=False
    )
    try:
        return {layer["name"] for layer in json.loads(done.stdout)["layers"] if not layer["engaged"]}
    except (ValueError, KeyError):
        return set()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """With REQUIRE_ALL=1 a skip is a failure, unless it names a layer that `sandbox doctor` reports missing."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("REQUIRE_ALL") != "1" or reporter is None:
        return
    skipped = reporter.stats.get("skipped", [])
    missing = missing_layers() if skipped else set()
    for report in skipped:
        named = LACKS.search(str(report.longrepr))
        excused = named is not None and named[1].strip() in missing
        print(f"\nREQUIRE_ALL: {'excused' if excused else 'FAILS'}: skipped {report.nodeid}: {report.longrepr}")
        if not excused and exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
