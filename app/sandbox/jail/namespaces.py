"""Leaving the shared namespaces, in the order that works for root and for an ordinary user.

Root, in order: mount, net, ipc, uts and cgroup namespaces and the pivoted root while it may; then the uid is dropped
for good; then, as that ordinary uid, a user namespace and in it a pid namespace. An ordinary user starts with the user
namespace and does the rest inside it. Where a step is refused (a container without the right, a system without user
namespaces) the step's layer is missing and the others stand: `Entered` says what was and why the rest was not.

A pid namespace is made per run by `fork_inside`, whose caller must be the first process of its own pid namespace.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from app.sandbox.jail import capabilities, libc, root

UIDS = (61_853, 65_534)  # ours; or nobody, where a container maps few ids
SHARED = libc.CLONE_NEWNS | libc.CLONE_NEWNET | libc.CLONE_NEWIPC | libc.CLONE_NEWUTS | libc.CLONE_NEWCGROUP
NAMES = ("user", "mnt", "net", "ipc", "uts", "pid_for_children", "cgroup")


@dataclass(slots=True)
class Entered:
    """What was left behind: namespace names that changed, whether the root was pivoted, and why not."""

    names: list[str] = field(default_factory=list)
    pivoted: bool = False
    refused: list[str] = field(default_factory=list)

    def attempt(self, what: str, step: Callable[[], None]) -> bool:
        """Try one step; note why the system refused it."""
        try:
            step()
        except OSError as error:
            self.refused.append(f"{what}: {os.strerror(error.errno or 0)}")
            return False
        return True


def enter(paths: Iterable[str], proc: int, *, namespaces: bool) -> Entered:
    """Leave what can be left. `proc` is a directory fd of /proc, opened before; never returns with uid 0."""
    entered = Entered()
    before = _identities(proc)
    if os.geteuid() == 0:
        if namespaces and entered.attempt("unshare", lambda: libc.unshare(SHARED)):
            entered.pivoted = entered.attempt("pivot_root", lambda: root.pivot(paths))
        drop_root(proc)
        if namespaces:
            entered.attempt("user namespace", lambda: _user(libc.CLONE_NEWPID, proc))
    elif namespaces and entered.attempt("user namespace", lambda: _user(SHARED | libc.CLONE_NEWPID, proc)):
        entered.pivoted = entered.attempt("pivot_root", lambda: root.pivot(paths))
    libc.prctl("DUMPABLE", libc.PR_SET_DUMPABLE, 1)  # for reading one's own /proc entries; `settle` takes it back
    after = _identities(proc)
    entered.names = [name.removesuffix("_for_children") for name in NAMES if before.get(name) != after.get(name)]
    return entered


def settle() -> None:
    """Make this process unreadable to others and let it die with its parent. Call it after the last change of ids."""
    libc.prctl("DUMPABLE", libc.PR_SET_DUMPABLE, 0)
    libc.prctl("PDEATHSIG", libc.PR_SET_PDEATHSIG, 9)


def fork_inside(own: int) -> int:
    """Fork a child that is the first process of a new pid namespace; `own` is this process's own. As `os.fork`."""
    libc.unshare(libc.CLONE_NEWPID)
    pid = libc.fork()
    if pid:
        libc.setns(own, libc.CLONE_NEWPID)
    return pid


def drop_root(proc: int) -> None:
    """Become an ordinary user for good."""
    uid = next((uid for uid in UIDS if _mapped(uid, proc)), UIDS[-1])
    capabilities.drop_bounding()
    with suppress(PermissionError):  # a container may forbid it; the groups then stay the container's
        os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def _mapped(uid: int, proc: int) -> bool:
    """Say whether `uid` exists in this user namespace."""
    fd = os.open("self/uid_map", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    with os.fdopen(fd, encoding="ascii") as lines:
        ranges = [tuple(map(int, line.split())) for line in lines]
    return any(first <= uid < first + count for first, _, count in ranges)


def _user(others: int, proc: int) -> None:
    uid, gid = os.geteuid(), os.getegid()
    libc.prctl("DUMPABLE", libc.PR_SET_DUMPABLE, 1)  # the map files of a process that is not belong to root
    libc.unshare(libc.CLONE_NEWUSER | others)
    _write(proc, "self/setgroups", "deny")
    _write(proc, "self/uid_map", f"{uid} {uid} 1")
    _write(proc, "self/gid_map", f"{gid} {gid} 1")


def _write(proc: int, name: str, text: str) -> None:
    fd = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _identities(proc: int) -> dict[str, str]:
    found = {}
    for name in NAMES:
        with suppress(OSError):
            found[name] = os.readlink(f"self/ns/{name}", dir_fd=proc)
    return found
