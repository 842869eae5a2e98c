"""The service and its supervisor from outside: what they refuse, what they survive, what they leave behind."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.errors import BadRequestError, TooLargeError
from app.sandbox import client as client_module
from app.sandbox.client import SandboxAwayError, SandboxClient
from app.sandbox.limits import LIMITS
from app.sandbox.protocol import Program, Verdict
from app.sandbox.supervisor import Supervisor, environment
from tests.conftest import wait_until_ready

HONEST = Program("x = torch.ones(2)", ("x",))


def eventually(what: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until `what` holds; the limit is only there for a hang."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it never came to hold"
        time.sleep(0.02)


def service_pid(supervisor: Supervisor) -> int:
    assert supervisor.pid is not None
    return supervisor.pid


def children_of(pid: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue
        if int(lines["PPid"]) == pid:
            found.append(int(lines["Pid"]))
    return found


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


@pytest.fixture(scope="module")
def http(supervisor: Supervisor, sandbox: SandboxClient) -> Any:
    sandbox.run([HONEST])
    path = supervisor.address.removeprefix("unix:")
    with httpx.Client(transport=httpx.HTTPTransport(uds=path), base_url="http://sandbox", timeout=60) as raw:
        yield raw


BAD = (
    (b"", 400),
    (b"[", 400),
    (b"[" * 100_000, 400),
    (b"[]", 400),
    (b"{}", 400),
    (b'{"programs": []}', 400),
    (b'{"programs": {}}', 400),
    (b'{"programs": [1]}', 400),
    (b'{"programs": [{}]}', 400),
    (b'{"programs": [{"code": 1}]}', 400),
    (b'{"programs": [{"code": "\\ud800"}]}', 400),
    (b'{"programs": [{"code": "", "observe": "x"}]}', 400),
    (b'{"programs": [{"code": "", "observe": [1]}]}', 400),
    (b'{"programs": [{"code": "", "unsafe": true}]}', 400),
    (b'{"programs": [{"code": ""}], "wall_s": "2"}', 400),
    (b'{"programs": [{"code": ""}], "wall_s": NaN}', 400),
    (b'{"programs": [{"code": ""}], "wall_s": -1}', 400),
    (b'{"programs": [{"code": ""}], "limits": {}}', 400),
    (json.dumps({"programs": [{"code": "#" * (LIMITS.code + 1)}]}).encode(), 413),
    (json.dumps({"programs": [{"code": ""}] * (LIMITS.programs + 1)}).encode(), 413),
    (json.dumps({"programs": [{"code": "", "observe": ["1"] * (LIMITS.expressions + 1)}]}).encode(), 413),
    (json.dumps({"programs": [{"code": "", "observe": ["1" * (LIMITS.expression + 1)]}]}).encode(), 413),
    (b" " * (LIMITS.body + 1), 413),
)


@pytest.mark.parametrize(("body", "status"), BAD, ids=range(len(BAD)))
def test_bad_request_is_answered_with_a_sentence(body: bytes, status: int, http: httpx.Client) -> None:
    response = http.post("/runs", content=body)
    assert response.status_code == status
    assert response.json()["error"].endswith(".")


def test_client_raises_what_the_service_refuses(sandbox: SandboxClient) -> None:
    with pytest.raises(BadRequestError, match="at least one program"):
        sandbox.run([])
    with pytest.raises(TooLargeError, match="32 KiB"):
        sandbox.run([Program("#" * 40_000)])


def test_health_lists_every_layer_with_what_was_seen(sandbox: SandboxClient) -> None:
    sandbox.run([HONEST])
    health = sandbox.health()
    assert health.state == "ready"
    assert health.torch.startswith("2.")
    required = {layer.name for layer in health.layers if layer.required}
    assert {"seccomp", "no new privileges", "confidentiality", "limits", "ordinary user", "one thread"} <= required
    assert all(layer.engaged and layer.detail for layer in health.layers if layer.required)


def test_bare_forks_are_measured_with_and_without_work(sandbox: SandboxClient) -> None:
    sandbox.run([HONEST])
    bare = sandbox.bare_forks()
    assert bare is not None
    assert bare.running_per_s > 0
    assert bare.ending_per_s > 0


def test_socket_is_reachable_by_this_user_only(supervisor: Supervisor, sandbox: SandboxClient) -> None:
    sandbox.run([HONEST])
    path = Path(supervisor.address.removeprefix("unix:"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_service_imports_neither_torch_nor_the_application() -> None:
    code = "import app.sandbox.service, sys; print(sorted({name.split('.')[0] for name in sys.modules}), *sys.modules)"
    command = [sys.executable, "-s", "-P", "-c", code]
    said = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True).stdout
    for name in ("torch", "numpy", "sqlalchemy", "fastapi", "pydantic", "jinja2"):
        assert f"'{name}'" not in said
    assert {name for name in said.split() if name.startswith("app.") and not name.startswith("app.sandbox")} == set()


def test_hundred_runs_leave_no_descriptor_and_no_process(supervisor: Supervisor, sandbox: SandboxClient) -> None:
    pid = service_pid(supervisor)

    def count() -> int:
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))

    def calm() -> bool:
        before = count()
        time.sleep(0.5)
        return count() == before

    sandbox.run([HONEST] * 4)
    eventually(calm)
    before = count()
    codes = ("x = 1", "1 / 0", "import os; os._exit(1)", "import ctypes; ctypes.string_at(0)", "print('A' * 10 ** 6)")
    for _ in range(10):
        sandbox.run([Program(code) for code in codes * 2])
    eventually(lambda: count() == before)
    (stub,) = children_of(pid)
    family = [stub, *children_of(stub), *(child for one in children_of(stub) for child in children_of(one))]
    assert len(family) <= 2 + 2 * LIMITS.spares
    eventually(lambda: all(state_of(one) != "Z" for one in children_of(stub)))


def test_dead_zygote_is_replaced(supervisor: Supervisor, sandbox: SandboxClient) -> None:
    sandbox.run([HONEST])
    (zygote,) = children_of(service_pid(supervisor))
    os.kill(zygote, signal.SIGKILL)
    eventually(lambda: children_of(service_pid(supervisor)) not in ([zygote], []))
    wait_until_ready(sandbox)
    assert sandbox.run([HONEST]).results[0].verdict is Verdict.OK


def test_run_survives_the_death_of_its_zygote(supervisor: Supervisor, sandbox: SandboxClient) -> None:
    results: list[Verdict] = []
    slow = Program("import time\ntime.sleep(1)")
    asking = threading.Thread(target=lambda: results.append(sandbox.run([slow]).results[0].verdict))
    sandbox.run([HONEST])
    asking.start()
    time.sleep(0.3)
    (zygote,) = children_of(service_pid(supervisor))
    os.kill(zygote, signal.SIGKILL)
    asking.join(60)
    assert results == [Verdict.OK]


def test_dead_service_is_one_sentence_and_then_back(supervisor: Supervisor, sandbox: SandboxClient) -> None:
    sandbox.run([HONEST])
    pid, raised = service_pid(supervisor), []

    def ask() -> None:
        with pytest.raises(SandboxAwayError, match="Nothing was stored; press again") as caught:
            sandbox.run([Program("import time\ntime.sleep(4)")], 5.0)
        raised.append(caught.value.retry_after)

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.3)
    os.kill(pid, signal.SIGKILL)
    asking.join(30)
    assert raised == [1]
    wait_until_ready(sandbox)
    assert sandbox.run([HONEST]).results[0].verdict is Verdict.OK
    assert service_pid(supervisor) != pid


def test_absent_service_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "RETRY_S", 0.1)
    away = SandboxClient(f"unix:{tmp_path}/nowhere")
    with pytest.raises(SandboxAwayError, match="not running"):
        away.health()
    away.close()


def test_service_ends_with_its_supervisor(tmp_path: Path) -> None:
    path = tmp_path / "s" / "socket"
    command = [sys.executable, "-s", "-P", "-m", "app.sandbox.service", "--socket", str(path)]
    service = subprocess.Popen(command, env=environment(), stdin=subprocess.PIPE)
    client = SandboxClient(f"unix:{path}")
    wait_until_ready(client)
    assert client.run([HONEST]).results[0].verdict is Verdict.OK
    client.close()
    (zygote,) = children_of(service.pid)
    service.communicate(timeout=30)
    eventually(lambda: not Path(f"/proc/{zygote}").exists())


def test_supervisor_stops_what_it_started(tmp_path: Path) -> None:
    with Supervisor(tmp_path / "s" / "socket") as supervisor:
        pid = service_pid(supervisor)
        client = SandboxClient(supervisor.address)
        wait_until_ready(client)
        assert client.run([HONEST]).results[0].verdict is Verdict.OK
        client.close()
    assert not Path(f"/proc/{pid}").exists()
