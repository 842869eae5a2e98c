"""The server under load: a `gradproof serve` of its own, with no sandbox behind it, killed and restarted."""

import asyncio
import os
import secrets
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

from app.errors import GradproofError
from app.settings import PREFIX

START_S = 60.0
STOP_S = 30.0
ANSWERS = b"Gradproof answers"


class Server:
    """A server on one port of the loopback over one database. It knows of no sandbox, so that nothing can be run."""

    def __init__(self, folder: Path, database_url: str, bank: Path) -> None:
        self._folder = folder
        self._port = _free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        settings = {
            "database_url": database_url,
            "bank": str(bank),
            "var": str(folder / "var"),
            "sandbox": f"unix:{folder / 'nobody-listens'}",
            "secret_key": secrets.token_hex(32),
            "trusted_proxies": "127.0.0.1",  # so that each candidate can come from an address of its own
            "check_bank_at_start": "false",
        }
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(PREFIX)}
        self._environment = kept | {PREFIX + name.upper(): value for name, value in settings.items()}
        self._process: asyncio.subprocess.Process | None = None
        self._down_since: float | None = None
        self._outages: list[tuple[float, float]] = []

    async def start(self) -> None:
        """Start it and wait until it answers.

        Raises `GradproofError` where it does not.
        """
        with (self._folder / "log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "app.cli", "serve", "--host", "127.0.0.1", "--port", str(self._port)),
                cwd=self._folder,
                env=self._environment,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        line = b""
        if self._process.stdout is not None:
            with suppress(TimeoutError):
                line = await asyncio.wait_for(self._process.stdout.readline(), START_S)
        if not line.startswith(ANSWERS):
            said = (self._folder / "log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise GradproofError(f"The server did not start. {said[-1] if said else ''}")
        if self._down_since is not None:
            self._outages.append((self._down_since, time.monotonic()))
            self._down_since = None

    async def kill(self) -> None:
        """Kill it without a word, as a power cut would, and start it again."""
        self._down_since = time.monotonic()
        if self._process is not None:
            self._process.kill()
            await self._process.wait()
        await self.start()

    async def stop(self) -> None:
        """Ask it to stop; kill it where it does not."""
        if self._process is None or self._process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self._process.wait(), STOP_S)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def was_down(self, since: float) -> bool:
        """Say whether it was killed, or not there yet, at any time after `since` (of `time.monotonic`)."""
        return self._down_since is not None or any(up >= since for _, up in self._outages)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
