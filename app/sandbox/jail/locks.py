"""Everything a child does to itself before it may see a line of somebody's code, in the one order that works.

What the zygote can do without, it gives up itself: children inherit that for nothing.
"""

import ctypes
import os
from dataclasses import dataclass

from app.sandbox.jail import capabilities, landlock, libc, rlimits, seccomp


@dataclass(frozen=True, slots=True)
class Locks:
    """What the zygote prepared once for all children; `None` where the layer is missing."""

    rlimits: dict[int, int] | None
    ruleset: int | None
    filter: ctypes.Array[ctypes.c_char] | None


def bequeath() -> None:
    """Lock the zygote as far as it can be while it forks: every child begins with this, and none can undo it."""
    os.umask(0o777)
    libc.prctl("NO_NEW_PRIVS", libc.PR_SET_NO_NEW_PRIVS, 1)
    capabilities.drop_inherited()


def engage(locks: Locks, keep: int) -> None:
    """Lock this child for good; descriptors above `keep` are closed."""
    os.setsid()
    libc.prctl("PDEATHSIG", libc.PR_SET_PDEATHSIG, 9)
    capabilities.drop()
    libc.prctl("DUMPABLE", libc.PR_SET_DUMPABLE, 0)
    if locks.ruleset is not None:
        landlock.engage(locks.ruleset)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))
    if locks.rlimits is not None:
        rlimits.engage(locks.rlimits)
    if locks.filter is not None:
        seccomp.engage(locks.filter)  # last: the steps above would not pass it
