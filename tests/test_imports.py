"""Imports go down: each room may import only what its row names. The rule is DESIGN's picture, as a table."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

APP = Path(__file__).parent.parent / "app"

BASE = ("settings", "errors", "clock", "tokens", "addresses")
BANK = ("bank", "sandbox.protocol", "sandbox.client", *BASE)
CORE = ("grading", "drawing", "models", "db", *BANK)
JOURNEYS = ("practice", "history", "hiring", "accounts")

# room -> the rooms it may import (itself always)
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "settings": ("errors",),
    "errors": (),
    "clock": (),
    "tokens": ("errors",),
    "addresses": ("errors",),
    "sandbox.protocol": (),
    "sandbox.client": ("errors", "sandbox.protocol"),
    "sandbox.limits": (),
    "sandbox.supervisor": (),
    "sandbox": ("sandbox", "probe"),
    "probe": ("sandbox.protocol", "sandbox.limits"),
    "bank": BANK,
    "exchange": ("exchange", "bank", *BASE),
    "grading": BANK,
    "drawing": BANK,
    "models": BANK,
    "db": BASE,
    "livecheck": CORE,
    "delivery": ("models", "db", *BASE),
    **dict.fromkeys(JOURNEYS, ("livecheck", "delivery", *CORE)),
    "web": ("web", *JOURNEYS, "livecheck", "delivery", *CORE),
    "sweeping": ("web", *JOURNEYS, "livecheck", "delivery", *CORE),
    "main": ("web", "sweeping", "livecheck", "delivery", *CORE),
    "serving": ("main", "sandbox.supervisor", *BASE),
    "versions": ("errors",),
    "loadtest": ("hiring", "accounts", "livecheck", *CORE),
    "history_bench": ("main", "web", "history", *CORE),
    "commands": ("accounts", "history", "loadtest", "sandbox", "exchange", "versions", *CORE),
    "cli": ("commands", "serving", *BASE),
}
WEB_ONLY = {"fastapi": {"web", "main"}, "jinja2": {"web", "main"}, "starlette": {"web", "main", "sandbox"}}


def room_of(module: str) -> str:
    """Return the room of a module below `app`: the longest name of the table that it lies in."""
    fitting = [room for room in MAY_IMPORT if module == room or module.startswith(f"{room}.")]
    assert fitting, f"app.{module} lies in no room of tests/test_imports.py: give it one"
    return max(fitting, key=len)


def name_of(path: Path) -> str:
    """Return a file's module name below `app`."""
    parts = path.relative_to(APP).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, module) for every import of a file, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield node.lineno, f"app.{'.' * node.level}{node.module or ''}"  # no room has such a name: it is refused
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                is_module = (APP.parent / inner.replace(".", "/")).with_suffix(".py").exists()
                yield node.lineno, inner if is_module or node.module == "app" else node.module


FILES = sorted(path for path in APP.rglob("*.py") if name_of(path))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_go_down(path: Path) -> None:
    room = room_of(name_of(path))
    broken = []
    for line, module in imports_of(path):
        if module.startswith("app."):
            target = room_of(module.removeprefix("app."))
            allowed = MAY_IMPORT[room]
            if target != room and not any(target == one or target.startswith(f"{one}.") for one in allowed):
                broken.append(f"{path.relative_to(APP.parent)}:{line}: {room} may not import {target}")
        else:
            rooms = WEB_ONLY.get(module.partition(".")[0])
            if rooms is not None and room not in rooms:
                broken.append(
                    f"{path.relative_to(APP.parent)}:{line}: {module} lives in {', '.join(sorted(rooms))} only"
                )
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize("journey", JOURNEYS)
def test_journeys_do_not_know_each_other(journey: str) -> None:
    files = [path for path in FILES if room_of(name_of(path)) == journey]
    assert files
    others = {f"app.{one}" for one in JOURNEYS if one != journey}
    known = {module for path in files for _, module in imports_of(path)}
    assert not {module for module in known if module in others or module.rpartition(".")[0] in others}


def test_relative_import_is_seen_as_one_that_is_not_allowed(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("from . import web\nfrom ..web import pages\n")
    modules = [module for _, module in imports_of(tmp_path / "x.py")]
    assert modules == ["app..", "app...web"]
    for module in modules:
        with pytest.raises(AssertionError, match="lies in no room"):
            room_of(module.removeprefix("app."))


def test_every_package_file_is_empty_but_models() -> None:
    filled = [path for path in APP.rglob("__init__.py") if path.read_text().strip()]
    assert [path.parent.name for path in filled] == ["models"]


def test_no_function_imports_a_module_to_dodge_a_cycle() -> None:
    dodges = [
        f"{path.relative_to(APP.parent)}:{inner.lineno}"
        for path in FILES
        if not path.relative_to(APP).as_posix().startswith(("sandbox/", "probe/"))
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(function)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]
    assert not dodges


@pytest.mark.parametrize("module", ["app.cli", "app.main", "app.sandbox.service"])
def test_web_and_service_processes_never_import_torch(module: str) -> None:
    program = f"import sys, {module}; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("module", ["sqlalchemy", "fastapi", "app.bank", "app.web", "app.settings", "app.tokens"])
def test_sandbox_service_never_imports_what_holds_keys_or_secrets(module: str) -> None:
    program = f"import sys, app.sandbox.service; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
