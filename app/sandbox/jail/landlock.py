"""Landlock: a domain in which only the granted directories can be read and nothing else of the file system used.

Every right, network access and scope that the kernel's ABI knows is handled, and only reading below `paths` is
granted. Executing is not needed to map a library. ABI 1 is enough for confidentiality; 4 adds TCP, 6 adds signals
and abstract sockets between domains.
"""

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

from app.sandbox.jail import libc

READ_FILE = 1 << 2
READ_DIR = 1 << 3
RULE_PATH_BENEATH = 1
VERSION = 1
FS_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
NET_RIGHTS = 0b11
SCOPES = 0b11


def abi() -> int:
    """Return the Landlock ABI of this kernel, 0 where there is none."""
    try:
        return libc.call("landlock", libc.SYS_LANDLOCK_CREATE_RULESET, None, 0, VERSION)
    except OSError:
        return 0


def ruleset(version: int, paths: Iterable[str], listed: Iterable[str] = ()) -> int:
    """Return a ruleset fd that grants reading below `paths` and listing below `listed`; build it once for all."""
    rights = FS_RIGHTS[min(version, 5)]
    words = [rights]
    if version >= 4:
        words.append(NET_RIGHTS)
    if version >= 6:
        words.append(SCOPES)
    attribute = _buffer(struct.pack(f"<{len(words)}Q", *words))
    fd = libc.call("landlock", libc.SYS_LANDLOCK_CREATE_RULESET, attribute, 8 * len(words), 0)
    for path in paths:
        _grant(fd, path, READ_FILE | READ_DIR if Path(path).is_dir() else READ_FILE)
    for path in listed:
        _grant(fd, path, READ_DIR)
    return fd


def _grant(ruleset_fd: int, path: str, rights: int) -> None:
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _buffer(struct.pack("<Qi", rights, fd))
        libc.call("landlock", libc.SYS_LANDLOCK_ADD_RULE, ruleset_fd, RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(fd)


def engage(ruleset_fd: int) -> None:
    """Put this process into the domain for good. It must have no_new_privs."""
    libc.call("landlock", libc.SYS_LANDLOCK_RESTRICT_SELF, ruleset_fd, 0)


def _buffer(content: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(content, len(content))
