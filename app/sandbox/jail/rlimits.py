"""Resource limits of a child, soft equal to hard, so that how a run ends never depends on which one came first."""

import resource

from app.sandbox.limits import Limits


def table(limits: Limits, base: int) -> dict[int, int]:
    """Return every limit of a child whose zygote has `base` bytes mapped."""
    return {
        resource.RLIMIT_AS: base + limits.memory,
        resource.RLIMIT_CPU: limits.cpu_s,
        resource.RLIMIT_FSIZE: limits.file_size,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_STACK: limits.stack,
        resource.RLIMIT_SIGPENDING: limits.pending_signals,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }


def engage(limits: dict[int, int]) -> None:
    """Set the limits of this process for good."""
    for kind, value in limits.items():
        resource.setrlimit(kind, (value, value))
