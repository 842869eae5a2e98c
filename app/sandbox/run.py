"""One run as seen from outside: a child's pipes, its states, what it may say in each, and how it ended.

A `Child` holds two output pipes, one channel and a pidfd. `run` walks READY -> RUN -> DONE -> OBSERVE -> ANSWER under
one timer. Facts (who ended it, by which signal, how long, how much output) come from the kernel and from here; the
frames are the child's own words. Killing goes through the pidfd, so no reused pid can ever be hit.
"""

import asyncio
import os
import signal
import socket
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from app.sandbox import frames, testimony
from app.sandbox.limits import Limits
from app.sandbox.protocol import Program, RunResult, Verdict

CHUNK = 64 << 10
EXIT_NO_MEMORY = 97
CRASHES = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP}
GRACE_S = 0.25  # how long the exit of a child that closed its channel may take to be reported


class EndedError(Exception):
    """The child closed its channel or died."""


class OutputError(Exception):
    """The child wrote more than the limit."""


@dataclass(frozen=True, slots=True)
class Exit:
    """The kernel's word on how a child ended."""

    status: int
    cpu_s: float


class Child:
    """A forked child; its descriptors belong to this object until `close`."""

    def __init__(self, number: int, limits: Limits) -> None:
        self.number = number
        self.pidfd: int | None = None
        self.known = asyncio.Event()  # set with the pidfd: from then on the child can be killed
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[Exit] = self._loop.create_future()
        self._reader = frames.FrameReader(limits)
        self._frames: deque[Any] = deque()
        self._failure: Exception | None = None
        self._wake = asyncio.Event()
        self._rest = b""
        self._texts = {1: bytearray(), 2: bytearray()}
        self._caps = {1: limits.stdout, 2: limits.stderr}
        self._pipes: dict[int, int] = {}
        self._theirs: list[int] = []
        self._open()

    def _open(self) -> None:
        for stream in (1, 2):
            ours, theirs = os.pipe()
            os.set_blocking(ours, False)
            self._pipes[stream] = ours
            self._theirs.append(theirs)
            self._loop.add_reader(ours, self._drain, stream)
        self._channel, theirs_channel = socket.socketpair()
        self._theirs.append(theirs_channel.detach())
        self._channel.setblocking(False)
        self._fd = self._channel.fileno()  # the loop looks up a socket object by its text, which is slow
        self._loop.add_reader(self._fd, self._receive)

    def hand_over(self) -> list[int]:
        """Return the child's ends: stdout, stderr, channel. Whoever takes them closes them."""
        theirs, self._theirs = self._theirs, []
        return theirs

    def born(self, pidfd: int) -> None:
        """Take the descriptor of the process; it is too late for one that was given up."""
        if self._channel.fileno() < 0:
            os.close(pidfd)
            return
        self.pidfd = pidfd
        self.known.set()

    def send(self, data: object) -> None:
        """Ask for the next frame; raise `FrameError` where the child has spoken before it was asked."""
        if self._frames:
            raise frames.FrameError("an answer before the question")
        if self._channel.fileno() < 0:
            raise EndedError
        self._rest = frames.encode(data)
        self._write()

    def _write(self) -> None:
        try:
            self._rest = self._rest[self._channel.send(self._rest) :]
        except BlockingIOError:
            pass
        except OSError:
            self._rest = b""  # its end is noticed by reading
        if self._rest:
            self._loop.add_writer(self._fd, self._write)
        else:
            self._loop.remove_writer(self._fd)

    async def frame(self) -> Any:
        """Return the child's next frame; raise what went wrong instead."""
        while True:
            if isinstance(self._failure, OutputError):
                raise self._failure
            if self._frames:
                return self._frames.popleft()
            if self._failure is not None:
                raise self._failure
            self._wake.clear()
            await self._wake.wait()

    def _fail(self, error: Exception) -> None:
        if self._failure is None:
            self._failure = error
        self._wake.set()

    def _receive(self) -> None:
        try:
            data = self._channel.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self._fd)
            self._fail(EndedError())
            return
        try:
            self._keep(self._reader.feed(data))
        except frames.FrameError as error:
            self._loop.remove_reader(self._fd)
            self._fail(error)
        self._wake.set()

    def _keep(self, received: list[Any]) -> None:
        self._frames.extend(received)
        if len(self._frames) > 1:
            raise frames.FrameError("a frame nobody asked for")

    def _drain(self, stream: int) -> bool:
        """Read once from a pipe; say whether there may be more."""
        try:
            data = os.read(self._pipes[stream], CHUNK)
        except OSError:
            return False
        text = self._texts[stream]
        text += data[: self._caps[stream] - len(text) + 1]
        if not data or len(text) > self._caps[stream]:
            self._loop.remove_reader(self._pipes[stream])
        if len(text) > self._caps[stream]:
            self._fail(OutputError())
            return False
        return bool(data)

    def drain(self) -> None:
        """Take what is left in the pipes; raise `OutputError` where that is too much."""
        for stream in tuple(self._pipes):
            while self._drain(stream):
                pass
        if isinstance(self._failure, OutputError):
            raise self._failure

    def text(self, stream: int) -> str:
        """Return what was written to stdout (1) or stderr (2), at most the limit."""
        return self._texts[stream][: self._caps[stream]].decode("utf-8", "backslashreplace")

    def kill(self) -> None:
        """End the child now."""
        if self.pidfd is not None and not self.ended.done():
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Release every descriptor; closing twice is harmless."""
        if self._channel.fileno() < 0:
            return
        pipes, self._pipes = self._pipes, {}
        for fd in pipes.values():
            self._loop.remove_reader(fd)
            os.close(fd)
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        self._channel.close()
        for fd in (*self.hand_over(), *([] if self.pidfd is None else [self.pidfd])):
            os.close(fd)
        self.pidfd = None
        if not self.ended.done():
            self.ended.cancel()
        self._fail(EndedError())  # whoever still waits for a frame waits no longer


async def run(child: Child, program: Program, wall_s: float, limits: Limits) -> RunResult:
    """Run a program in a READY child and say how it ended. The child is used up; its exit may still be outstanding."""
    start = time.perf_counter()
    try:
        async with asyncio.timeout(wall_s):
            outcome = await _converse(child, program, limits)
    except TimeoutError:
        outcome = RunResult(Verdict.TIME_LIMIT)
    except OutputError:
        outcome = RunResult(Verdict.OUTPUT_LIMIT)
    except frames.FrameError:
        outcome = RunResult(Verdict.KILLED, "protocol error")
    except EndedError:
        outcome = await _ended(child, limits)
    wall_ms = (time.perf_counter() - start) * 1000
    if outcome.verdict not in (Verdict.OK, Verdict.ERROR):
        child.kill()
    with suppress(OutputError):
        child.drain()
    return RunResult(
        outcome.verdict,
        outcome.reason,
        outcome.exception,
        outcome.observations,
        stdout=child.text(1),
        stderr=child.text(2),
        wall_ms=round(wall_ms, 3),
    )


async def _converse(child: Child, program: Program, limits: Limits) -> RunResult:
    child.send({"code": program.code, "seed": program.seed})
    done = testimony.read_done(await child.frame(), limits)
    if done.memory:
        child.kill()
        return RunResult(Verdict.MEMORY_LIMIT, exception=done.raised)
    child.send({"observe": program.observe})
    observations = testimony.read_answer(await child.frame(), len(program.observe), limits)
    child.drain()
    verdict = Verdict.OK if done.raised is None else Verdict.ERROR
    return RunResult(verdict, exception=done.raised, observations=observations)


async def _ended(child: Child, limits: Limits) -> RunResult:
    """Classify a child that stopped talking."""
    try:
        ended = await asyncio.wait_for(asyncio.shield(child.ended), GRACE_S)
    except TimeoutError:
        return RunResult(Verdict.KILLED, "ended early")  # it closed its channel and lives on
    except asyncio.CancelledError:
        if child.ended.cancelled():  # the zygote went away under it
            return RunResult(Verdict.INTERNAL, "the sandbox restarted")
        raise
    return classify(ended, limits)


def classify(ended: Exit, limits: Limits) -> RunResult:
    """Say what an exit means that the observer did not cause and that no report preceded."""
    if os.WIFSIGNALED(ended.status):
        return _signalled(os.WTERMSIG(ended.status), ended.cpu_s, limits)
    if os.WEXITSTATUS(ended.status) == EXIT_NO_MEMORY:
        return RunResult(Verdict.MEMORY_LIMIT)
    return RunResult(Verdict.KILLED, "ended early")


def _signalled(number: int, cpu_s: float, limits: Limits) -> RunResult:
    if number == signal.SIGSYS:
        return RunResult(Verdict.KILLED, "forbidden system call")
    if number == signal.SIGXCPU or (number == signal.SIGKILL and cpu_s >= limits.cpu_s - 0.5):
        return RunResult(Verdict.TIME_LIMIT)
    if number in CRASHES:
        return RunResult(Verdict.KILLED, "crashed")
    return RunResult(Verdict.KILLED, "killed by the system")
