"""What jobs are measured against: the same program in both, and huge pages that make forks cheap for both."""

import json
import subprocess
import sys
from typing import Any

import pytest

from app.sandbox import sample
from app.sandbox.client import SandboxClient
from app.sandbox.protocol import Program, Verdict

# Worked out by hand: w.x = 3 - 2 = 1, the loss is 1, its gradient 2 * 1 * x = [6, -2], and w - 0.5 * that = [-2, 3].
SAMPLE: list[Any] = [{"list": [-2.0, 3.0]}, {"list": [6.0, -2.0]}, 1.0, True]

BARE = """
import sys
from app.sandbox import child
sys.stdout.buffer.write(child.run_bare()[4:])
"""

GATHER = """
import ctypes, mmap, os, re
from app.sandbox import pages
from app.sandbox.jail import libc
memory = mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.write(b"x" * (8 << 20))
start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
def huge():
    entry = None
    for line in open("/proc/self/smaps"):
        if match := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            entry = int(match[1], 16) <= start < int(match[2], 16)
        elif entry and line.startswith("AnonHugePages:"):
            return int(line.split()[1])
before = huge()
taken = pages.gather(os.open("/proc", os.O_PATH))
fork = libc.fork()
if fork == 0:
    memory[0] = 65
    os._exit(0 if memory[:2] == b"Ax" else 1)
print(before, taken, huge(), os.waitpid(fork, 0)[1], memory[:2] == b"xx")
"""


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_bare_forks_and_jobs_run_the_same_program(sandbox: SandboxClient) -> None:
    job = sandbox.run([Program(sample.CODE, sample.OBSERVE)]).results[0]
    assert job.verdict is Verdict.OK
    assert [one.value for one in job.observations] == SAMPLE
    assert [one["value"] for one in json.loads(python(BARE))["answer"]] == SAMPLE


def test_memory_is_gathered_on_huge_pages_and_a_child_still_has_its_own_copy() -> None:
    before, taken, after, status, untouched = python(GATHER).split()
    if int(taken) == 0:
        pytest.skip("this kernel gathers no pages on request")
    assert int(after) - int(before) >= 4096  # KiB: at least two of the three or four pages that fit
    assert (status, untouched) == ("0", "True")
