"""The wheel holds everything: it is built, unpacked into an empty folder, and serves a page from there."""

import os
import re
import select
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_holds_templates_static_files_migrations_and_the_bank(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("templates", "static", "migrations", "question_bank"):
        inside = {
            f"app/_resources/{path.relative_to(ROOT)}"
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and path.suffix != ".pyc"
        }
        assert inside
        assert inside <= names
    assert not any(name.startswith("tests/") for name in names)


def test_wheel_runs_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    site, empty = tmp_path / "site", tmp_path / "empty"
    empty.mkdir()
    zipfile.ZipFile(wheel).extractall(site)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GRADPROOF_")},
        "PYTHONPATH": str(site),
    }
    where = subprocess.run(
        [sys.executable, "-c", "import app.settings; print(app.settings.default_bank())"],
        cwd=empty,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.strip() == str(site / "app" / "_resources" / "question_bank")
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "serve", "--port", "0"], cwd=empty, env=environment, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        ready, _, _ = select.select([process.stdout], [], [], 60)
        assert ready
        found = re.search(r"http://\S+", process.stdout.readline().decode())
        assert found
        assert httpx.get(found[0]).status_code == 200
        assert httpx.get(f"{found[0]}/static/gradproof.css").status_code == 200
        assert httpx.get(f"{found[0]}/static/math.otf").status_code == 200
        assert sorted(path.name for path in (empty / "var").iterdir() if path.is_file() and "-" not in path.name) == [
            "gradproof.db"
        ]
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()
