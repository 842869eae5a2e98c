"""A zygote and its children: spares that are locked and waiting, children at work, children whose exit is awaited.

A spare is asked for only while nobody waits for the processor or somebody waits for a spare, because making one costs
more than a small run does. A child that is not READY in time, or that fails before it, is our failure: it is counted,
and the second within a minute makes the brood give up, so that the observer starts another zygote.
"""

import asyncio
import time
from collections import deque
from typing import Any

from app.sandbox import testimony
from app.sandbox.frames import FrameError
from app.sandbox.launcher import Control, ZygoteError
from app.sandbox.limits import Limits
from app.sandbox.run import Child, EndedError, Exit, OutputError

WINDOW_S = 60.0
DRAIN_S = 0.05


class Brood:
    """One zygote from start to end. `gone` is set when it can serve no more, whatever the reason."""

    def __init__(self, limits: Limits, without: frozenset[str] = frozenset()) -> None:
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self.gone = asyncio.Event()
        self.started = time.monotonic()
        self.spawned = 0
        self.spares: deque[Child] = deque()
        self._living: dict[int, Child] = {}
        self._open: set[Child] = set()  # whose descriptors are not released yet
        self._coming = 0
        self._busy = 0
        self._takers: deque[asyncio.Future[Child]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._hello: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._bare: asyncio.Future[list[float]] | None = None
        self._failed_at = -WINDOW_S
        self.complaint = ""
        self.control = Control(without, self._heard, self._lost)

    async def hello(self) -> dict[str, Any]:
        """Return what the zygote says of itself once it is warm."""
        try:
            return await asyncio.wait_for(asyncio.shield(self._hello), self._limits.start_s)
        except TimeoutError:
            raise ZygoteError("The zygote did not start in time.") from None

    def _heard(self, packet: Any, fds: list[int]) -> None:
        if "hello" in packet:
            self._hello.set_result(packet["hello"])
        elif "failed" in packet:
            self._hello.set_exception(ZygoteError(packet["failed"]))
        elif "bare" in packet:
            if self._bare is not None and not self._bare.done():  # whoever measured may have stopped waiting
                self._bare.set_result(packet["bare"])
        elif "forked" in packet:
            self._living[packet["forked"]].born(fds[0])
        elif "exited" in packet:
            child = self._living.pop(packet["exited"])
            if not child.ended.done():
                child.ended.set_result(Exit(packet["status"], packet["cpu"]))

    def _lost(self) -> None:
        self.gone.set()
        if not self._hello.done():
            self._hello.set_exception(ZygoteError(f"The zygote ended: {self.control.said[-500:]}"))
            self._hello.exception()  # whoever waits sees it; nobody need
        for child in self._living.values():
            if not child.ended.done():
                child.ended.cancel()
        if self._bare is not None and not self._bare.done():
            self._bare.set_exception(ZygoteError("The sandbox restarted."))
        for taker in self._takers:
            if not taker.done():
                taker.set_exception(ZygoteError("The sandbox restarted."))

    def top_up(self) -> None:
        """Ask for spares up to the limit, when that keeps nobody waiting."""
        want = self._limits.spares if self._busy == 0 else len(self._takers)
        while not self.gone.is_set() and len(self.spares) + self._coming < want:
            self._spawn()

    def _spawn(self) -> None:
        self.spawned += 1
        child = Child(self.spawned, self._limits)
        self._living[child.number] = child
        self._open.add(child)
        self._coming += 1
        # Somebody waits: what a rehearsal would touch, the run touches itself, and once is enough.
        self.control.say({"fork": child.number, "awaited": bool(self._takers)}, child.hand_over())
        self._start(self._raise(child))

    def _start(self, work: Any) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _raise(self, child: Child) -> None:
        """Wait until a new child is READY and can be killed, then hand it to whoever waits longest, or keep it.

        The child's word and the zygote's come by different ways, and either may be the first.
        """
        try:
            async with asyncio.timeout(self._limits.ready_s):
                ready = testimony.is_ready(await child.frame())
                await child.known.wait()
        except (TimeoutError, EndedError, FrameError, OutputError) as error:
            ready = False
            self._complain(f"{type(error).__name__} before READY. {child.text(2)[-500:]}")
        self._coming -= 1
        if not ready:
            child.kill()
            await self._bury(child)
        else:
            self._offer(child)

    def _offer(self, child: Child) -> None:
        while self._takers:
            taker = self._takers.popleft()
            if not taker.done():
                taker.set_result(child)
                return
        self.spares.append(child)

    def _complain(self, complaint: str) -> None:
        now = time.monotonic()
        if self.gone.is_set():
            return
        self.complaint = complaint
        if now - self._failed_at < WINDOW_S:
            self._lost()
        self._failed_at = now

    async def take(self) -> Child:
        """Return a READY child; hand it back with `give_back` once its run is over."""
        if self.gone.is_set():
            raise ZygoteError("The sandbox restarted.")
        self._busy += 1
        try:
            if self.spares:
                return self.spares.popleft()
            taker: asyncio.Future[Child] = self._loop.create_future()
            self._takers.append(taker)
            self.top_up()
            return await taker
        except BaseException:
            self._busy -= 1
            raise

    async def give_back(self, child: Child) -> None:
        """Wait until a used child is gone, killing it if it stays, and release what it held."""
        await self._bury(child)
        self._busy -= 1
        self.top_up()

    async def _bury(self, child: Child) -> None:
        for _ in range(2):
            if not child.ended.done():
                await asyncio.wait([child.ended], timeout=1.0)
            child.kill()
        if not child.ended.done():
            await asyncio.wait([child.ended], timeout=self._limits.ready_s)
        child.close()
        self._open.discard(child)

    async def bare_forks(self, count: int, together: int, *, running: bool = True) -> list[float]:
        """Return how many milliseconds `together` bare forks of the zygote take, `count` times.

        Each runs the sample with nothing around it, or only ends.
        """
        self._bare = self._loop.create_future()
        self.control.say({"bare": count, "together": together, "running": running}, [])
        return await self._bare

    async def retire(self, within_s: float) -> None:
        """Let the children at work finish, then close."""
        until = time.monotonic() + within_s
        try:
            while self._busy and not self.gone.is_set() and time.monotonic() < until:
                await asyncio.sleep(DRAIN_S)
        finally:  # also where the observer stops meanwhile
            await self.close()

    async def close(self) -> None:
        """End the zygote and everything it made."""
        self._lost()
        await self.control.close(self._limits)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for child in self._open:
            child.close()
        self._open.clear()
        self._living.clear()
        self.spares.clear()
