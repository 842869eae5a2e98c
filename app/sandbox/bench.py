"""What a run costs, as ratios to bare forks of the same warm zygote in the same minute, since machines differ.

Jobs and bare forks alternate, so that whatever else the machine does falls on both.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import httpx
import uvicorn

from app.sandbox import sample
from app.sandbox.brood import Brood
from app.sandbox.doctor import RefusedError
from app.sandbox.limits import LIMITS
from app.sandbox.observer import Observer
from app.sandbox.service import create_app, listen

PROGRAM = {"code": sample.CODE, "observe": sample.OBSERVE}
TOGETHER = 3
PAUSE_S = 0.1
COLD_STARTS = 3


def bench(runs: int = 100) -> dict[str, float]:
    """Return medians in milliseconds and ratios; see `docs/sandbox.md` for what each means."""
    measured = asyncio.run(_bench(runs))
    measured["cold_import_ms"] = _cold()
    return {name: round(value, 2) for name, value in measured.items()}


async def _bench(runs: int) -> dict[str, float]:
    observer = Observer()
    async with _serving(observer) as client:
        health = await observer.settled(LIMITS.start_s)
        brood = observer.brood
        if health.state != "ready" or brood is None:
            raise RefusedError(health.message)
        await asyncio.sleep(PAUSE_S)
        measured = await _latency(client, brood, runs)
        return measured | await _throughput(client, observer, runs)


async def _latency(client: httpx.AsyncClient, brood: Brood, runs: int) -> dict[str, float]:
    jobs, singles, bare = [], [], []
    for _ in range(runs):
        bare += await brood.bare_forks(1, TOGETHER)
        jobs.append(await _job(client, TOGETHER))
        singles.append(await _job(client, 1))
    spaced = []
    for _ in range(max(1, runs // 5)):
        await asyncio.sleep(PAUSE_S)
        spaced.append(await _job(client, TOGETHER))
    return {
        "job_of_3_ms": median(jobs),
        "bare_3_forks_ms": median(bare),
        "job_to_bare_ratio": median(jobs) / median(bare),
        "job_of_3_after_a_pause_ms": median(spaced),
        "job_of_1_ms": median(singles),
    }


async def _throughput(client: httpx.AsyncClient, observer: Observer, runs: int) -> dict[str, float]:
    """Measure sustained work: as many clients as the service runs at once, each always with a job in flight."""
    clients = 2 * LIMITS.concurrency
    each = max(1, runs // clients)

    async def ask() -> None:
        for _ in range(each):
            await _job(client, 1)

    start = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(clients)))
    per_s = clients * each / (time.perf_counter() - start)
    bare = await observer.bare_forks(clients * each)
    return {
        "runs_per_s": per_s,
        "bare_forks_per_s": bare.running_per_s,
        "throughput_ratio": per_s / bare.running_per_s,
        "ending_forks_per_s": bare.ending_per_s,
        "throughput_to_ending_ratio": per_s / bare.ending_per_s,
    }


async def _job(client: httpx.AsyncClient, programs: int) -> float:
    """Run one job over HTTP and return how many milliseconds its results took."""
    start = time.perf_counter()
    response = await client.post("/runs", json={"programs": [PROGRAM] * programs})
    response.raise_for_status()
    return (time.perf_counter() - start) * 1000


@asynccontextmanager
async def _serving(observer: Observer) -> AsyncIterator[httpx.AsyncClient]:
    """Serve the observer on a socket of its own and yield a client of it."""
    with tempfile.TemporaryDirectory(prefix="gradproof-") as place:
        path = Path(place) / "socket"
        server = uvicorn.Server(uvicorn.Config(create_app(observer), log_level="warning", lifespan="on"))
        serving = asyncio.create_task(server.serve(sockets=[listen(path)]))
        transport = httpx.AsyncHTTPTransport(uds=str(path))
        async with httpx.AsyncClient(transport=transport, base_url="http://sandbox", timeout=60) as client:
            try:
                yield client
            finally:
                server.should_exit = True
        await serving


def _cold() -> float:
    """Return how many milliseconds a fresh interpreter takes to import torch."""
    taken = []
    for _ in range(COLD_STARTS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import torch"], check=True)
        taken.append((time.perf_counter() - start) * 1000)
    return median(taken)
