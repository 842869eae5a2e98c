"""One real service for the whole room, which some of its tests kill."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.sandbox.client import SandboxClient
from app.sandbox.supervisor import Supervisor
from tests.conftest import wait_until_ready

MARKER_NAME = "PLANTED_SECRET"  # not GRADPROOF_*: it stays set while other tests read settings
MARKER = "planted-" + "7f3a91c4"


@pytest.fixture(scope="session")
def supervisor() -> Iterator[Supervisor]:
    """A running service under its supervisor, started by a process with a secret in its environment."""
    place = Path(tempfile.mkdtemp(prefix="gradproof-"))
    os.environ[MARKER_NAME] = MARKER
    try:
        with Supervisor(place / "sandbox" / "socket") as running:
            yield running
    finally:
        del os.environ[MARKER_NAME]
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="session")
def sandbox(supervisor: Supervisor) -> Iterator[SandboxClient]:
    """A client of the running service, which is ready."""
    client = SandboxClient(supervisor.address)
    wait_until_ready(client)
    yield client
    client.close()
