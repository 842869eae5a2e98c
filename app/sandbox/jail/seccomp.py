"""The system calls a locked child may make: an allow-list with argument checks, compiled to BPF once in the zygote.

Integrity is this layer's task. Nothing can be written, created, signalled, connected or started through what is
allowed here, whatever the file system or the other layers permit. It cannot read paths (they are pointers), so it
gives no confidentiality: Landlock and the pivoted root do.

How a call is answered:

- `ALLOWED`: always.
- `CHECKED`: when one of its alternatives holds; an alternative is a tuple of tests on arguments, all of which hold.
- `ABSENT`, and every number newer than this table: `ENOSYS`, so that the C library falls back to an older call.
- anything else: `EPERM`. Another architecture or the x32 numbers: the process is killed.

Denying a call that looks useless can give garbage instead of an error where its caller never checks (`sysinfo` behind
`os.sysconf`, `umask`), so harmless calls of that kind are allowed.
"""

import ctypes
import errno
import os
import struct
from dataclasses import dataclass
from functools import cache

from app.sandbox.jail import bpf, libc

ARCH_X86_64 = 0xC000003E
X32_BIT = 0x40000000
NEWEST = 451  # cachestat and later numbers are newer than this table

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
EPERM = 0x00050000 | errno.EPERM
ENOSYS = 0x00050000 | errno.ENOSYS

PERMIT, REFUSE, UNKNOWN, KILL = "permit", "refuse", "unknown", "kill"  # where the filter ends
ANSWERS = {PERMIT: ALLOW, REFUSE: EPERM, UNKNOWN: ENOSYS, KILL: KILL_PROCESS}

OFFSET_NUMBER = 0
OFFSET_ARCH = 4
OFFSET_ARGUMENTS = 16

ALLOWED: dict[str, int] = {
    "read": 0, "write": 1, "mmap": 9, "munmap": 11, "brk": 12, "mprotect": 10, "futex": 202, "close": 3,
    "fstat": 5, "newfstatat": 262, "lseek": 8, "getdents64": 217,
    "stat": 4, "lstat": 6, "poll": 7, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15,
    "pread64": 17, "readv": 19, "writev": 20, "access": 21, "sched_yield": 24, "mremap": 25, "dup": 32, "dup2": 33,
    "nanosleep": 35, "getitimer": 36, "alarm": 37, "setitimer": 38, "getpid": 39, "exit": 60, "uname": 63,
    "getcwd": 79, "readlink": 89, "umask": 95, "gettimeofday": 96, "getrusage": 98, "sysinfo": 99, "times": 100,
    "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108, "getppid": 110, "getpgrp": 111,
    "getgroups": 115, "getresuid": 118, "getresgid": 120, "sigaltstack": 131, "gettid": 186, "time": 201,
    "sched_getaffinity": 204, "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229,
    "clock_nanosleep": 230, "exit_group": 231, "readlinkat": 267, "faccessat": 269, "pselect6": 270, "ppoll": 271,
    "dup3": 292, "getcpu": 309, "getrandom": 318, "statx": 332, "select": 23, "pipe": 22,
}  # fmt: skip

ABSENT: dict[str, int] = {"clone3": 435, "openat2": 437, "faccessat2": 439, "close_range": 436, "rseq": 334}


@dataclass(frozen=True, slots=True)
class Test:
    """A test on argument `index`: it must be one of `values` after `mask`; the upper half must be zero if `wide`."""

    index: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    wide: bool = False


WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | 0o20000000  # the last is __O_TMPFILE
PIPE_FLAGS = os.O_CLOEXEC | os.O_NONBLOCK  # not O_NOTIFICATION_PIPE

CHECKED: dict[str, tuple[int, tuple[Test, ...]]] = {
    "open": (2, (Test(1, (0,), mask=WRITES),)),
    "openat": (257, (Test(2, (0,), mask=WRITES),)),
    "pipe2": (293, (Test(1, (0,), mask=0xFFFFFFFF & ~PIPE_FLAGS),)),
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC: never F_SETOWN, which signals other processes
    "fcntl": (72, (Test(1, (0, 1, 2, 3, 1030)),)),
    "ioctl": (16, (Test(1, (0x5401, 0x5413, 0x5451)),)),  # TCGETS, TIOCGWINSZ, FIOCLEX
    "prctl": (157, (Test(0, (15, 0x53564D41)),)),  # PR_SET_NAME, PR_SET_VMA
    "prlimit64": (302, (Test(0, (0,)), Test(2, (0,), wide=True))),  # read one's own limits
    "madvise": (28, (Test(2, (0, 1, 2, 3, 4, 8, 14, 15, 16, 17)),)),
}


class SockFprog(ctypes.Structure):
    """The kernel's `struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


@cache
def compile_filter() -> bytes:
    """Return the policy as BPF: a binary search, since the kernel tries every number when the filter engages."""
    code = bpf.Assembly()
    code.load(OFFSET_ARCH)
    code.if_equal(ARCH_X86_64, no=KILL)
    code.load(OFFSET_NUMBER)
    _search(code, _ranges())
    for name, (_, tests) in CHECKED.items():
        _checked(code, name, tests)
    for name, value in ANSWERS.items():
        code.label(name)
        code.answer(value)
    return code.code()


def _ranges() -> list[tuple[int, str]]:
    """Return the first number of each range of numbers that are answered alike, in order, with where to go."""
    places = dict.fromkeys(range(NEWEST), REFUSE)
    places |= dict.fromkeys(ALLOWED.values(), PERMIT) | dict.fromkeys(ABSENT.values(), UNKNOWN)
    places |= {number: name for name, (number, _) in CHECKED.items()} | {NEWEST: UNKNOWN, X32_BIT: KILL}
    return [(number, place) for number, place in sorted(places.items()) if place != places.get(number - 1)]


def _search(code: bpf.Assembly, ranges: list[tuple[int, str]]) -> None:
    """Go to the place of the range that holds the loaded number; there are at least two."""
    low, high = ranges[: len(ranges) // 2], ranges[len(ranges) // 2 :]
    code.if_at_least(high[0][0], yes=_entry(high), no=_entry(low))
    for part in (low, high):
        if len(part) > 1:
            code.label(_entry(part))
            _search(code, part)


def _entry(ranges: list[tuple[int, str]]) -> str:
    number, place = ranges[0]
    return place if len(ranges) == 1 else f"{len(ranges)} from {number}"


def _checked(code: bpf.Assembly, name: str, tests: tuple[Test, ...]) -> None:
    code.label(name)
    for at, test in enumerate(tests):
        _test(code, f"{name} {at}", test)
    code.answer(ALLOW)


def _test(code: bpf.Assembly, name: str, test: Test) -> None:
    offset = OFFSET_ARGUMENTS + 8 * test.index
    if test.wide:
        code.load(offset + 4)
        code.if_equal(0, no=REFUSE)
    code.load(offset)
    code.mask(test.mask)
    for value in test.values[:-1]:
        code.if_equal(value, yes=f"holds {name}")
    code.if_equal(test.values[-1], no=REFUSE)
    code.label(f"holds {name}")


@cache
def prepare() -> ctypes.Array[ctypes.c_char]:
    """Return the policy as the kernel takes it; build it once for all."""
    code = compile_filter()  # its own cache keeps alive what is pointed to
    program = SockFprog(len(code) // 8, code)
    return ctypes.create_string_buffer(bytes(program), ctypes.sizeof(program))


def engage(prepared: ctypes.Array[ctypes.c_char]) -> None:
    """Put this process under the filter for good. It must have no_new_privs."""
    libc.call("seccomp", libc.SYS_SECCOMP, 1, 0, prepared)


def data(number: int, arguments: tuple[int, ...] = (), arch: int = ARCH_X86_64) -> bytes:
    """Return what the kernel hands to the filter for a call: `struct seccomp_data`."""
    words = [word & 0xFFFFFFFFFFFFFFFF for word in (*arguments, 0, 0, 0, 0, 0, 0)[:6]]
    return struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *words)
