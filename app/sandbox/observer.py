"""The owner of everything that runs: keeps a zygote alive and proven, and turns jobs into results.

States, as `health` says them:

- `starting`: a zygote is warming up or being probed; a job waits a little.
- `ready`: every required layer was seen at work; jobs run.
- `unavailable`: a required layer is missing, or no zygote comes up; no job runs, whatever the configuration.

A zygote is replaced when it dies, when two children fail before READY within a minute, after so many runs or hours,
or when a later preflight fails. Between attempts the observer waits 1, 2, 4 ... 60 seconds.
"""

import asyncio
import time
from contextlib import suppress
from typing import Any, Self

from app.sandbox import preflight
from app.sandbox.brood import Brood
from app.sandbox.jail import libc
from app.sandbox.launcher import ZygoteError
from app.sandbox.limits import LIMITS, Limits
from app.sandbox.protocol import BareForks, Health, JobResult, Layer, Program, RunResult, Verdict
from app.sandbox.run import Child, run

LONGEST_WAIT_S = 60.0
LOOK_S = 5.0
BARE_S = 20.0


class NotReadyError(Exception):
    """No job can run now; `health` says why."""


class BusyError(Exception):
    """The queue is full."""


class Observer:
    """One sandbox. `without` leaves layers out so that tests see them missed: it never makes preflight pass."""

    def __init__(self, limits: Limits = LIMITS, without: frozenset[str] = frozenset()) -> None:
        self.limits = limits
        self._without = without
        self._state = "starting"
        self._message = "The sandbox is starting."
        self._layers: tuple[Layer, ...] = ()
        self._hello: dict[str, Any] = {}
        self._brood: Brood | None = None
        self._changed = asyncio.Condition()
        self._measuring = asyncio.Lock()
        self._children = asyncio.Semaphore(limits.children)
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._jobs = 0
        self._keeper: asyncio.Task[None] | None = None
        self._burials: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._keeper = asyncio.create_task(self._keep())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeper
        if self._brood is not None:
            await self._brood.close()
        await asyncio.gather(*self._burials, return_exceptions=True)

    def health(self) -> Health:
        """Return the state and what each layer showed."""
        torch, python = self._hello.get("torch", ""), self._hello.get("python", "")
        return Health(self._state, torch, python, self._message, self._layers)

    @property
    def brood(self) -> Brood | None:
        """Return the zygote in use, for measuring."""
        return self._brood

    async def bare_forks(self, count: int) -> BareForks:
        """Measure so many bare forks of the zygote of each kind; raise `NotReadyError` without one."""
        async with self._measuring:
            if self._brood is None or self._brood.gone.is_set():
                raise NotReadyError
            try:
                async with asyncio.timeout(BARE_S):
                    ms = [sum(await self._brood.bare_forks(1, count, running=one)) for one in (True, False)]
            except (TimeoutError, ZygoteError):
                raise NotReadyError from None
            return BareForks(*(count * 1000 / taken for taken in ms))

    async def settled(self, timeout_s: float) -> Health:
        """Wait until the state is not `starting`, at most so long, and return the health."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s), self._changed:
                await self._changed.wait_for(lambda: self._state != "starting")
        return self.health()

    async def run_job(self, programs: tuple[Program, ...], wall_s: float | None = None) -> JobResult:
        """Run a job's programs side by side; raise `BusyError` or `NotReadyError` where none can run."""
        if self._jobs >= self.limits.queue:
            raise BusyError
        self._jobs += 1
        try:
            start, wall = time.perf_counter(), self.limits.wall(wall_s)
            if (await self.settled(self.limits.start_wait_s)).state != "ready":
                raise NotReadyError
            results = await self._all(programs, wall)
            wall_ms = round((time.perf_counter() - start) * 1000, 3)
            engaged = tuple(layer.name for layer in self._layers if layer.engaged)
            return JobResult(results, self._hello["torch"], self._hello["python"], engaged, wall_ms)
        finally:
            self._jobs -= 1

    async def _all(self, programs: tuple[Program, ...], wall_s: float) -> tuple[RunResult, ...]:
        tasks = [asyncio.create_task(self._one(program, wall_s)) for program in programs]
        try:
            return tuple(await asyncio.gather(*tasks))
        finally:
            for task in tasks:  # a caller who hung up frees the slots
                task.cancel()

    async def _one(self, program: Program, wall_s: float) -> RunResult:
        """Run one program; once more where the zygote went away under it, since a run leaves nothing behind."""
        for _ in range(2):
            if (await self.settled(self.limits.start_wait_s)).state != "ready" or self._brood is None:
                raise NotReadyError
            with suppress(ZygoteError):
                result = await self._once(self._brood, program, wall_s)
                if result.verdict is not Verdict.INTERNAL:
                    return result
        return RunResult(Verdict.INTERNAL, "the sandbox restarted")

    async def _once(self, brood: Brood, program: Program, wall_s: float) -> RunResult:
        """Run one program: its child is made and locked while others run, so that no processor waits for that."""
        await self._children.acquire()
        try:
            child = await brood.take()
        except BaseException:
            self._children.release()
            raise
        try:
            async with self._slots:
                return await run(child, program, wall_s, self.limits)
        except BaseException:
            child.kill()
            raise
        finally:  # the answer goes out and the next child runs now; this one's place is free when it is gone
            burial = asyncio.create_task(self._bury(brood, child))
            self._burials.add(burial)
            burial.add_done_callback(self._burials.discard)

    async def _bury(self, brood: Brood, child: Child) -> None:
        try:
            await brood.give_back(child)
        finally:
            self._children.release()

    async def _set(self, state: str, message: str) -> None:
        async with self._changed:
            self._state, self._message = state, message
            self._changed.notify_all()

    async def _keep(self) -> None:
        """Keep a proven zygote for ever."""
        if why := libc.supported():
            await self._set("unavailable", f"{why} Run the sandbox in a Linux container instead.")
            return
        wait_s = 1.0
        while True:
            since = time.monotonic()
            try:
                await self._start()
                await self._watch()
                if self._brood is not None and self._brood.gone.is_set():
                    await self._set("starting", "The sandbox is restarting.")
            except ZygoteError as error:
                await self._set("unavailable", str(error))
            wait_s = 1.0 if time.monotonic() - since > LONGEST_WAIT_S else min(wait_s * 2, LONGEST_WAIT_S)
            if self._state != "ready":
                await self._discard()
            if self._state == "unavailable":
                await asyncio.sleep(wait_s)

    async def _start(self) -> None:
        """Start a zygote, prove it, and only then put it in the place of the one before, which finishes its runs."""
        brood = Brood(self.limits, self._without)
        try:
            self._hello = await brood.hello()
            await self._prove(brood)
        except BaseException:
            await brood.close()
            raise
        before, self._brood = self._brood, brood
        brood.top_up()
        await self._set("ready", "Every required layer is at work.")
        if before is not None:
            await before.retire(self.limits.wall_max_s)

    async def _prove(self, brood: Brood) -> None:
        """Run every probe; raise `ZygoteError` naming the required layers that were not seen at work."""
        child = await brood.take()
        facts = preflight.facts_of(child.pidfd)
        child.kill()
        await brood.give_back(child)
        results = []
        for program, wall_s in preflight.programs(self.limits):
            child = await brood.take()
            results.append(await run(child, program, wall_s, self.limits))
            await brood.give_back(child)
        self._layers = preflight.judge(tuple(results), facts, self._hello, self.limits)
        missing = [layer for layer in self._layers if layer.required and not layer.engaged]
        if missing:
            named = ", ".join(f"{layer.name} ({layer.detail})" for layer in missing)
            raise ZygoteError(f"This system cannot run code safely. Missing: {named}. See docs/sandbox.md.")

    async def _watch(self) -> None:
        """Return when the zygote is gone or due for replacement; prove the layers again from time to time."""
        proven = time.monotonic()
        while (brood := self._brood) is not None and not brood.gone.is_set() and not self._due(brood):
            with suppress(TimeoutError):
                await asyncio.wait_for(brood.gone.wait(), min(LOOK_S, self.limits.recheck_s))
            if not brood.gone.is_set() and time.monotonic() - proven >= self.limits.recheck_s:
                await self._prove(brood)
                proven = time.monotonic()

    def _due(self, brood: Brood) -> bool:
        old = time.monotonic() - brood.started > self.limits.zygote_age_s
        return old or brood.spawned >= self.limits.runs_per_zygote

    async def _discard(self) -> None:
        brood, self._brood = self._brood, None
        if brood is not None:
            await brood.close()
