"""Dropping every capability: the sets, the bounding set and the ambient set."""

import ctypes
import errno
import struct

from app.sandbox.jail import libc

VERSION_3 = 0x20080522
LAST = 63
HEADER = ctypes.create_string_buffer(struct.pack("<Ii", VERSION_3, 0), 8)
NONE = ctypes.create_string_buffer(bytes(24), 24)


def drop_bounding() -> None:
    """Empty the bounding set, as far as this process may (CAP_SETPCAP); without the right it is left as it is."""
    for capability in range(LAST + 1):
        try:
            libc.prctl("CAPBSET_DROP", libc.PR_CAPBSET_DROP, capability)
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.EPERM):  # past the newest capability, or not allowed
                return
            raise


def drop_inherited() -> None:
    """Empty the sets that are only for processes to come, which all children inherit empty."""
    drop_bounding()
    libc.prctl("CAP_AMBIENT", libc.PR_CAP_AMBIENT, libc.PR_CAP_AMBIENT_CLEAR_ALL)


def drop() -> None:
    """Give up every capability that is held, for good."""
    libc.call("capset", libc.SYS_CAPSET, HEADER, NONE)
