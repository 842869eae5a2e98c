"""Each layer alone: left out, that is seen and nothing runs; with the required ones only, attacks still fail."""

import asyncio
import platform
from dataclasses import replace
from itertools import pairwise
from typing import Any

import httpx
import pytest

from app.sandbox import preflight
from app.sandbox.brood import Brood
from app.sandbox.limits import LIMITS, Limits
from app.sandbox.observer import BusyError, Observer
from app.sandbox.preflight import Facts, judge
from app.sandbox.protocol import Health, Observation, Program, RunResult, Verdict
from app.sandbox.service import create_app
from tests.sandbox.attacks import CRASHES, FILES, FORGERIES, MEMORY, NETWORK, PROCESSES, calls_code
from tests.sandbox.canaries import watched
from tests.sandbox.test_attacks import HONEST, check


async def ask(observer: Observer) -> tuple[Health, httpx.Response]:
    """Start a sandbox, wait for its state, and try to run something over HTTP."""
    transport = httpx.ASGITransport(create_app(observer))
    async with observer, httpx.AsyncClient(transport=transport, base_url="http://sandbox") as client:
        health = await observer.settled(60)
        return health, await client.post("/runs", json={"programs": [{"code": "x = 1"}]})


@pytest.mark.parametrize(
    ("without", "named"),
    [({"seccomp"}, "seccomp"), ({"rlimits"}, "limits"), ({"landlock", "namespaces"}, "confidentiality")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_missing_layer_is_named_and_nothing_runs(without: set[str], named: str) -> None:
    health, response = asyncio.run(ask(Observer(without=frozenset(without))))
    missing = {layer.name for layer in health.layers if layer.required and not layer.engaged}
    assert health.state == "unavailable"
    assert named in missing
    assert named in health.message
    assert response.status_code == 503
    assert "Retry-After" in response.headers
    assert response.json() == {"error": health.message, "state": "unavailable"}


def test_foreign_system_is_refused_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    health, response = asyncio.run(ask(Observer()))
    assert health.state == "unavailable"
    assert "aarch64" in health.message
    assert response.status_code == 503


@pytest.mark.parametrize(("without", "other"), [("namespaces", "landlock"), ("landlock", "pivoted root")])
def test_attacks_fail_with_either_kind_of_confidentiality(without: str, other: str) -> None:
    attacks = (*PROCESSES, *MEMORY, *CRASHES, *FILES, *NETWORK, *FORGERIES)

    async def attack() -> None:
        async with Observer(without=frozenset({without})) as observer:
            health = await observer.settled(60)
            if health.state != "ready":
                pytest.skip(f"this system lacks: {other}")
            honest = (await observer.run_job((HONEST,))).results
            for one in attacks:
                check(one, (await observer.run_job((Program(canaries.fill(one.code)),), 5.0)).results[0])
                canaries.check()
            calls = Program(canaries.fill(calls_code()), ("set(found) <= {'EPERM', 'ENOSYS'}",))
            assert (await observer.run_job((calls,))).results[0].observations == (Observation(True),)
            canaries.check()
            assert [one.observations for one in (await observer.run_job((HONEST,))).results] == [honest[0].observations]

    with watched() as canaries:
        asyncio.run(attack())


def test_full_queue_is_busy() -> None:
    async def crowd() -> None:
        async with Observer(replace(LIMITS, queue=1)) as observer:
            health = await observer.settled(60)
            assert health.state == "ready", health.message
            first = asyncio.create_task(observer.run_job((Program("while True: pass"),), 0.5))
            await asyncio.sleep(0)
            with pytest.raises(BusyError):
                await observer.run_job((Program(""),))
            assert (await first).results[0].verdict is Verdict.TIME_LIMIT

    asyncio.run(crowd())


def test_no_more_programs_run_at_once_than_there_are_processors() -> None:
    """The next child is made and locked meanwhile, but sees no code before a processor is free."""
    code = "import time\nstart = time.monotonic()\ntime.sleep(0.1)\nend = time.monotonic()"

    async def crowd() -> None:
        async with Observer(replace(LIMITS, concurrency=1)) as observer:
            health = await observer.settled(60)
            assert health.state == "ready", health.message
            results = (await observer.run_job((Program(code, ("start", "end")),) * 4)).results
            spans: list[Any] = sorted([one.value for one in result.observations] for result in results)
            assert all(before[1] <= after[0] for before, after in pairwise(spans))

    asyncio.run(crowd())


def test_what_the_zygote_gives_up_no_child_begins_with() -> None:
    async def look() -> Facts:
        async with Observer() as observer:
            health = await observer.settled(60)
            assert health.state == "ready", health.message
            assert observer.brood is not None
            child = await observer.brood.take()
            try:
                return preflight.facts_of(child.pidfd)
            finally:
                child.kill()
                await observer.brood.give_back(child)

    facts = asyncio.run(look())
    for one in (facts.zygote, facts.child):
        assert (one["NoNewPrivs"], one["Umask"]) == ("1", "0777")
        assert one["CapAmb"].strip("0") == ""
    assert [facts.child[name].strip("0") for name in ("CapEff", "CapPrm", "CapInh")] == ["", "", ""]


def test_child_is_used_only_when_it_can_be_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the zygote says may come long after what its child says, on a machine with much to do."""
    heard = Brood._heard

    def late(brood: Brood, packet: Any, fds: list[int]) -> None:
        asyncio.get_running_loop().call_later(0.2, heard, brood, packet, fds)

    async def start() -> None:
        async with Observer() as observer:
            health = await observer.settled(60)
            assert health.state == "ready", health.message
            job = await observer.run_job((Program("while True: pass"),), 0.1)
            assert job.results[0].verdict is Verdict.TIME_LIMIT
            assert job.wall_ms < 900

    monkeypatch.setattr(Brood, "_heard", late)
    asyncio.run(start())


def test_zygote_is_replaced_without_a_pause() -> None:
    async def wear_out() -> None:
        async with Observer(replace(LIMITS, runs_per_zygote=30, recheck_s=0.2)) as observer:
            health = await observer.settled(60)
            assert health.state == "ready", health.message
            first, seen = observer.brood, 0
            while observer.brood is first:
                job = await observer.run_job((HONEST,))
                assert job.results[0].verdict is Verdict.OK
                assert observer.health().state == "ready"
                seen += 1
                assert seen < 5_000
            assert (await observer.run_job((HONEST,))).results[0].verdict is Verdict.OK

    asyncio.run(wear_out())


CHILD = {
    "NoNewPrivs": "1",
    "Seccomp": "2",
    "Uid": "9 9 9 9",
    "CapEff": "00",
    "CapPrm": "00",
    "CapInh": "00",
    "CapAmb": "00",
}
GOOD_FACTS = Facts(CHILD, {"Threads": "1"})


def observed(*values: Any) -> RunResult:
    return RunResult(Verdict.OK, observations=tuple(Observation(value) for value in values))


def good_results(limits: Limits) -> list[RunResult]:
    refused: list[Any] = [2] * len(preflight.outside())
    return [
        observed({"list": [1] * len(preflight.DENIED)}),
        RunResult(Verdict.KILLED, "forbidden system call"),
        observed({"list": [*refused, 13]}),
        observed({"list": [limits.cpu_s, 0, limits.open_files, 0]}, {"list": [0, 1, 2, 3]}, True, 1),
        observed({"tensor": {"shape": [2], "dtype": "float32", "values": [12.0, 27.0]}}),
        RunResult(Verdict.TIME_LIMIT),
    ]


def missing(results: list[RunResult], facts: Facts) -> list[str]:
    layers = judge(tuple(results), facts, {}, LIMITS)
    return [layer.name for layer in layers if layer.required and not layer.engaged]


def test_all_proofs_together_engage_every_required_layer() -> None:
    assert missing(good_results(LIMITS), GOOD_FACTS) == []


LET_THROUGH = {"list": [0] + [1] * (len(preflight.DENIED) - 1)}


@pytest.mark.parametrize(
    ("at", "result", "named"),
    [
        (0, observed(LET_THROUGH), "seccomp"),
        (0, RunResult(Verdict.INTERNAL), "seccomp"),
        (1, RunResult(Verdict.OK), "seccomp"),
        (2, observed({"list": [0] * (len(preflight.outside()) + 1)}), "confidentiality"),
        (2, RunResult(Verdict.OK), "confidentiality"),
        (3, observed({"list": [-1, 0, 32, 0]}, {"list": [0, 1, 2, 3]}, True, 1), "limits"),
        (3, observed({"list": [6, 0, 32, 0]}, {"list": [0, 1, 2, 3]}, False, 1), "limits"),
        (3, observed({"list": [6, 0, 32, 0]}, {"list": [0, 1, 2, 3, 4]}, True, 1), "descriptors"),
        (4, observed({"tensor": {"shape": [2], "dtype": "float32", "values": [12.0, 26.0]}}), "honest run"),
        (4, RunResult(Verdict.ERROR), "honest run"),
        (5, RunResult(Verdict.OK), "kill"),
    ],
)
def test_failed_probe_is_a_missing_layer(at: int, result: RunResult, named: str) -> None:
    results = good_results(LIMITS)
    results[at] = result
    assert named in missing(results, GOOD_FACTS)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"NoNewPrivs": "0"}, "no new privileges"),
        ({"Seccomp": "0"}, "no new privileges"),
        ({"Uid": "0 0 0 0"}, "ordinary user"),
        ({"Uid": "9 0 9 9"}, "ordinary user"),
        ({"CapEff": "000001ffffffffff"}, "ordinary user"),
        ({"CapPrm": "0000000000000400"}, "ordinary user"),
    ],
)
def test_fact_from_outside_is_a_missing_layer(changed: dict[str, str], named: str) -> None:
    assert missing(good_results(LIMITS), Facts(CHILD | changed, {"Threads": "1"})) == [named]


def test_unknown_facts_engage_nothing() -> None:
    named = missing(good_results(LIMITS), Facts())
    assert {"no new privileges", "ordinary user", "one thread"} <= set(named)
    assert "one thread" in missing(good_results(LIMITS), Facts(CHILD, {"Threads": "2"}))
