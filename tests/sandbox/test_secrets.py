"""A secret planted in the environment of the process that starts the sandbox is nowhere below it."""

import os
from pathlib import Path

import pytest

from app.sandbox.client import SandboxClient
from app.sandbox.launcher import environment as zygote_environment
from app.sandbox.protocol import Program, Verdict
from app.sandbox.supervisor import Supervisor
from app.sandbox.supervisor import environment as service_environment
from tests.sandbox.conftest import MARKER, MARKER_NAME
from tests.sandbox.test_service import children_of, service_pid

# Walks the strings that the kernel put at the top of the stack at exec: the arguments, then the environment.
SCAN = f"""
import ctypes
start = ctypes.c_char_p.in_dll(ctypes.CDLL(None), "program_invocation_name")
address, block = ctypes.cast(start, ctypes.c_void_p).value, []
for _ in range(7 + {len(zygote_environment())}):
    block.append(ctypes.string_at(address))
    address += len(block[-1]) + 1
block = b" ".join(block)
"""


def test_planted_marker_is_really_there() -> None:
    assert os.environ.get(MARKER_NAME, MARKER) == MARKER


def test_marker_is_not_in_any_environment_below(supervisor: Supervisor, sandbox: SandboxClient) -> None:
    sandbox.run([Program("")])
    service = service_pid(supervisor)
    assert os.environ[MARKER_NAME] == MARKER
    assert MARKER not in Path(f"/proc/{service}/environ").read_text()
    for zygote in children_of(service):
        try:
            found = Path(f"/proc/{zygote}/environ").read_text()
        except PermissionError:
            continue  # it is not dumpable, so only root can look
        assert MARKER not in found
    assert MARKER_NAME not in {**service_environment(), **zygote_environment()}


def test_marker_is_not_in_the_memory_a_snippet_can_name(sandbox: SandboxClient) -> None:
    head, tail = MARKER[:6], MARKER[6:]
    code = SCAN + f"wanted = {head!r}.encode() + {tail!r}.encode()\n"
    observe = (
        "wanted in block",
        "b'LANG=C.UTF-8' in block",
        f"any({head!r} + {tail!r} in str(o) for o in [dict(__import__('os').environ)])",
    )
    result = sandbox.run([Program(code, observe)]).results[0]
    assert result.verdict is Verdict.OK, result
    found = [one.value for one in result.observations]
    assert found[0] is False
    assert found[1] is True, "the scan did not reach the environment, so it proves nothing"
    assert found[2] is False


ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "path",
    [
        "app/settings.py",
        "app/sandbox/child.py",
        "app/sandbox/protocol.py",
        "question_bank",
        "pyproject.toml",
        "tests/sandbox/test_secrets.py",
    ],
)
def test_product_and_bank_are_not_in_the_jail(path: str, sandbox: SandboxClient) -> None:
    assert (ROOT / path).exists()
    read = "os.listdir(path)" if (ROOT / path).is_dir() else "open(path).read()"
    code = f"import os\npath = {str(ROOT / path)!r}\n{read}"
    result = sandbox.run([Program(code)]).results[0]
    assert result.exception is not None
    assert result.exception.type in ("FileNotFoundError", "PermissionError")


@pytest.mark.parametrize("name", ["app", "app.bank", "app.sandbox", "sqlalchemy", "fastapi", "httpx", "pytest"])
def test_nothing_but_what_torch_needs_can_be_imported(name: str, sandbox: SandboxClient) -> None:
    result = sandbox.run([Program(f"import {name}")]).results[0]
    assert result.exception is not None
    assert result.exception.type == "ModuleNotFoundError"


def test_no_module_of_the_product_is_loaded(sandbox: SandboxClient) -> None:
    expression = "[name for name in __import__('sys').modules if name.split('.')[0] == 'app']"
    result = sandbox.run([Program("", (expression,))]).results[0]
    assert result.observations[0].value == {"list": []}
