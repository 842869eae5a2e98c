"""Ask a sandbox of one's own what works on this system, or let it run one program: for the command line."""

import asyncio

from app.sandbox.limits import LIMITS
from app.sandbox.observer import Observer
from app.sandbox.protocol import Health, JobResult, Program


class RefusedError(Exception):
    """This system cannot run code safely; the message names what is missing."""


def doctor() -> Health:
    """Start a sandbox, probe every layer, stop it again, and return what was seen."""
    return asyncio.run(_doctor())


async def _doctor() -> Health:
    async with Observer() as observer:
        return await observer.settled(LIMITS.start_s)


def run_once(code: str, observe: tuple[str, ...] = (), wall_s: float | None = None) -> JobResult:
    """Run one program in a sandbox of its own; raise `RefusedError` where it cannot be run safely."""
    return asyncio.run(_run_once(Program(code, observe), wall_s))


async def _run_once(program: Program, wall_s: float | None) -> JobResult:
    async with Observer() as observer:
        health = await observer.settled(LIMITS.start_s)
        if health.state != "ready":
            raise RefusedError(health.message)
        return await observer.run_job((program,), wall_s)
