"""The `gradproof` command, run in this process and against the real sandbox."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from app.cli import app
from tests.banks import ITEMS, write_bank

ROOT = Path(__file__).parent.parent
Gradproof = Callable[..., Result]


@pytest.fixture
def gradproof(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sandbox_address: str) -> Gradproof:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADPROOF_SANDBOX", sandbox_address)
    monkeypatch.setenv("GRADPROOF_VAR", str(tmp_path / "var"))
    monkeypatch.setenv("GRADPROOF_BANK", str(write_bank(tmp_path / "bank")))
    runner = CliRunner()
    return lambda *arguments, stdin="": runner.invoke(app, list(arguments), input=stdin)


def run(gradproof: Gradproof, code: str) -> dict[str, Any]:
    result = gradproof("sandbox", "run", "-", "--json", stdin=code)
    assert result.exit_code == 0
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def test_run_prints_what_came_back(gradproof: Gradproof) -> None:
    report = run(gradproof, "print('hello')\nx = torch.ones(2, requires_grad=True)\nx.add_(1)\n")
    assert report["verdict"] == "error"
    assert report["stdout"] == "hello\n"
    assert report["exception"]["type"] == "RuntimeError"
    assert report["exception"]["line"] == 3
    assert report["torch"].startswith("2.")
    assert report["wall_ms"] > 0
    assert "seccomp" in report["layers"]


def test_run_of_what_never_ends_is_a_time_limit(gradproof: Gradproof) -> None:
    report = run(gradproof, "while True: pass")
    assert (report["verdict"], report["exception"]) == ("time_limit", None)


def test_run_reads_a_file_and_names_one_that_is_not_there(gradproof: Gradproof, tmp_path: Path) -> None:
    (tmp_path / "snippet.py").write_text("print(1 + 1)\n")
    assert "2" in gradproof("sandbox", "run", "snippet.py").stdout
    missing = gradproof("sandbox", "run", "nothing.py")
    assert "nothing.py cannot be read" in str(missing.exception)


def test_verify_passes_a_good_bank_and_prints_what_it_ran(gradproof: Gradproof) -> None:
    result = gradproof("bank", "verify", "--json")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["ok"], report["items"]) == (0, True, len(ITEMS))
    assert report["variants"] == 2 * len(ITEMS)
    assert report["programs"] > 30
    assert report["probes"] > 60


def test_verify_fails_where_the_run_disagrees(gradproof: Gradproof, tmp_path: Path) -> None:
    items = {"two-walks": {**ITEMS["two-walks"], "expect": {"verdict": True, "reason": 2}}}
    write_bank(tmp_path / "bank", items)
    result = gradproof("bank", "verify", "two-walks")
    assert result.exit_code == 1
    assert "two-walks" in result.stdout
    assert "verdict" in result.stdout


def test_verify_names_an_item_that_is_not_there(gradproof: Gradproof) -> None:
    result = gradproof("bank", "verify", "nothing-here")
    assert result.exit_code == 1
    assert "nothing-here" in result.stdout


def test_show_prints_an_item_and_a_variant_of_it(gradproof: Gradproof) -> None:
    assert "$w0" in gradproof("bank", "show", "two-walks").stdout
    variant = gradproof("bank", "show", "two-walks", "--seed", "1").stdout
    assert "$w0" not in variant
    assert re.search(r"torch\.tensor\([23]\.0", variant)


def test_schema_is_json_with_every_kind(gradproof: Gradproof) -> None:
    text = json.dumps(json.loads(gradproof("bank", "schema").stdout))
    assert all(kind in text for kind in ("true_false", "spot_the_error", "edge_case", "why"))


def test_upgrade_is_safe_to_repeat(gradproof: Gradproof) -> None:
    first, second = gradproof("db", "upgrade"), gradproof("db", "upgrade")
    assert first.exit_code == second.exit_code == 0
    assert "the newest" in second.stdout


def test_doctor_shows_every_layer_with_required_and_engaged(gradproof: Gradproof) -> None:
    report = json.loads(gradproof("sandbox", "doctor", "--json").stdout)
    assert report["state"] == "ready"
    layers = {layer["name"]: layer for layer in report["layers"]}
    assert layers["seccomp"]["required"]
    assert all(layer["engaged"] for layer in layers.values() if layer["required"])


def commands(group: Any, prefix: str) -> list[str]:
    """Return every command of a group, as a person types it."""
    if not hasattr(group, "list_commands"):
        return [prefix]
    names = group.list_commands(None)
    return [one for name in names for one in commands(group.get_command(None, name), f"{prefix} {name}")]


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    names = commands(typer.main.get_command(app), "gradproof")
    assert len(names) >= 8
    assert [name for name in names if name not in readme] == []
