"""The whole policy in one table: what one run, one job and the service may use.

A request can lower the wall limit and nothing else; no request, flag or environment variable raises any of these.
"""

import os
from dataclasses import dataclass, field


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Every number the sandbox enforces. Sizes are bytes, times are seconds."""

    # One run, enforced by the kernel inside the child.
    cpu_s: int = 6
    memory: int = 512 << 20  # on top of what the zygote has mapped, which every child inherits
    file_size: int = 0
    open_files: int = 32
    stack: int = 8 << 20
    pending_signals: int = 64

    # One run, enforced from outside.
    wall_s: float = 2.0
    wall_max_s: float = 5.0
    wall_min_s: float = 0.01
    stdout: int = 64 << 10
    stderr: int = 64 << 10
    frame: int = 1 << 20
    frame_depth: int = 64
    frame_nodes: int = 100_000

    # What a job may ask.
    code: int = 32 << 10
    programs: int = 16
    expressions: int = 256
    expression: int = 4 << 10
    body: int = 2 << 20

    # What an observed value may hold.
    tensor_elements: int = 256
    text: int = 8 << 10
    message: int = 4 << 10
    name: int = 200
    depth: int = 12
    nodes: int = 4_000
    answer: int = 768 << 10  # all observations of a run together; must stay below `frame`

    # The service.
    concurrency: int = field(default_factory=_cores)
    queue: int = 64
    start_wait_s: float = 12.0
    start_s: float = 60.0
    ready_s: float = 10.0
    runs_per_zygote: int = 10_000  # what accumulates in one is bounded; another costs as much as a thousand runs
    zygote_age_s: float = 6 * 3600.0
    recheck_s: float = 300.0

    @property
    def children(self) -> int:
        """How many children may be there for jobs: those that run, one that waits for its turn, and one that ends."""
        return self.concurrency + 2

    @property
    def spares(self) -> int:
        """How many locked children wait for a job."""
        return 2 * self.concurrency

    def wall(self, asked: float | None) -> float:
        """Return the wall limit of a job that asked for `asked` seconds."""
        return self.wall_s if asked is None else min(max(asked, self.wall_min_s), self.wall_max_s)


LIMITS = Limits()
