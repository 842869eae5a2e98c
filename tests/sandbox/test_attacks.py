"""Every class of attack against the real service: how it ends, what it touched (nothing), and the next run."""

from collections.abc import Iterator

import pytest

from app.sandbox.client import SandboxClient
from app.sandbox.protocol import Observation, Program, RunResult, Verdict
from tests.sandbox.attacks import ATTACKS, KILLING_CALLS, SYSTEM_CALLS, Attack, calls_code
from tests.sandbox.canaries import Canaries, watched

HONEST = Program(
    "w = torch.tensor([2.0], requires_grad=True)\n(w * w).backward()\nr = torch.rand(1)", ("w.grad", "len('ab')", "r")
)


@pytest.fixture(scope="module")
def canaries() -> Iterator[Canaries]:
    with watched() as set_out:
        yield set_out


@pytest.fixture(scope="module")
def honest(sandbox: SandboxClient) -> tuple[Observation, ...]:
    """What an honest run observes before any attack."""
    return sandbox.run([HONEST]).results[0].observations


def check(attack: Attack, result: RunResult) -> None:
    """Assert that an attack ended as its row says."""
    message = result.exception.message if result.exception else ""
    kind = result.exception.type if result.exception else None
    assert (result.verdict, result.reason) == (attack.verdict, attack.reason), result
    if attack.raised is not None:
        assert kind in attack.raised.split("|"), result
    assert attack.says in result.stdout or attack.says in message, result
    assert len(result.stdout) <= 64 << 10


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_attack_ends_as_stated_and_leaves_nothing(
    attack: Attack, sandbox: SandboxClient, canaries: Canaries, honest: tuple[Observation, ...]
) -> None:
    hostile, beside = sandbox.run([Program(canaries.fill(attack.code), ("1 + 1",)), HONEST], attack.wall_s).results
    check(attack, hostile)
    canaries.check()
    assert sandbox.run([HONEST]).results[0].observations == honest
    assert sandbox.health().state == "ready"
    assert beside.observations == honest or attack.wall_s < 1  # a short wall limit holds for the neighbour as well


@pytest.fixture(scope="module")
def called(sandbox: SandboxClient, canaries: Canaries) -> list[str]:
    """What each system call of the table came back with."""
    result = sandbox.run([Program(canaries.fill(calls_code()), ("found",))]).results[0]
    assert result.verdict is Verdict.OK, result
    canaries.check()
    value = result.observations[0].value
    assert isinstance(value, dict)
    found: list[str] = value["list"]
    return found


@pytest.mark.parametrize("row", range(len(SYSTEM_CALLS)), ids=[name for name, *_ in SYSTEM_CALLS])
def test_system_call_is_refused(row: int, called: list[str]) -> None:
    assert called[row] == SYSTEM_CALLS[row][3]


@pytest.mark.parametrize(("name", "code"), KILLING_CALLS, ids=[name for name, _ in KILLING_CALLS])
def test_foreign_system_call_kills(name: str, code: str, sandbox: SandboxClient) -> None:
    result = sandbox.run([Program(code)]).results[0]
    assert (result.verdict, result.reason) == (Verdict.KILLED, "forbidden system call")


def test_exit_code_of_a_memory_error_is_only_testimony(sandbox: SandboxClient) -> None:
    result = sandbox.run([Program("import os\nos._exit(97)")]).results[0]
    assert result.verdict is Verdict.MEMORY_LIMIT
    assert result.observations == ()
