"""Environments of other torch versions: one virtual environment each, below `var/torch/<version>/`.

    venv/        torch of that version, numpy, and what the sandbox service imports
    root/app/    a copy of the rooms that run there, so that no path leads back to the main environment
    done.json    written last: what was installed and how large it is; without it the next call goes on installing

Nothing outside of the folder is touched. pip finds wheels as it is configured. A build of torch with CUDA takes about
6 GB, one without about 1 GB.
"""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import TypeAlias

from app.errors import BadRequestError, UnavailableError

Say: TypeAlias = Callable[[str], None]
Execute: TypeAlias = Callable[[Sequence[str], dict[str, str]], tuple[int, str]]

BESIDE = ("numpy", "starlette", "uvicorn")
ROOMS = ("sandbox", "probe")
LEAST_FREE = 8 << 30
SAID = 1500
_VERSION = re.compile(r"\d+(\.\d+){1,3}([a-z]+\d+)?(\+[a-z0-9.]+)?", re.ASCII)
_MISLEADING = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_ROOT")


class VersionError(BadRequestError):
    """What was asked for is no version of torch."""

    title = "This is no version"


class NoEnvironmentError(UnavailableError):
    """An environment could not be made; the message ends with what pip said."""

    title = "The environment could not be made"


@dataclass(frozen=True, slots=True)
class TorchEnvironment:
    """An interpreter with some torch, and the folder that the sandbox's own code is imported from there."""

    python: Path
    root: Path
    torch: str


def execute(command: Sequence[str], environment: dict[str, str]) -> tuple[int, str]:
    """Run a command to its end and return its status and the end of what it said."""
    done = subprocess.run(  # noqa: S603 - our own interpreter, and a version that was checked
        command, env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    return done.returncode, (done.stdout + done.stderr)[-SAID:]


def prepare(version: str, folder: Path, say: Say, run: Execute = execute) -> TorchEnvironment:
    """Return the environment of a version below `folder`, made now or gone on with where it is not complete.

    Raises `VersionError` for what is no version and `NoEnvironmentError` where it cannot be made.
    """
    if not _VERSION.fullmatch(version):
        raise VersionError(f"`{version[:40]}` is no version of torch. Write one such as 2.13.0.")
    place = folder / version
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _alone(place, say):
        if not (place / "done.json").is_file():
            _make(version, place, say, run)
        root = copy_rooms(place / "root")
        say(f"torch {version}: {_size_of(place)} in {place}")
    return TorchEnvironment(_python(place).absolute(), root.resolve(), torch_of(place / "venv"))


def _make(version: str, place: Path, say: Say, run: Execute) -> None:
    free = shutil.disk_usage(place).free
    if free < LEAST_FREE:
        raise NoEnvironmentError(
            f"An environment of torch takes up to {LEAST_FREE >> 30} GB and {place} has {free >> 30} GB left. "
            "Make room, or set GRADPROOF_VAR to a larger disk."
        )
    if not _python(place).exists():
        say(f"torch {version}: making an environment")
        _run(run, [sys.executable, "-m", "venv", str(place / "venv")], version)
    say(f"torch {version}: installing torch, {', '.join(BESIDE)} (minutes; a build with CUDA is about 6 GB)")
    pip = [str(_python(place)), "-m", "pip", "install", "--quiet", "--no-input", "--no-cache-dir"]
    _run(run, [*pip, f"torch=={version}", *BESIDE], version)
    done = {"torch": torch_of(place / "venv"), "bytes": _bytes(place)}
    _write(place / "done.json", json.dumps(done))


def _run(run: Execute, command: Sequence[str], version: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in _MISLEADING}
    status, said = run(command, environment)
    if status != 0:
        raise NoEnvironmentError(
            f"The environment of torch {version} is not complete; the same command goes on where it stopped. "
            f"pip said: {said.strip() or f'exit status {status}'}"
        )


def _python(place: Path) -> Path:
    return place / "venv" / "bin" / "python"


def torch_of(prefix: Path) -> str:
    """Return the version of torch that is installed below a prefix, its local part included, or an empty text."""
    sites = [str(site) for site in sorted(prefix.glob("lib/python*/site-packages"))]
    return next((found.version for found in distributions(name="torch", path=sites)), "")


def copy_rooms(root: Path) -> Path:
    """Copy what runs beside torch to `root/app` and return `root`; what was there before is replaced."""
    source = Path(__file__).parent
    target = root / "app"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    (target / "__init__.py").touch()
    for room in ROOMS:
        shutil.copytree(source / room, target / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(source / "errors.py", target / "errors.py")
    return root


@contextmanager
def _alone(place: Path, say: Say) -> Iterator[None]:
    """Hold the environment's lock: two commands never install into the same folder."""
    with (place / "lock").open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"{place} is being made by another command; waiting for it")
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _size_of(place: Path) -> str:
    try:
        size = int(json.loads((place / "done.json").read_text(encoding="utf-8"))["bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        size = _bytes(place)
    return f"{size / 1e9:.1f} GB"


def _bytes(place: Path) -> int:
    """Return what the files below a folder take, links counted as nothing."""
    files = (path for path in place.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files)


def _write(path: Path, text: str) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
