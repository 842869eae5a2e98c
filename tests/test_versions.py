"""Environments of other torch versions: made once, gone on with, never mixed up with this one; keys compared."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version as version_of
from pathlib import Path

import pytest

from app.bank.moves import flag, forgive, holds_under, moves, readable
from app.bank.reports import Report
from app.bank.verify import verify
from app.commands.support import open_sandbox
from app.sandbox.protocol import Program, RunResult
from app.settings import Settings
from app.versions import BESIDE, NoEnvironmentError, TorchEnvironment, VersionError, copy_rooms, prepare, torch_of
from tests.bank.content import EDGE, TRUE_FALSE, bank_of, item_of
from tests.bank.runs import answering, result
from tests.bank.test_verify import three_leaves


class Installer:
    """A stand-in for venv and pip: it makes the files they would, or fails as told."""

    def __init__(self, *fails: str) -> None:
        self.fails = list(fails)
        self.commands: list[list[str]] = []
        self.environments: list[dict[str, str]] = []

    def __call__(self, command: Sequence[str], environment: dict[str, str]) -> tuple[int, str]:
        self.commands.append(list(command))
        self.environments.append(environment)
        if "venv" in command:
            python = Path(command[-1]) / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.touch()
            return 0, ""
        if self.fails:
            return 1, self.fails.pop(0)
        prefix = Path(command[0]).parents[1]
        wanted = next(word for word in command if word.startswith("torch=="))
        site = prefix / "lib" / "python3.11" / "site-packages" / f"torch-{wanted[7:]}.dist-info"
        site.mkdir(parents=True)
        (site / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {wanted[7:]}+cpu\n")
        return 0, ""


def test_environment_is_made_once_and_says_what_it_does(tmp_path: Path) -> None:
    said: list[str] = []
    install = Installer()
    made = prepare("2.13.0", tmp_path, said.append, install)
    assert made.torch == "2.13.0+cpu"
    assert made.python == tmp_path / "2.13.0" / "venv" / "bin" / "python"
    assert [word in install.commands[1] for word in ("torch==2.13.0", *BESIDE)] == [True] * 4
    assert [line for line in said if "GB" in line]
    before = len(install.commands)
    assert prepare("2.13.0", tmp_path, said.append, install) == made
    assert len(install.commands) == before


def test_environment_that_was_cut_short_is_gone_on_with(tmp_path: Path) -> None:
    install = Installer("no space left on device")
    with pytest.raises(NoEnvironmentError, match="no space left"):
        prepare("2.13.0", tmp_path, print, install)
    assert prepare("2.13.0", tmp_path, print, install).torch == "2.13.0+cpu"
    assert sum("venv" in command for command in install.commands) == 1


@pytest.mark.parametrize(
    "text", ["", "newest", "../2.13.0", "2.13.0; rm", "2", "-e .", "2.13.0 numpy", "2.13.0/..", "\u0662.\u0661"]
)
def test_what_is_no_version_is_refused_before_anything_is_made(tmp_path: Path, text: str) -> None:
    install = Installer()
    with pytest.raises(VersionError):
        prepare(text, tmp_path, print, install)
    assert install.commands == []
    assert list(tmp_path.iterdir()) == []


def test_main_environment_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "VIRTUAL_ENV"):
        monkeypatch.setenv(name, "/somewhere")
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels")
    install = Installer()
    prepare("2.13.0", tmp_path, print, install)
    assert install.commands[0][:3] == [sys.executable, "-m", "venv"]
    assert all(command[0].startswith(str(tmp_path)) for command in install.commands[1:])
    assert not {"PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "VIRTUAL_ENV"} & set(install.environments[1])
    assert install.environments[1]["PIP_FIND_LINKS"] == "/wheels"


def test_full_disk_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.versions.LEAST_FREE", 1 << 60)
    with pytest.raises(NoEnvironmentError, match="Make room"):
        prepare("2.13.0", tmp_path, print, Installer())


def test_copied_rooms_stand_alone(tmp_path: Path) -> None:
    root = copy_rooms(tmp_path / "root")
    copy_rooms(tmp_path / "root")  # a second copy replaces the first
    environment = {"PYTHONPATH": str(root), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-P", "-c", "import app.sandbox.service as service; print(service.__file__)"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(root / "app" / "sandbox" / "service.py")


def test_torch_of_this_environment_is_found_without_importing_it() -> None:
    assert torch_of(Path(sys.prefix)) == version_of("torch")


def test_item_runs_with_the_interpreter_and_rooms_of_an_environment(tmp_path: Path) -> None:
    """This environment stands for another one: what differs is where the sandbox's own code comes from."""
    own = TorchEnvironment(Path(sys.executable), copy_rooms(tmp_path / "root"), version_of("torch"))
    settings = Settings(_env_file=None, var=tmp_path / "var", sandbox="unix:/nobody/there")
    with open_sandbox(settings, own) as client:
        (tmp_path / "bank").mkdir()
        report = verify(bank_of(tmp_path / "bank", EDGE, TRUE_FALSE), client.run)
    assert report.ok, [str(error) for error in report.errors]
    assert report.torch == own.torch
    assert report.found["two-passes"].keys["w0=2.0"] == {"verdict": ["false"], "reason": ["1"]}


def under(tmp_path: Path, text: str, value: float) -> Report:
    """Return the report on the edge case under a torch that gives `value` for its first variant."""

    def answer(program: Program) -> RunResult:
        return result(program, {"a.grad": value}) if "(a * 2.0)" in program.code else three_leaves(program)

    return verify(bank_of(tmp_path, text), answering(answer))


def test_key_that_moves_is_flagged_and_bars_the_item_from_quizzes(tmp_path: Path) -> None:
    reports = {"2.13.0": under(tmp_path, EDGE, 2.0), "2.14.1": under(tmp_path, EDGE, 9.0)}
    (move,) = moves(bank_of(tmp_path, EDGE), reports)
    assert (move.item, move.parameters, move.declared) == ("three-leaves", "factor=2.0", False)
    assert move.keys["2.13.0"].startswith("value: 1")
    assert "none of the options; observed: 9.0" in move.keys["2.14.1"]
    flagged = flag([move], reports)
    assert list(flagged.values()) == [["2.13.0", "2.14.1"]]
    assert reports["2.13.0"].quiz == {"three-leaves": "no"}
    assert "version_dependent" in reports["2.13.0"].errors[-1].message


def test_key_that_holds_clears_an_older_flag(tmp_path: Path) -> None:
    reports = {"2.13.0": under(tmp_path, EDGE, 2.0), "2.14.1": under(tmp_path, EDGE, 2.0)}
    assert moves(bank_of(tmp_path, EDGE), reports) == []
    assert list(flag([], reports).values()) == [[]]


def test_declared_move_is_no_error_where_the_item_does_not_claim_to_hold(tmp_path: Path) -> None:
    text = EDGE.replace("interview:", "status: version_dependent\ntorch: '<2.14'\ninterview:")
    bank = bank_of(tmp_path, text)
    reports = {"2.13.0": under(tmp_path, text, 2.0), "2.14.1": under(tmp_path, text, 9.0)}
    for version, report in reports.items():
        forgive(bank, report, version)
    (move,) = moves(bank, reports)
    flag([move], reports)
    assert move.declared
    assert all(report.ok for report in reports.values())
    assert any("holds for torch <2.14" in sentence for sentence in reports["2.14.1"].not_run)


@pytest.mark.parametrize(
    ("spec", "version", "holds"),
    [
        (">=2.9", "2.13.0", True),
        (">=2.9", "2.9", True),
        (">=2.9.1", "2.9.0", False),
        (">=2.9, <2.14", "2.14.1+cu130", False),
        ("<2.14", "2.14.0", False),
        ("==2.13.0", "2.13.0+cpu", True),
        ("!=2.13", "2.13.0", False),
        ("<=2.14", "2.14.1", False),
        (">2.13.0", "2.13.1", True),
        ("soon", "2.13.0", True),
    ],
)
def test_versions_an_item_holds_for(spec: str, version: str, holds: bool) -> None:
    item = item_of(EDGE.replace("interview:", f"torch: '{spec}'\ninterview:"))
    assert holds_under(item, version) is holds
    assert readable(spec) is (spec != "soon")


def test_done_file_says_what_is_there(tmp_path: Path) -> None:
    prepare("2.13.0", tmp_path, print, Installer())
    done = json.loads((tmp_path / "2.13.0" / "done.json").read_text())
    assert done["torch"] == "2.13.0+cpu"
    assert done["bytes"] > 0
