"""A process that sweeps until it is killed: `python -m tests.sweeper_process DATABASE_URL NOTES LEASE_S`.

Its one job appends a line to NOTES when a round begins and one when it ends.
"""

import os
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from app.db import Database
from app.sweeping import Job, Sweeper
from app.web.dependencies import Site


def main(url: str, notes: Path, lease_s: float) -> None:
    """Sweep for ever."""

    def note(what: str) -> None:
        with notes.open("a") as file:
            file.write(f"{what} {os.getpid()} {time.time()}\n")

    def work(_site: Site, _at: datetime) -> int:
        note("begin")
        time.sleep(0.05)
        note("end")
        return 0

    site = cast("Site", SimpleNamespace(database=Database(url)))  # all that a sweeper itself asks of a site
    jobs = [Job("notes", work, every=timedelta(seconds=0.05))]
    Sweeper(site, jobs, timedelta(seconds=lease_s)).start()
    time.sleep(120)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
