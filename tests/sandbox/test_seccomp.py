"""The policy, asked call by call, and the same policy as libseccomp compiles it."""

import errno
import os
import tempfile

import pytest

from app.sandbox.jail import bpf
from app.sandbox.jail.seccomp import (
    ABSENT,
    ALLOW,
    ALLOWED,
    ARCH_X86_64,
    CHECKED,
    ENOSYS,
    EPERM,
    KILL_PROCESS,
    NEWEST,
    WRITES,
    compile_filter,
    data,
)
from tests.sandbox.bpf_machine import answer

AT = -100 & 0xFFFFFFFF
VMA = 0x53564D41
TABLE = (
    # number, arguments, answer
    (2, (0, os.O_RDONLY), ALLOW),
    (2, (0, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY), ALLOW),
    (2, (0, os.O_WRONLY), EPERM),
    (257, (AT, 0, os.O_RDONLY | os.O_CLOEXEC), ALLOW),
    *(
        (257, (AT, 0, flag), EPERM)
        for flag in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_APPEND, os.O_TMPFILE)
    ),
    (257, (AT, 0, os.O_RDWR | os.O_CLOEXEC), EPERM),
    (72, (1, 0), ALLOW),
    (72, (1, 1030), ALLOW),
    (72, (1, 4, os.O_ASYNC), EPERM),
    (72, (1, 8, 1), EPERM),
    (72, (1, 10, 9), EPERM),
    (72, (1, 1031, 1 << 20), EPERM),
    (16, (0, 0x5401), ALLOW),
    (16, (0, 0x5412), EPERM),
    (157, (15, 1), ALLOW),
    (157, (VMA, 0), ALLOW),
    (157, (4, 1), EPERM),
    (157, (22, 2), EPERM),
    (302, (0, 7, 0, 1), ALLOW),
    (302, (0, 7, 1, 0), EPERM),
    (302, (0, 7, 1 << 32, 0), EPERM),
    (302, (1, 7, 0, 1), EPERM),
    (293, (0, os.O_CLOEXEC | os.O_NONBLOCK), ALLOW),
    (293, (0, os.O_EXCL), EPERM),
    (28, (0, 0, 4), ALLOW),
    (28, (0, 0, 12), EPERM),
    (28, (0, 0, 100), EPERM),
)


def ask(number: int, arguments: tuple[int, ...] = (), arch: int = ARCH_X86_64) -> int:
    return answer(compile_filter(), data(number, arguments, arch))


@pytest.mark.parametrize(("number", "arguments", "expected"), TABLE)
def test_argument_checks(number: int, arguments: tuple[int, ...], expected: int) -> None:
    assert ask(number, arguments) == expected


def test_every_number_is_answered_by_the_table() -> None:
    checked = {number for number, _ in CHECKED.values()}
    for number in range(600):
        if number in checked:
            continue
        if number in ALLOWED.values():
            expected = ALLOW
        elif number in ABSENT.values() or number >= NEWEST:
            expected = ENOSYS
        else:
            expected = EPERM
        assert ask(number) == expected, number


def test_foreign_calls_are_killed() -> None:
    assert ask(0, arch=0x40000003) == KILL_PROCESS
    assert ask(0x40000000) == KILL_PROCESS
    assert ask(0xFFFFFFFF) == KILL_PROCESS


def test_answers_carry_the_errno() -> None:
    assert EPERM & 0xFFFF == errno.EPERM
    assert ENOSYS & 0xFFFF == errno.ENOSYS


def test_numbers_are_named_once() -> None:
    numbers = [*ALLOWED.values(), *ABSENT.values(), *(number for number, _ in CHECKED.values())]
    assert len(numbers) == len(set(numbers))


def test_assembler_refuses_a_jump_too_far_or_backwards() -> None:
    code = bpf.Assembly()
    code.label("start")
    code.if_equal(1, yes="start")
    with pytest.raises(ValueError, match="away"):
        code.code()
    with pytest.raises(ValueError, match="twice"):
        code.label("start")


def test_libseccomp_compiles_the_same_policy() -> None:
    seccomp = pytest.importorskip("pyseccomp", reason="libseccomp is not installed")
    peer = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    for name, number in ALLOWED.items():
        assert seccomp.resolve_syscall(seccomp.Arch.X86_64, name) == number, name
        peer.add_rule(seccomp.ALLOW, name)
    for name in ABSENT:
        peer.add_rule(seccomp.ERRNO(errno.ENOSYS), name)
    for name, (_, tests) in CHECKED.items():
        first = tests[0]
        for value in first.values:
            rules = [seccomp.Arg(first.index, seccomp.MASKED_EQ, first.mask, value)]
            rules += [seccomp.Arg(test.index, seccomp.EQ, test.values[0]) for test in tests[1:]]
            peer.add_rule(seccomp.ALLOW, name, *rules)
    with tempfile.TemporaryFile() as compiled:
        peer.export_bpf(compiled)
        compiled.seek(0)
        theirs = compiled.read()
    calls = [(number, arguments) for number, arguments, _ in TABLE] + [(number, ()) for number in range(NEWEST)]
    calls += [(257, (AT, 0, 1 << bit)) for bit in range(31)] + [(72, (0, command)) for command in range(2000)]
    for number, arguments in calls:
        call = data(number, arguments)
        assert answer(theirs, call) == answer(compile_filter(), call), (number, arguments)
    assert WRITES & os.O_CREAT
