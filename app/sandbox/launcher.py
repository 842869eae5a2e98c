"""Starting a zygote, and talking with it: the observer's end of the control socket.

The environment is written out here in full, since whatever it holds can be read by a snippet from its own memory.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from app.sandbox.limits import Limits

PACKET = 64 << 10
KEPT = 4 << 10
LEAVE_S = 2.0


class ZygoteError(Exception):
    """A zygote that did not come up, or went away; the message says what it said."""


def environment() -> dict[str, str]:
    """Return the zygote's whole environment: no secrets, one thread, no caches."""
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/nonexistent",
        "TZ": "UTC",
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "OMP_THREAD_LIMIT": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",
        "TORCHINDUCTOR_CACHE_DIR": "/nonexistent",
        "USER": "nobody",
    }


class Control:
    """A zygote process and what it says. `heard` is called with each packet and the descriptors that came with it."""

    def __init__(
        self, without: frozenset[str], heard: Callable[[Any, list[int]], None], gone: Callable[[], None]
    ) -> None:
        self._heard = heard
        self._gone = gone
        self._loop = asyncio.get_running_loop()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._waiting: deque[tuple[bytes, list[int]]] = deque()
        self._said = bytearray()
        stderr, their_stderr = os.pipe()
        self._stderr = stderr
        with theirs:
            command = [sys.executable, "-s", "-P", "-m", "app.sandbox.zygote", str(theirs.fileno()), *sorted(without)]
            self.process = subprocess.Popen(
                command,
                env=environment(),
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=their_stderr,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        os.close(their_stderr)
        if self.process.stdin is not None:
            self.process.stdin.close()
        self._socket.setblocking(False)
        os.set_blocking(stderr, False)
        self._loop.add_reader(self._socket, self._hear)
        self._loop.add_reader(stderr, self._listen)

    @property
    def said(self) -> str:
        """Return the end of what the zygote wrote to its stderr."""
        return self._said.decode("utf-8", "backslashreplace").strip()

    def say(self, data: object, fds: list[int]) -> None:
        """Send one packet. The descriptors are handed over: they are closed here once sent."""
        self._waiting.append((json.dumps(data).encode(), fds))
        self._flush()

    def _flush(self) -> None:
        while self._waiting:
            data, fds = self._waiting[0]
            try:
                socket.send_fds(self._socket, [data], fds)
            except BlockingIOError:
                self._loop.add_writer(self._socket, self._flush)
                return
            except OSError:
                pass  # the end is noticed by reading
            self._waiting.popleft()
            for fd in fds:
                os.close(fd)
        self._loop.remove_writer(self._socket)

    def _hear(self) -> None:
        while True:
            try:
                data, fds, _, _ = socket.recv_fds(self._socket, PACKET, 8)
            except BlockingIOError:
                return
            except OSError:
                data, fds = b"", []
            if not data:
                self._loop.remove_reader(self._socket)
                self._gone()
                return
            self._heard(json.loads(data), list(fds))

    def _listen(self) -> None:
        try:
            data = os.read(self._stderr, KEPT)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._stderr)
        self._said = (self._said + data)[-KEPT:]

    async def close(self, limits: Limits) -> None:
        """End the zygote, and with it every child it has; return when it is reaped."""
        self._release()  # the closed socket ends the zygote, which then is reaped by the process that waits for it
        with suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(self.process.wait, LEAVE_S)
            return
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(self.process.wait, limits.ready_s)

    def _release(self) -> None:
        if self._socket.fileno() < 0:
            return
        for fd in (self._socket, self._stderr):
            self._loop.remove_reader(fd)
        self._loop.remove_writer(self._socket)
        self._socket.close()
        os.close(self._stderr)
        while self._waiting:
            for fd in self._waiting.popleft()[1]:
                os.close(fd)
