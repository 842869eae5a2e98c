"""The client's patience: what does not answer is given up in time."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from app.sandbox.client import HEALTH_S, SandboxAwayError, SandboxClient
from app.sandbox.protocol import Program

BACKLOG = 4


@pytest.fixture
def silent(tmp_path: Path) -> Iterator[SandboxClient]:
    """A client of a service that listens and never accepts, as one that was stopped does."""
    path = tmp_path / "s.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(BACKLOG)
        client = SandboxClient(f"unix:{path}")
        yield client
        client.close()


def test_health_of_a_service_that_stands_still_is_soon_known_to_be_away(silent: SandboxClient) -> None:
    started = time.monotonic()
    with pytest.raises(SandboxAwayError):
        silent.health()
    assert time.monotonic() - started < HEALTH_S + 2


def test_full_queue_of_a_service_that_stands_still_keeps_nobody(silent: SandboxClient, tmp_path: Path) -> None:
    refusals = []

    def ask() -> None:
        with pytest.raises(SandboxAwayError) as refused:
            silent.run([Program("pass")], wait_s=0)
        refusals.append(refused.value)

    with ExitStack() as waiting:
        for _ in range(BACKLOG + 1):  # the kernel takes one more than it was told
            one = waiting.enter_context(socket.socket(socket.AF_UNIX))
            one.setblocking(False)
            one.connect(str(tmp_path / "s.sock"))
        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(30)
        assert not asking.is_alive()
    assert len(refusals) == 1


def test_run_has_the_time_to_answer_that_it_is_given(silent: SandboxClient) -> None:
    started = time.monotonic()
    with pytest.raises(SandboxAwayError):
        silent.run([Program("pass")], answer_s=0.2)
    assert time.monotonic() - started < 5


def test_closed_client_is_a_sandbox_that_is_away(silent: SandboxClient) -> None:
    silent.close()
    with pytest.raises(SandboxAwayError):
        silent.health()
