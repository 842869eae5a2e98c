"""What the site does by itself, in its web processes: `JOBS`, each done by one process at a time.

One thread looks at every job about once a second. Whoever holds a job's lease in the database runs it, in a thread of
its own, so that a slow one holds up no other; while it runs, the first thread renews the lease.

    not held -> held      the lease is free, or that of another process has ended
    held -> held          renewed once a third of it is gone
    held -> not held      given back at the stop; or the process died, and another takes over when the lease ends

A process that stood still for longer than its lease may do a round beside the new holder. So a job never relies on
being alone: it claims or locks what it works on, and what it does, a later reader would do as well. Leases compare the
clocks of the processes, which need to agree within some seconds.
"""

import asyncio
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import structlog
from sqlalchemy.exc import IntegrityError

from app.accounts.forgetting import forget_expired
from app.bank.verified import FOLDER, Records, here
from app.bank.verify import DEFAULT_LIMIT, Cache
from app.clock import now
from app.delivery.mail import deliver_mails, mail_server
from app.delivery.outbox import forget_old
from app.delivery.outgoing import Outgoing
from app.delivery.partners import deliver_partner_calls
from app.delivery.sealing import reseal
from app.delivery.webhooks import deliver_webhooks, end_old_rotations
from app.errors import UnavailableError
from app.hiring import closing
from app.hiring.item_verification import verify_next
from app.hiring.pools import Workshop, fill_pool, next_to_fill
from app.hiring.retention import erase_expired
from app.models.delivery import give_back_lease, lease_taken, take_lease
from app.web.dependencies import Site

log = structlog.get_logger()

TICK_S = 1.0
BETWEEN_ROUNDS_S = 0.02
STOP_S = 5.0
LEASE = timedelta(seconds=30)
AFTER_FAILURE = timedelta(seconds=10)
LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Job:
    """Something to do again and again.

    `run` does a bounded piece of it, a few seconds at most, and returns how many things were done; it is called again
    at once until that is 0, and then after `every`.
    """

    name: str
    run: Callable[[Site, datetime], int]
    every: timedelta = timedelta(seconds=1)


def send_mails(site: Site, at: datetime) -> int:
    """Send mails that are due."""
    return deliver_mails(site.database, mail_server(site.settings), at)


def call_webhooks(site: Site, at: datetime) -> int:
    """Call webhooks that are due."""
    return deliver_webhooks(site.database, site.sealer, Outgoing(site.settings.deliver_to_loopback), at)


def call_partners(site: Site, at: datetime) -> int:
    """Call partners that are due."""
    return deliver_partner_calls(site.database, site.sealer, Outgoing(site.settings.deliver_to_loopback), at)


def move_secrets(site: Site, _at: datetime) -> int:
    """Move stored secrets to the newest signing key, so that the previous one can be dropped."""
    return reseal(site.database, site.sealer)


def drop_old_secrets(site: Site, at: datetime) -> int:
    """Drop secrets of webhooks that were replaced a day ago."""
    return end_old_rotations(site.database, at)


def fill_pools(site: Site, _at: datetime) -> int:
    """Check variants for a quiz that is being published; one quiz a round, gone on with where it was cut off."""
    quiz_id = next_to_fill(site.database)
    if quiz_id is None or site.livecheck.health().state != "ready":
        return 0
    try:
        fill_pool(_workshop(site), quiz_id)
    except UnavailableError as error:
        log.warning("pool_waits", quiz=str(quiz_id), reason=error.message)
        return 0
    return 1


def verify_items(site: Site, _at: datetime) -> int:
    """Verify an item that a team uploaded, one a round."""
    if site.livecheck.health().state != "ready":
        return 0
    try:
        return int(verify_next(_workshop(site)))
    except UnavailableError as error:
        log.warning("item_waits", reason=error.message)
        return 0


def _workshop(site: Site) -> Workshop:
    cache = Cache(Records(site.settings.var / FOLDER), here(DEFAULT_LIMIT))
    return Workshop(site.database, site.livecheck, site.bank, cache)


def close_sessions(site: Site, at: datetime) -> int:
    """Close and grade quiz sessions whose time is over, also when nobody is looking."""
    return closing.sweep(site.database, at)


def forget_deliveries(site: Site, at: datetime) -> int:
    """Delete messages that were settled long ago."""
    return forget_old(site.database, at)


def forget_sign_ins(site: Site, at: datetime) -> int:
    """Delete what has expired of signing in."""
    return forget_expired(site.database, at)


def erase_candidates(site: Site, at: datetime) -> int:
    """Erase candidates whose quiz keeps them no longer, and what erasures left beside the database."""
    erased = erase_expired(site.database, at)
    if not erased:
        site.database.drop_traces()
    return erased


JOBS = (
    Job("sessions", close_sessions),
    Job("pools", fill_pools),
    Job("items", verify_items),
    Job("mails", send_mails),
    Job("webhooks", call_webhooks),
    Job("partner-calls", call_partners),
    Job("secrets", move_secrets, every=timedelta(minutes=10)),
    Job("old-secrets", drop_old_secrets, every=timedelta(minutes=10)),
    Job("retention", erase_candidates, every=timedelta(hours=1)),
    Job("old-deliveries", forget_deliveries, every=timedelta(hours=1)),
    Job("old-sign-ins", forget_sign_ins, every=timedelta(hours=1)),
)


@dataclass(slots=True)
class _Work:
    """One job as this process knows it."""

    job: Job
    held_until: datetime = LONG_AGO
    next_at: datetime = LONG_AGO
    thread: threading.Thread | None = field(default=None)

    @property
    def running(self) -> bool:
        return self.thread is not None and self.thread.is_alive()


class Sweeper:
    """Runs jobs in the background between `start` and `stop`."""

    def __init__(self, site: Site, jobs: Sequence[Job] = JOBS, lease: timedelta = LEASE) -> None:
        self._site = site
        self._lease = lease
        self._holder = secrets.token_hex(16)
        self._work = [_Work(job) for job in jobs]
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="sweeper", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Begin nothing more, wait a moment for what is under way, and give back the leases of what has ended."""
        self._stopping.set()
        deadline = time.monotonic() + STOP_S
        for thread in (self._thread, *(one.thread for one in self._work)):
            if thread is not None:
                thread.join(max(deadline - time.monotonic(), 0))
        held = [one.job.name for one in self._work if one.held_until > now() and not one.running]
        try:
            with self._site.database.writing() as session:
                for name in held:
                    give_back_lease(session, name, self._holder)
        except Exception:  # the last act of a process: the leases end by themselves
            log.exception("leases_not_given_back")

    def _loop(self) -> None:
        while not self._stopping.is_set():
            for work in self._work:
                try:
                    self._look_after(work)
                except Exception:  # the edge of a thread: a database that is away must not end the sweeping
                    log.exception("lease_not_taken", job=work.job.name)
                    work.next_at = now() + AFTER_FAILURE
            self._stopping.wait(min(TICK_S, self._lease.total_seconds() / 6))

    def _look_after(self, work: _Work) -> None:
        at = now()
        if work.running:
            self._hold(work, at)
        elif at >= work.next_at and self._hold(work, at):
            work.next_at = at + work.job.every
            work.thread = threading.Thread(target=self._run, args=(work,), name=work.job.name, daemon=True)
            work.thread.start()

    def _hold(self, work: _Work, at: datetime) -> bool:
        """Take or renew the lease of a job where that is needed; return whether this process has it."""
        if work.held_until - at > self._lease * 2 / 3:
            return True
        name, until = work.job.name, at + self._lease
        with self._site.database.reading() as session:
            if lease_taken(session, name, self._holder, at):
                return False
        try:
            with self._site.database.writing() as session:
                held = take_lease(session, name, self._holder, at, until)
        except IntegrityError:  # another process made the first lease of this job in between
            return False
        work.held_until = until if held else LONG_AGO
        return held

    def _run(self, work: _Work) -> None:
        """Do rounds until nothing is left, the lease is lost or the process stops."""
        try:
            while work.held_until > now() and work.job.run(self._site, now()):
                if self._stopping.wait(BETWEEN_ROUNDS_S):
                    return
        except Exception:  # the edge of a thread: the job is tried again
            log.exception("job_failed", job=work.job.name)
            work.next_at = now() + AFTER_FAILURE


@asynccontextmanager
async def sweeping(site: Site) -> AsyncIterator[None]:
    """Sweep in the background meanwhile, unless the settings leave it to other processes."""
    if not site.settings.sweep:
        yield
        return
    sweeper = Sweeper(site)
    sweeper.start()
    try:
        yield
    finally:
        await asyncio.to_thread(sweeper.stop)
