"""What was verified, kept below `var/verified/`: one JSON file per item and circumstances.

A record is found by the item's content hash and by everything that could change what its runs show: torch, python, the
sandbox's own sources, the bank's own sources (the verifier among them) and how many variants were run. A record that
cannot be read is as good as none. `moved.json` says which items had another key under another torch.

Records hold keys: the folder is readable by its owner only, and no page shows it.
"""

import hashlib
import json
import os
import platform
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from app.bank.reports import ItemReport, read_item_report

FOLDER = "verified"
MOVED = "moved.json"
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
KEPT_S = 30 * 24 * 3600.0
_APP = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the result of a run depends on besides the item. `limit` is how many variants are run."""

    torch: str
    python: str
    limit: int
    sandbox: str
    verifier: str


def circumstances(torch: str, python: str, limit: int) -> Circumstances:
    """Return the circumstances of this installation with some torch and python."""
    return Circumstances(torch, python, limit, _sources("sandbox", "probe"), _sources("bank"))


def here(limit: int) -> Circumstances:
    """Return the circumstances of this very environment, without importing torch."""
    try:
        torch = version("torch")
    except PackageNotFoundError:
        torch = ""
    return circumstances(torch, platform.python_version(), limit)


@cache
def _sources(*rooms: str) -> str:
    """Return a hash of the source files of some rooms: what they do cannot change without it."""
    digest = hashlib.sha256()
    for path in sorted(path for room in rooms for path in (_APP / room).rglob("*.py")):
        digest.update(str(path.relative_to(_APP)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Records:
    """The records in one folder, which need not exist yet."""

    folder: Path

    def find(self, content_hash: str, under: Circumstances) -> ItemReport | None:
        """Return the record of an item, or `None` where there is none that can be read."""
        try:
            data = json.loads(self._path(content_hash, under).read_text(encoding="utf-8"))
            if data["content_hash"] != content_hash or data["under"] != asdict(under):
                return None
            return read_item_report(data["report"])
        except UNREADABLE:
            return None

    def failed(self) -> dict[tuple[str, str], frozenset[str]]:
        """Return the content hashes of items whose record has errors, by the torch and python it was made with.

        Only records made with this very code count; of several for one item, the one that looked at most variants.
        """
        judged: dict[tuple[str, str, str], tuple[int, bool]] = {}
        for path in self.folder.glob("*-*.json"):
            try:
                data = json.loads(path.read_text(encoding="utf-8"))
                under, report = Circumstances(**data["under"]), read_item_report(data["report"])
            except UNREADABLE:
                continue
            if under == circumstances(under.torch, under.python, under.limit):
                place = (under.torch, under.python, str(data["content_hash"]))
                judged[place] = max(judged.get(place, (0, False)), (under.limit, bool(report.errors)))
        found: dict[tuple[str, str], set[str]] = {}
        for (torch, python, digest), (_, has_errors) in judged.items():
            if has_errors:
                found.setdefault((torch, python), set()).add(digest)
        return {versions: frozenset(digests) for versions, digests in found.items()}

    def keep(self, report: ItemReport, under: Circumstances) -> None:
        """Write the record of an item, whole or not at all."""
        data = {"content_hash": report.content_hash, "under": asdict(under), "report": report.to_json()}
        _write(self._path(report.content_hash, under), data)

    def _path(self, content_hash: str, under: Circumstances) -> Path:
        digest = hashlib.sha256(json.dumps(asdict(under), sort_keys=True).encode()).hexdigest()
        return self.folder / f"{content_hash[:32]}-{digest[:16]}.json"

    def moved(self) -> dict[str, list[str]]:
        """Return the versions of torch between which the key moved, by content hash; none for an item that held."""
        try:
            data = json.loads((self.folder / MOVED).read_text(encoding="utf-8"))
            return {str(name): [str(one) for one in versions] for name, versions in data["items"].items()}
        except UNREADABLE:
            return {}

    def keep_moved(self, found: Mapping[str, Iterable[str]]) -> None:
        """Add what was found about some items, by content hash, to what is known of others."""
        items = {**self.moved(), **{name: sorted(versions) for name, versions in found.items()}}
        _write(self.folder / MOVED, {"items": items})

    def prune(self, now: float | None = None) -> None:
        """Remove the records nobody has written for thirty days."""
        oldest = (time.time() if now is None else now) - KEPT_S
        for path in self.folder.glob("*-*.json"):
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)


def _write(path: Path, data: dict[str, Any]) -> None:
    """Write JSON to a file of its own, then put it in place."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".new")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(data, stream, ensure_ascii=False)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
