"""The zygote: imports torch once, leaves everything it can leave, then forks a child for each request.

It is exec'd, never forked from a process with secrets: only exec gives an address space without them. Its one
descriptor is the control socket (packets of JSON, descriptors beside them), which no child ever holds:

    observer                            zygote
                <--------------------   hello: what it is, or `failed` and why
    fork n, whether somebody waits for it, three descriptors  ----->
                <--------------------   forked n, with the child's pidfd
                <--------------------   exited n, wait status and processor time

Order of its own confinement: import and warm (needs files), look at itself (needs /proc), leave the namespaces, pivot,
drop root, fork once so that it is the first process of its pid namespace, prepare what children lock themselves with,
freeze the heap, assert that there is one thread, gather its pages, give up what it can do without. It ends when the
control socket closes.
"""

import gc
import json
import os
import platform
import select
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import torch

from app.sandbox import child, pages, warm
from app.sandbox.jail import landlock, libc, locks, namespaces, readable, rlimits, seccomp
from app.sandbox.limits import LIMITS

PACKET = 64 << 10


class Control:
    """The zygote's end of the control socket."""

    def __init__(self, fd: int) -> None:
        self.socket = socket.socket(fileno=fd)

    def say(self, data: object, fds: tuple[int, ...] = ()) -> None:
        """Send one packet."""
        socket.send_fds(self.socket, [json.dumps(data).encode()], fds)

    def hear(self) -> tuple[Any, list[int]] | None:
        """Receive one packet and its descriptors; `None` at the end."""
        data, fds, _, _ = socket.recv_fds(self.socket, PACKET, 8)
        return (json.loads(data), fds) if data else None


def main(arguments: list[str]) -> None:
    """Become a zygote: `arguments` are the control socket's descriptor and the layers a test leaves out."""
    control = Control(int(arguments[0]))
    try:
        setup, own, hello = _confine(frozenset(arguments[1:]))
    except Exception as error:  # the edge of this process: the observer reports it
        control.say({"failed": f"{type(error).__name__}: {error}"[:2000]})
        raise
    control.say({"hello": hello})
    Forks(control, setup, own).serve()
    os._exit(0)  # finalising an interpreter with torch in it takes half a second


def _confine(without: frozenset[str]) -> tuple[child.Setup, int | None, dict[str, Any]]:
    """Warm up and give up everything; return what children need, the own pid namespace and a report."""
    torch.set_num_threads(1)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    failed = warm.warm()
    private = Path(__file__).resolve().parents[2]
    paths = readable.readable(private)
    proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    scrub, streams = child.prepare()
    # Root opens what it grants before it drops the uid: below a private home an ordinary user finds nothing.
    version = 0 if "landlock" in without else landlock.abi()
    ruleset = landlock.ruleset(version, paths) if version else None
    entered = namespaces.enter(paths, proc, namespaces="namespaces" not in without)
    own = _first_process(proc) if "pid" in entered.names else None
    if version and entered.pivoted:
        ruleset = landlock.ruleset(version, paths, listed=("/",))
    _forget(private)
    child.seed()
    _freeze()
    setup = child.Setup(_locks(without, _mapped(proc), ruleset), scrub, streams)
    threads = _threads(proc)
    pages.gather(proc)
    os.close(proc)
    if threads != 1:
        raise RuntimeError(f"the zygote has {threads} threads, and forking needs exactly one")
    report = {"namespaces": entered.names, "pivoted": entered.pivoted, "refused": entered.refused, "landlock": version}
    return (
        setup,
        own,
        {"torch": str(torch.__version__), "python": platform.python_version(), "unwarmed": failed, **report},
    )


def _mapped(proc: int) -> int:
    """Return how many bytes this process has mapped, once it has freed what it will."""
    with os.fdopen(os.open("self/statm", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)) as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _threads(proc: int) -> int:
    with os.fdopen(os.open("self/status", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)) as status:
        return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))


def _first_process(proc: int) -> int:
    """Go on as the first process of the new pid namespace; the process that started stays to wait for it."""
    pid = os.fork()
    if pid:
        namespaces.settle()
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        _, status = os.waitpid(pid, 0)
        os._exit(0 if status == 0 else 1)
    return os.open("self/ns/pid", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)


def _locks(without: frozenset[str], base: int, ruleset: int | None) -> locks.Locks:
    return locks.Locks(
        rlimits=None if "rlimits" in without else rlimits.table(LIMITS, base),
        ruleset=ruleset,
        filter=None if "seccomp" in without else seccomp.prepare(),
    )


def _forget(private: Path) -> None:
    """Make this package unimportable: what a child runs of it is bound already."""
    sys.path[:] = [entry for entry in sys.path if entry and Path(entry) != private]
    for name in [name for name in sys.modules if name == "app" or name.startswith("app.")]:
        del sys.modules[name]
    for entry in [entry for entry in sys.path_importer_cache if Path(entry).is_relative_to(private / "app")]:
        del sys.path_importer_cache[entry]
    sys.path_importer_cache.pop(str(private), None)
    sys.argv[:] = ["<snippet>"]
    os.environ.clear()


def _freeze() -> None:
    gc.disable()
    gc.collect()
    gc.freeze()


class Forks:
    """The loop: fork on request, report who ended."""

    def __init__(self, control: Control, setup: child.Setup, own: int | None) -> None:
        self._control = control
        self._setup = setup
        self._own = own
        self._poll = select.poll()
        self._living: dict[int, tuple[int, int]] = {}  # pidfd -> (number, pid)

    def serve(self) -> None:
        """Serve until the control socket closes."""
        namespaces.settle()
        locks.bequeath()
        fd = self._control.socket.fileno()
        self._poll.register(fd, select.POLLIN)
        while True:
            for ready, _ in self._poll.poll():
                if ready != fd:
                    self._reap(ready)
                elif not self._heed():
                    return

    def _heed(self) -> bool:
        packet = self._control.hear()
        if packet is None:
            return False
        request, fds = packet
        if "bare" in request:
            work = child.run_bare if request["running"] else lambda: None
            self._control.say({"bare": _bare(int(request["bare"]), int(request["together"]), work)})
        else:
            self._fork(int(request["fork"]), fds, awaited=bool(request["awaited"]))
        return True

    def _fork(self, number: int, fds: list[int], *, awaited: bool) -> None:
        pid = libc.fork() if self._own is None else namespaces.fork_inside(self._own)
        if pid == 0:
            self._child(fds, awaited=awaited)
        for fd in fds:
            os.close(fd)
        pidfd = os.pidfd_open(pid)
        self._living[pidfd] = (number, pid)
        self._poll.register(pidfd, select.POLLIN)
        self._control.say({"forked": number}, (pidfd,))

    def _child(self, fds: list[int], *, awaited: bool) -> NoReturn:
        child.live(self._setup, *fds, rehearsed=not awaited)

    def _reap(self, pidfd: int) -> None:
        number, pid = self._living.pop(pidfd)
        self._poll.unregister(pidfd)
        os.close(pidfd)
        _, status, usage = os.wait4(pid, 0)
        self._control.say({"exited": number, "status": status, "cpu": usage.ru_utime + usage.ru_stime})


def _bare(count: int, together: int, work: Callable[[], object]) -> list[float]:
    """Measure `count` times how long `together` forks take that `work`, exit and are waited for, two at once."""
    taken = []
    for _ in range(count):
        living: list[int] = []
        start = time.perf_counter()
        for _ in range(together):
            if len(living) == 2:
                _wait(living.pop(0))
            living.append(_fork_bare(work))
        for pid in living:
            _wait(pid)
        taken.append((time.perf_counter() - start) * 1000)
    return taken


def _fork_bare(work: Callable[[], object]) -> int:
    """Fork as the children are forked, so that what makes their forks cheap is no advantage over these."""
    if pid := libc.fork():
        return pid
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def _wait(pid: int) -> None:
    _, status = os.waitpid(pid, 0)
    if status:
        raise RuntimeError(f"a bare fork ended with wait status {status}")


if __name__ == "__main__":
    main(sys.argv[1:])
