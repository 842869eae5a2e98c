"""A read-only root directory that holds only what is readable, pivoted to in a mount namespace of its own.

After `pivot` there is no /proc, no /sys, no /etc, no home and no `app`: opening them is `ENOENT`, not `EACCES`.
"""

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

from app.sandbox.jail import libc

# Any directory that exists everywhere and is bound from nowhere serves as the place to build on.
PLACE = "/proc"
# Readable in the root but not granted by Landlock: opening it tells the two layers apart.
MARKER = "/not-granted"

AT_RECURSIVE = 0x8000
AT_FDCWD = -100
READ_ONLY = 1
NO_SETUID = 2
NO_DEVICES = 4


def pivot(paths: Iterable[str]) -> None:
    """Build the root from `paths` and make it the root of this mount namespace."""
    libc.mount("", "/", "", libc.MS_REC | libc.MS_PRIVATE)
    libc.mount("none", PLACE, "tmpfs", libc.MS_NOSUID | libc.MS_NODEV, "mode=755,size=1m")
    for path in paths:
        _bind(path)
    Path(PLACE + MARKER).touch(mode=0o444)
    os.chdir(PLACE)
    _attributes(".", READ_ONLY | NO_SETUID | NO_DEVICES, recursive=False)
    libc.pivot_root(".", ".")
    libc.umount(".", libc.MNT_DETACH)
    os.chdir("/")


def _bind(path: str) -> None:
    target = Path(PLACE + path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if Path(path).is_dir():
        target.mkdir(exist_ok=True)
    else:
        target.touch()
    libc.mount(path, str(target), "", libc.MS_BIND | libc.MS_REC)
    device = Path(path).is_char_device()
    _attributes(str(target), READ_ONLY | NO_SETUID | (0 if device else NO_DEVICES), recursive=True)


def _attributes(target: str, flags: int, *, recursive: bool) -> None:
    attribute = ctypes.create_string_buffer(struct.pack("<4Q", flags, 0, 0, 0), 32)
    where = AT_RECURSIVE if recursive else 0
    libc.call("mount_setattr", libc.SYS_MOUNT_SETATTR, AT_FDCWD, target.encode(), where, attribute, 32)
