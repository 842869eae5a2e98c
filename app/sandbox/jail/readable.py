"""What a snippet may read: what the zygote has imported or mapped, found by looking at the zygote itself.

The list is per package and per file: granting all of site-packages would hand out whatever is installed there, the
product included. `app` is never on it, wherever it is installed.
"""

import os
import sys
from pathlib import Path

PRIVATE = frozenset({"app", "site-packages", "dist-packages", "__pycache__"})
DEVICES = ("/dev/urandom",)


def readable(private_root: Path) -> list[str]:
    """Return the files and directories to grant; nothing below `private_root` but its packages directory is."""
    stdlib = Path(os.__file__).parent
    found = {str(entry) for entry in stdlib.iterdir() if entry.name not in PRIVATE}
    found |= _packages(stdlib, private_root)
    found |= {name for name in _mapped() if not _below(name, found)}
    return [*sorted(found), *DEVICES]


def _packages(stdlib: Path, private_root: Path) -> set[str]:
    """Return the top entries, below each directory packages are imported from, that the zygote uses."""
    sites = [Path(entry) for entry in sys.path if entry and Path(entry).is_dir()]
    sites = [site for site in sites if site != private_root and site not in (stdlib, stdlib / "lib-dynload")]
    used = {getattr(module, "__file__", None) for module in list(sys.modules.values())} | _mapped()
    found = set()
    for name in filter(None, used):
        for site in sites:
            if name.startswith(f"{site}/"):
                top = name.removeprefix(f"{site}/").split("/")[0]
                found |= set() if top in PRIVATE else {f"{site}/{top}"}
    return found


def _mapped() -> set[str]:
    """Return the files mapped into this process: shared libraries, mostly."""
    with open("/proc/self/maps", encoding="utf-8") as lines:  # noqa: PTH123 - proc is not a place for Path
        names = {line.rstrip("\n").split(maxsplit=5)[5] for line in lines if "/" in line}
    return {name for name in names if name.startswith("/") and ".so" in name and Path(name).is_file()}


def _below(name: str, roots: set[str]) -> bool:
    return any(str(parent) in roots for parent in (Path(name), *Path(name).parents))
