"""Things an escape would touch: a file anybody may write, a socket anybody may reach, a process of anybody's."""

import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CONTENT = "a database nobody may see"
MODIFIED = 1_000_000_000.0


@dataclass(frozen=True, slots=True)
class Canaries:
    """What is watched."""

    place: Path
    tcp: socket.socket
    unix: socket.socket
    sibling: "subprocess.Popen[bytes]"

    def fill(self, code: str) -> str:
        """Return `code` with the names of what is watched put in."""
        port = self.tcp.getsockname()[1]
        for name, value in (("canary", self.place), ("port", port), ("sibling", self.sibling.pid)):
            code = code.replace(f"{{{name}}}", str(value))
        return code

    def check(self) -> None:
        """Assert that nothing was touched."""
        database = self.place / "app.db"
        state = database.stat()
        assert database.read_text() == CONTENT
        assert (state.st_mtime, stat.S_IMODE(state.st_mode)) == (MODIFIED, 0o666)
        assert sorted(entry.name for entry in self.place.iterdir()) == ["app.db", "socket"]
        assert self.sibling.poll() is None
        assert not _was_called(self.tcp)
        assert not _was_called(self.unix)


def _was_called(server: socket.socket) -> bool:
    try:
        server.accept()
    except BlockingIOError:
        return False
    return True


@contextmanager
def watched() -> Iterator[Canaries]:
    """Set everything out, and clear it away."""
    place = Path(tempfile.mkdtemp(prefix="canary-", dir="/var/tmp"))
    place.chmod(0o777)
    (place / "app.db").write_text(CONTENT)
    (place / "app.db").chmod(0o666)
    os.utime(place / "app.db", (MODIFIED, MODIFIED))
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(place / "socket"))
        (place / "socket").chmod(0o777)
        unix.listen()
        tcp.setblocking(False)
        unix.setblocking(False)
        sibling = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        try:
            yield Canaries(place, tcp, unix, sibling)
        finally:
            sibling.communicate(b"\n")
            shutil.rmtree(place)
