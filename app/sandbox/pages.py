"""Huge pages under what the zygote holds: a fork then copies a hundred entries instead of sixty thousand.

A child that writes to a huge page copies 4 KiB of it, as it would of a small one, so nothing else changes. The kernel
gathers pages on request since Linux 6.1; where it will not, memory stays as it is and forks take longer.
"""

import os
from collections.abc import Iterator

from app.sandbox.jail import libc

HUGE = 2 << 20


def gather(proc: int) -> int:
    """Put this process's own memory on huge pages, as far as the kernel likes; return how many it took.

    `proc` is a directory descriptor of /proc.
    """
    with os.fdopen(os.open("self/maps", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc), encoding="utf-8") as lines:
        mappings = lines.read().splitlines()
    return sum(libc.collapse(start, HUGE) for mapping in mappings for start in _whole(mapping))


def _whole(mapping: str) -> Iterator[int]:
    """Yield where a whole huge page fits into a mapping that is private, writable and of no file."""
    place, rights, _, _, inode, *name = mapping.split(maxsplit=5)
    if rights[:2] != "rw" or rights[3] != "p" or inode != "0" or (name and name[0] != "[heap]"):
        return
    start, end = (int(address, 16) for address in place.split("-"))
    yield from range(-(-start // HUGE) * HUGE, end // HUGE * HUGE, HUGE)
