"""`gradproof serve` as a process: it starts by itself, survives the death of its sandbox, and stops cleanly."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.banks import write_bank
from tests.live import form_of, words_of
from tests.served import Served, command, environment

SNIPPET_S = 1.0


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    slow = {
        "a-slow-one": {
            "kind": "edge_case",
            "level": 1,
            "title": "A slow one",
            "prompt": "It takes its time.",
            "parameters": {"k": [3.0]},
            "snippet": (
                "import time\na = torch.tensor(2.0, requires_grad=True)\n"
                f"(a * $k).backward()\ntime.sleep({SNIPPET_S})\n"
            ),
            "question": "What does `a.grad` hold?",
            "ask": "a.grad",
            "entry": "enter",
            "expect": "$k",
            "explanation": "The slope.",
        }
    }
    served = Served(tmp_path, bank=str(write_bank(tmp_path / "bank", slow)), check_bank_at_start="false")
    yield served
    if served.process.poll() is None:
        served.stop()
    else:
        served.ended()


def test_killing_the_sandbox_during_a_reveal_loses_nothing_and_the_next_press_works(served: Served) -> None:
    served.wait_ready()
    with httpx.Client(base_url=served.url, timeout=60) as visitor:
        form = form_of(visitor.get("/practice/a-slow-one"))
        data = form.filled(**{"entry-1": "3.0", "confidence": "certain"})
        first_pid = served.sandbox_pid()
        killer = subprocess.Popen(
            [sys.executable, "-c", f"import os, time; time.sleep({SNIPPET_S / 2}); os.kill({first_pid}, 9)"]
        )
        refused = visitor.post(form.action, data=data)
        killer.wait()
        assert refused.status_code == 503
        assert "Nothing was stored; press again." in words_of(refused)
        kept = form_of(refused)
        assert {name: kept.fields[name] for name in data} == data
        assert "Nothing answered yet" in words_of(visitor.get("/history"))
        again = visitor.post(kept.action, data=kept.fields)
        assert again.status_code == 303, words_of(again)
        assert served.sandbox_pid() != first_pid
        assert "Right: that is what the run shows." in words_of(visitor.get(again.headers["location"]))
        assert "One answer, and it is right." in words_of(visitor.get("/history"))


def test_stopping_answers_what_is_in_flight_and_leaves_no_process(served: Served) -> None:
    served.wait_ready()
    sandbox = served.sandbox_pid()
    with httpx.Client(base_url=served.url, timeout=60) as visitor:
        form = form_of(visitor.get("/practice/a-slow-one"))
        stopper = subprocess.Popen(
            [sys.executable, "-c", f"import os, time; time.sleep({SNIPPET_S / 2}); os.kill({served.process.pid}, 15)"]
        )
        answered = visitor.post(form.action, data=form.filled(**{"entry-1": "3.0"}))
        stopper.wait()
    assert answered.status_code == 303
    assert served.ended() == 0
    assert not Path(f"/proc/{sandbox}").exists()


def test_killing_the_site_takes_its_sandbox_with_it(served: Served) -> None:
    served.wait_ready()
    sandbox = served.sandbox_pid()
    served.process.kill()
    served.process.wait()
    for _ in range(100):
        if not Path(f"/proc/{sandbox}").exists():
            break
        time.sleep(0.1)
    assert not Path(f"/proc/{sandbox}").exists()


def refused(tmp_path: Path, *arguments: str, **settings: str) -> str:
    """Run a command that must refuse to start, and return what it says."""
    done = subprocess.run(
        command(*arguments),
        cwd=tmp_path,
        env=environment(tmp_path, var=str(tmp_path / "var"), **settings),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_public_address_with_a_generated_key_is_refused(tmp_path: Path) -> None:
    assert "GRADPROOF_SECRET_KEY" in refused(tmp_path, "serve", "--host", "0.0.0.0", "--port", "0")


def test_bad_setting_is_named_at_start(tmp_path: Path) -> None:
    assert "GRADPROOF_PORT" in refused(tmp_path, "serve", port="many")
    assert "GRADPROOF_DATABSE_URL is not a setting" in refused(tmp_path, "serve", databse_url="x")


def test_taken_port_is_named(tmp_path: Path, served: Served) -> None:
    port = served.url.rsplit(":", 1)[1]
    assert "--port" in refused(tmp_path, "serve", "--port", port)


def test_database_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path, "serve", "--port", "0", database_url="sqlite:////proc/nowhere/x.db")
    assert "GRADPROOF_DATABASE_URL" in said


def test_database_url_of_no_database_is_named(tmp_path: Path) -> None:
    assert "GRADPROOF_DATABASE_URL" in refused(tmp_path, "db", "upgrade", database_url="nonsense")


def test_bank_that_does_not_exist_is_named(tmp_path: Path) -> None:
    assert "GRADPROOF_BANK" in refused(tmp_path, "serve", "--port", "0", bank=str(tmp_path / "nowhere"))
