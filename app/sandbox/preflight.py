"""Proof that the layers work: probes run in real children, judged here by their effect, not by any return code.

Some effects are what a snippet can see (a call's errno, a file that will not open), others what the kernel says of the
child from outside (`/proc/<pid>/status`). A layer that `required` names and that is not seen at work makes the sandbox
refuse to run anything.
"""

import errno
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.sandbox.jail.root import MARKER
from app.sandbox.limits import Limits
from app.sandbox.protocol import Layer, Program, RunResult, Verdict

# Each would fail with another errno, or do nothing of note, if the filter let it through.
DENIED = {
    "socket": (41, (2, 1, 0)),
    "clone": (56, (0x800, 0, 0, 0, 0)),
    "execve": (59, (0, 0, 0)),
    "kill": (62, (0, 0)),
    "mkdir": (83, (0, 0)),
    "ptrace": (101, (9999, 0, 0, 0)),
    "mount": (165, (0, 0, 0, 0, 0)),
    "openat to write": (257, (-100, 0, os.O_RDWR, 0)),
    "unshare": (272, (0,)),
    "prctl": (157, (4, 1, 0, 0, 0)),
    "fcntl F_SETOWN": (72, (1, 8, 1)),
    "io_uring_setup": (425, (1, 0)),
}
CALLS = f"""
import ctypes
library = ctypes.CDLL(None, use_errno=True)
found = []
for number, arguments in {list(DENIED.values())!r}:
    ctypes.set_errno(0)
    result = library.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    found.append(ctypes.get_errno() if result == -1 else 0)
"""
FOREIGN = "import ctypes\nctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 39))"
GRADIENT = "w = torch.tensor([2.0, 3.0], requires_grad=True)\n(w ** 3).sum().backward()"
SPIN = "while True: pass"


def _files_code(paths: tuple[str, ...]) -> str:
    return f"""
found = []
for path in {list(paths)!r}:
    try:
        open(path, 'rb').close()
        found.append(0)
    except OSError as error:
        found.append(error.errno)
"""


def _limits_code(limits: Limits) -> str:
    return f"""
import os, resource
found = [resource.getrlimit(kind)[1] for kind in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE,
    resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)]
def is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True
descriptors = [fd for fd in range(256) if is_open(fd)]
try:
    bytearray({limits.memory + (64 << 20)})
    refused = False
except MemoryError:
    refused = True
pid = os.getpid()
"""


def outside() -> tuple[str, ...]:
    """Return files that exist here, that anybody may read, and that no snippet may."""
    candidates = (__file__, "/etc/passwd", "/etc/hostname", os.path.realpath(sys.executable), "/proc/self/status")
    return tuple(path for path in candidates if Path(path).is_file())


def programs(limits: Limits) -> tuple[tuple[Program, float], ...]:
    """Return the probes in the order `judge` reads them, each with its wall limit."""
    files = (*outside(), MARKER)
    return (
        (Program(CALLS, ("found",)), limits.wall_max_s),
        (Program(FOREIGN), limits.wall_max_s),
        (Program(_files_code(files), ("found",)), limits.wall_max_s),
        (Program(_limits_code(limits), ("found", "descriptors", "refused", "pid")), limits.wall_max_s),
        (Program(GRADIENT, ("w.grad",)), limits.wall_max_s),
        (Program(SPIN), 0.05),
    )


@dataclass(frozen=True, slots=True)
class Facts:
    """What the kernel says of a waiting child and of the zygote above it, seen from outside."""

    child: dict[str, str] = field(default_factory=dict)
    zygote: dict[str, str] = field(default_factory=dict)


def facts_of(pidfd: int | None) -> Facts:
    """Read the facts of a living child."""
    if pidfd is None:
        return Facts()
    child = _status(_field(Path(f"/proc/self/fdinfo/{pidfd}"), "Pid"))
    return Facts(child, _status(child.get("PPid", "")))


def _status(pid: str) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    return {name: rest.strip() for name, _, rest in (line.partition(":") for line in lines)}


def _field(path: Path, wanted: str) -> str:
    for line in path.read_text(encoding="ascii").splitlines():
        name, _, rest = line.partition(":")
        if name == wanted:
            return rest.strip()
    return ""


def judge(results: tuple[RunResult, ...], facts: Facts, hello: dict[str, Any], limits: Limits) -> tuple[Layer, ...]:
    """Return every layer with what was seen of it."""
    calls, foreign, files, numbers, gradient, spin = results
    return (
        _calls(calls, foreign),
        _privileges(facts),
        _confidentiality(files),
        _limits(numbers, limits),
        _user(facts),
        _layer("one thread", facts.zygote.get("Threads") == "1", f"{facts.zygote.get('Threads', '?')} in the zygote"),
        _layer("descriptors", _value(numbers, 1) == [0, 1, 2, 3], f"open: {_value(numbers, 1)}"),
        _layer("kill", spin.verdict is Verdict.TIME_LIMIT, f"a spinning probe ended as {spin.verdict}"),
        _gradient(gradient),
        *_extras(files, numbers, hello),
    )


def _layer(name: str, engaged: bool, detail: str, *, required: bool = True) -> Layer:
    return Layer(name, required, engaged, detail)


def _value(result: RunResult, at: int) -> Any:
    """Return an observed value, lists as lists, or `None`."""
    value = result.observations[at].value if len(result.observations) > at else None
    return value["list"] if isinstance(value, dict) and "list" in value else value


def _calls(calls: RunResult, foreign: RunResult) -> Layer:
    found = _value(calls, 0) or []
    passed = [name for name, number in zip(DENIED, found, strict=False) if number != errno.EPERM]
    killed = foreign.reason == "forbidden system call"
    detail = f"{len(found) - len(passed)} of {len(DENIED)} forbidden calls were refused"
    if passed:
        detail += f", not {', '.join(passed)}"
    return _layer("seccomp", len(found) == len(DENIED) and not passed and killed, detail)


def _privileges(facts: Facts) -> Layer:
    engaged = facts.child.get("NoNewPrivs") == "1" and facts.child.get("Seccomp") == "2"
    return _layer("no new privileges", engaged, f"NoNewPrivs {facts.child.get('NoNewPrivs', '?')}")


def _confidentiality(files: RunResult) -> Layer:
    found, paths = _value(files, 0) or [], outside()
    opened = [path for path, number in zip(paths, found, strict=False) if number == 0]
    engaged = len(found) == len(paths) + 1 and not opened and bool(paths)
    return _layer("confidentiality", engaged, f"{len(opened)} of {len(paths)} files outside could be opened")


def _limits(numbers: RunResult, limits: Limits) -> Layer:
    expected = [limits.cpu_s, limits.file_size, limits.open_files, 0]
    engaged = _value(numbers, 0) == expected and _value(numbers, 2) is True
    return _layer("limits", engaged, f"processor, file size, files, core: {_value(numbers, 0)}")


def _user(facts: Facts) -> Layer:
    """An ordinary uid without capabilities; what is left in the bounding set no_new_privs keeps out of reach."""
    uids = facts.child.get("Uid", "0").split()
    held = [facts.child.get(name, "?").strip("0") for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")]
    engaged = "0" not in uids and not any(held)
    return _layer("ordinary user", engaged, f"uid {uids[0]}, CapEff {facts.child.get('CapEff', '?')}")


def _gradient(result: RunResult) -> Layer:
    expected = {"tensor": {"shape": [2], "dtype": "float32", "values": [12.0, 27.0]}}
    engaged = result.verdict is Verdict.OK and _value(result, 0) == expected
    return _layer("honest run", engaged, f"{result.verdict}: the gradient {'is exact' if engaged else 'is wrong'}")


def _extras(files: RunResult, numbers: RunResult, hello: dict[str, Any]) -> tuple[Layer, ...]:
    found = _value(files, 0) or [0]
    names, refused = hello.get("namespaces", []), "; ".join(hello.get("refused", []))
    pivoted = all(number == errno.ENOENT for number in found[:-1]) and found[-1] in (0, errno.EACCES)
    locked = found[-1] == errno.EACCES if pivoted else all(number == errno.EACCES for number in found[:-1])
    extras = [
        ("landlock", locked, f"ABI {hello.get('landlock', 0)}"),
        ("pivoted root", pivoted, "nothing outside exists for a snippet"),
        ("pid namespace", _value(numbers, 3) == 1, "a snippet is process 1"),
        *((f"{name} namespace", name in names, "its own") for name in ("user", "mnt", "net", "ipc", "uts")),
    ]
    missing = refused or "not there"
    return tuple(_layer(name, on, detail if on else missing, required=False) for name, on, detail in extras)
