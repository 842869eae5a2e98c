"""One child: forked from the zygote, locked, warmed while nobody waits, used for one snippet, then gone.

States, each entered by one frame on descriptor 3 (the zygote's control socket is not here):

    child                         observer
    READY      ------------->
               <-------------     RUN      the code
    DONE       ------------->              how it ended
               <-------------     OBSERVE  the expressions: no code of the person runs before they are known
    ANSWER     ------------->              what each gave
    _exit

Whatever goes wrong before READY is our failure. After it, it is the snippet's: the snippet shares this process, can
reach every object in it, and so everything said here after READY is testimony. Names used after the code ran are bound
when this module is imported, so that a snippet that patches a module breaks only itself.
"""

import contextlib
import gc
import io
import json
import os
import random
import sys
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import torch

from app.probe import observe
from app.sandbox import sample, tracebacks
from app.sandbox.jail import locks
from app.sandbox.limits import LIMITS

CHANNEL = 3
EXIT_DONE = 0
EXIT_NOT_READY = 96
EXIT_NO_MEMORY = 97
EXIT_BROKEN = 98
TOO_MUCH = {
    "value": None,
    "raised": {"type": "OverflowError", "message": "too much was observed", "line": None},
}
SEEDED = 0  # what the zygote seeded all generators with before the first fork
ALLOCATOR = "DefaultCPUAllocator: can't allocate memory"

_read, _write, _exit = os.read, os.write, os._exit  # finalising an interpreter takes half a second
_dumps, _loads = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode, json.loads


def _frame(data: object) -> bytes:
    payload = _dumps(data).encode()
    return len(payload).to_bytes(4, "big") + payload


READY = _frame({"ready": True})


@dataclass(frozen=True, slots=True)
class Setup:
    """What the zygote prepared for every child."""

    locks: locks.Locks
    scrub: Callable[[str], str]
    streams: "Streams"


class Copy(io.RawIOBase):
    """A descriptor written through at once, of which the head is remembered."""

    def __init__(self, fd: int, limit: int) -> None:
        super().__init__()
        self._fd = fd
        self._limit = limit
        self.head = bytearray()

    def writable(self) -> bool:
        """Say yes."""
        return True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._fd

    def write(self, data: Any) -> int:
        """Write all of `data`."""
        view = memoryview(data).cast("B")
        self.head += view[: max(0, self._limit - len(self.head))]
        done = 0
        while done < len(view):
            done += _write(self._fd, view[done:])
        return len(view)

    def text(self) -> str:
        """Return the head as text."""
        return self.head.decode("utf-8", "backslashreplace")


def live(setup: Setup, out: int, err: int, channel: int, *, rehearsed: bool) -> NoReturn:
    """Live the whole life of a child in a process just forked; never returns.

    A child that nobody waits for yet is `rehearsed`: it touches what a run touches, so that its run is quick.
    """
    code = EXIT_NOT_READY
    try:
        _arrange(out, err, channel)
        locks.engage(setup.locks, CHANNEL)
        if rehearsed:
            _rehearse(setup)
        setup.streams.take()
        _send_all(READY)
        code = EXIT_BROKEN
        _run(setup)
        code = EXIT_DONE
    except MemoryError:
        code = EXIT_NO_MEMORY if code == EXIT_BROKEN else code
    except BaseException as error:  # noqa: BLE001 - the process ends here, and its status says how
        if code == EXIT_NOT_READY:
            _write(2, tracebacks.text_of(error, str).encode("utf-8", "backslashreplace"))
    finally:
        _exit(code)


def run_bare() -> bytes:
    """Run the sample with nothing around it and return what it gives: what any process that forks would do."""
    names = _names()
    if (error := _execute(sample.CODE, names)) is not None:
        raise error
    return _frame({"answer": answer(sample.OBSERVE, names)})


def _arrange(out: int, err: int, channel: int) -> None:
    """Put the descriptors where they belong. Descriptor 0 is the zygote's: a pipe nobody writes to."""
    for fd, place in ((out, 1), (err, 2), (channel, CHANNEL)):
        os.dup2(fd, place, inheritable=False)


class Streams:
    """The standard streams of a child, made once in the zygote, which never uses them."""

    def __init__(self) -> None:
        self.out = Copy(1, LIMITS.stdout)
        self._named: dict[str, Any] = {}
        for name, raw in (("stdout", self.out), ("stderr", Copy(2, 0))):
            # Written through, as python -u does.
            self._named[name] = io.TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True)
        self._named["stdin"] = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays open

    def take(self) -> None:
        """Make these the streams of this process."""
        for name, stream in self._named.items():
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def _rehearse(setup: Setup) -> None:
    """Touch what a run touches, so that the page faults happen before somebody waits."""
    names = _names()
    code = "x = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\nz = repr(x.grad)\n1 / 0\n"
    error = _execute(code, names)
    if type(error) is not ZeroDivisionError:
        raise RuntimeError("the rehearsal went wrong") from error
    tracebacks.text_of(error, setup.scrub)
    answer(("x.grad", "raised", "z +"), names)


def _names() -> dict[str, Any]:
    module = types.ModuleType("__main__")
    module.__dict__["torch"] = torch
    sys.modules["__main__"] = module
    return module.__dict__


def seed(seed: int = SEEDED) -> None:
    """Seed every global generator; the zygote does it last, since Python's own fork seeds `random` anew."""
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)  # the global generator is what snippets use


def _run(setup: Setup) -> None:
    job = receive()
    names = _names()
    if job["seed"] != SEEDED:
        seed(job["seed"])
    gc.enable()
    error = _execute(job["code"], names)
    done = None
    if error is not None:
        done = _account(error, setup)
    send({"done": done})
    expressions = receive()["observe"]
    line = tracebacks.line_of(error) if error is not None else None
    names.update(raised=error, raised_line=line, stdout=setup.streams.out.text(), torch=torch)
    send({"answer": answer(expressions, names)})


def _execute(code: str, names: dict[str, Any]) -> BaseException | None:
    """Run code and return what it raised."""
    tracebacks.remember(code)
    try:
        exec(compile(code, tracebacks.SNIPPET, "exec", dont_inherit=True), names)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the snippet's result
        return error
    return None


def _account(error: BaseException, setup: Setup) -> dict[str, Any]:
    """Return how the snippet failed, and print it as Python would."""
    said = raised(error)
    said["memory"] = isinstance(error, MemoryError) or ALLOCATOR in said["message"]
    said["message"] = setup.scrub(said["message"])
    text = tracebacks.text_of(error, setup.scrub).encode("utf-8", "backslashreplace")
    with contextlib.suppress(OSError):  # the snippet may have closed it
        while text:
            text = text[_write(2, text) :]
    return said


def raised(error: BaseException) -> dict[str, Any]:
    """Return an exception as the protocol's `Raised`."""
    name = observe.type_name(type(error))
    return {"type": name, "message": observe.message_of(error), "line": tracebacks.line_of(error)}


def answer(expressions: Any, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Evaluate each expression on its own, in order; together they stay below the limit of an answer."""
    answers: list[dict[str, Any]] = []
    size = 0
    for expression in expressions:
        one = _evaluate(expression, names) if size <= LIMITS.answer else TOO_MUCH
        size += len(_dumps(one))
        answers.append(one if size <= LIMITS.answer else TOO_MUCH)
    return answers


def _evaluate(expression: str, names: dict[str, Any]) -> dict[str, Any]:
    try:
        value = eval(compile(expression, "<observe>", "eval", dont_inherit=True), names)
        return {"value": observe.observe(value), "raised": None}
    except MemoryError:
        raise
    except BaseException as error:  # noqa: BLE001 - it is the expression's result
        return {"value": None, "raised": raised(error)}


def send(data: object) -> None:
    """Write one frame."""
    _send_all(_frame(data))


def _send_all(rest: bytes) -> None:
    while rest:
        rest = rest[_write(CHANNEL, rest) :]


def receive() -> Any:
    """Read one frame; the observer is trusted."""
    return _loads(_exactly(int.from_bytes(_exactly(4), "big")))


def _exactly(size: int) -> bytes:
    held = b""
    while len(held) < size:
        part = _read(CHANNEL, size - len(held))
        if not part:
            _exit(EXIT_DONE)  # the observer is gone, or wants nothing more
        held += part
    return held


def prepare() -> tuple[Callable[[str], str], Streams]:
    """Bind once, in the zygote, what all children share; return the scrubber and the streams."""
    scrub = tracebacks.scrubber()
    tracebacks.warn_without_paths(scrub)
    warnings.resetwarnings()
    for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
        warnings.simplefilter("ignore", category)
    warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")
    return scrub, Streams()
