"""Keeping the sandbox service alive beside the web process: start it, start it again when it dies, stop it at the end.

The service's standard input is a pipe from here. When this process ends, however it ends, the pipe closes and the
service stops by itself. Its environment is written out in full: no secret of the web process reaches it.
"""

import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

STOP_S = 10.0
LONGEST_WAIT_S = 30.0
STEADY_S = 30.0


def environment(root: Path | None = None) -> dict[str, str]:
    """Return the service's whole environment; `root` is the folder that holds `app`, this one if left out."""
    path = str(root or Path(__file__).resolve().parents[2])
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


class Supervisor:
    """Run the service at a Unix socket for as long as the context lasts.

    `python` and `root` are the interpreter of another torch and the folder with `app` that it imports; both absolute.
    """

    def __init__(self, socket: Path, python: Path | None = None, root: Path | None = None) -> None:
        self._socket = socket
        self._python = sys.executable if python is None else str(python)
        self._environment = environment(root)
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name="sandbox supervisor", daemon=True)

    @property
    def address(self) -> str:
        """Return what `SandboxClient` takes."""
        return f"unix:{self._socket}"

    @property
    def pid(self) -> int | None:
        """Return the pid of the service running now."""
        with self._lock:
            return None if self._process is None else self._process.pid

    def __enter__(self) -> Self:
        self._launch()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        with self._lock:
            process = self._process
        if process is not None:
            self._stop(process)
        self._thread.join(STOP_S)

    def _launch(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopping.is_set():
                return None
            command = [
                self._python,
                "-s",
                "-P",
                "-m",
                "app.sandbox.service",
                "--socket",
                str(self._socket.absolute()),
            ]
            # A session of its own: Ctrl-C is for the web process, which then stops the service in order.
            self._process = subprocess.Popen(
                command, env=self._environment, cwd="/", stdin=subprocess.PIPE, start_new_session=True
            )
            return self._process

    def _keep(self) -> None:
        """Restart the service when it ends: at once the first time, then after 1, 2, 4 ... seconds."""
        process, wait_s = self._process, 0.0
        while process is not None:
            steady = not self._ended_within(process, STEADY_S)
            process.wait()
            if process.stdin is not None:
                process.stdin.close()
            wait_s = 0.0 if steady else wait_s
            if self._stopping.wait(wait_s):
                return
            process = self._launch()
            wait_s = min(max(1.0, wait_s * 2), LONGEST_WAIT_S)

    def _ended_within(self, process: subprocess.Popen[bytes], seconds: float) -> bool:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        """Close the lifeline and wait; end the process where that is not enough."""
        if process.stdin is not None:
            process.stdin.close()
        if not self._ended_within(process, STOP_S):
            process.kill()
            process.wait()
