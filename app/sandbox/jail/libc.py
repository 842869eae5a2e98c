"""The few kernel calls Python 3.11 has no name for, each checked: a failure raises `OSError`, never passes silently.

x86_64 Linux only; `supported` says why not elsewhere. Nothing is loaded at import.
"""

import ctypes
import os
import platform
import sys
from functools import cache

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MADV_COLLAPSE = 25

MS_NOSUID = 2
MS_NODEV = 4
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

SYS_PIVOT_ROOT = 155
SYS_SECCOMP = 317
SYS_CAPSET = 126
SYS_MOUNT_SETATTR = 442
SYS_LANDLOCK_CREATE_RULESET = 444
SYS_LANDLOCK_ADD_RULE = 445
SYS_LANDLOCK_RESTRICT_SELF = 446

Argument = int | bytes | ctypes.Array[ctypes.c_char] | None


def supported() -> str:
    """Return why this system cannot carry the sandbox, or an empty string where it can."""
    if not sys.platform.startswith("linux"):
        return f"The sandbox needs Linux, and this is {platform.system() or sys.platform}."
    if platform.machine() != "x86_64" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return f"The sandbox's system call policy is written for x86_64, and this is {platform.machine()}."
    return ""


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


@cache
def _holding() -> ctypes.PyDLL:
    """Return the C library for calls that keep the interpreter's lock."""
    return ctypes.PyDLL(None, use_errno=True)


def _checked(name: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def _word(value: Argument) -> object:
    return ctypes.c_long(value) if isinstance(value, int) else value


def call(name: str, number: int, *arguments: Argument) -> int:
    """Make system call `number` and return its result; `name` names it in the error."""
    return _checked(name, int(_library().syscall(ctypes.c_long(number), *map(_word, arguments))))


def fork() -> int:
    """Fork as the C library does, without Python's hooks: only for a process with one thread. As `os.fork`.

    The hooks make locks and threads anew that such a process has not got, seed `random`, and touch 290 pages.
    """
    return _checked("fork", int(_holding().fork()))


def collapse(start: int, size: int) -> bool:
    """Ask for huge pages from `start` on and say whether they came; not coming is no failure."""
    return bool(_library().madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), MADV_COLLAPSE) == 0)


def unshare(flags: int) -> None:
    """Leave the shared namespaces named by `flags`."""
    _checked("unshare", int(_library().unshare(ctypes.c_int(flags))))


def setns(fd: int, kind: int) -> None:
    """Enter the namespace behind `fd`."""
    _checked("setns", int(_library().setns(ctypes.c_int(fd), ctypes.c_int(kind))))


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount `source` on `target`."""
    words = [word.encode() or None for word in (source, target, kind)]
    result = _library().mount(*words, ctypes.c_ulong(flags), data.encode() or None)
    _checked(f"mount {target}", int(result))


def umount(target: str, flags: int) -> None:
    """Unmount `target`."""
    _checked("umount", int(_library().umount2(target.encode(), ctypes.c_int(flags))))


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root and move the former one to `old`."""
    call("pivot_root", SYS_PIVOT_ROOT, new.encode(), old.encode())


def prctl(name: str, option: int, *values: int) -> int:
    """Call prctl; missing values are zero."""
    words = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    return _checked(f"prctl {name}", int(_library().prctl(ctypes.c_int(option), *words)))
