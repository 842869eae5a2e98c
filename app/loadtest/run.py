"""A quiz under load, whole: stage, server, crowd, kills, and what the database holds of what was acknowledged."""

import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx

from app.errors import GradproofError
from app.loadtest.crowd import EVERY_S, KEEP_ALIVE_S, START_WITHIN_S, STARTS_PER_S, Candidate, FailedError, Tally
from app.loadtest.server import Server
from app.loadtest.stage import Stage, Written
from app.sandbox.client import SandboxClient

APART_S = 4.0  # between two kills: a server that is killed while it starts has nothing to lose
SHOWN_ERRORS = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """How many candidates, for how many seconds they save, and how often the server is killed meanwhile."""

    candidates: int
    seconds: float
    kills: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a load test showed."""

    plan: Plan
    tally: Tally
    kills: int
    lost: Sequence[Written]

    @property
    def ok(self) -> bool:
        """Say whether nothing went wrong; how long anything took is the reader's to judge."""
        return not self.tally.errors and not self.lost

    def to_json(self) -> dict[str, Any]:
        """Return the figures; times in milliseconds."""
        tally = self.tally
        return {
            "candidates": self.plan.candidates,
            "seconds": self.plan.seconds,
            "starts": len(tally.start_ms),
            "start_ms": percentiles(tally.start_ms),
            "saves": tally.saves,
            "errors": len(tally.errors),
            "error_messages": sorted(set(tally.errors))[:SHOWN_ERRORS],
            "save_ms": percentiles(tally.save_ms),
            "kills": self.kills,
            "acknowledged": len(tally.acknowledged),
            "lost": len(self.lost),
        }


def percentiles(values: Sequence[float]) -> dict[str, float] | None:
    """Return the 50th, 95th and 99th percentile, `None` of nothing."""
    if not values:
        return None
    cuts = quantiles([*values, values[-1]] if len(values) == 1 else values, n=100, method="inclusive")
    return {f"p{n}": round(cuts[n - 1], 1) for n in (50, 95, 99)}


def load_test(plan: Plan, bank: Path, sandbox: SandboxClient, say: Callable[[str], None]) -> Outcome:
    """Run a load test in a folder of its own that is deleted afterwards.

    Raises `GradproofError` where it cannot begin.
    """
    with tempfile.TemporaryDirectory(prefix="gradproof-") as place:
        folder = Path(place)
        stage = Stage(folder, bank)
        try:
            say("checking the pool of a quiz in the sandbox")
            stage.publish(sandbox, minutes=min(480, round(plan.seconds / 60) + 60))
            links = stage.invite(plan.candidates)
            tally, kills = asyncio.run(_under_load(plan, links, Server(folder, stage.url, bank), say))
            return Outcome(plan, tally, kills, stage.lost(tally.acknowledged))
        finally:
            stage.close()


async def _under_load(
    plan: Plan, links: Sequence[str], server: Server, say: Callable[[str], None]
) -> tuple[Tally, int]:
    tally = Tally()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=KEEP_ALIVE_S)
    async with httpx.AsyncHTTPTransport(limits=limits, verify=False) as transport:  # loopback, and no TLS at all
        crowd = [Candidate(number, link, server, transport, tally) for number, link in enumerate(links)]
        try:
            await server.start()
            await _start_all(crowd, say)
            end = time.monotonic() + plan.seconds
            saving = [asyncio.create_task(one.save_until(end)) for one in crowd]
            telling = asyncio.create_task(_tell(plan, tally, end, say))
            kills = await _kill_now_and_then(plan, server, say)
            await asyncio.gather(*saving)
            telling.cancel()
        finally:
            await server.stop()
    return tally, kills


async def _start_all(crowd: Sequence[Candidate], say: Callable[[str], None]) -> None:
    """Let all start within a minute, evenly.

    Raises `GradproofError` for the first that cannot: then nothing is measured.
    """
    within = min(START_WITHIN_S, len(crowd) / STARTS_PER_S)
    say(f"{len(crowd)} candidates start within {within:.0f} s")

    async def start(one: Candidate, after: float) -> None:
        await asyncio.sleep(after)
        await one.start()

    starting = [start(one, within * number / len(crowd)) for number, one in enumerate(crowd)]
    for result in await asyncio.gather(*starting, return_exceptions=True):
        if isinstance(result, (FailedError, httpx.TransportError)):
            raise GradproofError(f"A candidate could not start: {result}")
        if isinstance(result, BaseException):
            raise result


async def _kill_now_and_then(plan: Plan, server: Server, say: Callable[[str], None]) -> int:
    """Kill the server at random moments, apart from each other, and return how often."""
    room = plan.seconds - APART_S * (plan.kills + 1)
    moments = sorted(random.uniform(0, max(0.0, room)) for _ in range(plan.kills))  # noqa: S311 - no secret
    begun = time.monotonic()
    for number, moment in enumerate(moments, 1):
        await asyncio.sleep(max(0.0, begun + moment + APART_S * number - time.monotonic()))
        since = time.monotonic()
        await server.kill()
        say(f"killed {number} of {plan.kills} times; it answered again after {time.monotonic() - since:.1f} s")
    return len(moments)


async def _tell(plan: Plan, tally: Tally, end: float, say: Callable[[str], None]) -> None:
    while (left := end - time.monotonic()) > 0:
        say(f"{len(tally.acknowledged)} saves acknowledged, {len(tally.errors)} errors, {left:.0f} s to go")
        await asyncio.sleep(min(EVERY_S * 2, plan.seconds / 4))
