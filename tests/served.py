"""`gradproof serve` as a process of its own, for tests of what only a process shows."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import httpx

from app.settings import PREFIX


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """Return an environment with these settings and nothing else of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return kept | {PREFIX + name.upper(): value for name, value in settings.items()}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "app.cli", *arguments]


class Served:
    """A running `gradproof serve`."""

    def __init__(self, folder: Path, log: Path | None = None, **settings: str) -> None:
        folder.mkdir(exist_ok=True)
        self.log: IO[bytes] = (log or folder / "log").open("wb")
        self.process = subprocess.Popen(
            command("serve", "--port", "0"),
            cwd=folder,
            env=environment(folder, **({"var": str(folder / "var")} | settings)),
            stdout=subprocess.PIPE,
            stderr=self.log,
        )
        self.url = self._address()

    def _address(self) -> str:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        assert ready, "no address was printed"
        line = self.process.stdout.readline().decode()
        found = re.search(r"http://\S+", line)
        assert found, line
        return found[0]

    def sandbox_pid(self) -> int:
        """Return the pid of the sandbox service, which is the one child that is no helper."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        pids = [int(pid) for path in children for pid in path.read_text().split()]
        services = [pid for pid in pids if b"app.sandbox.service" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        assert len(services) == 1
        return services[0]

    def wait_ready(self) -> None:
        """Wait until the sandbox runs code."""
        for _ in range(600):
            if httpx.get(f"{self.url}/healthz").json()["sandbox"] == "ready":
                return
            time.sleep(0.1)
        raise AssertionError("the sandbox did not become ready")

    def stop(self) -> int:
        """Ask it to stop, unless it is stopping, and return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def ended(self) -> int:
        """Wait for its end and return its exit status."""
        status = self.process.wait(timeout=30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.log.close()
        return status
